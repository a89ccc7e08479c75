import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import * as library from "../../src/index.ts";
import {
  breakdown,
  callTree,
  checkRuns,
  compareRuns,
  coverageOf,
  deoptsOf,
  filterProfile,
  flamePage,
  flatRows,
  hotLines,
  loadLogs,
  mergeProfiles,
  openSymbolCache,
  originOfLog,
  type Profile,
  REPORTERS,
  readMapFile,
  readRuns,
  TicksError,
  timelineOf,
  topOf,
  totals,
  withoutWaits,
} from "../../src/index.ts";
import { fixtureProfile } from "../helpers/fixtures.ts";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";
import { simulatedLog } from "../helpers/simulated-run.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));
const FOLDER = testFolder();

describe("loadLogs", () => {
  it("reads the logs of a folder with their threads named and in order", async () => {
    const profile = await loadLogs(join(FIXTURES, "node-12-threads"));
    const names = profile.info.threads.map(({ name }) => name);
    expect(names[0]).toMatch(/^pid \d+ main$/);
    expect(names[1]).toMatch(/^pid \d+ worker 0x/);
    const { node, thread, ticks, length } = profile.samples;
    expect(Array.from(ticks.subarray(0, length)).reduce((sum, count) => sum + count, 0)).toBe(
      profile.info.ticks,
    );
    expect(Math.max(...thread.subarray(0, node.length && length))).toBe(names.length - 1);
  });

  it("names C++ functions from the symbols beside a log", async () => {
    const { frames } = await loadLogs(join(FIXTURES, "node-24-garbage", "isolate.log.gz"));
    expect(frames.some((frame) => frame.kind === "native" && frame.symbol !== undefined)).toBe(true);
    expect(frames.some((frame) => frame.kind === "js" && frame.line > 0)).toBe(true);
  });

  it("skips logs that cannot be read if it is told to", async () => {
    cpSync(join(FIXTURES, "node-24-garbage", "isolate.log.gz"), join(FOLDER, "isolate-0x1-1-v8.log.gz"));
    writeFileSync(join(FOLDER, "isolate-0x2-1-v8.log"), "");
    await expect(loadLogs([FOLDER])).rejects.toThrow(TicksError);
    const skipped: string[] = [];
    const profile = await loadLogs([FOLDER], { onUnreadable: (path) => skipped.push(path) });
    expect(skipped).toEqual([join(FOLDER, "isolate-0x2-1-v8.log")]);
    expect(profile.info.ticks).toBe(795);
    await expect(loadLogs([])).rejects.toThrow("no logs");
  });
});

describe("originOfLog", () => {
  it("says which process and isolate wrote a log", () => {
    expect(originOfLog("/x/isolate-0x38DB74c0-16691-v8.log")).toEqual({ pid: 16691, isolate: "0x38db74c0" });
  });
});

describe("readMapFile", () => {
  it("reads a map by its path or URL, and nothing else", async () => {
    const path = join(FOLDER, "a.js.map");
    writeFileSync(path, "{}");
    expect(await readMapFile(path, true)).toBe("{}");
    expect(await readMapFile(`file://${path}`, true)).toBe("{}");
    expect(await readMapFile(join(FOLDER, "none.map"), true)).toBeUndefined();
    expect(await readMapFile("file://host/share/a.map", true)).toBeUndefined();
  });
});

const folder = testFolder();

let [before, after]: [Profile[], Profile[]] = [[], []];

beforeAll(async () => {
  for (const side of ["before", "after"]) {
    mkdirSync(join(folder, side));
    const functions = Array.from({ length: 8 }, (_, i) => ({
      name: `part${i}`,
      weight: i === 3 && side === "after" ? 1.5 : 1,
    }));
    for (let run = 0; run < 4; run++) {
      const seed = 31 * run + side.length;
      const log = simulatedLog({ file: "/srv/app.js", functions, ticks: 3000, seed });
      writeFileSync(join(folder, side, `isolate-0x1-${run + 1}-v8.log`), log);
    }
  }
  before = await readRuns(join(folder, "before"), { cache: undefined });
  after = await readRuns([join(folder, "after")]);
});

describe("readRuns", () => {
  it("reads the runs of a folder", () => {
    expect(before.map(({ info }) => info.ticks)).toEqual([3000, 3000, 3000, 3000]);
  });

  it("says what cannot be read", async () => {
    await expect(readRuns([])).rejects.toThrow("no logs to read");
    await expect(readRuns(join(folder, "nowhere.log"))).rejects.toThrow(TicksError);
  });
});

