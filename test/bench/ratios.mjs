import { basename, join } from "node:path";
import { measureInTurn } from "./measure.mjs";
import { formatTable } from "./table.mjs";
import { commandOf, nameOf } from "./view-measures.mjs";

/** The first is what the others are compared with. */
const COMMANDS = [
  ["process", "LOG"],
  ["deopts", "LOG"],
  ["tree", "LOG"],
  ["timeline", "LOG"],
  ["lines", "LOG"],
  ["export", "--format", "pprof", "-o", "FILE", "LOG"],
  ["flame", "-o", "FILE", "LOG"],
  ["top", "LOG"],
];

/** Prints the CPU time of the report on each log, how many times as much each other command takes, and the memory of all. */
export async function measureRatios(bench, logs) {
  const all = [];
  for (const path of logs) {
    const files = { path, output: join(bench.folder, "ratios-output") };
    const commands = COMMANDS.map((words) => ({ ...commandOf(bench, words, files), warmUp: true }));
    const found = await measureInTurn(commands, join(bench.folder, "output"), (text) =>
      bench.progress(`${basename(path)}: ${text}`),
    );
    all.push(found);
  }
  const rows = COMMANDS.map((words, i) => [
    nameOf(words),
    ...all.map((found) => found[i].failure ?? timesOf(found, i)),
    ...all.map((found) => ((found[i].peakBytes ?? Number.NaN) / 1e6).toFixed(0)),
  ]);
  const names = logs.map((path) => basename(path, ".log"));
  const headings = ["CPU time", ...names, ...names.map((name) => `${name} MB`)];
  process.stdout.write(`\n${formatTable(headings, rows)}`);
}

function timesOf(found, i) {
  return i === 0 ? `${found[0].cpu.toFixed(2)} s` : (found[i].cpu / found[0].cpu).toFixed(1);
}
