import { describe, expect, it } from "vitest";
import { filterProfile } from "../src/facts/filter-profile.ts";
import { icFacts, icTicksOf } from "../src/facts/ics.ts";
import { stackOf } from "../src/profile/call-tree.ts";
import { onlySite } from "../src/profile/inline-caches.ts";
import { mergeProfiles } from "../src/profile/merge.ts";
import type { Profile } from "../src/profile/profile.ts";
import { arrangeThreads } from "../src/profile/threads.ts";
import { fixtureProfile } from "./helpers/fixtures.ts";
import { logOf, NODE_26, profileOf } from "./helpers/logs.ts";

/** The megamorphic sites of test/programs/ics.js, by the function whose loop runs them. */
const PLANTED = {
  runProperty: { at: "31:20", kind: "LoadIC", keys: ["price"] },
  runElement: { at: "40:19", kind: "KeyedLoadIC", keys: undefined },
  runStore: { at: "47:19", kind: "StoreIC", keys: ["price"] },
  runGetter: { at: "20:22", kind: "LoadIC", keys: ["price"] },
  runInlined: { at: "61:15", kind: "LoadIC", keys: ["price"] },
};
/** The lines of the script that call these functions. */
const CALLS: Record<number, string> = {
  119: "runProperty",
  120: "runElement",
  121: "runStore",
  122: "runGetter",
  123: "runInlined",
  124: "runMonomorphic",
};
/** The lines of the functions that each of them runs. */
const LINES: Record<string, readonly [number, number]> = {
  runProperty: [28, 34],
  runElement: [36, 43],
  runStore: [45, 50],
  runGetter: [52, 58],
  runInlined: [60, 70],
  runMonomorphic: [72, 78],
};

const read = (name: string, inferred = true) =>
  fixtureProfile(name, { inlines: true, ics: true, deopts: true, inferred });