describe("compareRuns", () => {
  it("tells what changed", () => {
    const { rows, hasVerdict, scale } = compareRuns(before, after);
    expect([hasVerdict, scale.name]).toEqual([true, "share"]);
    const changed = rows.filter(({ verdict }) => verdict !== "same");
    expect(changed.map(({ name, verdict }) => [name.key, verdict])).toEqual([["app.js part3", "slower"]]);
  });

  it("takes options", () => {
    const diff = compareRuns(before, after, { by: "file", scale: "cpu", per: [10, 10] });
    expect(diff.rows.map(({ name }) => name.key)).toEqual(["app.js"]);
    expect(diff.scale.unit).toBe("ms-per-unit");
    expect(() => compareRuns(before, [])).toThrow("a side has no runs");
  });
});

describe("checkRuns", () => {
  const selector = { kind: "function", name: "part3" } as const;

  it("tells which budgets are broken", () => {
    const budgets = [
      { selector, max: 14 },
      { selector, max: 40 },
      { selector, max: 10, metric: "growth", title: "growth of part3" },
    ] as const;
    const found = checkRuns(budgets, { runs: after, baseline: before });
    expect(found.map(({ budget, verdict }) => [budget.title, verdict])).toEqual([
      ["part3", "broken"],
      ["part3", "holds"],
      ["growth of part3", "broken"],
    ]);
  });

  it("refuses what cannot be checked", () => {
    const growth = [{ selector, max: 10, metric: "growth" }] as const;
    expect(() => checkRuns(growth, { runs: after })).toThrow("there is no baseline");
    const missing = [{ selector: { kind: "file", name: "none.js" }, max: 10 }] as const;
    expect(() => checkRuns(missing, { runs: after })).toThrow("no run has none.js, which a budget limits");
  });
});

const sum = (numbers: Iterable<number>) => Array.from(numbers).reduce((all, one) => all + one, 0);
const profile = await fixtureProfile("node-26-inlining", { inlines: true, timeline: true, deopts: true });
const { ticks } = profile.info;

