import type { Metric } from "../compare/budgets.js";
import type { RunGroup } from "../compare/run-groups.js";
import type { ScaleName } from "../compare/scales.js";
import type { NamedTarget } from "../record/inspector.js";
import { type CommandRow, GROUPS, type OptionRow, option } from "../reports/command-row.js";
import type { DiffOrder } from "../reports/diff-rows.js";
import {
  amount,
  interval,
  memorySize,
  numberUpTo,
  patterns,
  positiveNumber,
  repeated,
  size,
  TICK_INTERVAL,
  time,
  UnfitValue,
  units,
  unitsOfSides,
  wholeNumber,
} from "../reports/option-values.js";
import { REPORTS, VIEW } from "../reports/reports.js";

/** Reads where an inspector listens: `9229`, `HOST:PORT`, `[::1]:PORT`, each with `/ID` for one of several. */
function endpoint(text: string): NamedTarget {
  const [, bracketed, name, number, id] =
    /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d{1,5})(?:\/([\w.-]+))?$/i.exec(text) ?? [];
  const port = Number(number);
  if (!(port > 0 && port < 65_536))
    throw new UnfitValue("expected PORT or HOST:PORT, such as 127.0.0.1:9229");
  return { endpoint: { host: bracketed ?? name ?? "127.0.0.1", port }, id };
}

/** What reports of three formats share. */
const REPORT = { formats: ["text", "json", "md"], shared: VIEW } as const;

const METRICS: Readonly<Record<Exclude<Metric, "longestTurn">, string>> = {
  self: "percent of all ticks in the code itself",
  total: "percent of all ticks in the code and what it calls",
  ticks: "total ticks for each unit of work (--per)",
  deopts: "deoptimizations in each run",
  growth: "growth of the total against the baseline, in percent",
  allocated: "bytes that the code and what it calls allocate in a run, such as 10MB",
};

const REDACTOR: readonly OptionRow[] = [
  option(
    "--key <file|text>",
    "hash names with this key, a text or a file that holds it; the same key gives the same hashes (default: a random key that is not saved)",
  ),
  option("--keep <package>", "keep names and paths of this npm package; repeatable", { read: repeated }),
];

const SHARING: readonly OptionRow[] = [
  option(
    "--redact",
    "hash the names of functions, scripts and packages, as ticks redact does, and write no source text",
    { heading: "Sharing" },
  ),
  ...REDACTOR,
];

/** The format that is made from a log, not from a profile, because it has machine code. */
export const PREPROCESS = {
  name: "preprocess",
  extension: "preprocess.json",
  description: "the JSON of node --prof-process --preprocess, for speedscope and 0x",
} as const;

