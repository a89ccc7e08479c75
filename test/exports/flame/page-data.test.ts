import { describe, expect, it } from "vitest";
import { ticksInRange } from "../../../src/flame-page/thread-times.ts";
import { keepSamples } from "../../../src/profile/filter.ts";
import { mergeProfiles } from "../../../src/profile/merge.ts";
import { fixtureProfile, SOME_FIXTURES, WHOLE } from "../../helpers/fixtures.ts";
import { linesOf, modelOf, shownOf, timeChartOf, timedProfile } from "../../helpers/flame.ts";

describe.each(SOME_FIXTURES)("%s", (name) => {
  it("has every tick in each chart, whatever is shown and merged", async () => {
    const all = await fixtureProfile(name, WHOLE);
    const some = keepSamples(all, (sample) => all.samples.vmState[sample] !== 0);
    for (const profile of [all, some, mergeProfiles([all, some])]) {
      const ticks = profile.info.ticks - profile.info.excluded;
      expect(ticks).toBeGreaterThan(0);
      for (const limits of [{}, { frames: 40, rows: 30 }]) {
        const model = modelOf(profile, limits);
        expect(model.data.ticks).toBe(ticks);
        for (const changes of [{}, { cpp: false, builtins: false, inlined: false }, { tiers: true }]) {
          const shown = shownOf(model, changes);
          expect(shown.graph.total[0]).toBe(ticks);
          expect(shown.graph.self.reduce((a, b) => a + b)).toBe(ticks);
          const all = model.times!.threads.reduce(
            (sum, own) => sum + ticksInRange(own, { from: 0, to: 1e12 }),
            0,
          );
          expect(all).toBe(ticks);
          expect(timeChartOf(model, shown).length).toBeGreaterThan(1);
        }
      }
    }
  });
});

describe("the data of a page", () => {
  const deep = timedProfile(
    ...Array.from({ length: 6 }, () => "js:main js:hot"),
    "js:main js:a js:b",
    "js:main js:c",
    "js:main js:c",
    "js:d js:e",
  );

  it("merges the smallest frames, and says how many", () => {
    const model = modelOf(deep, { frames: 4 });
    expect(linesOf(model, shownOf(model).graph)).toEqual([
      "all 0/10",
      "  main 0/9",
      "    hot 6/6",
      "    c 2/2",
      "    (small frames) 1/1",
      "  (small frames) 1/1",
    ]);
    expect(model.data.merged).toEqual({ frames: 4, ticks: 2, largest: 1, sources: 0 });
  });

  it("names dynamic symbols without their version", () => {
    const { titles } = modelOf(timedProfile("js:a cpp:read@@GLIBC_2.2.5")).functions;
    expect(titles).toContain("read");
  });

  it("keeps the outermost of frames with as many ticks", () => {
    const model = modelOf(timedProfile("js:a js:b js:c js:d"), { frames: 3 });
    const lines = ["all 0/1", "  a 0/1", "    b 0/1", "      (small frames) 1/1"];
    expect(linesOf(model, shownOf(model).graph)).toEqual(lines);
    expect(model.data.merged).toMatchObject({ frames: 2, ticks: 1, largest: 1 });
  });

  it("has the heaviest callees first, few or many", () => {
    for (const count of [2, 5, 8, 9, 30]) {
      const ticks = Array.from({ length: count }, (_, i) => ((i * 7) % 31) + 1);
      const stacks = ticks.flatMap((number, i) => Array.from({ length: number }, () => `js:main js:f${i}`));
      const model = modelOf(timedProfile(...stacks));
      const ids = shownOf(model).graph.function.subarray(2);
      const titles = Array.from(ids, (id) => model.functions.titles[id]);
      const heaviest = Array.from(ticks.keys()).sort((a, b) => ticks[b]! - ticks[a]!);
      expect(titles).toEqual(heaviest.map((i) => `f${i}`));
    }
  });

  it("merges nothing that has room", () => {
    const model = modelOf(deep);
    expect(model.data.merged).toEqual({ frames: 0, ticks: 0, largest: 0, sources: 0 });
    expect(model.nodes.length).toBe(8);
    expect(model.data.functions.titles).not.toContain("(small frames)");
  });

  it("has no times without a timeline", () => {
    expect(modelOf({ ...deep, timeline: undefined }).times).toBeUndefined();
  });

  it("has only the lines of sources that are near ticks, cut where they are long", () => {
    const text = Array.from({ length: 300 }, (_, i) => (i === 99 ? "x".repeat(5000) : `line ${i + 1}`));
    const profile = {
      ...timedProfile("js:f·a.js:100:1@101 js:g·a.js:200:1@201", "js:h·other.js:1:1@1 js:i·short.js:5:1@5"),
      sources: [
        { file: "a.js", text: text.join("\n") },
        { file: "nobody.js", text: "nothing" },
        { file: "short.js", text: "not these lines" },
        { file: "other.js", text: "y".repeat(300) },
      ],
    };
    const [source, other] = modelOf(profile).data.sources;
    expect(source!.ranges.map(({ after, lines }) => [after, after + lines.length - 1])).toEqual([
      [70, 131],
      [170, 231],
    ]);
    expect(source!.ranges[0]!.lines[30]).toBe(`${"x".repeat(400)}…`);
    expect(other!.ranges).toEqual([{ before: 0, after: 1, lines: ["y".repeat(300)] }]);
    const little = modelOf(profile, { source: 1000 }).data;
    expect(little.sources).toHaveLength(1);
    expect(little.merged.sources).toBe(1);
  });

  it("has idle ticks under a frame of their own, whatever the thread waited in", () => {
    const model = modelOf(
      timedProfile("js:main", "js:main cpp:f", "idle:cpp:wait", "idle:lib:/ntdll.dll", "idle:?"),
    );
    expect(linesOf(model, shownOf(model).graph)).toEqual([
      "all 0/5",
      "  (idle) 0/3",
      "    (unknown) 1/1",
      "    /ntdll.dll 1/1",
      "    wait 1/1",
      "  main 1/2",
      "    f 1/1",
    ]);
  });

  it("can be of nothing", () => {
    const model = modelOf(timedProfile());
    const shown = shownOf(model);
    expect(linesOf(model, shown.graph)).toEqual(["all 0/0"]);
    expect(timeChartOf(model, shown).length).toBe(1);
  });

  it("tells what the tiers of old V8s were", () => {
    const profile = timedProfile("js:~a");
    const v8 = (major: number, minor: number) => ({ major, minor, build: 0, patch: 0, embedder: "" });
    const titles = (major: number, minor: number) =>
      modelOf({ ...profile, info: { ...profile.info, v8: [v8(major, minor)] } }).data.kindTitles;
    expect(titles(5, 8)).toEqual({ ignition: "Full code generator", turbofan: "Crankshaft" });
    expect(titles(5, 9)).toEqual({});
  });

  it("names frames by what they are", () => {
    const model = modelOf(timedProfile("js:·/srv/app.js:3:7 lib:/lib/x.so ? js:wasm-function[3]", "js:a\tb"));
    const titles = ["app.js:3", "/lib/x.so", "(unknown)", "wasm-function[3]", "a\\tb"];
    expect(model.functions.titles).toEqual(titles);
  });
});