describe("the views of the library", () => {
  it("have self and total of each function, and its sums", () => {
    const rows = flatRows(profile);
    expect(sum(rows.map((row) => row.self))).toBe(ticks);
    expect(rows.every((row) => row.total >= row.self)).toBe(true);
    expect(rows[0]!.self).toBe(Math.max(...rows.map((row) => row.self)));
    const { js, native, library, unaccounted } = totals(profile);
    expect(js + native + library + unaccounted).toBe(ticks);
  });

  it("give the ticks of code without rows of its own to its callers", () => {
    const stacks = profileFromStacks("js:main builtin:ArrayMap", "js:main");
    expect(flatRows(stacks).map((row) => row.self)).toEqual([1, 1]);
    expect(flatRows(stacks, { builtins: false }).map((row) => row.self)).toEqual([2]);
    expect(totals(stacks, { builtins: false }).js).toBe(2);
  });

  it("have a tree, both ways, as small as asked for", () => {
    const stacks = profileFromStacks("js:main ? js:deep cpp:x", "js:main js:other");
    const shown = (options: Parameters<typeof callTree>[1]) =>
      callTree(stacks, options).rows.map(({ depth, callable, ticks: own }) => {
        const title = callable.kind === "function" ? callable.function.title : callable.state;
        return `${" ".repeat(depth)}${title} ${own}`;
      });
    expect(shown({})).toEqual(["main 2", " other 1", " deep 1", "  x 1"]);
    expect(shown({ depth: 1 })).toEqual(["main 2"]);
    expect(shown({ minPercent: 60 })).toEqual(["main 2"]);
    expect(shown({ heavy: true, depth: 2 })).toEqual(["other 1", " main 1", "x 1", " deep 1"]);
    expect(callTree(profile).ticks).toBe(ticks);
  });

  it("have the lines", () => {
    const lines = hotLines(profile);
    const js = profile.samples.length > 0 ? lines.filter(({ line }) => line > 0) : [];
    expect(js.length).toBeGreaterThan(5);
    expect(js[0]).toMatchObject({ file: expect.stringContaining("inlining.js"), function: { kind: "js" } });
  });

  it("have the page of `ticks top`", () => {
    const top = topOf(profile, { limit: 2 });
    expect(top.ticks).toBe(ticks);
    expect(top.stacks.stacks.length).toBeLessThanOrEqual(2);
    expect(topOf(profile).stacks.stacks.length).toBeGreaterThan(2);
    expect(sum(topOf(profile).functions.bySelf.map(({ self }) => self))).toBe(ticks);
  });

  it("have at most as many rows in each list of that page as asked for", () => {
    const { functions, chains, packages, app, lines, packageLines, deopts, threads } = topOf(profile, {
      limit: 2,
    });
    const lists = [...[functions.bySelf, functions.byTotal, chains, packages.rows, deopts, threads]];
    const ofLines = [app.lines, lines.lines, packageLines.lines];
    for (const list of [...lists, ...ofLines]) expect(list.length).toBeLessThanOrEqual(2);
    expect(topOf(profile).lines.lines.length).toBeGreaterThan(2);
  });

  it("have the coverage, with what is wrong and what to do", () => {
    expect(coverageOf(profile)).toMatchObject({ ticks, warnings: expect.any(Array) });
    const { unknown, warnings, advice } = coverageOf(profileFromStacks("js:main"));
    expect([unknown, warnings, advice]).toEqual([
      0,
      [{ kind: "few-ticks", ticks: 1 }],
      ["Only 1 tick. Run longer, or sample more often with --prof-sampling-interval=100."],
    ]);
    const { info, ...none } = profileFromStacks();
    const sampled = { ...none, info: { ...info, sampling: { ...info.sampling, asked: 1000 } } };
    expect(coverageOf(sampled).advice).toEqual(["No samples. Run longer, or under load."]);
  });

  it("have the time of each thread, in slices", () => {
    const [thread, ...others] = timelineOf(profile, { slices: 7 });
    expect(others).toEqual([]);
    expect(thread).toMatchObject({ thread: 0, count: 7, ticks });
    expect(sum(Array.from(thread!.lanes.values()).flatMap((lane) => Array.from(lane)))).toBe(ticks);
    expect(sum(thread!.sliceTicks)).toBe(ticks);
    expect(thread!.gapTime).toHaveLength(7);
    expect(timelineOf(profile)[0]!.count).toBeLessThanOrEqual(100);
    expect(timelineOf(profile)[0]!.count).toBeGreaterThan(7);
    expect(timelineOf({ ...profile, timeline: undefined })).toEqual([]);
  });

  it("have the deoptimizations", async () => {
    const { rows, cost, whyNone } = deoptsOf(await fixtureProfile("node-14-scripts", { deopts: true }));
    expect(rows.length).toBeGreaterThan(0);
    expect(cost).toBe(sum(rows.map((row) => row.cost)));
    expect(whyNone).toBeUndefined();
  });

  it("see what a filter left", () => {
    const left = filterProfile(profile, { states: ["gc"] });
    const { ticks: gc } = callTree(left);
    expect(gc).toBe(ticks - left.info.excluded);
    expect(gc).toBeLessThan(ticks);
    expect(sum(flatRows(left).map(({ self }) => self))).toBe(gc);
  });

  it("have the page of `ticks flame`", () => {
    const page = flamePage(profile);
    expect(page).toMatch(/^<!doctype html>/i);
    expect(page).toContain("inlining.js");
  });
});

describe("the symbol cache of the library", () => {
  it("is written to the folder that is given", async () => {
    const folder = testFolder();
    const cache = openSymbolCache(folder);
    cache.keepTexts("topic", [["key", "text"]]);
    await cache.settled();
    expect(readdirSync(folder).length).toBe(1);
    expect(openSymbolCache(folder).texts("topic").get("key")).toBe("text");
  });
});

