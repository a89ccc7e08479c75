import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Microseconds between two ticks: many ticks in little time. */
const INTERVAL = 100;
/** The programs, and how many seconds each runs, which is one second under `--quick`. `node --prof-process` takes many times as long. */
const PROGRAMS = { compile: 2, serve: 2, parse: 12 };
const QUICK_SECONDS = 1;
/** A folder has so many copies of so many recordings of `serve`, each of a second: in full, and under `--quick`. */
const FOLDER = { recordings: 6, copies: 8 };
const QUICK_FOLDER = { recordings: 2, copies: 8 };
const TICK_ROW = "\ntick,";

/** @typedef {{ name: string, path: string, bytes: number, ticks: number }} RecordedLog */

/** Records the programs of this folder with the Node of the bench. */
export function recordLogs(bench) {
  return Object.entries(PROGRAMS).map(([name, seconds]) =>
    record(bench, name, bench.quick ? QUICK_SECONDS : seconds, join(bench.folder, `${name}.log`)),
  );
}

/** Records short runs into a folder, each copied as often as it takes for a folder of many logs. */
export function recordFolder(bench) {
  const folder = join(bench.folder, "recorded");
  fs.mkdirSync(folder);
  const { recordings, copies } = bench.quick ? QUICK_FOLDER : FOLDER;
  let [bytes, ticks] = [0, 0];
  for (let pid = 1; pid <= recordings; pid++) {
    const pathOf = (/** @type {number} */ copy) => join(folder, `isolate0x${copy}-${pid}-v8.log`);
    const log = record(bench, "serve", 1, pathOf(1));
    bytes += copies * log.bytes;
    ticks += copies * log.ticks;
    for (let copy = 2; copy <= copies; copy++) fs.copyFileSync(log.path, pathOf(copy));
  }
  return { folder, logs: recordings * copies, bytes, ticks };
}

function record(bench, name, seconds, path) {
  const program = fileURLToPath(new URL(`./programs/${name}.mjs`, import.meta.url));
  const flags = [
    "--prof",
    `--prof-sampling-interval=${INTERVAL}`,
    "--no-logfile-per-isolate",
    `--logfile=${path}`,
  ];
  bench.progress(`recording ${name}`);
  const node = bench.node[0] ?? process.execPath;
  const { status, stderr } = spawnSync(node, [...flags, program, String(seconds)], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${name} could not be recorded: ${stderr}`);
  return { name, path, ...sizeOf(path) };
}

function sizeOf(path) {
  const file = fs.openSync(path, "r");
  const chunk = Buffer.alloc(1 << 20);
  let [bytes, ticks] = [0, 0];
  // What is left of a chunk, too short to hold the beginning of a row, goes before the next one.
  let rest = Buffer.from("\n");
  for (let read = fs.readSync(file, chunk); read > 0; read = fs.readSync(file, chunk)) {
    bytes += read;
    const text = Buffer.concat([rest, chunk.subarray(0, read)]);
    for (let at = text.indexOf(TICK_ROW); at >= 0; at = text.indexOf(TICK_ROW, at + 1)) ticks++;
    rest = Buffer.from(text.subarray(-(TICK_ROW.length - 1)));
  }
  fs.closeSync(file);
  return { bytes, ticks };
}
