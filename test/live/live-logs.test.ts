import { describe, expect, it } from "vitest";
import { breakdown } from "../../src/facts/breakdown.ts";
import { topFunctions } from "../../src/facts/top-functions.ts";
import type { LiveLog } from "../../src/live/live-log.ts";
import { LiveLogs } from "../../src/live/live-logs.ts";
import type { LiveQuery, LiveView } from "../../src/live/live-view.ts";
import { readableNames } from "../../src/native/readable-names.ts";
import { CATEGORIES } from "../../src/profile/categories.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { shownStacks } from "../../src/profile/shown-stacks.ts";
import { LibraryLoader } from "../../src/replay/libraries.ts";
import { FIXTURE_NAMES, fixtureLog, fixtureProfile, fixtureSymbols } from "../helpers/fixtures.ts";
import { chunksOf, logOf, NODE_26 } from "../helpers/logs.ts";

const ALL: LiveQuery = { sort: "self", filter: "", limit: 300, thread: undefined };

function addTo(live: LiveLogs, recorded?: ReturnType<typeof fixtureSymbols>, name = "v8.log"): LiveLog {
  const openLoader = () => new LibraryLoader({ sources: [], recorded });
  const sources = {
    openLoader,
    readNames: (some: Parameters<typeof readableNames>[0]) => readableNames(some),
  };
  return live.add({ name, origin: { pid: undefined, isolate: undefined }, sources });
}

/** The name, self and total ticks of each function. */
function numbersOf({ rows }: LiveView): string[] {
  return rows.map(({ function: { title, file, line }, self, total }) => {
    return `${title} ${file}:${line} ${self.all} ${total.all}`;
  });
}

/** The same numbers of a profile. */
function profileNumbers(profile: Profile, by: "bySelf" | "byTotal"): string[] {
  const functions = topFunctions(profile);
  return functions[by].map(({ function: { title, file, line }, self, total }) => {
    return `${title} ${file}:${line} ${self} ${total}`;
  });
}

describe("live logs", () => {
  for (const name of FIXTURE_NAMES) {
    it(`count the ticks of ${name} as top does`, async () => {
      const log = fixtureLog(name);
      const recorded = fixtureSymbols(name);
      const live = new LiveLogs();
      const added = addTo(live, recorded);
      for await (const chunk of chunksOf(log, 100_000)) await added.read(chunk);
      const profile = shownStacks(await fixtureProfile(name));
      const view = live.view(ALL, 0);
      expect(view.ticks.all).toBe(profile.info.ticks);
      // Long lists are cut, and of as many ticks any function may be the last one.
      const least = view.rows.at(-1)!.self.all;
      const isSure = (row: string) => Number(row.split(" ").at(-2)) > (view.rows.length < 300 ? 0 : least);
      expect(numbersOf(view).filter(isSure).sort()).toEqual(
        profileNumbers(profile, "bySelf").filter(isSure).sort(),
      );
      const byTotal = numbersOf(live.view({ ...ALL, sort: "total" }, 0)).slice(0, 20);
      expect(profileNumbers(profile, "byTotal")).toEqual(expect.arrayContaining(byTotal));
      const ticks = new Map(breakdown(profile).map((row) => [row.category, row.ticks]));
      expect(view.categories.map(({ category, all }) => [category, all])).toEqual(
        view.categories.map(({ category }) => [category, ticks.get(category)]),
      );
    });
  }

  it("do not depend on where the log is cut", async () => {
    const log = fixtureLog("node-26-odd-names").subarray(0, 80_000);
    const views: LiveView[] = [];
    for (const size of [1, 7, 4096, log.length]) {
      const live = new LiveLogs();
      const added = addTo(live);
      for await (const chunk of chunksOf(log, size)) await added.read(chunk);
      views.push(live.view(ALL, 0));
    }
    for (const view of views.slice(1)) {
      expect(numbersOf(view)).toEqual(numbersOf(views[0]!));
      expect(view.categories).toEqual(views[0]!.categories);
    }
  });
});