describe("the library leaves out ticks that waited", () => {
  /** Ticks of f, idle ones and one in `Atomics.wait`, one a millisecond. */
  const profile = (idle: number) =>
    profileOf(
      logOf(
        ...NODE_26,
        "code-creation,JS,10,1,0x1000,256,f /srv/x.js:1:1,0xf1,*",
        ...Array.from({ length: 30 }, (_, i) => `tick,0x1001,${(i + 1) * 1000},0,0x0,0`),
        ...Array.from({ length: idle }, (_, i) => `tick,0x0,${(i + 40) * 1000},0,0x0,8`),
        "tick,0x1001,999000,0,0x0,7",
      ),
    );
  async function text(lines: AsyncIterable<string>): Promise<string> {
    let all = "";
    for await (const line of lines) all += `${line}\n`;
    return all;
  }

  it("where the command line does, unless it is told to count them", async () => {
    const all = await profile(69);
    expect([topOf(all).ticks, topOf(all, { idle: true }).ticks]).toEqual([30, 100]);
    expect([callTree(all).ticks, callTree(all, { idle: true }).ticks]).toEqual([30, 100]);
    expect(flamePage(all)).toContain('"waited":{"ticks":70');
    expect(flamePage(all, { idle: true })).not.toContain('"waited":{');
    const note = "70 of 100 ticks waited (idle and Atomics.wait)";
    for (const name of ["top", "tree", "lines", "deopts", "ics"] as const) {
      expect((await text(REPORTERS[name].text(all))).replaceAll("\n", " "), name).toContain(note);
      expect(await text(REPORTERS[name].text(all, { idle: true })), name).not.toContain(note);
    }
    expect(await text(REPORTERS.threads.text(all))).toContain("100 ticks");
    expect(breakdown(all).map(({ category }) => category)).toContain("idle");
  });

  it("once, and not those of states that were chosen", async () => {
    const all = await profile(69);
    const without = withoutWaits(all);
    expect(withoutWaits(without)).toBe(without);
    expect(without.info).toMatchObject({ ticks: 100, excluded: 70, waited: { ticks: 70 } });
    expect(topOf(filterProfile(all, { states: ["idle"] })).ticks).toBe(69);
    expect(filterProfile(all, { idle: false }).info.waited?.ticks).toBe(70);
    expect(mergeProfiles([without, withoutWaits(await profile(9))]).info.waited?.ticks).toBe(80);
  });

  it("from comparisons and budgets", async () => {
    const [before, after] = [await profile(69), await profile(600)];
    const change = (idle: boolean) =>
      compareRuns([before], [after], { idle }).rows.map(({ self }) => self.change);
    expect(change(false)).toEqual([0]);
    expect(Math.max(...change(true).map(Math.abs))).toBeGreaterThan(10);
    expect(() => compareRuns([before], [after], { idle: true, scale: "cpu" })).toThrow("takes no CPU");
    const budget = { selector: { kind: "function", name: "f" }, max: 99 } as const;
    expect(checkRuns([budget], { runs: [before] })[0]!.value).toBe(100);
    expect(checkRuns([budget], { runs: [before], idle: true })[0]!.value).toBe(31);
    const waits = { selector: { kind: "category", name: "idle" }, max: 99 } as const;
    expect(() => checkRuns([waits], { runs: [before] })).toThrow("only with the option idle");
  });
});

const TYPES = fileURLToPath(new URL("../../dist/types", import.meta.url));

describe("the names of the library", () => {
  const entry = readFileSync(fileURLToPath(new URL("../../src/index.ts", import.meta.url)), "utf8");
  const names = Array.from(entry.matchAll(/^export (?:type )?\{([^}]+)\}/gm), ([, list]) => list!)
    .flatMap((list) => list.split(","))
    .map((name) => name.trim().replace(/^type /, ""))
    .filter((name) => name !== "");

  it("are those that a program needs: one more has to be worth an example", () => {
    expect(names.length).toBeGreaterThan(50);
    expect(names.length).toBeLessThanOrEqual(67);
    expect(names).toEqual(expect.arrayContaining(Object.keys(library)));
  });

  it("are all in the examples of docs/api.md, which test/docs.slow.ts runs", () => {
    const page = readFileSync(fileURLToPath(new URL("../../docs/api.md", import.meta.url)), "utf8");
    const examples = Array.from(page.matchAll(/^```ts\n([\s\S]*?)^```/gm), ([, text]) => text).join("");
    // Once where it is imported, once where it is used.
    const uses = (name: string) => examples.match(new RegExp(`(?<![\\w.])${name}\\b`, "g"))?.length ?? 0;
    expect(names.filter((name) => uses(name) < 2)).toEqual([]);
  });
});

describe("the declarations", () => {
  it("give no type argument to arrays of numbers, which TypeScript knows only from 5.7 on", () => {
    const files = readdirSync(TYPES, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.d\.ts$/.test(name),
    );
    expect(files.length).toBeGreaterThan(10);
    const wrong = files.filter((name) =>
      /\b(?:\w+[0-9]Array|Uint8ClampedArray|Buffer)</.test(readFileSync(join(TYPES, name), "utf8")),
    );
    expect(wrong).toEqual([]);
  });
});
