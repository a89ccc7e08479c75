import { describe, expect, it } from "vitest";
import { type Model, readModel, SIGNS, signOf } from "../../../src/flame-page/model.ts";
import { changedBy, changeText } from "../../../src/flame-page/number-text.ts";
import { VERDICTS } from "../../../src/flame-page/page-data.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { fixtureProfile } from "../../helpers/fixtures.ts";
import { idOf, linesOf, shownOf, timedProfile } from "../../helpers/flame.ts";
import { diffOf, type Runs, repeated, sideModelOf, sidePage } from "../../helpers/side-page.ts";
import { profileFromStacks } from "../../helpers/stacks.ts";

const run = (counts: Readonly<Record<string, number>>) => profileFromStacks(...repeated(counts));
const UNIT = 1e8;

/** Runs in which `slow` grew, `old` went and `fresh` came; the rest is as it was. */
function program(): Runs {
  const before = (i: number) =>
    run({
      "js:main js:slow": 100 + i,
      "js:main js:old": 150 - i,
      "js:main js:rest cpp:leaf": 800,
      "gc:cpp:x": 50,
    });
  const after = (i: number) =>
    run({
      "js:main js:slow": 190 - i,
      "js:main js:fresh": 60 + i,
      "js:main js:rest cpp:leaf": 800,
      "gc:cpp:x": 50,
    });
  const five = (make: (i: number) => Profile) => Array.from({ length: 5 }, (_, i) => make(i));
  return [five(before), five(after)];
}

/** By title: the sums of a function on the page, and its numbers in the comparison. */
function functionsOf(model: Model) {
  const { sideSums } = shownOf(model);
  const sides = model.sides!;
  return new Map(
    model.functions.titles.map((title, id) => {
      const of = (measure: "self" | "total") => ({
        verdict: VERDICTS[sides[measure].verdict[id]! - 1],
        before: sides[measure].before[id]!,
        after: sides[measure].after[id]!,
        sums: sideSums!.map((side) => (side[measure][id]! * 100) / UNIT),
      });
      return [title, { self: of("self"), total: of("total"), sign: SIGNS[signOf(sides, "self", id)] }];
    }),
  );
}

