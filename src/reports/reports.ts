import { type CommandRow, option, type Shared } from "./command-row.js";
import {
  levels,
  numberUpTo,
  percentage,
  positiveNumber,
  range,
  slices,
  time,
  until,
  wholeNumber,
} from "./option-values.js";
import type { ProfileReport } from "./report.js";

/** All about a report and its command, but its name. */
export interface ReportRow<Of, Options> extends Omit<CommandRow, "name"> {
  /** Loads its code. */
  readonly load: () => Promise<ProfileReport<Of, Options>>;
}

export type AnyReportRow = ReportRow<unknown, unknown>;

/** The shared options of every command that reads stacks. */
export const VIEW: readonly Shared[] = ["output", "filters", "sources", "symbols"];

/** Makes the row of a report; what it does not say is as most reports have it. */
function report<Of, Options>(row: ReportRow<Of, Options>): ReportRow<Of, Options> {
  return { formats: ["text", "json", "md"], shared: VIEW, readsLog: true, ...row };
}

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

/**
 * The reports of one profile, in the order of the help. A row is all that a report needs beside its own file: the command line, its
 * help, the manual, the completions, the library and the tests read it.
 */
export const REPORTS = {
  top: report({
    load: async () => (await import("./top.js")).TOP,
    group: "Start",
    args: "[LOG...]",
    summary: "show one page: hot lines, packages, heavy stacks, what to do next",
    options: [
      option("-n, --limit <n>", "number of rows per list, up to 1000", { read: numberUpTo(1000) }),
      LIMIT_TOKENS,
    ],
    rows: 10,
    details: `This is what ticks does without a command: ticks LOG is ticks top LOG.`,
    examples: ["top --only app", "top --from 5s before/"],
  }),
  function: report({
    load: async () => (await import("./function.js")).FUNCTION,
    group: "Look closer",
    args: "[LOG...] NAME",
    summary: "show one function: its callers, callees, tiers and lines",
    options: [
      option("--all", "show all functions that match, not only the hottest"),
      option(
        "--min <percent>",
        "sum up callers and callees with less than this share of the function's ticks",
        { read: percentage, default: 1, name: "minPercent" },
      ),
      LIMIT_TOKENS,
    ],
    query: "name",
    details: `NAME is the name of a function, file:line where it starts or has ticks, a
regular expression (/RE/, or /RE/i to ignore case), or part of its name or
position.

Exit status: 0 found; 1 no function of that name has ticks; 2 error.`,
    examples: ["function render", "function logs/ app.js:36"],
  }),
  lines: report({
    load: async () => (await import("./lines.js")).LINES,
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
    rows: 20,
    query: "file",
    details: `FILE is the full name of a script or the end of its path; with :LINE, only what
is near this line is shown. The text comes from the log. If the log does not
have it (before Node 16, or for the original sources of a source map), ticks
reads the file on this machine, if it is under a --source-root.

Exit status: 0 done; 1 no file of that name has ticks; 2 error.`,
    examples: ["lines", "lines logs/ app.js:36"],
  }),
  tree: report({
    load: async () => (await import("./tree.js")).TREE,
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
        name: "minPercent",
      }),
      LIMIT_TOKENS,
    ],
    examples: ["tree --focus render", "tree --heavy --only native --min 5"],
  }),
  timeline: report({
    load: async () => (await import("./timeline.js")).TIMELINE,
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
    rows: 5,
    // What happened when: waiting is a part of it.
    countsIdle: true,
    examples: ["timeline", "timeline --from 5s --to 7s logs/"],
  }),
  threads: report({
    load: async () => (await import("./threads.js")).THREADS,
    group: "Look closer",
    args: "[LOG...]",
    summary: "list threads and processes, with their ticks",
    options: [GROUP_BY],
    countsIdle: true,
    details: `A thread is an isolate with its own log: the main thread of a process, or a
worker. A folder means all logs in it, but not in its subfolders. In every
command, --thread selects threads by #, name, PID or isolate, or all main
threads or workers.`,
    examples: ["threads", "threads logs/ --thread worker"],
  }),
  deopts: report({
    load: async () => (await import("./deopts.js")).DEOPTS,
    group: "Causes",
    args: "[LOG...]",
    summary: "show which optimized code V8 threw away, why, and what it cost",
    options: [LIMIT],
    rows: 20,
    hasAllRowsInJson: true,
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
  }),
  ics: report({
    load: async () => (await import("./ics.js")).ICS,
    group: "Causes",
    args: "[LOG...]",
    summary: "show slow property accesses: those that saw many shapes of objects",
    options: [LIMIT],
    rows: 20,
    hasAllRowsInJson: true,
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
  }),
  startup: report({
    load: async () => (await import("./startup.js")).STARTUP,
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
    rows: 15,
    hasAllRowsInJson: true,
    // A start-up also waits, for files and other processes: its time has that in it.
    countsIdle: true,
    details: `A tick belongs to the module whose load was innermost: the module's top-level
code and all that this called. Finding, reading and compiling a file counts for
the module in it. Modules of import statements run one after the other: each is
loaded by what started them all, not by the module that imports it. Modules in
bundles are known by the bundle's source map (see --source-root), or by the
comments and wrappers that esbuild, webpack and rolldown write.

ticks record --startup -- node app.js also logs V8's own times, and ends with
this page.`,
    examples: ["startup", "startup --until listen logs/"],
  }),
  process: report({
    load: async () => (await import("./process.js")).PROCESS,
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
    lacks: ["--idle"],
    examples: ["process > processed.txt", "process --inlines --only-summary logs/"],
  }),
  doctor: report({
    load: async () => (await import("./doctor.js")).DOCTOR,
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
    shared: ["output", "--thread", "--idle", "--no-idle", "symbols"],
    countsIdle: true,
    examples: ["doctor", "doctor --max-unknown 1 logs/"],
  }),
} as const;
