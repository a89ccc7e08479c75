import { describe, expect, it } from "vitest";
import {
  breakdown,
  callTree,
  checkRuns,
  compareRuns,
  filterProfile,
  flamePage,
  mergeProfiles,
  REPORTERS,
  topOf,
  withoutWaits,
} from "../../src/index.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

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

describe("the library leaves out ticks that waited", () => {
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
