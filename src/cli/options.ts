import type { VmStateName } from "../profile/vm-state.js";
import type { CodeKind } from "../views/filter-profile.js";
import type { GroupBy } from "../views/lanes.js";
import type { FilterFlags } from "./filter-options.js";
import type { LoadFlags } from "./log-input.js";
import { patterns, repeated, time, words } from "./option-values.js";
import type { SourceRootFlags } from "./source-roots.js";
import type { ColorFlag, PagerFlag } from "./terminal.js";

/** An option of a command, for the parser, the help, the manual and the completions. */
export interface OptionRow {
  /** In the syntax of commander: `-n, --limit <n>`. */
  readonly flags: string;
  /** What it does, starting with a verb. */
  readonly about: string;
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

/** A group of options that many commands share: the help of each names them in one line. */
export interface Topic {
  /** `ticks help NAME` explains it. */
  readonly name: string;
  readonly title: string;
  readonly options: readonly OptionRow[];
  /** What is to be said of several of its options. */
  readonly details?: string;
}

/** The name of a topic, or a long option of one. */
export type Shared = "output" | "filters" | "sources" | "symbols" | `--${string}`;

/** The kinds of code that `--only` keeps. */
const KINDS = ["js", "native", "app", "deps", "node"] as const satisfies readonly CodeKind[];
/** The states that `--state` keeps. */
const STATES = [
  ...(["js", "gc", "parser", "bytecode-compiler", "compiler", "other", "external", "atomics-wait"] as const),
  ...(["idle", "logging", "idle-external", "idle-inferred"] as const),
] satisfies readonly VmStateName[];

/** The options that commands share. */
export const TOPICS: readonly Topic[] = [
  {
    name: "output",
    title: "Output",
    options: [
      option("--pretty", "indent JSON (default: only on a terminal)"),
      option("--color <when>", "use colours", { choices: ["auto", "always", "never"], default: "auto" }),
      option("--no-color", "use no colours", { preset: "never", isHidden: true }),
      option("--no-pager", "print long reports without the pager (TICKS_PAGER, PAGER or less)"),
    ],
    details: `Most reports have three formats: --format text, json or md (Markdown). --json
and --md are short for them. ticks COMMAND --help says which a command has.`,
  },
  {
    name: "filters",
    title: "Filters",
    options: [
      option("--focus <re>", "keep only stacks with a frame whose label or file matches", {
        read: patterns("--focus"),
      }),
      option("--ignore <re>", "drop stacks with a matching frame", { read: patterns("--ignore") }),
      option("--hide <re>", "hide matching frames and credit their callers", { read: patterns("--hide") }),
      option("--only <kind>", "keep only these frames; they absorb their callees", {
        choices: KINDS,
        read: words(KINDS, "kind"),
      }),
      option("--state <name>", "keep only ticks in this V8 state", {
        choices: STATES,
        read: words([...STATES, "unknown"], "state"),
      }),
      option(
        "--thread <which>",
        "keep only these threads: #, name, PID, isolate, main or worker; or several, with commas",
        { read: repeated },
      ),
      option("--from <time>", "drop ticks before this time since the log began: 500ms, 5s; 500 is 500ms", {
        read: time("ms"),
      }),
      option("--to <time>", "drop ticks after this time", { read: time("ms") }),
      option(
        "--sample-type <type>",
        "count these values of a pprof profile, such as cpu or wall (default: those that it shows first)",
      ),
      option("--idle", "count ticks that waited, idle or in Atomics.wait"),
      option("--no-idle", "leave out ticks that waited"),
    ],
    details: `RE is a regular expression; /RE/i ignores case. --focus, --ignore, --hide,
--only, --state and --thread can stand several times.

Most commands leave out ticks that waited; timeline, threads, startup, doctor
and export count them.`,
  },
  {
    name: "sources",
    title: "Sources",
    options: [
      option(
        "--source-root <[from=]dir>",
        "allow reading the source maps and sources that the log names, if they are in this folder (default: for your own recordings, where the program was started; else read no such file); repeatable",
        { read: repeated },
      ),
      option("--no-source-maps", "ignore source maps"),
      option("--no-inferred", "leave out callers and lines that are not in the log but inferred (marked ≈)"),
      option("--separate-bytecodes", "show bytecode handlers (default: credit the functions they interpret)"),
      option("--no-separate-bytecodes", "do not show them", { isHidden: true }),
    ],
    details: `--source-root FROM=DIR is for a log from another machine, where DIR was called
FROM. With --source-root /srv/app=., ticks reads ./main.js for /srv/app/main.js.`,
  },
  {
    name: "symbols",
    title: "Native symbols",
    options: [
      option(
        "--symbols <[lib=]file>",
        "use symbols saved by ticks symbols (default: LOG.symbols, if it exists) or, for one library, its binary, nm output or a Windows .map; repeatable",
        { read: repeated },
      ),
      option("--nm <path>", "use this nm instead of the built-in reader"),
      option("--target <dir>", "look for libraries in this folder: a root file system, or just the files"),
      option("--force-symbols", "use symbols even if the binary does not match"),
      option("--no-cache", "do not read or write caches: of symbols, and of the compiled code of ticks"),
      option("--apk-embedded-library <path>", "read this library for paths that end in .apk"),
    ],
    details: `--symbols LIB=FILE gives the symbols of one library. LIB is its path or its file
name.`,
  },
];

/** The options of every command that reads stacks. */
export interface ViewFlags extends LoadFlags, FilterFlags, SourceRootFlags {
  color: ColorFlag;
  sourceMaps: boolean;
  separateBytecodes?: boolean;
  inferred: boolean;
}

/** An output format of a report. */
export type Format = "text" | "json" | "md";

/** The options of a report that has several formats. */
export interface FormatFlags extends PagerFlag {
  format: Format;
  pretty?: boolean;
}

/** The options of a report that is a list. */
export interface ListFlags extends ViewFlags, FormatFlags {
  /** The number of rows: in JSON all, unless the user says so. */
  limit: number;
}

/** The option of the commands that group ticks by what V8 was doing. */
export interface GroupFlags {
  by: GroupBy;
}

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
  /** Whether JSON has all rows. */
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
  /** Whether its last argument, if it is no log, says what to show. */
  readonly hasQuery?: boolean;
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

/** The options of every command, and of the program. */
export const COMMON: readonly OptionRow[] = [
  option("--no-pager", "print long reports without the pager (TICKS_PAGER, PAGER or less)"),
  option("-h, --help", "show the help"),
  option("--help-all", "show the help with all options, also those that commands share"),
  option("-V, --version", "print the version"),
];

/** Returns the options that a command has of its own, with that of its formats; `about` also says their choices and defaults. */
export function ownOptions(row: CommandRow): readonly OptionRow[] {
  const { formats = [], rows } = row;
  const limit = `(default: ${rows}${row.hasAllRowsInJson ? "; JSON: all" : ""})`;
  const own = (row.options ?? []).map((one) =>
    rows !== undefined && one.flags === "-n, --limit <n>" ? { ...one, about: `${one.about} ${limit}` } : one,
  );
  const [first, ...others] = formats;
  if (first === undefined) return own;
  const short = others.filter((format) => format === "json" || format === "md");
  const names = short.map((format) => `--${format}`).join(", ");
  const made = [
    option("--format <name>", `output format; short: ${names}`, { choices: formats, default: first }),
    ...short.map((format) => option(`--${format}`, "", { implies: { format }, isHidden: true })),
  ];
  const end = own.findIndex(({ heading }) => heading !== undefined);
  return end < 0 ? [...own, ...made] : [...own.slice(0, end), ...made, ...own.slice(end)];
}

/** Options of a topic. */
export interface TopicOptions {
  readonly topic: Topic;
  readonly options: readonly OptionRow[];
}

/** Returns the shared options that a command takes, by topic: those that are of use, or all. */
export function sharedOptions(row: CommandRow, { isAll = false } = {}): readonly TopicOptions[] {
  const { shared = [], lacks = [], ignores = [], countsIdle = false } = row;
  const own = new Set(ownOptions(row).map((one) => namesOf(one).long));
  return TOPICS.map((topic) => {
    const taken = topic.options.filter((one) => {
      const { long } = namesOf(one);
      const isShared = shared.some((name) => name === topic.name || name === long);
      return isShared && !own.has(long) && !lacks.includes(long);
    });
    const options = taken.map((one): OptionRow => {
      const { long } = namesOf(one);
      // What a command does anyway needs no option.
      const isUsual = long === (countsIdle ? "--idle" : "--no-idle");
      const isHidden = one.isHidden || isUsual || ignores.includes(long);
      return { ...one, isHidden, ...(countsIdle && long === "--idle" && { default: true }) };
    });
    return { topic, options: options.filter(({ isHidden }) => isAll || !isHidden) };
  }).filter(({ options }) => options.length > 0);
}

/** Returns all options that a command takes, but those of help and version. */
export function allOptions(row: CommandRow): readonly OptionRow[] {
  const all = [...ownOptions(row), ...sharedOptions(row, { isAll: true }).flatMap(({ options }) => options)];
  const known = new Set(all.map(({ flags }) => flags));
  return [...all, ...COMMON.slice(0, 1).filter(({ flags }) => !known.has(flags))];
}

/** Returns what an option does, with its choices and its default. */
export function described(row: OptionRow): string {
  const { about, choices, default: value } = row;
  const isValue = typeof value === "string" || typeof value === "number";
  const parts = [
    ...(choices === undefined ? [] : [choices.join(", ")]),
    ...(isValue ? [`default: ${value}`] : []),
  ];
  if (parts.length === 0) return about;
  return about.endsWith(")")
    ? `${about.slice(0, -1)}; ${parts.join("; ")})`
    : `${about} (${parts.join("; ")})`;
}

/** Returns the arguments of a command, as the help shows them. */
export function usageOf({ args }: CommandRow): string {
  return `[options] ${args}`.trim();
}

/** Stands for the `--` between two sides, so that options can follow it. No file has this name. */
export const SIDES = "\0--";
