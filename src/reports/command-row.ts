/** An option of a command, for the parser, the help, the manual and the completions. */
export interface OptionRow {
  /** In the syntax of commander: `-n, --limit <n>`. */
  readonly flags: string;
  /** What it does, starting with a verb. */
  readonly about: string;
  /** What reports and the library call it. Default: as the command line does, without dashes. */
  readonly name?: string;
  /** Reads its value. Throws an {@link UnfitValue}, or a {@link TicksError}. Default: the text, or one of the choices. */
  readonly read?: (text: string, previous: never) => unknown;
  readonly choices?: readonly string[];
  readonly default?: string | number | boolean;
  /** Its value where it stands without one. */
  readonly preset?: string;
  /** Options that it sets, by their names as flags. */
  readonly implies?: Readonly<Record<string, unknown>>;
  /** Options that it does not go with, by their names as flags. */
  readonly conflicts?: readonly string[];
  /** Whether it works, but nobody needs to know: another option is the same, or it has no effect. */
  readonly isHidden?: boolean;
  /** The heading of the group that begins with it, in the help of its command. */
  readonly heading?: string;
}

/** Makes the row of an option. */
export function option(
  flags: string,
  about: string,
  more: Omit<OptionRow, "flags" | "about"> = {},
): OptionRow {
  return { flags, about, ...more };
}

/** Returns the names of an option, with their dashes, and what stands for its value. */
export function namesOf({ flags }: OptionRow): {
  readonly short: string | undefined;
  readonly long: string;
  /** `file`; undefined for an option without a value. */
  readonly value: string | undefined;
} {
  const [, short, long, value] = /^(?:(-\w), )?(--[\w-]+)(?: [<[](.*)[>\]])?$/.exec(flags)!;
  return { short, long: long!, value };
}

/** Returns the name of the value of an option: `limitTokens` of `--limit-tokens`, `cache` of `--no-cache`. */
export function keyOf(long: string): string {
  return long.replace(/^--(?:no-)?/, "").replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The name of a topic, or a long option of one. */
export type Shared = "output" | "filters" | "sources" | "symbols" | `--${string}`;

/** The groups of the help, in its order. */
export const GROUPS = ["Start", "Look closer", "Causes", "Compare", "Share", "Other"] as const;

/** All about a command: the parser, the help, the manual, the completions and the tests read it here. */
export interface CommandRow {
  readonly name: string;
  /** Undefined for what is only for programs. */
  readonly group: (typeof GROUPS)[number] | undefined;
  /** Its arguments, as the help shows them: `<LOG>` is needed, `[LOG...]` may be any number. */
  readonly args: string;
  /** What it does, starting with a verb. */
  readonly summary: string;
  /** Its own options, in the order of its help. */
  readonly options?: readonly OptionRow[];
  /** Its formats, the default first; none: it has no `--format`. */
  readonly formats?: readonly string[];
  /** How many rows its lists have, where the user does not say. */
  readonly rows?: number;
  readonly hasAllRowsInJson?: boolean;
  /** The shared options that it takes. */
  readonly shared?: readonly Shared[];
  /** Options of its topics that it does not take. */
  readonly lacks?: readonly string[];
  /** Shared options that it takes, but that have no effect on it: its help hides them. */
  readonly ignores?: readonly string[];
  /** Whether ticks that waited count, unless the user says so. */
  readonly countsIdle?: boolean;
  /** Whether it reads logs to their ends, a large one in a second thread. */
  readonly readsLog?: boolean;
  /** What its last argument is, if it is no log: an option of this name says what to show. */
  readonly query?: string;
  /** Whether its options end where its first argument begins: the rest is of another program. */
  readonly isWrapper?: boolean;
  /** What its help says below its options. */
  readonly details?: string;
  /** A list below them. */
  readonly list?: {
    readonly title: string;
    readonly rows: () => Promise<readonly { readonly name: string; readonly description: string }[]>;
  };
  /** Two command lines, without `ticks`. */
  readonly examples: readonly [string, string];
}

/** Returns how many rows the lists of a report have, where the user does not say. */
export function rowsIn(
  { rows, hasAllRowsInJson }: Pick<CommandRow, "rows" | "hasAllRowsInJson">,
  format: string,
): number {
  return rows === undefined || (hasAllRowsInJson && format === "json") ? Number.POSITIVE_INFINITY : rows;
}
