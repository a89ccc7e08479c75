// Measures ticks against `node --prof-process` and a bare scan of the same logs: `npm run bench`. See USAGE.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { COMPARISON_HEADINGS, compareOnFile, compareOnLog, comparisonRow } from "./compare.mjs";
import { LOGS } from "./make-log.mjs";
import { measureLogs, OTHER_HEADINGS, OTHER_MEASURES } from "./other-measures.mjs";
import { recordFolder, recordLogs } from "./recorded-logs.mjs";
import { formatTable } from "./table.mjs";
import { KINDS, measureOnLog } from "./view-measures.mjs";

/**
 * `--quick` fails where ticks takes more than this many times the wall time of scan.mjs, both less what they take for
 * a log of a few ticks, the fastest run of each. A guard against losing a factor, not a goal: here it was 4 to 5 on both
 * logs, and shared machines are noisy.
 */
const QUICK_RATIO_LIMIT = 10;
/** Of `deep`, for what start-up and symbols cost. */
const FLOOR_FACTOR = 0.005;
/** Factors of size under `--quick`, which measures only what a limit holds for: these logs, and the other commands. */
const QUICK_FACTORS = new Map([
  ["deep", 0.4],
  ["shallow", 0.15],
]);
const QUICK_NAMES = [...QUICK_FACTORS.keys(), "views", "exports"];

/** Runs of each command on a recorded log. */
const RECORDED_RUNS = 1;

const USAGE = `usage: bench.mjs [options]
  --quick          only what has a limit, at small sizes, within a minute: exit 1 if ticks takes over ${QUICK_RATIO_LIMIT} times the scan,
                   start-up left out, or another command too many times the report
  --only NAME      one or more of these, with commas: ${[...LOGS.keys(), ...OTHER_MEASURES.keys()].join(", ")}
  --runs N         runs of ticks and the scans, of which the median counts (5; quick: 3)
  --peer-runs N    runs of node --prof-process, which is slow (3; adversarial logs: 1; quick: 0); 0 leaves it out
  --factor F       size of the logs, 1 being full size
  --ticks CMD      command under test, split at spaces (this package's bin/ticks.js)
  --peer NODE      the Node whose --prof-process is measured (the one that runs the bench, and ticks)
  --cpus LIST      keep every command on these CPUs, by taskset (all)
  --record         record three real programs with that Node, and measure all commands on their logs, and a folder of
                   such logs, instead: 5 to 10 minutes
`;

/** The command line as one object. */
function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      runs: { type: "string" },
      "peer-runs": { type: "string" },
      factor: { type: "string" },
      ticks: { type: "string" },
      peer: { type: "string", default: process.execPath },
      cpus: { type: "string" },
      record: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const names = new Set(
    values.only?.split(",") ?? (values.quick ? QUICK_NAMES : [...LOGS.keys(), ...OTHER_MEASURES.keys()]),
  );
  const unknown = [...names].find((name) => !LOGS.has(name) && !OTHER_MEASURES.has(name));
  if (unknown !== undefined) throw new Error(`nothing to measure is named ${unknown}`);
  if (values.factor !== undefined && !(Number(values.factor) > 0))
    throw new Error("--factor is a number above 0");
  if (spawnSync(values.peer, ["--version"]).status !== 0)
    throw new Error(`--peer: cannot run ${values.peer}`);
  return { ...values, names };
}

function wholeNumber(text, fallback, least) {
  const value = text === undefined ? fallback : Number(text);
  if (!Number.isInteger(value) || value < least) throw new Error(`not a number of runs: ${text}`);
  return value;
}

/** How often a log is measured. The peer is slow, and the adversarial logs are there to be survived. */
function runsOn(name, options) {
  return {
    runs: wholeNumber(options.runs, options.quick || options.record ? 3 : 5, 1),
    peerRuns: wholeNumber(options["peer-runs"], options.quick ? 0 : QUICK_FACTORS.has(name) ? 3 : 1, 0),
  };
}

