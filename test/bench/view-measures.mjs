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

/** The logs that these are measured on, with the factor of their size: at full size, and under `--quick`. */
const LOGS = [
  { log: "deep", factor: 1, quick: 0.1 },
  { log: "shallow", factor: 0.5, quick: 0.025 },
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
/** Runs of what seems too slow under `--quick`, where one run is enough for all else: the fastest counts. */
const SECOND_LOOK = 3;

/** Measures the other commands against the report of the same log. */
export function measureKind(kind) {
  const { commands, limit } = KINDS[kind];
  return async (bench) => {
    const rows = [];
    for (const { log, factor, quick } of LOGS) {
      const path = join(bench.folder, `${kind}-${log}.log`);
      makeLog(log, path, bench.quick ? quick : factor);
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
  const measured = (some) =>
    measureInTurn(some, join(bench.folder, "output"), (text) => bench.progress(`${log}: ${text}`));
  const ratioOf = ([base, summary]) => summary.fastest / base.fastest;
  const [base, ...found] = await measured(
    bench.quick ? all.map((command, i) => ({ ...command, runs: i === 0 ? 2 : 1, warmUp: false })) : all,
  );
  const rows = [];
  for (const [i, summary] of found.entries()) {
    const name = nameOf(commands[i]);
    let ratio = ratioOf([base, summary]);
    if (bench.quick && ratio > limit)
      ratio = ratioOf(await measured([all[0], all[i + 1]].map((one) => ({ ...one, runs: SECOND_LOOK }))));
    if (summary.failure !== undefined) bench.fail(`${name} of ${log}: ${summary.failure}`);
    else if (!(ratio <= limit))
      bench.fail(`${name} of ${log}: ${ratio.toFixed(1)} times the report, over ${limit}`);
    rows.push(otherRow(`${name}, ${log}`, summary, "ticks process", base));
  }
  fs.rmSync(output, { force: true });
  return rows;
}

function commandOf(bench, words, { path, output }) {
  const args = words.map((word) => (word === "LOG" ? path : word === "FILE" ? output : word));
  const hasFile = words.includes("FILE");
  return {
    ...ticksCommand(bench, path),
    name: nameOf(words),
    argv: [...bench.cpus, ...bench.ticks, ...args],
    check: hasFile ? () => (fs.statSync(output).size > 0 ? undefined : "an empty file") : checkText,
  };
}

function nameOf([command, option, format]) {
  return `ticks ${option === "--format" ? format : command}`;
}

function checkText(output) {
  return output.includes("ticks") ? undefined : "no ticks in its output";
}