const F = "code-creation,JS,10,1,0x1000,256,f /srv/a.js:1:10,0xf1,~";
const G = "code-creation,JS,10,1,0x2000,256,g /srv/b.js:2:10,0xf2,*";
/** A tick a millisecond from a second on. */
const ticksIn = (second: number, address: number, count: number, state = 0) =>
  Array.from({ length: count }, (_, i) => {
    return `tick,0x${address.toString(16)},${second * 1e6 + i * 1000},0,0x0,${state}`;
  });
const byName = ({ rows }: LiveView) =>
  Object.fromEntries(rows.map((row) => [row.function.title, [row.self.recent, row.self.all]]));

describe("the last ten seconds", () => {
  it("are those before the last tick, and pass with the clock", async () => {
    const live = new LiveLogs();
    const log = addTo(live);
    log.seen = 100_000;
    await log.read(logOf(...NODE_26, F, G, ...ticksIn(0, 0x1001, 50), ...ticksIn(11, 0x2001, 20)));
    expect(byName(live.view(ALL, 100_000))).toEqual({ f: [0, 50], g: [20, 20] });
    expect(byName(live.view(ALL, 110_000))).toEqual({ f: [0, 50], g: [0, 20] });
    expect(live.view({ ...ALL, sort: "recent-self" }, 100_000).rows.map((row) => row.function.title)).toEqual(
      ["g"],
    );
  });

  it("have a rate: by the time of a young log, else by the seconds that they are", async () => {
    const live = new LiveLogs();
    const log = addTo(live);
    log.seen = 100_000;
    await log.read(logOf(...NODE_26, F, ...ticksIn(2, 0x1001, 501)));
    expect(live.view(ALL, 100_000).ticksPerSecond).toBeCloseTo(501 / 2.5);
    // At 11.75 s the tenth second before has gone but for a quarter: 9.75 s are left.
    expect(live.view(ALL, 109_250).ticksPerSecond).toBeCloseTo(501 / 9.75);
  });

  it("have the program's own functions first, by total, then all others by self", async () => {
    const live = new LiveLogs();
    const log = addTo(live);
    log.seen = 100_000;
    const node = "code-creation,JS,10,1,0x3000,256,n node:fs:2:10,0xf3,*";
    const ticks = [...ticksIn(0, 0x1001, 5), ...ticksIn(1, 0x2001, 9), ...ticksIn(2, 0x3001, 50)];
    await log.read(logOf(...NODE_26, F, G, node, ...ticks));
    const { rows } = live.view({ ...ALL, sort: "recent-own" }, 100_000);
    expect(rows.map((row) => row.function.title)).toEqual(["g", "f", "n"]);
  });

  it("tell what rose and what fell, second by second", async () => {
    const live = new LiveLogs();
    const log = addTo(live);
    const seconds = Array.from({ length: 9 }, (_, i) => [
      ...ticksIn(i, 0x1001, 10 * (9 - i)),
      ...ticksIn(i, 0x2001, 10 * (i + 1)),
    ]);
    await log.read(logOf(...NODE_26, F, G, ...seconds.flat(), ...ticksIn(9, 0x1001, 1)));
    const { rows, seconds: history } = live.view({ ...ALL, sort: "recent-self" }, 0);
    expect(rows.map((row) => [row.function.title, row.trend, row.history])).toEqual([
      ["f", "falling", [90, 80, 70, 60, 50, 40, 30, 20, 10]],
      ["g", "rising", [10, 20, 30, 40, 50, 60, 70, 80, 90]],
    ]);
    expect(history.slice(-9).map(({ ticks }) => ticks)).toEqual(new Array(9).fill(100));
  });

  it("have the share of collections and compilers of each second", async () => {
    const live = new LiveLogs();
    const log = addTo(live);
    const rows = [...ticksIn(0, 0x1001, 6), ...ticksIn(0, 0x1001, 3, 1), ...ticksIn(0, 0x1001, 1, 4)];
    await log.read(logOf(...NODE_26, F, ...rows, ...ticksIn(1, 0x1001, 1)));
    expect(live.view(ALL, 0).seconds.at(-1)).toEqual({ ticks: 10, gc: 3, compile: 1 });
  });
});

