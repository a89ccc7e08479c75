import fs from "node:fs";
import { join } from "node:path";
import { SCAN } from "./compare.mjs";
import { makeLog } from "./make-log.mjs";
import { measureInTurn } from "./measure.mjs";
import { formatTable } from "./table.mjs";
import { commandOf, nameOf } from "./view-measures.mjs";

/**
 * A command and how much CPU time it may take on each log, as a ratio: the report to the bare program, all others to the report.
 *
 * @typedef {object} Guarded
 * @property {readonly string[]} words of the command
 * @property {number} deep
 * @property {number} shallow
 */

/**
 * Limits only ever fall, in a commit that says why: who makes a view faster lowers its limit to a sixth above what is measured then,
 * and who makes one slower finds another way. On a busy machine the ratios differ by as much from run to run. Who makes the report
 * itself faster lowers its own limit, and sets the others to a sixth above what they are of it then.
 *
 * @type {readonly Guarded[]}
 */
const GUARDED = [
  { words: ["process", "LOG"], deep: 9.5, shallow: 7.5 },
  { words: ["top", "LOG"], deep: 3.4, shallow: 3.4 },
  { words: ["tree", "LOG"], deep: 2.3, shallow: 2.2 },
  { words: ["timeline", "LOG"], deep: 2.5, shallow: 2.5 },
  { words: ["flame", "-o", "FILE", "LOG"], deep: 3.3, shallow: 3.5 },
  { words: ["export", "--format", "pprof", "-o", "FILE", "LOG"], deep: 2.6, shallow: 2.5 },
];
/** The logs, with the factor of their size: some 18 and 25 MB. */
const LOGS = [
  { log: "deep", factor: 0.15 },
  { log: "shallow", factor: 0.04 },
];
/** How often what seems too slow is measured once more. Other programs only make a run slower. */
const LOOKS = 2;
const HEADINGS = ["CPU time", "s", "times", "of", "limit"];

/** Measures what has a limit, prints it, and sets the exit status to 1 if something is over its limit. */
export async function guard(bench) {
  const rows = [];
  for (const { log, factor } of LOGS) {
    const path = join(bench.folder, `guard-${log}.log`);
    makeLog(log, path, factor);
    rows.push(...(await guardOn(bench, log, path)));
    fs.rmSync(path);
  }
  process.stdout.write(formatTable(HEADINGS, rows));
}

async function guardOn(bench, log, path) {
  const scan = { name: "scan", argv: [...bench.cpus, process.execPath, SCAN, path] };
  const files = { path, output: join(bench.folder, "guarded-output") };
  const commands = [scan, ...GUARDED.map(({ words }) => commandOf(bench, words, files))];
  const timed = commands.map((command) => ({ ...command, runs: bench.runs, warmUp: false }));
  const look = (some) =>
    measureInTurn(some, join(bench.folder, "output"), (text) => bench.progress(`${log}: ${text}`));
  /** The least CPU time of each command in any look. */
  const all = await look(timed);
  const best = all.map(({ cpu }) => cpu);
  const ratioOf = (i) => best[i + 1] / best[i === 0 ? 0 : 1];
  for (let again = 0; again < LOOKS; again++) {
    const slow = GUARDED.flatMap((guarded, i) => (ratioOf(i) > guarded[log] ? [i] : []));
    if (slow.length === 0) break;
    const numbers = Array.from(new Set(slow.flatMap((i) => [i === 0 ? 0 : 1, i + 1])));
    const found = await look(numbers.map((number) => timed[number]));
    for (const [at, { cpu }] of found.entries()) best[numbers[at]] = Math.min(best[numbers[at]], cpu);
  }
  return GUARDED.map((guarded, i) => {
    const name = `${nameOf(guarded.words)} of ${log}`;
    const [ratio, limit] = [ratioOf(i), guarded[log]];
    const of = i === 0 ? "the bare program" : "the report";
    const failure = all[i + 1].failure ?? all[0].failure;
    if (failure !== undefined) bench.fail(`${name}: ${failure}`);
    else if (!(ratio <= limit))
      bench.fail(`${name}: ${ratio.toFixed(2)} times the CPU time of ${of}, over ${limit}`);
    return [name, best[i + 1].toFixed(2), ratio.toFixed(2), of, String(limit)];
  });
}
