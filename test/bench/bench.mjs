// Measures ticks against `node --prof-process` and a bare scan of the same logs: `npm run bench`. See USAGE.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureAgainst } from "./against.mjs";
import { COMPARISON_HEADINGS, compareOnFile, compareOnLog, comparisonRow } from "./compare.mjs";
import { measureGrowth } from "./growth.mjs";
import { guard } from "./guard.mjs";
import { LOGS } from "./make-log.mjs";
import { measureLogs, OTHER_HEADINGS, OTHER_MEASURES } from "./other-measures.mjs";
import { measureRatios } from "./ratios.mjs";
import { recordFolder, recordLogs } from "./recorded-logs.mjs";
import { formatTable } from "./table.mjs";
import { KINDS, measureOnLog } from "./view-measures.mjs";

/** The logs that the slow peer is measured on several times. */
const TYPICAL = new Set(["deep", "shallow"]);

/** Runs of each command on a recorded log. */
const RECORDED_RUNS = 1;

const USAGE = `usage: bench.mjs [options]
  --quick          only the CPU time of what has a limit, on small logs, within two minutes: exit 1 if the report takes too many
                   times that of a bare program, or a view too many times that of the report (guard.mjs)
  --against COMMIT [LOG...]  CPU time and memory of every view, before (at this commit, which is built) and now, in turns
  --views LOG...   CPU time of the report on each log, how many times as much other commands take, and memory
  --growth         how CPU time grows with 2, 4 and 8 times as many ticks and functions
  --only NAME      one or more of these, with commas: ${[...LOGS.keys(), ...OTHER_MEASURES.keys()].join(", ")}
  --runs N         runs of ticks and the scans, of which the median counts (5; quick, against and growth: 3)
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
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      against: { type: "string" },
      views: { type: "boolean", default: false },
      growth: { type: "boolean", default: false },
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
  const names = new Set(values.only?.split(",") ?? [...LOGS.keys(), ...OTHER_MEASURES.keys()]);
  const takesLogs = values.views || values.against !== undefined;
  if (positionals.length > 0 && !takesLogs) throw new Error("only --against and --views take logs");
  if (values.views && positionals.length === 0) throw new Error("--views takes one or more logs");
  const unknown = [...names].find((name) => !LOGS.has(name) && !OTHER_MEASURES.has(name));
  if (unknown !== undefined) throw new Error(`nothing to measure is named ${unknown}`);
  if (values.factor !== undefined && !(Number(values.factor) > 0))
    throw new Error("--factor is a number above 0");
  if (spawnSync(values.peer, ["--version"]).status !== 0)
    throw new Error(`--peer: cannot run ${values.peer}`);
  return { ...values, names, logs: positionals };
}

function wholeNumber(text, fallback, least) {
  const value = text === undefined ? fallback : Number(text);
  if (!Number.isInteger(value) || value < least) throw new Error(`not a number of runs: ${text}`);
  return value;
}

/** How often a log is measured. The peer is slow, and the adversarial logs are there to be survived. */
function runsOn(name, options) {
  const isShort =
    options.quick || options.record || options.growth || options.views || options.against !== undefined;
  return {
    runs: wholeNumber(options.runs, isShort ? 3 : 5, 1),
    peerRuns: wholeNumber(options["peer-runs"], options.quick ? 0 : TYPICAL.has(name) ? 3 : 1, 0),
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
  if (options.against !== undefined) return measureAgainst(bench, options.against, options.logs);
  if (options.views) return measureRatios(bench, options.logs);
  const factor = Number(options.factor ?? 1);
  if (options.growth) return measureGrowth(bench, { isMeant: (log) => options.names.has(log), factor });
  if (options.record) return benchRecorded(bench);
  if (quick) return guard(bench);
  const comparisons = [];
  for (const name of LOGS.keys()) {
    if (!options.names.has(name)) continue;
    comparisons.push(await compareOnLog({ ...bench, ...runsOn(name, options) }, name, factor));
  }
  const others = [];
  for (const [name, measure] of OTHER_MEASURES) {
    if (options.names.has(name)) others.push(...(await measure(bench)));
  }
  printResults(bench, comparisons, others);
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

try {
  const options = readOptions();
  if (options.help) process.stdout.write(USAGE);
  else await runBench(options);
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n${USAGE}`);
  process.exitCode = 2;
}