describe("the page of two sides", () => {
  it("has each side whole, and each run counts the same", () => {
    const runs: Runs = [
      [run({ "js:a": 1, "js:b": 1 }), run({ "js:a": 300 })],
      [run({ "js:a": 7, "js:b": 3 })],
    ];
    const { graph } = shownOf(sideModelOf(runs));
    expect(graph.sides!.total.map((side) => side[0])).toEqual([UNIT, UNIT]);
    expect(linesOf(sideModelOf(runs), shownOf(sideModelOf(runs), { threads: [true, false] }).graph)).toEqual([
      "all 0/100000000",
      "  a 75000000/75000000",
      "  b 25000000/25000000",
    ]);
  });

  it("is as wide as what runs take, where that is judged", () => {
    const runs: Runs = [
      [run({ "js:fixed": 300, "js:rest": 100 }), run({ "js:fixed": 300, "js:rest": 100 })],
      [run({ "js:fixed": 10, "js:rest": 90 }), run({ "js:fixed": 10, "js:rest": 90 })],
    ];
    const diff = diffOf(runs);
    expect(diff.judgedBy).toBe("run");
    const ones = [1, 1];
    const runScale = { unit: "ticks", factors: [ones, ones] } as const;
    const model = readModel(sidePage(runs, {}, { diff, runScale }));
    expect(model.sides!.data.perRun).toEqual({ amount: 400, unit: "ticks" });
    expect(shownOf(model).graph.sides!.total.map((side) => side[0])).toEqual([UNIT, UNIT / 4]);
    const { self } = functionsOf(model).get("rest")!;
    expect([...self.sums, self.before, self.after]).toEqual([25, 22.5, 25, 22.5]);
    expect(changeText(self.before, self.after, { ...model.sides!.data, unit: 100 })).toBe(
      "100 → 90 ticks a run",
    );
    expect(changedBy(-10, { ...model.sides!.data, unit: 400 })).toBe("−10");
  });

  it("has the numbers of the comparison", () => {
    const runs = program();
    const found = functionsOf(sideModelOf(runs));
    const rows = diffOf(runs).rows;
    expect(rows.length).toBeGreaterThan(5);
    for (const { name, self, total } of rows) {
      const own = found.get(name.title)!;
      for (const [mine, change] of [
        [own.self, self],
        [own.total, total],
      ] as const) {
        expect(mine.verdict).toBe(change.verdict);
        for (const [i, side] of [change.before, change.after].entries()) {
          expect([mine.before, mine.after][i]).toBeCloseTo(side, 3);
          expect(mine.sums[i]).toBeCloseTo(side, 4);
        }
      }
    }
    const signs = Array.from(found, ([title, { sign }]) => (sign === "" ? "" : `${sign} ${title}`));
    expect(signs.filter((sign) => sign !== "").sort()).toEqual(["+ fresh", "▲ slow", "− old"].sort());
  });

  it("keeps what is gone before, what is new after, and both if both are shown", () => {
    const model = sideModelOf(program());
    const titles = (threads: boolean[]) =>
      linesOf(model, shownOf(model, { threads }).graph).map((line) => line.trim().split(" ")[0]);
    expect(titles([true, false])).toContain("old");
    expect(titles([true, false])).not.toContain("fresh");
    expect(titles([false, true])).toContain("fresh");
    expect(titles([false, true])).not.toContain("old");
    expect(titles([true, true])).toEqual(expect.arrayContaining(["old", "fresh"]));
  });

  it("keeps the order of frames, whichever side is shown", () => {
    const model = sideModelOf(program());
    const order = (threads: boolean[]) => {
      const { graph } = shownOf(model, { threads });
      return Array.from(graph.function).filter(
        (id) => !["old", "fresh"].includes(model.functions.titles[id]!),
      );
    };
    expect(order([true, false])).toEqual(order([true, true]));
    expect(order([false, true])).toEqual(order([true, true]));
  });

  it("says the opposite the other way round", () => {
    const [before, after] = program();
    const [there, back] = [
      functionsOf(sideModelOf([before, after])),
      functionsOf(sideModelOf([after, before])),
    ];
    const opposite = { "": "", "▲": "▼", "▼": "▲", "+": "−", "−": "+" } as const;
    expect(Array.from(back.keys()).sort()).toEqual(Array.from(there.keys()).sort());
    for (const [title, one] of there) {
      const other = back.get(title)!;
      expect(other.sign).toBe(opposite[one.sign!]);
      expect(other.self.sums.toReversed()).toEqual(one.self.sums.map((sum) => expect.closeTo(sum, 5)));
      expect([other.total.after, other.total.before]).toEqual([one.total.before, one.total.after]);
    }
  });

  it("shows no change between a set of runs and itself", async () => {
    const log = await fixtureProfile("node-26-guide", { inlines: true, identities: true });
    const model = sideModelOf([
      [log, log],
      [log, log],
    ]);
    const { self, total } = shownOf(model).graph.sides!;
    expect(self[0]).toEqual(self[1]);
    expect(total[0]).toEqual(total[1]);
    for (const id of model.functions.titles.keys()) expect(signOf(model.sides!, "total", id)).toBe(0);
  });

  it("has no verdict with one run on a side", () => {
    const [before, after] = program();
    const model = sideModelOf([before, after.slice(0, 1)]);
    expect(model.sides!.data.hasVerdict).toBe(false);
    const found = functionsOf(model);
    expect(found.get("slow")!.self.verdict).toBe("same");
    // Its interval does not have 0 in it; that of the rest has.
    expect(found.get("slow")!.sign).toBe("▲");
    expect(found.get("leaf")!.sign).toBe("");
  });

  it("has garbage collection as a whole from the comparison by category", () => {
    const [quiet] = program();
    const busy = quiet.map((_, i) =>
      run({ "js:main js:slow": 100 + i, "js:main": 600, "gc:cpp:x": 300 - i }),
    );
    const gc = functionsOf(sideModelOf([quiet, busy])).get("(garbage collection)")!;
    expect(gc.total.verdict).toBe("slower");
    expect(gc.total.sums[0]).toBeCloseTo(gc.total.before, 3);
    expect(gc.total.sums[1]).toBeCloseTo(gc.total.after, 3);
  });

  it("merges small frames without losing a share of either side", () => {
    const many = (from: number) =>
      timedProfile(
        ...Array.from({ length: 60 }, (_, i) => (i < 40 ? "js:hot" : `js:cold${from + i} cpp:leaf`)),
      );
    const model = sideModelOf([[many(0)], [many(30)]], { frames: 2 });
    expect(model.data.merged.frames).toBeGreaterThan(50);
    const { graph } = shownOf(model);
    expect(graph.sides!.total.map((side) => side[0])).toEqual([UNIT, UNIT]);
    expect(model.functions.titles).toEqual(["hot", "(small frames)"]);
    expect(graph.sides!.self.map((side) => side[2])).toEqual(
      [33333333, 33333333].map((n) => expect.closeTo(n, -1)),
    );
  });

  it("can be of nothing on a side", () => {
    const model = sideModelOf([[run({ "js:a": 3 })], [profileFromStacks()]]);
    expect(shownOf(model).graph.sides!.total.map((side) => side[0])).toEqual([UNIT, 0]);
    expect(linesOf(model, shownOf(model, { threads: [false, true] }).graph)).toEqual(["all 0/0"]);
  });

  it("takes stacks of any depth", () => {
    const deep = Array.from({ length: 20_000 }, (_, i) => `js:f${i % 7}`).join(" ");
    const model = sideModelOf([[run({ [deep]: 2 })], [run({ [`${deep} js:end`]: 2 })]]);
    expect(shownOf(model).graph.length).toBe(20_002);
    expect(shownOf(model).sideSums![1].self[idOf(model, "end")]).toBe(UNIT);
  });
});

