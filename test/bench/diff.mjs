// How often `ticks diff` is wrong, and how often it finds a change: a simulation, and splits of recorded runs.
//
//   npm run bench:diff                      the table of docs/diff.md
//   npm run bench:diff -- DIR [DIR...]      each folder: random splits of its runs (A/A)
//   npm run bench:diff -- A -- B NAME       splits of A against B: how often NAME is found, and what else
//
// Needs the built modules: npm run build.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readRun } from "../../build/cli/runs/read-run.js";
import { compareRuns } from "../../build/compare/diff.js";
import { runRow } from "../helpers/run-row.mjs";

const SPLITS = 300;
const OPTIONS = { scale: { name: "share" } };

/** Numbers from 0 to 1, always the same. */
function generator(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = generator(17);

function normal() {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A number of the gamma distribution with mean 1 and this variance: G. Marsaglia and W. Tsang (2000). */
function gamma(variance) {
  if (variance === 0) return 1;
  const shape = 1 / variance;
  if (shape < 1) return gamma(1 / (shape + 1)) * (shape + 1) * random() ** variance * variance;
  const [d, c] = [shape - 1 / 3, 1 / Math.sqrt(9 * (shape - 1 / 3))];
  for (;;) {
    const x = normal();
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return (d * v) / shape;
  }
}

function poisson(mean) {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
  const limit = Math.exp(-mean);
  let [count, product] = [0, random()];
  while (product > limit) {
    product *= random();
    count++;
  }
  return count;
}

/** Shares like those of a real program: a tenth, and then ever less. */
const SHARES = (() => {
  const rest = Array.from({ length: 199 }, (_, i) => 1 / (i + 2));
  const sum = rest.reduce((all, share) => all + share, 0);
  return [0.1, ...rest.map((share) => (0.9 * share) / sum)];
})();

/** A simulated run. `spread` is the standard deviation of a function's time between runs, as a fraction. */
function simulated({ ticks, spread, factor = 1 }) {
  const counts = SHARES.map((share, i) =>
    poisson(ticks * share * gamma(spread ** 2) * (i === 0 ? factor : 1)),
  );
  const all = counts.reduce((sum, count) => sum + count, 0);
  return {
    title: "run",
    logs: [],
    v8: [],
    ticks: all,
    interval: 1000,
    rows: counts.flatMap((count, i) => (count > 0 ? [runRow(`f${i}`, count)] : [])),
  };
}

const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;

function simulate() {
  console.log(
    "| runs a side | ticks a run | spread between runs | A/A with any change | +20 % of a tenth found | wrong ones beside it |",
  );
  console.log("| ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const runs of [3, 6]) {
    for (const ticks of [2000, 10_000]) {
      for (const spread of [0, 0.1]) {
        let [alarms, found, wrong] = [0, 0, 0];
        const side = (factor) => Array.from({ length: runs }, () => simulated({ ticks, spread, factor }));
        for (let i = 0; i < SPLITS; i++) {
          if (changed(compareRuns(side(1), side(1), OPTIONS)).length > 0) alarms++;
          const names = changed(compareRuns(side(1), side(1.2), OPTIONS));
          if (names.includes("f0")) found++;
          wrong += names.filter((name) => name !== "f0").length;
        }
        const cells = [runs, ticks, `${spread * 100} %`, percent(alarms, SPLITS), percent(found, SPLITS)];
        console.log(`| ${[...cells, (wrong / SPLITS).toFixed(3)].join(" | ")} |`);
      }
    }
  }
}

function changed({ rows }) {
  return rows.filter(({ verdict }) => verdict !== "same").map(({ name }) => name.title);
}

async function runsIn(folder) {
  const flags = { color: "never", sourceMaps: true, cache: true };
  const runs = [];
  for (const name of readdirSync(folder)
    .filter((file) => file.endsWith(".log"))
    .sort()) {
    const options = { flags, groups: ["function"], hasEffects: false };
    runs.push((await readRun([join(folder, name)], options)).summaries[0]);
  }
  return runs;
}

function shuffled(list) {
  const copy = [...list];
  for (let i = copy.length - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1));
    [copy[i], copy[other]] = [copy[other], copy[i]];
  }
  return copy;
}

async function splitFolder(folder) {
  const runs = await runsIn(folder);
  const half = runs.length >> 1;
  let alarms = 0;
  const names = new Map();
  for (let i = 0; i < SPLITS; i++) {
    const order = shuffled(runs);
    const found = changed(compareRuns(order.slice(0, half), order.slice(half), OPTIONS));
    if (found.length > 0) alarms++;
    for (const name of found) names.set(name, (names.get(name) ?? 0) + 1);
  }
  const often = [...names].sort((a, b) => b[1] - a[1]).slice(0, 3);
  const list = often.map(([name, count]) => `${name.slice(0, 40)} ×${count}`).join(", ");
  console.log(
    `${folder}: ${runs.length} runs, ${SPLITS} splits, any change in ${percent(alarms, SPLITS)} ${list}`,
  );
}

async function findPlanted(before, after, title) {
  const [first, second] = [await runsIn(before), await runsIn(after)];
  const size = Math.min(6, first.length, second.length);
  let [found, wrong] = [0, 0];
  const names = new Map();
  for (let i = 0; i < SPLITS; i++) {
    const diff = compareRuns(shuffled(first).slice(0, size), shuffled(second).slice(0, size), OPTIONS);
    const list = changed(diff);
    if (list.includes(title)) found++;
    const others = list.filter((name) => name !== title);
    if (others.length > 0) wrong++;
    for (const name of others) names.set(name, (names.get(name) ?? 0) + 1);
  }
  const often = [...names].sort((a, b) => b[1] - a[1]).slice(0, 3);
  const list = often.map(([name, count]) => `${name.slice(0, 40)} ×${count}`).join(", ");
  console.log(
    `${before} -- ${after}: ${size} against ${size}, ${title} found in ${percent(found, SPLITS)}, others in ${percent(wrong, SPLITS)} ${list}`,
  );
}

const words = process.argv.slice(2);
const middle = words.indexOf("--");
if (words.length === 0) simulate();
else if (middle >= 0) await findPlanted(words[middle - 1], words[middle + 1], words[middle + 2]);
else for (const folder of words) await splitFolder(folder);
