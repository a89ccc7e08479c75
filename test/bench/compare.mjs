import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeLog } from "./make-log.mjs";
import { measureInTurn } from "./measure.mjs";
import { comparableSeconds, formatPeak, formatRatio, formatSeconds } from "./table.mjs";

/**
 * What all measurements of one bench have in common.
 *
 * @typedef {object} Bench
 * @property {string[]} ticks the command under test, without arguments
 * @property {string[]} node the Node whose --prof-process is the peer
 * @property {string[]} cpus a command before each command that keeps it on some CPUs; may be empty
 * @property {string} folder for logs and outputs
 * @property {number} runs of ticks and the scans
 * @property {number} peerRuns of --prof-process; none if 0
 * @property {boolean} quick
 * @property {(text: string) => void} progress
 * @property {(why: string) => void} fail tells what exceeds a limit
 */

/**
 * @typedef {object} Comparison
 * @property {string} name of the log
 * @property {number} bytes
 * @property {number} ticks rows
 * @property {Summary} mine
 * @property {Summary | undefined} alone ticks on one CPU; not under `--quick`
 * @property {Summary | undefined} peer
 * @property {Summary} scan
 * @property {Summary | undefined} newlines not under `--quick`
 */

/** The bare program: what any processor of a log has to do, and no more. */
export const SCAN = fileURLToPath(new URL("./scan.mjs", import.meta.url));

export const COMPARISON_HEADINGS = [
  "log",
  "runs",
  "MB",
  "ticks",
  "ticks s",
  "MB/s",
  "RSS MB",
  "one CPU s",
  "node s",
  "RSS MB",
  "node/ticks s",
  "RSS",
  "one CPU",
  "newlines s",
  "scan s",
  "ticks/scan",
];

/** Makes a log and runs ticks, `node --prof-process` and the two scans over it in turn. */
export async function compareOnLog(bench, name, factor) {
  const path = join(bench.folder, `${name}.log`);
  bench.progress(`making ${name}`);
  const comparison = await compareOnFile(bench, { name, path, ...makeLog(name, path, factor) });
  fs.rmSync(path);
  return comparison;
}

/** Runs ticks, `node --prof-process` and the two scans over a log in turn. */
export async function compareOnFile(bench, { name, path, bytes, ticks }) {
  const { runs, peerRuns } = bench;
  const scan = [...bench.cpus, process.execPath, SCAN];
  const commands = [
    ticksCommand(bench, path, ticks),
    { name: "scan", argv: [...scan, path], check: checkScan(ticks), runs, warmUp: runs > 1 },
    ...(bench.quick
      ? []
      : [
          onOneCpu(ticksCommand({ ...bench, cpus: [] }, path, ticks)),
          { name: "newlines", argv: [...scan, "--newlines", path], runs, warmUp: runs > 1 },
        ]),
    ...(peerRuns > 0 ? [peerCommand(bench, path)] : []),
  ];
  const [mine, yardstick, ...rest] = await measureInTurn(commands, join(bench.folder, "output"), (text) =>
    bench.progress(`${name}: ${text}`),
  );
  const peer = peerRuns > 0 ? rest.at(-1) : undefined;
  const [alone, newlines] = bench.quick ? [] : rest;
  return { name, bytes, ticks, mine, alone, peer, newlines, scan: yardstick };
}

/** `ticks` is what the report has to tell of; any number if left out. */
export function ticksCommand(bench, path, ticks) {
  return {
    name: "ticks",
    argv: [...bench.cpus, ...bench.ticks, "process", path],
    env: { XDG_CACHE_HOME: join(bench.folder, "cache") },
    check: checkReport(ticks),
    runs: bench.runs,
    warmUp: bench.runs > 1,
  };
}

/** The same on one CPU. */
export function onOneCpu(command) {
  return { ...command, name: `${command.name}, one CPU`, argv: ["taskset", "-c", "0", ...command.argv] };
}

export function peerCommand(bench, path) {
  const argv = [...bench.cpus, ...bench.node, "--prof-process", path];
  return { name: "node --prof-process", argv, runs: bench.peerRuns, warmUp: false };
}

/** A comparison as a row under COMPARISON_HEADINGS. */
export function comparisonRow({ name, bytes, ticks, mine, alone, peer, newlines, scan }) {
  const seconds = comparableSeconds(mine);
  return [
    name,
    `${mine.runs}/${peer?.runs ?? 0}`,
    (bytes / 1e6).toFixed(1),
    ticks.toLocaleString("en"),
    formatSeconds(mine),
    seconds === undefined ? "-" : (bytes / 1e6 / seconds).toFixed(0),
    formatPeak(mine),
    formatSeconds(alone),
    formatSeconds(peer),
    formatPeak(peer),
    formatRatio(comparableSeconds(peer), seconds),
    seconds === undefined || peer?.failure !== undefined ? "-" : formatRatio(peer?.peakBytes, mine.peakBytes),
    formatRatio(comparableSeconds(peer), comparableSeconds(alone)),
    formatSeconds(newlines),
    formatSeconds(scan),
    formatRatio(seconds, comparableSeconds(scan)),
  ];
}

/** A fast report is worth nothing if ticks are missing from it. */
function checkReport(expected) {
  return (output) => {
    const told = /\((\d+) ticks,/.exec(output)?.[1];
    if (told === undefined) return "no report";
    return expected === undefined || Number(told) === expected ? undefined : `${told} ticks`;
  };
}

function checkScan(expected) {
  return (output) => (JSON.parse(output).ticks === expected ? undefined : "wrong count");
}