describe("the sources of two sides", () => {
  const text = (extra: string) =>
    [...Array.from({ length: 100 }, (_, i) => `line ${i + 1}`), extra, "function f() {", "}"].join("\n");
  const of = (file: string, line: number, source: string): Profile => ({
    ...timedProfile(`js:f·${file}:${line}:9@${line + 1}`),
    sources: [{ file, text: source }],
  });
  const sourcesOf = (before: Profile, after: Profile) => {
    const { sources, files } = sidePage([[before], [after]]);
    return sources.map(({ before, after, ranges }) => ({
      before: files[before],
      after: files[after],
      ranges,
    }));
  };

  it("are one text where nothing changed", () => {
    const same = text("same");
    const [source, ...others] = sourcesOf(of("/a/x.js", 102, same), of("/a/x.js", 102, same));
    expect(others).toEqual([]);
    expect(source).toMatchObject({ before: "/a/x.js", after: "/a/x.js" });
    expect(source!.ranges).toHaveLength(1);
    expect(source!.ranges[0]!.before).toBe(72);
    expect(source!.ranges[0]!.lines.at(-1)).toBe("}");
  });

  it("stand beside each other where the text changed, in a file of another folder too", () => {
    const [source, ...others] = sourcesOf(
      of("/v1/x.js", 102, text("old")),
      of("/v2/x.js", 103, text("new\nmore")),
    );
    expect(others).toEqual([]);
    expect(source).toMatchObject({ before: "/v1/x.js", after: "/v2/x.js" });
    const [range] = source!.ranges;
    expect([range!.before, range!.after]).toEqual([73, 73]);
    expect(range!.lines.slice(27)).toEqual([
      "line 100",
      ["old", "new"],
      [null, "more"],
      "function f() {",
      "}",
    ]);
  });

  it("are of one side where the other has none, and only as much as there is room", () => {
    const [before, after] = [of("/a/x.js", 102, text("one")), { ...of("/a/x.js", 102, ""), sources: [] }];
    expect(sourcesOf(before, after)).toMatchObject([{ before: "/a/x.js", after: undefined }]);
    const little = sidePage([[before], [before]], { source: 10 });
    expect(little.sources).toEqual([]);
    expect(little.merged.sources).toBe(1);
  });
});
