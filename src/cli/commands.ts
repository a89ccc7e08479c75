import type { Metric } from "../compare/budgets.js";
import type { RunGroup } from "../compare/run-groups.js";
import type { ScaleName } from "../compare/scales.js";
import type { DiffOrder } from "../reports/diff.js";
import {
  amount,
  endpoint,
  interval,
  levels,
  numberUpTo,
  patterns,
  percentage,
  positiveNumber,
  range,
  repeated,
  size,
  slices,
  time,
  units,
  unitsOfSides,
  until,
  wholeNumber,
} from "./option-values.js";
import { type CommandRow, type OptionRow, option, type Shared } from "./options.js";

/** The shared options of every command that reads stacks. */
const VIEW: readonly Shared[] = ["output", "filters", "sources", "symbols"];
const ALL_FORMATS = ["text", "json", "md"] as const;

/** What reports of three formats share. */
const REPORT = { formats: ALL_FORMATS, shared: VIEW } as const;

const METRICS: Readonly<Record<Exclude<Metric, "longestTurn">, string>> = {
  self: "percent of all ticks in the code itself",
  total: "percent of all ticks in the code and what it calls",
  ticks: "total ticks for each unit of work (--per)",
  deopts: "deoptimizations in each run",
  growth: "growth of the total against the baseline, in percent",
};

const LIMIT = option("-n, --limit <n>", "number of rows per list", { read: positiveNumber });
const LIMIT_TOKENS = option(
  "--limit-tokens <n>",
  "keep a Markdown page under N tokens of 4 characters: drop the rows with the fewest ticks, in lists your own code last",
  { read: positiveNumber },
);

const GROUP_BY = option("--by <group>", "group ticks by what the code was doing, or by V8's own state", {
  choices: ["category", "state"],
  default: "category",
});

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

