import { describe, expect, it } from "vitest";
import { costlyDeopts, deoptView } from "../../src/facts/deopts.ts";
import { labelOf } from "../../src/facts/label.ts";
import { focusStacks } from "../../src/profile/filter.ts";
import { mergeInfos, mergeProfiles } from "../../src/profile/merge.ts";
import { arrangeThreads } from "../../src/profile/threads.ts";
import { FIXTURE_NAMES, fixtureProfile, WHOLE } from "../helpers/fixtures.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

const ROWS = [
  "code-creation,JS,10,1,0x1000,256,f /srv/a.js:1:10,0xf1,~",
  "code-creation,JS,10,1,0x2000,256,f /srv/a.js:1:10,0xf1,*",
  "code-creation,JS,10,1,0x3000,256,g /srv/b.js:7:2,0xf2,~",
  "code-creation,JS,10,1,0x4000,256,g /srv/b.js:7:2,0xf2,+",
  "code-creation,JS,10,1,0x5000,256,caller /srv/b.js:9:2,0xf3,*",
];
const F = "code-deopt,1,256,0x2000,0,9,deopt-eager,</srv/a, b.js:4:5> inlined at </srv/a.js:2:3>,wrong map";
const G = "code-deopt,1,256,0x4000,-1,9,deopt-lazy,</srv/b.js:8:1>,(unknown)";
const REST = ["tick,0x1001,1,0,0x0,0", "tick,0x1001,1,0,0x0,0,0x5001", "tick,0x3001,1,0,0x0,0"];

const load = (...rows: readonly string[]) => profileOf(logOf(...NODE_26, ...rows), { deopts: true });
const LOG = [...ROWS, F, F, F, F, F, G, ...REST];

describe("costlyDeopts", () => {
  it("ranks by cost, takes places apart, and marks bailout loops", async () => {
    expect(costlyDeopts(await load(...LOG))).toEqual([
      {
        function: "f /srv/a.js:1:10",
        title: "f",
        position: { file: "/srv/a.js", line: 1, column: 10 },
        at: [
          { file: "/srv/a, b.js", line: 4, column: 5 },
          { file: "/srv/a.js", line: 2, column: 3 },
        ],
        reason: "wrong map",
        kinds: ["eager"],
        tiers: ["*"],
        count: 5,
        isLoop: true,
        cost: 2,
        costByTier: [{ tier: "~", ticks: 2 }],
        isOpen: true,
      },
      expect.objectContaining({
        title: "g",
        kinds: ["lazy"],
        tiers: ["+"],
        count: 1,
        isLoop: false,
        cost: 1,
      }),
    ]);
  });

  it("puts tiers and kinds of one place together", async () => {
    const profile = await load(
      ...ROWS,
      F,
      F.replace("eager", "soft"),
      "code-creation,JS,10,1,0x2000,256,f /srv/a.js:1:10,0xf1,+'",
      F,
    );
    expect(costlyDeopts(profile)).toMatchObject([{ kinds: ["eager", "soft"], tiers: ["+", "*"], count: 3 }]);
  });

  it("doubles when a log is merged with itself", async () => {
    const profile = await load(...LOG);
    const twice = costlyDeopts(mergeProfiles([profile, profile]));
    expect(twice.map(({ count, cost }) => [count, cost])).toEqual([
      [10, 4],
      [2, 2],
    ]);
  });

  it("leaves out what other threads did", async () => {
    const [g, both] = [await load(...ROWS, G, REST[2]!), await load(...LOG)];
    const all = mergeProfiles([both, g, both]);
    const only = arrangeThreads(all, [1], g.info);
    expect(costlyDeopts(only)).toEqual(costlyDeopts(g));
    expect(costlyDeopts(only).map(({ title, count, cost }) => `${title} ${count} ${cost}`)).toEqual([
      "g 1 1",
    ]);
    const turned = arrangeThreads(all, [2, 0], mergeInfos([both.info, both.info]));
    expect(costlyDeopts(turned)).toEqual(costlyDeopts(mergeProfiles([both, both])));
    expect(turned.deopts!.entries.map(({ thread }) => thread)).toEqual([1, 1, 0, 0]);
  });

  it("costs what a filter leaves", async () => {
    const profile = await load(...LOG);
    const left = focusStacks(profile, (frame) => labelOf(profile.frames[frame]!).includes("caller"));
    expect(costlyDeopts(left).map(({ title, cost }) => `${title} ${cost}`)).toEqual(["f 1", "g 0"]);
  });
});

describe("deoptView", () => {
  it("sums up by function", async () => {
    const view = deoptView(await load(...LOG, F.replace(":2:3", ":3:3"), "tick,0x1001,1,0,0x0,0"));
    expect(view).toMatchObject({ count: 7, cost: 4, whyNone: undefined });
    expect(view.functions.map(({ title, count, rows, cost }) => [title, count, rows, cost])).toEqual([
      ["f", 6, 2, 3],
      ["g", 1, 1, 1],
    ]);
  });

  it("says why there are none", async () => {
    const version = (v8: string) => ["v8-version,".concat(v8), "profiler,begin,1000", ...ROWS];
    const view = async (...rows: string[]) => deoptView(await profileOf(logOf(...rows), { deopts: true }));
    expect((await view(...version("8,4,371,23,-node.88,0"))).whyNone).toBe("none");
    expect((await view(...version("5,1,281,111,0"))).whyNone).toBe("not-written");
    const unasked = await view(...version("14,6,202,34,-node.34,0"), "tick,0x2001,1,0,0x0,0", REST[0]!);
    expect([unasked.whyNone, unasked.demoted]).toEqual(["not-asked", 1]);
  });
});

describe("the deoptimizations of every fixture", () => {
  for (const name of FIXTURE_NAMES) {
    it(`cost no more ticks than there are: ${name}`, async () => {
      const profile = await fixtureProfile(name, WHOLE);
      const { rows, functions, cost, count } = deoptView(profile);
      const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
      const { entries, charges } = profile.deopts!;
      expect(sum(rows.map((row) => row.cost))).toBe(sum(charges.map(({ ticks }) => ticks)));
      expect(sum(functions.map((one) => one.cost))).toBe(cost);
      expect([sum(functions.map((one) => one.count)), count]).toEqual([
        count,
        sum(entries.map((deopt) => deopt.count)),
      ]);
      // No tick twice: no sample pays for more than it has.
      const paid = new Map<number, number>();
      for (const { sample, ticks } of charges) paid.set(sample, (paid.get(sample) ?? 0) + ticks);
      const isTooMuch = ([sample, ticks]: [number, number]) => ticks > profile.samples.ticks[sample]!;
      expect(Array.from(paid).filter(isTooMuch)).toEqual([]);
    });
  }
});