/** The function whose loop ran at a stack, from frames alone that the log has. */
function loopAt({ frames, tree }: Profile, node: number): string | undefined {
  for (const number of stackOf(tree, node)) {
    const frame = frames[number]!;
    if (frame.kind !== "js" || frame.inferred) continue;
    const name = /^run\w+/.exec(frame.name)?.[0];
    if (name !== undefined) return name;
    if (/ics\.js:1:1$/.test(frame.name) && CALLS[frame.line] !== undefined) return CALLS[frame.line];
  }
  return undefined;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe.each(["node-16-ics", "node-26-ics"])("the inline caches of %s", (name) => {
  const profile = read(name);

  it("rank the planted sites first, with line, column and key", async () => {
    const { sites } = icFacts(await profile);
    const first = sites.slice(0, 5).map(({ line, column, kind }) => `${line}:${column} ${kind}`);
    expect(first.sort()).toEqual(
      Object.values(PLANTED)
        .map(({ at, kind }) => `${at} ${kind}`)
        .sort(),
    );
    for (const { at, keys } of Object.values(PLANTED)) {
      const site = sites.find(({ line, column }) => `${line}:${column}` === at)!;
      if (keys === undefined) expect(site.keys.every((key) => /^[a-z]+$/.test(key))).toBe(true);
      else expect(site.keys).toEqual(keys);
      expect(site.file).toBe("/srv/app/ics.js");
      expect(site.states.map(({ state }) => state)).toContain("N");
      expect(site.maps).toBeGreaterThan(1);
    }
  });

  it("have the ticks of no other function", async () => {
    const { ics, ...read } = await profile;
    let checked = 0;
    for (const { place, sample, ticks } of ics!.charges) {
      const site = onlySite(ics!.places[place]!);
      const loop = loopAt(await profile, read.samples.node[sample]!);
      if (site === undefined || loop === undefined) continue;
      const { line } = ics!.sites[site]!;
      const [from, to] = LINES[loop]!;
      const isGetter = loop === "runGetter" && line === 20;
      expect(isGetter || (line >= from && line <= to), `${loop} at line ${line}`).toBe(true);
      checked += ticks;
    }
    expect(checked).toBeGreaterThan(0.95 * icFacts(await profile).placed);
  });

  it("get nearly all ticks in V8's code for inline caches, and prices sum to them", async () => {
    const view = icFacts(await profile);
    expect(view.icTicks).toBe(icTicksOf(await profile));
    expect(view.placed).toBeGreaterThan(0.95 * view.icTicks);
    expect(view.placed + view.shared + sum(view.notPlaced.map(({ ticks }) => ticks))).toBe(view.icTicks);
    expect(sum(view.sites.map(({ ticks }) => ticks))).toBe(view.placed);
    expect(sum(view.sharedTicks.map(({ ticks }) => ticks))).toBe(view.shared);
    expect(sum(view.functions.map(({ ticks }) => ticks))).toBe(view.icTicks);
    expect(sum(view.builtins.map(({ ticks }) => ticks))).toBe(view.icTicks);
    expect(sum(view.times!.rows)).toBe(view.rows);
  });

  it("have no ticks that the log does not place, if nothing is to be inferred", async () => {
    const plain = await read(name, false);
    const view = icFacts(plain);
    expect(view.icTicks).toBe(icTicksOf(await profile));
    expect(view.placed).toBeLessThan(icFacts(await profile).placed);
    expect(view.sites.every(({ inferred }) => inferred === undefined)).toBe(true);
  });

  it("name the deoptimization at the site that saw another shape late", async () => {
    const site = icFacts(await profile).sites.find(({ line, column }) => line === 75 && column === 20);
    expect(site?.deopts.map(({ reason }) => reason)).toEqual(["wrong map"]);
  });

  it("keep their sums in merged, filtered and arranged profiles", async () => {
    const one = await profile;
    const two = mergeProfiles([one, await profile]);
    expect(icFacts(two).icTicks).toBe(2 * icFacts(one).icTicks);
    expect(icFacts(two).sites.map(({ ticks }) => ticks)).toEqual(
      icFacts(one).sites.map(({ ticks }) => 2 * ticks),
    );
    const focused = filterProfile(one, { focus: [/runElement/] });
    expect(icFacts(focused).icTicks).toBe(icTicksOf(focused));
    expect(icFacts(focused).sites[0]).toMatchObject({ line: 40, column: 19 });
    const second = arrangeThreads(two, [1], one.info);
    expect(icFacts(second).sites).toEqual(icFacts(one).sites);
    expect(icFacts(second).icTicks).toBe(icFacts(one).icTicks);
  });
});

describe("the inline caches of node-12-ics", () => {
  it("tell which sites can have the ticks, but that inlined code can have them too", async () => {
    const view = icFacts(await read("node-12-ics"));
    const possible = view.sharedTicks.map(({ sites: [site, ...others], mayBeInlined }) => {
      return [others.length, mayBeInlined, `${site!.line}:${site!.column}`];
    });
    expect(possible.sort()).toEqual([
      [0, true, "31:20"],
      [0, true, "40:19"],
      [0, true, "47:19"],
    ]);
    expect(view.notPlaced[0]!.reason).toBe("unknown-inlining");
    expect(view.placed).toBeLessThan(10);
    expect(view.sites.every(({ lastTime }) => lastTime > 0)).toBe(true);
  });
});

describe("a builtin whose caller the stacks lack", () => {
  /** `one` and, in other ticks, `two` are called where the stack of a tick in the builtin begins. */
  const rows = (...callees: string[]) => [
    "script-source,1,/srv/a.js,function main(){ f(); }  one(){ a.x }  two(){ a.y }",
    "code-creation,Builtin,2,1,0x9000,256,LoadIC_Megamorphic",
    "code-creation,JS,10,1,0x1000,64,main /srv/a.js:1:14,0xf1,*",
    "code-source-info,0x1000,1,13,24,C0O13C16O18,,",
    "code-creation,JS,10,1,0x2000,64,one /srv/a.js:1:30,0xf2,~",
    "code-source-info,0x2000,1,29,38,C0O29C8O34,,",
    "LoadIC,0x2008,20,1,35,P,N,0x77,x,,",
    "code-creation,JS,10,1,0x3000,64,two /srv/a.js:1:43,0xf3,~",
    "code-source-info,0x3000,1,42,51,C0O42C8O47,,",
    "LoadIC,0x3008,20,1,48,P,N,0x77,y,,",
    ...callees.map((address) => `tick,${address}008,1000,0,0x0,0,0x1018`),
    "tick,0x9010,2000,0,0x0,0,0x1018",
  ];
  const placesOf = async (...callees: string[]) => {
    const { ics } = await profileOf(logOf(...NODE_26, ...rows(...callees)), { inlines: true, ics: true });
    return ics!.places.map(({ function: name, sites, reason }) => [
      name,
      sites.map((site) => ics!.sites[site]!.keys.join()),
      reason,
    ]);
  };

  it("belongs to no site, even if one function alone was seen there", async () => {
    expect(await placesOf("0x2")).toEqual([[undefined, [], "unknown-caller"]]);
  });

  it("belongs to one of the sites of several functions", async () => {
    expect(await placesOf("0x2", "0x3")).toEqual([[undefined, ["x", "y"], undefined]]);
  });
});