/** What a program is started and recorded with. */
const RECORD: CommandRow = {
  name: "record",
  group: "Start",
  args: "[--] COMMAND...",
  summary: "run a command and record all its Node processes",
  isWrapper: true,
  options: [
    option(
      "--pid <pid>",
      "profile a Node that runs already, and start no command: opens its inspector, and closes it again",
      { read: positiveNumber },
    ),
    option(
      "--port <[host:]port>",
      "profile a program whose inspector listens there, as in a container; host:port/id if there are several",
      { read: endpoint },
    ),
    option(
      "--cpu-prof",
      "record CPU profiles in place of logs, where --prof cannot work: in Electron, Deno, programs started by their path",
    ),
    option(
      "--allocations",
      "record who allocates memory, and how much, in place of logs: heap profiles of all processes and workers",
      { conflicts: ["cpuProf"] },
    ),
    option("--prof", "with --allocations, write logs of ticks too, in the same run", {
      conflicts: ["cpuProf"],
    }),
    option(
      "--sampling-interval <size>",
      "with --allocations, take a sample every so many bytes on average (default: 32KB; with --prof 256KB)",
      { read: memorySize },
    ),
    option("-o, --output <dir>", "write the logs to this new folder (default: ticks-DATE-TIME-PID)"),
    option("--interval <time>", "take a tick every so many microseconds, or 1ms", {
      read: interval,
      default: TICK_INTERVAL,
    }),
    option(
      "--deopts",
      "log why optimized code is thrown away, for ticks deopts (--log-deopt); Node 16 to 24 also print it",
      { heading: "What to record beside ticks" },
    ),
    option("--ics", "log inline caches (--log-ic)"),
    option(
      "--startup",
      "log each function as it is parsed and compiled (--log-function-events), and end with the page of ticks startup",
    ),
    option("--no-sparkplug", "turn off Sparkplug, whose code has no lines in the logs of Node 16 to 25"),
    option("--label <key=value>", "keep a label in record.json; repeatable", { read: repeated }),
    option("--duration <time>", "stop after this time: 10s, 500ms (default with --pid and --port: 10s)", {
      read: time("s", { least: 0.001, most: 2 ** 31 - 1 }),
      heading: "When to stop",
    }),
    option(
      "--until <re>",
      "stop when a line on standard output matches, such as that a server is ready: there the start-up ends for ticks startup; it becomes a pipe for the program",
      { read: patterns("--until") },
    ),
    option(
      "--on-port <command>",
      "when the program listens on a port, run this shell command with $PORT; its end stops the program",
    ),
    option("--max-size <size>", "stop when the logs are larger: 500MB, 2GB", { read: size }),
    option("--runs <n>", "run the command N times, each with a folder of its own, for ticks diff", {
      read: positiveNumber,
      heading: "Several runs",
    }),
    option("--warmup <n>", "run the command N times before, unrecorded", { read: wholeNumber, default: 0 }),
    option("--add", "add the runs to those in the folder of -o, or make it", {
      conflicts: ["live", "discard", "pid", "port"],
    }),
    option(
      "--against <dir>",
      "run the command of this older recording too, in turns, and show what differs; 6 runs each, or --runs",
      { conflicts: ["add", "live", "discard", "open", "startup", "pid", "port"] },
    ),
    option(
      "--live",
      "show the page of ticks live; what the command writes goes to output.txt in the folder",
      { conflicts: ["until", "runs"], heading: "While it runs" },
    ),
    option("--open", "write a flame graph into the folder and open it in the browser", {
      heading: "At the end",
    }),
    option("--keep", "keep the logs (default)"),
    option("--discard", "print the report and remove the logs", { conflicts: ["keep", "open"] }),
  ],
  details: `COMMAND keeps its standard streams, its exit status and its signals. The logs of
all its Node processes and workers go to one new folder, with their symbols and
record.json. The report goes to standard error; it comes after Ctrl-C too.
Options of ticks stand before COMMAND.

With --cpu-prof, Ctrl-C and other signals end a program that does not listen to
them at once, without its profile. End it by --duration, --until or a signal to
ticks alone; in an endless loop, leave --cpu-prof out: logs lose nothing.

Before and after, in turns, so that a busy machine hits both alike: ticks record
--runs 6 --against before -- node after.js. It runs the command of the recording
"before" again, in its folder, and ends with the page of ticks diff.

A program that runs already: ticks record --pid 1234. It gets a CPU profile of
all its threads, goes on, and has no open port in the end.`,
  examples: [
    "record --duration 30s -- node server.js",
    "record --on-port 'autocannon localhost:$PORT' -- node server.js",
  ],
};

const VIEWS = Object.entries(REPORTS).map(([name, row]): CommandRow => ({ ...row, name }));

