import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** @typedef {import("./compare.mjs").Bench} Bench */

/** Microseconds between two ticks: many ticks in little time. */
const INTERVAL = 100;
/** How long the programs run, in seconds: in full, and under `--quick`. */
const SECONDS = 30;
const QUICK_SECONDS = 3;
const PROGRAMS = ["compile", "serve"];
const TICK_ROW = "\ntick,";

/**
 * Records the programs of this folder with the Node of the bench.
 *
 * @param {Bench} bench
 * @returns {{ name: string, path: string, bytes: number, ticks: number }[]}
 */
export function recordLogs(bench) {
  return PROGRAMS.map((name) => {
    const path = join(bench.folder, `${name}.log`);
    const program = fileURLToPath(new URL(`./programs/${name}.mjs`, import.meta.url));
    const flags = [
      "--prof",
      `--prof-sampling-interval=${INTERVAL}`,
      "--no-logfile-per-isolate",
      `--logfile=${path}`,
    ];
    bench.progress(`recording ${name}`);
    const { status, stderr } = spawnSync(
      bench.node[0] ?? process.execPath,
      [...flags, program, String(bench.quick ? QUICK_SECONDS : SECONDS)],
      { encoding: "utf8" },
    );
    if (status !== 0) throw new Error(`${name} could not be recorded: ${stderr}`);
    return { name, path, ...sizeOf(path) };
  });
}

/** @param {string} path of a log */
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