async function runBench(options) {
  const { quick } = options;
  const folder = fs.mkdtempSync(join(os.tmpdir(), "ticks-bench-"));
  process.once("exit", () => fs.rmSync(folder, { recursive: true, force: true }));
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
    process.once(signal, () => process.exit(128 + os.constants.signals[signal]));
  }
  const bench = {
    ticks: options.ticks?.split(" ") ?? [
      process.execPath,
      fileURLToPath(new URL("../../bin/ticks.js", import.meta.url)),
    ],
    node: [options.peer],
    cpus: options.cpus === undefined ? [] : ["taskset", "-c", options.cpus],
    folder,
    ...runsOn(options.record ? "recorded" : "deep", options),
    quick,
    progress: (text) => process.stderr.write(`${text}\n`),
    fail(why) {
      process.stderr.write(`bench: ${why}\n`);
      if (quick) process.exitCode = 1;
    },
  };
  if (options.record) return benchRecorded(bench);
  const comparisons = [];
  for (const name of LOGS.keys()) {
    if (!options.names.has(name)) continue;
    const factor = Number(options.factor ?? (quick ? (QUICK_FACTORS.get(name) ?? 0.05) : 1));
    comparisons.push(await compareOnLog({ ...bench, ...runsOn(name, options) }, name, factor));
  }
  const others = [];
  for (const [name, measure] of OTHER_MEASURES) {
    if (options.names.has(name)) others.push(...(await measure(bench)));
  }
  printResults(bench, comparisons, others);
  if (quick)
    await judge(comparisons, (name, factor) => compareOnLog({ ...bench, peerRuns: 0 }, name, factor));
}

/** Measures the logs of real programs, which are not the same in every run, and a folder of them. */
async function benchRecorded(bench) {
  const comparisons = [];
  const others = [];
  for (const log of recordLogs(bench)) {
    comparisons.push(await compareOnFile(bench, log));
    for (const { commands, limit } of Object.values(KINDS)) {
      const what = { log: log.name, path: log.path, commands, limit, runs: RECORDED_RUNS };
      others.push(...(await measureOnLog(bench, what)));
    }
    fs.rmSync(log.path);
  }
  const { folder, logs, bytes, ticks } = recordFolder(bench);
  const about = `${logs} recorded logs, ${(bytes / 1e6).toFixed(0)} MB`;
  others.push(await measureLogs(bench, folder, about, ticks));
  printResults(bench, comparisons, others);
}

function printResults(bench, comparisons, others) {
  const cpus = bench.cpus.length > 0 ? `CPU ${bench.cpus.at(-1)}` : `${os.availableParallelism()} CPUs`;
  process.stdout.write(
    `Node ${process.version} on ${cpus}, ${os.arch()}. Medians; "runs" are those of ticks and the scans, after a ` +
      "warm-up if there are several,\nand those of node --prof-process, fewer and without a warm-up because it is slow.\n" +
      "Wall time and peak resident memory of the whole process; MB are 10^6 bytes.\n\n",
  );
  if (comparisons.length > 0) {
    process.stdout.write(`${formatTable(COMPARISON_HEADINGS, comparisons.map(comparisonRow))}\n`);
    const abouts = comparisons.flatMap(({ name }) => LOGS.get(name) ?? []).map(({ about }) => about);
    const list = comparisons.map(({ name }, i) => `${name}: ${abouts[i]}`).join("; ");
    process.stdout.write(abouts.length > 0 ? `At full size, ${list}.\n\n` : "\n");
  }
  if (others.length > 0) process.stdout.write(`${formatTable(OTHER_HEADINGS, others)}\n`);
}

/**
 * Sets the exit status by the ratio to the scan, and says what exceeds the limit. The fastest runs are
 * compared: what else the machine does can only make a run slower. What seems too slow is measured once more.
 */
async function judge(comparisons, compare) {
  const floor = await compare("deep", FLOOR_FACTOR); // What a log of a few ticks takes.
  const ratioOf = ({ mine, scan }) =>
    (mine.fastest - floor.mine.fastest) / (scan.fastest - floor.scan.fastest);
  for (const comparison of comparisons) {
    const { name, mine, scan } = comparison;
    if (!QUICK_FACTORS.has(name)) continue;
    const failure = mine.failure ?? scan.failure;
    let ratio = ratioOf(comparison);
    if (failure === undefined && !(ratio <= QUICK_RATIO_LIMIT))
      ratio = ratioOf(await compare(name, QUICK_FACTORS.get(name)));
    if (failure === undefined && ratio <= QUICK_RATIO_LIMIT) {
      process.stdout.write(
        `${name}: ${ratio.toFixed(1)} times the scan past start-up; the limit is ${QUICK_RATIO_LIMIT}\n`,
      );
      continue;
    }
    const why = failure ?? `${ratio.toFixed(1)} times the scan past start-up, over ${QUICK_RATIO_LIMIT}`;
    process.stderr.write(`bench: ${name}: ${why}\n`);
    process.exitCode = 1;
  }
}

try {
  const options = readOptions();
  if (options.help) process.stdout.write(USAGE);
  else await runBench(options);
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n${USAGE}`);
  process.exitCode = 2;
}