describe("what can be asked", () => {
  it("is a filter, a thread, and a reset", async () => {
    const live = new LiveLogs();
    const [one, two] = [addTo(live, undefined, "one.log"), addTo(live, undefined, "two.log")];
    await one.read(logOf(...NODE_26, F, G, ...ticksIn(0, 0x1001, 5), ...ticksIn(0, 0x2001, 2)));
    await two.read(logOf(...NODE_26, F, ...ticksIn(0, 0x1001, 30)));
    expect(byName(live.view(ALL, 0))).toEqual({ f: [35, 35], g: [2, 2] });
    expect(byName(live.view({ ...ALL, filter: "B.JS" }, 0))).toEqual({ g: [2, 2] });
    expect(byName(live.view({ ...ALL, thread: 0 }, 0))).toEqual({ f: [5, 5], g: [2, 2] });
    expect(live.view({ ...ALL, thread: 1 }, 0).ticks).toEqual({ recent: 30, all: 30 });
    expect(live.view(ALL, 0).threads.map(({ name, ticks }) => [name, ticks.all])).toEqual([
      ["one.log", 7],
      ["two.log", 30],
    ]);
    live.reset();
    await one.read(logOf(...ticksIn(1, 0x2001, 4)));
    const view = live.view({ ...ALL, sort: "recent-self" }, 0);
    expect(view.ticks).toEqual({ recent: 41, all: 4 });
    expect(byName(view)).toEqual({ f: [35, 0], g: [6, 4] });
    expect(view.span).toBeGreaterThan(0.9e6);
  });

  it("forgets a log whose file is another one", async () => {
    const live = new LiveLogs();
    const [one, two] = [addTo(live), addTo(live)];
    await one.read(logOf(...NODE_26, F, ...ticksIn(0, 0x1001, 5)));
    await two.read(logOf(...NODE_26, F, ...ticksIn(0, 0x1001, 3)));
    const openLoader = () => new LibraryLoader({ sources: [] });
    const sources = { openLoader, readNames: async () => [] };
    live.replace(two, { name: "v8.log", origin: { pid: undefined, isolate: undefined }, sources });
    expect(byName(live.view(ALL, 0))).toEqual({ f: [5, 5] });
    expect(live.view(ALL, 0).categories[CATEGORIES.findIndex(({ category }) => category === "js")]!.all).toBe(
      5,
    );
  });

  it("has the deoptimizations as they happen", async () => {
    const live = new LiveLogs();
    const log = addTo(live);
    const deopt = "code-deopt,70000,304,0x2000,-1,25,deopt-eager,</srv/b.js:2:20>,wrong map";
    await log.read(logOf(...NODE_26, F, G, deopt));
    const { deopts, deoptCount } = live.view(ALL, 0);
    expect(deoptCount).toBe(1);
    expect(deopts.map(({ time, row }) => [time, row.title, row.reason, row.at])).toEqual([
      [70_000, "g", "wrong map", [{ file: "/srv/b.js", line: 2, column: 20 }]],
    ]);
  });

  it("takes ticks of any time and state without harm", async () => {
    const live = new LiveLogs();
    const log = addTo(live);
    const odd = ["tick,0x1001,9007199254740991,0,0x0,0", "tick,0x1001,5,0,0x0,77", "tick,0x0,6,1,0x1001,6"];
    await log.read(logOf(...NODE_26, F, ...odd, "tick,", "\0\0\0", ...ticksIn(0, 0x1001, 2)));
    const view = live.view(ALL, Number.MAX_SAFE_INTEGER);
    expect(view.ticks.all).toBe(5);
    expect(view.rows.reduce((sum, row) => sum + row.self.all, 0)).toBe(5);
  });
});
