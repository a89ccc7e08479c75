import { type CommandRow, namesOf, type OptionRow } from "../reports/command-row.js";
import { commandNamed, DEFAULT_COMMAND } from "./commands.js";
import { allOptions, BEFORE_COMMAND, SIDES, TOPICS } from "./options.js";

/** A command line, read once. */
export interface CommandLine {
  readonly row: CommandRow;
  /** Whether the command is named; else it is the default. */
  readonly isNamed: boolean;
  /** What follows the command, as the parser of options takes it. */
  readonly args: readonly string[];
  /** Those that are neither options nor values of options. */
  readonly words: readonly string[];
  /** Those that are options, each with its value if that is a word of its own. */
  readonly options: readonly (readonly string[])[];
  /** What it asks for instead of running the command. */
  readonly asks: Question | undefined;
}

/** A question about the program; about a command or a topic if `name` is one. */
export interface Question {
  readonly what: "help" | "help-all" | "version";
  readonly name: string | undefined;
}

/** The commands that compare two sides, with `--` between them. */
const COMPARING: readonly string[] = ["diff", "flame"];

const SEPARATE_FLAG = /^--(separate-(?:ic|bytecodes|builtins|stubs|sparkplug-handlers))(?:=(.*))?$/;

/** Reads a command line, without the names of Node and of the program. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const start = argv.findIndex((arg) => !BEFORE_COMMAND.has(arg));
  const first = start < 0 ? undefined : argv[start]!;
  const named = first === undefined ? undefined : commandNamed(first);
  const row = named ?? DEFAULT_COMMAND;
  const rest = named === undefined ? argv : argv.toSpliced(start, 1);
  const args = row.isWrapper ? rest : normal(rest, COMPARING.includes(row.name));
  const { words, options } = partsOf(args, row);
  const line = { row, isNamed: named !== undefined, args, words, options };
  if (first === "help") {
    const name = words[1];
    const isWhole = options.some(([option]) => option === "--help-all");
    return { ...line, asks: { what: isWhole ? "help-all" : "help", name } };
  }
  const what = options.flatMap(([option]) => QUESTIONS[option!] ?? [])[0];
  return { ...line, asks: what && { what, name: named?.name } };
}

const QUESTIONS: Readonly<Record<string, Question["what"]>> = {
  "-h": "help",
  "--help": "help",
  "--help-all": "help-all",
  "-V": "version",
  "--version": "version",
};

/**
 * Rewrites `--separate-ic=false` and `--separate-ic false` as `--no-separate-ic`, because `--prof-process`
 * accepts them. An option with an optional value would take the log after it for its value. The first `--` of a command that
 * compares two sides becomes {@link SIDES}.
 */
function normal(args: readonly string[], isComparing: boolean): string[] {
  const out: string[] = [];
  let hasSides = isComparing;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--" && hasSides) {
      hasSides = false;
      out.push(SIDES);
      continue;
    }
    if (arg === "--") return [...out, ...args.slice(i)]; // What follows are names.
    const match = SEPARATE_FLAG.exec(arg);
    const following = args[i + 1];
    const isFollowed =
      match !== null && match[2] === undefined && /^(?:true|false|0|1)$/.test(following ?? "");
    const value = match?.[2] ?? (isFollowed ? following : undefined);
    if (match === null || value === undefined) out.push(arg);
    else out.push(value === "true" || value === "1" ? `--${match[1]}` : `--no-${match[1]}`);
    if (isFollowed) i++;
  }
  return out;
}

/** Topics whose options say what is read and counted: the next command needs them too. */
const KEPT_TOPICS: ReadonlySet<string> = new Set(["filters", "sources", "symbols"]);

/** Returns the options of a command line that go with the logs to another command. */
export function keptOptions({ options }: CommandLine): readonly (readonly string[])[] {
  const kept = TOPICS.filter(({ name }) => KEPT_TOPICS.has(name)).flatMap((topic) =>
    topic.options.map(namesOf),
  );
  return options.filter(([word]) => {
    const name = word!.split("=", 1)[0];
    // Caches change nothing that is shown.
    return name !== "--no-cache" && kept.some(({ short, long }) => name === long || name === short);
  });
}

/** Splits arguments into options, with their values, and words. */
function partsOf(
  args: readonly string[],
  row: CommandRow,
): { readonly words: readonly string[]; readonly options: readonly (readonly string[])[] } {
  const known = allOptions(row);
  const words: string[] = [];
  const options: string[][] = [];
  let isValue = false;
  for (const [i, arg] of args.entries()) {
    if (arg === "--" || (row.isWrapper && words.length > 0)) {
      return { words: [...words, ...args.slice(arg === "--" ? i + 1 : i)], options };
    }
    if (isValue) {
      options.at(-1)!.push(arg);
      isValue = false;
    } else if (arg.length > 1 && arg.startsWith("-")) {
      options.push([arg]);
      isValue = takesValue(arg, known);
    } else words.push(arg);
  }
  return { words, options };
}

/** Returns whether the next argument is the value of an option. */
function takesValue(arg: string, options: readonly OptionRow[]): boolean {
  const found = options.map(namesOf).find(({ short, long }) => arg === short || arg === long);
  return found?.value !== undefined;
}
