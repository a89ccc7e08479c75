import type { CodeKind } from "../facts/filter-profile.js";
import { VM_STATES } from "../profile/vm-state.js";
import { type CommandRow, namesOf, type OptionRow, option } from "../reports/command-row.js";
import { labelPatterns, patterns, repeated, time, words } from "../reports/option-values.js";
import type { Format } from "../reports/report.js";
import type { FilterFlags } from "./filter-options.js";
import type { LoadFlags } from "./log-input.js";
import type { SourceRootFlags } from "./source-roots.js";
import type { ColorFlag, PagerFlag } from "./terminal.js";

/** What `ticks help` does. */
export const HELP_SUMMARY = "show the help of a command or a topic";

/** Returns where all options of a command are told. */
export function allOptionsHint({ name }: Pick<CommandRow, "name">): string {
  return `All options: ticks ${name} --help-all`;
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

/** The kinds of code that `--only` keeps. */
const KINDS = ["js", "native", "app", "deps", "node"] as const satisfies readonly CodeKind[];
/** The states that `--state` keeps. */
const STATES = VM_STATES.filter((state) => state !== "unknown");

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
        "count these values of a pprof profile, such as cpu or wall (default: those that it shows first); space: read the heap profiles beside the logs of a folder",
      ),
      option("--tagfocus <label>", "keep only samples of a pprof profile with this label: KEY=RE, or RE", {
        read: labelPatterns("--tagfocus"),
      }),
      option("--tagignore <label>", "drop samples with this label", { read: labelPatterns("--tagignore") }),
      option("--idle", "count ticks that waited, idle or in Atomics.wait"),
      option("--no-idle", "leave out ticks that waited"),
    ],
    details: `RE is a regular expression; /RE/i ignores case. --focus, --ignore, --hide,
--only, --state, --thread, --tagfocus and --tagignore can stand several times.

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

/** The options of a report that has several formats. */
export interface FormatFlags extends PagerFlag {
  format: Format;
  pretty?: boolean;
}

/** The options that may stand before the command: they say how the program runs, and nothing of what it reads. */
export const BEFORE_COMMAND: ReadonlySet<string> = new Set(["--no-pager", "--no-cache"]);

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

interface TopicOptions {
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