const OTHERS: readonly CommandRow[] = [
  {
    name: "live",
    group: "Start",
    args: "[LOG...]",
    summary: "watch a program while it runs: hot functions, threads, deopts",
    options: [
      option("--duration <time>", "end after this time: 10s; 10 is 10s", {
        read: time("s", { most: 1e12 }),
      }),
    ],
    formats: ["text", "json"],
    shared: ["--pretty", "--color", "--no-color", "--source-root", "--no-source-maps", "symbols"],
    ignores: ["--pretty"],
    details: `Start the program with node --prof, then this command in the same folder; or
ticks record --live -- node app.js. Press ? for the keys. In a file or a pipe,
prints one line a second. Ends when the program has ended, or with q or Ctrl-C,
and prints the page of ticks top.`,
    examples: ["live", "live --duration 1min --json logs/"],
  },
  {
    name: "guide",
    group: "Start",
    args: "",
    summary: "explain the reports on one page, for people and coding agents",
    examples: ["guide", "guide | less"],
  },
  {
    name: "serve",
    group: "Start",
    args: "[DIR]",
    summary: "browse the logs of a folder: reports, flame graphs, comparisons",
    options: [
      option("--port <n>", "listen on this port (default: any free one)", {
        read: numberUpTo(65535),
      }),
      option("--open", "open the list in the browser"),
    ],
    shared: ["sources", "symbols"],
    details: `Prints an address that only this machine can open, and only with its random
part. The list has the logs, profiles and traces of DIR and of the folders in
it, and recordings; choose two to compare them. It reads them anew for each
page, and writes nothing.`,
    examples: ["serve --open", "serve recordings/"],
  },
  {
    name: "diff",
    group: "Compare",
    args: "BEFORE... -- AFTER...",
    summary: "show what got slower or faster between runs",
    options: [
      option("--by <group>", "kind of code in the rows", {
        choices: ["function", "file", "package", "line", "category"] satisfies readonly RunGroup[],
        default: "function",
      }),
      option(
        "--scale <name>",
        "compare shares of all ticks, CPU time, or shares as if most code took as long as before",
        { choices: ["share", "cpu", "unchanged"] satisfies readonly ScaleName[], default: "share" },
      ),
      option(
        "--per <n,m>",
        "units of work of each run before and after: compares the CPU time, or the bytes, of a unit",
        {
          read: unitsOfSides,
        },
      ),
      option("--rename <s/from/to/>", "rename functions and files of the first side; repeatable", {
        read: repeated,
      }),
      option("--sort <column>", "sort rows", {
        choices: ["change", "before", "after", "total", "name"] satisfies readonly DiffOrder[],
        default: "change",
      }),
      option("--min <number>", "leave out rows that change by less, in the numbers of the scale", {
        read: amount,
        default: 0,
      }),
      option("-n, --limit <n>", "number of rows without a verdict, and of Node and V8", {
        read: wholeNumber,
      }),
      option(
        "-o, --output <file>",
        "also write the difference of all stacks: .pb.gz for pprof, .folded for flamegraph.pl",
      ),
    ],
    ...REPORT,
    rows: 10,
    details: `Each log, or the logs of one PID in a folder, is a run. With two runs a side or
more, each change gets a verdict: it counts if runs of the same code would
seldom differ so much. Record several runs a side, five or more, in turns.`,
    examples: ["diff before/ -- after/", "diff before/ -- after/ --scale cpu --per 10000,10000"],
  },
  {
    name: "check",
    group: "Compare",
    args: "[LOG...]",
    readsLog: true,
    summary: "fail a build that breaks a budget",
    options: [
      option("--budget <file>", "read budgets from this file (default: ticks.budget.json, if it exists)"),
      ...Object.entries(METRICS).map(([metric, about]) =>
        option(`--max-${metric} <name=max>`, `limit the ${about}; repeatable`, { read: repeated }),
      ),
      option("--max-turn <ms>", "limit the longest turn of the event loop once scripts were loaded", {
        read: time("ms", { most: 1e12 }),
      }),
      option("--per <n>", "units of work of each run, for ticks (default: 1, or what the file says)", {
        read: units,
      }),
      option("--against <baseline...>", "logs or folders to measure growth against"),
      option("--strict", "fail if a result is inconclusive"),
      option("--init", "write ticks.budget.json for these logs, with head-room"),
    ],
    ...REPORT,
    formats: ["text", "md", "github", "junit", "json"],
    details: `Budgets are in ticks.budget.json, or in options. NAME is a function, /RE/, or
file:NAME, package:NAME or category:NAME. A budget breaks if its value is
surely above it: chance alone fails 1 of 100 checks at most. If a part of the
95 % interval is above it, the result is inconclusive: a warning, or with
--strict a failure. More runs narrow the interval: one run is taken to be off
by a tenth of its value. To write a file to start with: ticks check --init LOG

For profiles of memory use --max-allocated, in bytes of a run, or --max-growth
of these bytes; --max-self and --max-total are percent of all bytes. A profile
of the memory alive at the end is limited by that. Names and --init are as for
ticks. A folder with logs too needs --sample-type space.

Exit status: 0 all budgets hold; 1 one is broken; 2 error: a budget names code
that no log has, bad usage or unreadable input.`,
    examples: [
      "check logs/ --against before/ --format github",
      "check logs/ --max-total render=20 --max-self category:gc=10",
    ],
  },
  {
    name: "flame",
    group: "Share",
    args: "[LOG...] | BEFORE... -- AFTER...",
    summary: "write a flame graph: one HTML file that needs no network",
    options: [
      option(
        "-o, --output <file>",
        "write to this file, - for standard output (default: LOG.flame.html, or diff.flame.html for two sides, in the current folder)",
      ),
      option("--open", "open the page in the browser"),
      option("--by <group>", "of one side: a frame for each function, or each package that calls another", {
        choices: ["function", "package"],
        default: "function",
      }),
      option("--no-source", "do not embed source text"),
      option("--rename <s/from/to/>", "of two sides: rename functions and files of the first; repeatable", {
        read: repeated,
      }),
      ...SHARING,
    ],
    shared: ["--color", "--no-color", "filters", "sources", "symbols"],
    ignores: ["--color"],
    readsLog: true,
    details: `With -- between two sides, the page compares them: frames in red got slower, in
blue faster, if runs of the same code would seldom differ so much. Record
several runs a side, five or more, in turns; see ticks diff --help.`,
    examples: ["flame --open", "flame before/ -- after/ -o change.html"],
  },
  {
    name: "export",
    group: "Share",
    args: "[LOG...]",
    summary: "write a file for another tool: pprof, DevTools, speedscope and more",
    options: [
      option("--format <name>", "output format (default: from the name of the -o file)", {
        choices: [
          ...["collapsed", "speedscope", "cpuprofile", "gecko", "chrome-trace", "pprof"],
          ...["callgrind", "parquet", "parquet-timeline", "preprocess"],
        ],
        read: (name: string) => name, // A wrong one gets a list of them.
      }),
      option(
        "-o, --output <file>",
        "write to this file, compressed if it ends in .gz; - for standard output (default: standard output, or LOG.EXTENSION if that is a terminal)",
      ),
      ...SHARING,
      option(
        "--label <key=value>",
        "where the profile is from: service, env, region, deploy, commit or any other key; repeatable",
        { read: repeated, heading: "Many machines" },
      ),
      option(
        "--start <time>",
        "when the first log was opened, as in 2026-01-31T12:00:00Z (default: when its file was made, unless it is a copy)",
      ),
    ],
    shared: ["--color", "--no-color", "filters", "sources", "symbols"],
    ignores: ["--color"],
    // Other tools get every tick, and have filters of their own.
    countsIdle: true,
    readsLog: true,
    list: {
      title: "Formats",
      rows: async () => [...(await import("../exports/exporters.js")).EXPORTERS, PREPROCESS],
    },
    examples: ["export -o profile.pb.gz", "export --format collapsed logs/ | flamegraph.pl > flame.svg"],
  },
  {
    name: "symbols",
    group: "Share",
    args: "<LOG>",
    summary: "save the C++ names that a log needs, to read it elsewhere",
    options: [
      option("-o, --output <file>", "write to this file, - for standard output (default: LOG.symbols)"),
      option("--all", "save all symbols, not only those that the log needs"),
    ],
    shared: ["symbols"],
    examples: ["symbols logs/", "symbols isolate-0x1-v8.log -o -"],
  },
  {
    name: "redact",
    group: "Share",
    args: "<LOG|DIR> [REDACTED]",
    summary: "write a copy of a log without private names and sources",
    options: [
      option(
        "-o, --output <file|dir>",
        "write to this file, compressed if it ends in .gz; for DIR, to a new folder",
      ),
      option("--check", "check that REDACTED has no private strings and the same numbers as LOG"),
      ...REDACTOR,
    ],
    formats: ["text", "json"],
    shared: ["--pretty"],
    details: `Kept: ticks, times, addresses, lines and columns, tiers, inlining,
deoptimizations, names of V8, Node and public libraries, the depth of paths.
Removed: source maps, and of source texts all but JavaScript's own words and
marks: numbered words of the same length stand for names, blanks for strings
and comments. Hashed: every other name.

Prints the original strings that are left: read them before you send anything.
With --check, the exit status is 1 if other strings are left, or if a number
differs.`,
    examples: ["redact logs/ -o to-send/", "redact --check v8.log to-send.log"],
  },
  {
    name: "completion",
    group: "Other",
    args: "<SHELL>",
    summary: "print a script that completes commands and options in a shell",
    details: `SHELL is bash, zsh or fish.

bash: add to ~/.bashrc:  source <(ticks completion bash)
zsh:  add to ~/.zshrc, after compinit:  source <(ticks completion zsh)
fish: ticks completion fish > ~/.config/fish/completions/ticks.fish`,
    examples: ["completion bash", "completion zsh"],
  },
  {
    name: "complete",
    group: undefined,
    args: "[WORD...]",
    summary: "print what can stand for the last word of a command line, for completion scripts",
    isWrapper: true,
    examples: ["complete -- to", "complete -- top --only ''"],
  },
];

/** All commands, in the order of the help. */
export const COMMANDS: readonly CommandRow[] = [...GROUPS, undefined].flatMap((group) =>
  [RECORD, ...VIEWS, ...OTHERS].filter((row) => row.group === group),
);

/** The command that runs where none is named. */
export const DEFAULT_COMMAND = commandNamed("top")!;

/** Returns the row of a command; undefined if there is none of this name. */
export function commandNamed(name: string): CommandRow | undefined {
  return COMMANDS.find((row) => row.name === name);
}

/** Returns the names of the commands that people use. */
export function commandNames(): string[] {
  return [...COMMANDS.filter(({ group }) => group !== undefined).map(({ name }) => name), "help"];
}
