import fs from "node:fs";
import { join } from "node:path";
import { makeLog } from "./make-log.mjs";
import { measureInTurn } from "./measure.mjs";
import { formatTable } from "./table.mjs";
import { commandOf, nameOf } from "./view-measures.mjs";

/** What grows to 2, 4 and 8 times: the log, its name, and the factor of its size at first. */
const GROWING = [
  { log: "deep", about: "ticks of the same program", factor: 0.15 },
  { log: "shallow", about: "ticks of the same program", factor: 0.0375 },
  { log: "functions", about: "functions, 10,000 at first at full size", factor: 0.1 },
];
const TIMES = [1, 2, 4, 8];
const COMMANDS = [
  ["process", "LOG"],
  ["top", "LOG"],
  ["tree", "LOG"],
  ["timeline", "LOG"],
  ["flame", "-o", "FILE", "LOG"],
  ["export", "--format", "pprof", "-o", "FILE", "LOG"],
];

/**
 * Prints how the CPU time of commands grows with the log: no faster than its size. `isMeant` picks logs by their names.
 *
 * @param {{ readonly isMeant: (log: string) => boolean, readonly factor: number }} logs `factor` of their size
 */
export async function measureGrowth(bench, { isMeant, factor: part }) {
  for (const { log, about, factor } of GROWING.filter((one) => isMeant(one.log))) {
    const sizes = [];
    /** By size: what each command took. */
    const found = [];
    for (const times of TIMES) {
      const path = join(bench.folder, `growth-${log}.log`);
      const files = { path, output: join(bench.folder, "growth-output") };
      sizes.push(makeLog(log, path, part * factor * times).bytes);
      const commands = COMMANDS.map((words) => ({ ...commandOf(bench, words, files), warmUp: true }));
      found.push(
        await measureInTurn(commands, join(bench.folder, "output"), (text) =>
          bench.progress(`${log} x ${times}: ${text}`),
        ),
      );
      fs.rmSync(path);
    }
    const headings = [`${log}: ${about}`, ...TIMES.map((times) => `${times}x, CPU s`), "last / first"];
    const rows = COMMANDS.map((words, i) => [
      nameOf(words),
      ...found.map((one) => one[i].failure ?? one[i].cpu.toFixed(2)),
      found.some((one) => one[i].failure) ? "-" : (found.at(-1)[i].cpu / found[0][i].cpu).toFixed(2),
    ]);
    const megabytes = sizes.map((bytes) => (bytes / 1e6).toFixed(0));
    const growth = (sizes.at(-1) / sizes[0]).toFixed(2);
    process.stdout.write(`${formatTable(headings, [["MB of log", ...megabytes, growth], ...rows])}\n`);
  }
}
