import fs from "node:fs";
import { join } from "node:path";
import { ticksCommand } from "./compare.mjs";
import { makeLog } from "./make-log.mjs";
import { measureInTurn } from "./measure.mjs";
import { otherRow } from "./table.mjs";

/**
 * What other commands take in place of `process`, by name. `limit` is how many times the time of the report is too much: a
 * guard against losing a factor, not a goal.
 *
 * @typedef {object} Kind
 * @property {readonly (readonly string[])[]} commands `LOG` and `FILE` stand for the log and for a file to write
 * @property {number} limit
 */

const FORMATS = [
  "collapsed",
  "pprof",
  "callgrind",
  "parquet",
  "cpuprofile",
  "speedscope",
  "gecko",
  "chrome-trace",
  "parquet-timeline",
];

export const KINDS = {
  views: {
    commands: [
      ["top", "LOG"],
      ["tree", "LOG"],
      ["lines", "LOG"],
      ["function", "LOG", "/./"],
      ["timeline", "LOG"],
      ["deopts", "LOG"],
      ["threads", "LOG"],
      ["flame", "-o", "FILE", "LOG"],
    ],
    limit: 3.5,
  },
  exports: {
    commands: FORMATS.map((format) => ["export", "--format", format, "-o", "FILE", "LOG"]),
    limit: 8,
  },
};

/** The logs that these are measured on, with the factor of their size. */
const LOGS = [
  { log: "deep", factor: 1 },
  { log: "shallow", factor: 0.5 },
];
/**
 * The logs that views are hardest for: 6 million distinct stacks, 500,000 functions, 2,000 frames, a million rows of code.
 * Each view is measured once.
 */
const HARD_LOGS = [
  { log: "unique", factor: 4 },
  { log: "functions", factor: 5 },
  { log: "recursion", factor: 1 },
  { log: "churn", factor: 1 },
];
/** How many times the time of the report is too much on these. */
const HARD_LIMIT = 10;

/** Measures the other commands against the report of the same log. */
export function measureKind(kind) {
  const { commands, limit } = KINDS[kind];
  return async (bench) => {
    const rows = [];
    for (const { log, factor } of LOGS) {
      const path = join(bench.folder, `${kind}-${log}.log`);
      makeLog(log, path, factor);
      for (const row of await measureOnLog(bench, { log, path, commands, limit })) rows.push(row);
      fs.rmSync(path);
    }
    return rows;
  };
}

/** Measures the views on logs that are made to be hard for them. */
export async function measureHardLogs(bench) {
  const { commands } = KINDS.views;
  const rows = [];
  for (const { log, factor } of HARD_LOGS) {
    const path = join(bench.folder, `hard-${log}.log`);
    makeLog(log, path, factor);
    rows.push(...(await measureOnLog(bench, { log, path, commands, limit: HARD_LIMIT, runs: 1 })));
    fs.rmSync(path);
  }
  return rows;
}

export async function measureOnLog(bench, { log, path, commands, limit, runs = bench.runs }) {
  const report = ticksCommand(bench, path);
  const output = join(bench.folder, "other-output");
  const others = commands.map((words) => commandOf(bench, words, { path, output }));
  const all = [report, ...others].map((command) => ({ ...command, runs, warmUp: runs > 1 }));
  const [base, ...found] = await measureInTurn(all, join(bench.folder, "output"), (text) =>
    bench.progress(`${log}: ${text}`),
  );
  const rows = [];
  for (const [i, summary] of found.entries()) {
    const name = nameOf(commands[i]);
    const ratio = summary.fastest / base.fastest;
    if (summary.failure !== undefined) bench.fail(`${name} of ${log}: ${summary.failure}`);
    else if (!(ratio <= limit))
      bench.fail(`${name} of ${log}: ${ratio.toFixed(1)} times the report, over ${limit}`);
    rows.push(otherRow(`${name}, ${log}`, summary, "ticks process", base));
  }
  fs.rmSync(output, { force: true });
  return rows;
}

/** Returns the command of some words on a log at `path`; it writes what it writes to `output`. */
export function commandOf(bench, words, { path, output }) {
  const args = words.map((word) => (word === "LOG" ? path : word === "FILE" ? output : word));
  const hasFile = words.includes("FILE");
  return {
    ...ticksCommand(bench, path),
    name: nameOf(words),
    argv: [...bench.cpus, ...bench.ticks, ...args],
    check: hasFile ? () => (fs.statSync(output).size > 0 ? undefined : "an empty file") : checkText,
  };
}

/** Returns the name of a command by its words. */
export function nameOf([command, option, format]) {
  return `ticks ${option === "--format" ? format : command}`;
}

function checkText(output) {
  return output.includes("ticks") ? undefined : "no ticks in its output";
}