/** All commands, in the order of the help. */
export const COMMANDS: readonly CommandRow[] = [
  {
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
      option("-o, --output <dir>", "write the logs to this new folder (default: ticks-DATE-PID)"),
      option("--interval <time>", "take a tick every so many microseconds, or 1ms", {
        read: interval,
        default: 1000,
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

A program that runs already: ticks record --pid 1234. It gets a CPU profile of
all its threads, goes on, and has no open port in the end.`,
    examples: [
      "record --duration 30s -- node server.js",
      "record --on-port 'autocannon localhost:$PORT' -- node server.js",
    ],
  },
  {
    name: "top",
    group: "Start",
    args: "[LOG...]",
    summary: "show one page: hot lines, packages, heavy stacks, what to do next",
    options: [
      option("-n, --limit <n>", "number of rows per list, up to 1000", { read: numberUpTo(1000) }),
      LIMIT_TOKENS,
    ],
    ...REPORT,
    rows: 10,
    readsLog: true,
    details: `This is what ticks does without a command: ticks LOG is ticks top LOG.`,
    examples: ["top --only app", "top --from 5s before/"],
  },
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
    name: "function",
    group: "Look closer",
    args: "[LOG...] NAME",
    summary: "show one function: its callers, callees, tiers and lines",
    options: [
      option("--all", "show all functions that match, not only the hottest"),
      option(
        "--min <percent>",
        "sum up callers and callees with less than this share of the function's ticks",
        { read: percentage, default: 1 },
      ),
      LIMIT_TOKENS,
    ],
    ...REPORT,
    readsLog: true,
    hasQuery: true,
    details: `NAME is the name of a function, file:line where it starts or has ticks, a
regular expression (/RE/, or /RE/i to ignore case), or part of its name or
position.

Exit status: 0 found; 1 no function of that name has ticks; 2 error.`,
    examples: ["function render", "function logs/ app.js:36"],
  },
  {
    name: "lines",
    group: "Look closer",
    args: "[LOG] [FILE[:LINE]]",
    summary: "show the hot lines, or a script with ticks beside its lines",
    options: [
      option("--all", "show all lines, not only the hottest or those near ticks"),
      option("-n, --limit <n>", "number of hot lines", { read: positiveNumber }),
      option("--sort <by>", "sort by the ticks of the line itself, or by those with its callees", {
        choices: ["self", "total"],
        default: "self",
      }),
      LIMIT_TOKENS,
    ],
    ...REPORT,
    rows: 20,
    readsLog: true,
    hasQuery: true,
    details: `FILE is the full name of a script or the end of its path; with :LINE, only what
is near this line is shown. The text comes from the log. If the log does not
have it (before Node 16, or for the original sources of a source map), ticks
reads the file on this machine, if it is under a --source-root.

Exit status: 0 done; 1 no file of that name has ticks; 2 error.`,
    examples: ["lines", "lines logs/ app.js:36"],
  },
  {
    name: "tree",
    group: "Look closer",
    args: "[LOG...]",
    summary: "show who calls whom, with self and total ticks",
    options: [
      option("--heavy", "start from the functions with self ticks, and show their callers below"),
      option("-n, --limit <n>", "number of rows, those with the most ticks (default: all)", {
        read: positiveNumber,
      }),
      option("--depth <n>", "number of levels (default: all)", { read: positiveNumber }),
      option("--min <percent>", "hide rows with less than this share of the ticks", {
        read: percentage,
        default: 1,
      }),
      LIMIT_TOKENS,
    ],
    ...REPORT,
    readsLog: true,
    examples: ["tree --focus render", "tree --heavy --only native --min 5"],
  },
  {
    name: "timeline",
    group: "Look closer",
    args: "[LOG...]",
    summary: "show what ran when, spikes, and the longest turns of the event loop",
    options: [
      option("--turns <ms>", "list turns of the event loop of this length and more", {
        read: time("ms", { most: 1e12 }),
        default: 10,
      }),
      option("--slices <n>", "number of time slices (default: as many as fit the width)", {
        read: slices,
      }),
      option("-n, --limit <n>", "number of spikes and of turns per thread, largest first", {
        read: positiveNumber,
      }),
      GROUP_BY,
    ],
    ...REPORT,
    rows: 5,
    // What happened when: waiting is a part of it.
    countsIdle: true,
    readsLog: true,
    examples: ["timeline", "timeline --from 5s --to 7s logs/"],
  },
  {
    name: "threads",
    group: "Look closer",
    args: "[LOG...]",
    summary: "list threads and processes, with their ticks",
    options: [GROUP_BY],
    ...REPORT,
    countsIdle: true,
    readsLog: true,
    details: `A thread is an isolate with its own log: the main thread of a process, or a
worker. A folder means all logs in it, but not in its subfolders. In every
command, --thread selects threads by #, name, PID or isolate, or all main
threads or workers.`,
    examples: ["threads", "threads logs/ --thread worker"],
  },
  {
    name: "deopts",
    group: "Causes",
    args: "[LOG...]",
    summary: "show which optimized code V8 threw away, why, and what it cost",
    options: [LIMIT],
    ...REPORT,
    rows: 20,
    hasAllRowsInJson: true,
    readsLog: true,
    details: `From Node 16 on, V8 logs deoptimizations only if it is asked to:
ticks record --deopts -- node app.js, or node --prof --log-deopt app.js

The cost of a deoptimization is the number of ticks that the function then spent
in lower tiers than that of the lost code, until it was optimized again: until
V8 logged new code of that tier or a higher one, or until a tick in such code.
Bytecode handlers, builtins and inline caches that work for the function count,
and so does code inlined into it. C++ and other functions that it calls do not.
If a function was deoptimized several times, the latest one gets the tick: no
tick counts twice. Functions with the same name and position count as one. Ticks
that a filter removes do not count. The cost is an upper bound on the saving:
the work had to be done anyway.`,
    examples: ["deopts", "deopts --focus render logs/"],
  },
  {
    name: "ics",
    group: "Causes",
    args: "[LOG...]",
    summary: "show slow property accesses: those that saw many shapes of objects",
    options: [LIMIT],
    ...REPORT,
    rows: 20,
    hasAllRowsInJson: true,
    readsLog: true,
    details: `V8 logs inline caches only if it is asked to: ticks record --ics -- node app.js,
or node --prof --log-ic app.js (Node 8 to 14: --trace-ic).

The ticks of a site are those in V8's code for inline caches (LoadIC,
KeyedLoadIC_Megamorphic, …) that worked for it. All ticks in such code are
either the price of one site, or belong to one of several sites, or are not
placed. The interpreter and optimized code handle caches with few shapes
themselves: ticks there are those of the function.

V8's sampler often skips the function that called such code. ticks then finds
it by what other ticks show, and marks it with ≈; --no-inferred leaves it out.`,
    examples: ["ics", "ics --only app logs/"],
  },
  {
    name: "startup",
    group: "Causes",
    args: "[LOG...]",
    summary: "show what loading each module and package cost",
    options: [
      option(
        "--until <mark>",
        "end of the start-up: a time since the log began (500, 500ms, 2s), first-idle, or a function or file, whose first tick ends it (default: where ticks record --until stopped it; else the main module and all that it needs are loaded)",
        { read: until },
      ),
      option(
        "--each",
        "list each module; by default, small ones of one folder that one module loads are one row",
      ),
      LIMIT,
    ],
    ...REPORT,
    rows: 15,
    hasAllRowsInJson: true,
    // A start-up also waits, for files and other processes: its time has that in it.
    countsIdle: true,
    readsLog: true,
    details: `A tick belongs to the module whose load was innermost: the module's top-level
code and all that this called. Finding, reading and compiling a file counts for
the module in it. Modules of import statements run one after the other: each is
loaded by what started them all, not by the module that imports it. Modules in
bundles are known by the bundle's source map (see --source-root), or by the
comments and wrappers that esbuild, webpack and rolldown write.

ticks record --startup -- node app.js also logs V8's own times, and ends with
this page.`,
    examples: ["startup", "startup --until listen logs/"],
  },
  {
    name: "diff",
    group: "Compare",
    args: "BEFORE... -- AFTER...",
    summary: "show what got slower or faster between runs",
    options: [
      option("--by <group>", "what to compare", {
        choices: ["function", "file", "package", "line", "category"] satisfies readonly RunGroup[],
        default: "function",
      }),
      option(
        "--scale <name>",
        "compare shares of all ticks, CPU time, or shares as if most code took as long as before",
        { choices: ["share", "cpu", "unchanged"] satisfies readonly ScaleName[], default: "share" },
      ),
      option("--per <n,m>", "units of work of each run before and after; implies --scale cpu", {
        read: unitsOfSides,
      }),
      option("--rename <s/from/to/>", "rename functions and files of the first side; repeatable", {
        read: repeated,
      }),
      option("--sort <what>", "sort rows", {
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
      rows: async () => [...(await import("../exporters/exporters.js")).EXPORTERS, PREPROCESS],
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
    name: "process",
    group: "Other",
    args: "[LOG...]",
    summary: "print the report of node --prof-process, with the right names",
    options: [
      option("--only-summary", "print only the summary"),
      option("--call-graph-size <n>", "number of caller levels in the bottom-up profile, up to 1000", {
        read: levels,
        default: 5,
      }),
      option("--ignore-unknown", "exclude unaccounted ticks from percentages"),
      option("--inlines", "credit ticks to inlined functions, named by source maps (Node 16+)"),
      option("--source-map <file>", "show positions in the original sources of this source map"),
      option(
        "--preprocess",
        "print code, functions, ticks and scripts as JSON for viewers, instead of a report",
      ),
      option(
        "--serialize-vm-symbols",
        "print the C++ symbols and libraries of the log as JSON, instead of a report",
      ),
      option("--strict", "exit with 1 if anything is wrong in the log"),
      option("-j, --js", "keep only ticks in JavaScript", {
        heading: "Filters of --prof-process (several states add up)",
      }),
      option("-g, --gc", "keep only ticks in garbage collection"),
      option("-p, --parser", "keep only ticks in the parser"),
      option("-b, --bytecode-compiler", "keep only ticks in the bytecode compiler"),
      option("-c, --compiler", "keep only ticks in the optimizing compilers"),
      option("-o, --other", "keep only ticks in other work of V8 (to write a file: > FILE)"),
      option("-e, --external", "keep only ticks in native code called from JavaScript"),
      option("--no-idle", "drop idle ticks (-ni in --prof-process)"),
      option("--range <start,end>", "keep only ticks in this range of milliseconds; either end may be auto", {
        read: range,
      }),
      option("--distortion <ps>", "time that V8 took to write a row, in picoseconds, for --range", {
        read: wholeNumber,
      }),
      option("--timed-range", "keep only ticks between the first and the last current-time row"),
      option("--pairwise-timed-range", "keep only ticks between pairs of current-time rows"),
      option("--ptr", "the same", { isHidden: true }),
      option("--filter-runtime-timer <name>", "keep only ticks while this runtime timer is active"),
      option("--separate-ic", "show inline caches", {
        default: true,
        heading: "Separate rows for V8 code (--separate-X=true and =false work too)",
      }),
      option("--no-separate-ic", "credit inline caches to their callers"),
      option("--separate-bytecodes", "show bytecode handlers", { default: false }),
      option("--no-separate-bytecodes", "do not show them", { isHidden: true }),
      option("--separate-builtins", "show builtins", { default: true }),
      option("--no-separate-builtins", "credit builtins to their callers"),
      option("--separate-stubs", "show stubs", { default: true }),
      option("--no-separate-stubs", "credit stubs to their callers"),
      option("--separate-sparkplug-handlers", "show builtins of Sparkplug code", { default: true }),
      option("--no-separate-sparkplug-handlers", "credit these to their callers"),
      // As in --prof-process, but without effect.
      option("--objdump <path>", "not needed: ticks reads program headers itself", { isHidden: true }),
      option("--readelf <path>", "not needed: ticks reads build ids itself", { isHidden: true }),
      option("--linux", "not needed: the log says the platform", { isHidden: true }),
      option("--windows", "not needed, like --linux", { isHidden: true }),
      option("--mac", "not needed, like --linux", { isHidden: true }),
      option("--use-bigint-addresses", "not needed: addresses are always exact", { isHidden: true }),
      option("--bigint-addresses", "the same", { isHidden: true }),
    ],
    ...REPORT,
    lacks: ["--idle"],
    readsLog: true,
    examples: ["process > processed.txt", "process --inlines --only-summary logs/"],
  },
  {
    name: "doctor",
    group: "Other",
    args: "[LOG...]",
    summary: "check whether a log can be trusted, and advise",
    options: [
      option(
        "--max-unknown <percent>",
        "exit with 1 if more than this percentage of the ticks has no function, or if there are none",
        { read: percentage, default: 5 },
      ),
    ],
    formats: ALL_FORMATS,
    shared: ["output", "--thread", "--idle", "--no-idle", "symbols"],
    countsIdle: true,
    readsLog: true,
    examples: ["doctor", "doctor --max-unknown 1 logs/"],
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
