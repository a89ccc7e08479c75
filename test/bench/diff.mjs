// How often `ticks diff` and `ticks check` are wrong, and how often they find a change: a simulation, and splits of
// recorded runs. See USAGE.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readRun } from "../../build/cli/read-runs.js";
import { checkBudgets } from "../../build/compare/budgets.js";
import { compareRuns } from "../../build/compare/diff.js";
import { runRow } from "../helpers/run-row.mjs";
import { createRandom } from "./random.mjs";

const USAGE = `Usage:
  npm run bench:diff                   simulate: the tables of docs/diff-accuracy.md
  npm run bench:diff -- DIR [DIR...]   each folder: random splits of its runs (A/A), compared and checked
  npm run bench:diff -- A -- B NAME    splits of A against B: how often NAME is found, and what else

Needs the built modules: npm run build.`;

const SPLITS = 300;
/** As many functions of a folder get a budget. */
const BUDGETS = 6;
const OPTIONS = { scale: { name: "share" } };

const { unit: random } = createRandom(17);

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

/**
 * A simulated run. `spread` is the standard deviation of a function's time between runs, as a fraction. With `work`
 * the run does that many times as much, but for every third function, which belongs to the start.
 */
function simulated({ ticks, spread, factor = 1, work = 1 }) {
  const counts = SHARES.map((share, i) =>
    poisson(ticks * share * gamma(spread ** 2) * (i === 0 ? factor : 1) * (i % 3 === 2 ? 1 : work)),
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

/** Runs of which one side does more work, and what runs of the same length tell of the same change. */
function simulateLengths() {
  console.log(
    "\n| work after | ticks a run before | spread | A/A with any change | +20 % of a tenth found | wrong ones beside it |",
  );
  console.log("| ---: | ---: | ---: | ---: | ---: | ---: |");
  const [runs, ticks] = [6, 10_000];
  for (const work of [0.5, 1.1, 2, 5]) {
    for (const spread of [0, 0.1]) {
      let [alarms, found, wrong] = [0, 0, 0];
      const side = (rest) => Array.from({ length: runs }, () => simulated({ ticks, spread, ...rest }));
      for (let i = 0; i < SPLITS; i++) {
        if (changed(compareRuns(side(), side({ work }), OPTIONS)).length > 0) alarms++;
        const names = changed(compareRuns(side(), side({ work, factor: 1.2 }), OPTIONS));
        if (names.includes("f0")) found++;
        wrong += names.filter((name) => name !== "f0").length;
      }
      const cells = [
        `× ${work}`,
        ticks,
        `${spread * 100} %`,
        percent(alarms, SPLITS),
        percent(found, SPLITS),
      ];
      console.log(`| ${[...cells, (wrong / SPLITS).toFixed(3)].join(" | ")} |`);
    }
  }
}

/** Checks of runs of the same program against limits that are what the program takes. */
function simulateChecks() {
  console.log("\n| budgets at their limit | runs | spread | checks that fail |");
  console.log("| ---: | ---: | ---: | ---: |");
  for (const count of [1, 10]) {
    for (const runs of [1, 3, 6]) {
      for (const spread of [0, 0.1]) {
        const shares = SHARES.slice(0, count);
        const budgets = shares.map((share, i) =>
          budgetOf(i % 2 === 0 ? "self" : "growth", i % 2 === 0 ? share * 100 : 0),
        );
        const side = () =>
          Array.from({ length: runs }, () =>
            selectedOf(
              simulated({ ticks: 5000, spread }),
              shares.map((_, i) => `f${i}`),
            ),
          );
        let failures = 0;
        for (let i = 0; i < SPLITS; i++) if (fails(budgets, side(), side())) failures++;
        console.log(`| ${[count, runs, `${spread * 100} %`, percent(failures, SPLITS)].join(" | ")} |`);
      }
    }
  }
}

function budgetOf(metric, max, name = "f") {
  return { title: name, selector: { kind: "function", name }, metric, max, level: "error" };
}

/** A run as a check sees it, of its summary. */
function selectedOf({ title, ticks, rows }, keys) {
  const ofKey = new Map(rows.map((row) => [row.key, row]));
  const selections = keys.map((key) => {
    const { self = 0, total = 0 } = ofKey.get(key) ?? {};
    return { isFound: true, self, total, selfEffect: undefined, totalEffect: undefined, deopts: 0 };
  });
  return { title, ticks, selections, names: [] };
}

function fails(budgets, runs, baseline) {
  return checkBudgets(budgets, { runs, baseline }).some(({ verdict }) => verdict === "broken");
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
  const own = runs[0].rows.filter(({ origin }) => origin === "app" || origin === "deps");
  const keys = own
    .sort((a, b) => b.self - a.self)
    .slice(0, BUDGETS)
    .map(({ key }) => key);
  for (const max of [0, 5]) {
    let failures = 0;
    for (let i = 0; i < SPLITS; i++) {
      const sides = shuffled(runs).map((run) => selectedOf(run, keys));
      const budgets = keys.map((key) => budgetOf("growth", max, key));
      if (fails(budgets, sides.slice(0, half), sides.slice(half))) failures++;
    }
    console.log(
      `  check, ${keys.length} functions may grow by ${max} %: ${percent(failures, SPLITS)} of checks fail`,
    );
  }
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

/** Prints why the words are wrong, or the usage, and returns whether either was asked for. */
function refused(words) {
  const before = words.slice(0, words.includes("--") ? words.indexOf("--") : undefined);
  try {
    if (
      !parseArgs({ args: before, options: { help: { type: "boolean", short: "h" } }, allowPositionals: true })
        .values.help
    )
      return false;
    console.log(USAGE);
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
  }
  return true;
}

function isFolder(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

async function main(words) {
  const middle = words.indexOf("--");
  if (refused(words)) return;
  const folders = middle < 0 ? words : [...words.slice(0, middle), ...words.slice(middle + 1, middle + 2)];
  const missing = folders.find((path) => !isFolder(path));
  const isWrong = middle >= 0 && (middle !== 1 || words.length !== 4);
  if (missing !== undefined || isWrong) {
    console.error(`${isWrong ? "Name two folders and a function." : `${missing} is no folder.`}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  if (words.length === 0) {
    simulate();
    simulateLengths();
    simulateChecks();
  } else if (middle >= 0) await findPlanted(words[0], words[2], words[3]);
  else for (const folder of folders) await splitFolder(folder);
}

await main(process.argv.slice(2));
