import { describe, expect, it } from "vitest";
import { breakdown } from "../../src/facts/breakdown.ts";
import { type Look, lookByKind, lookByPackage, packColor, paletteOf } from "../../src/flame-page/colors.ts";
import { FIXTURE_NAMES, fixtureProfile } from "../helpers/fixtures.ts";
import { modelOf, shownOf, timedProfile } from "../helpers/flame.ts";

const palette = paletteOf("light");
const entries = ({ legend }: Look) => legend.map(({ title, ticks }) => `${title} ${ticks}`);

describe("the legend", () => {
  const model = modelOf(
    timedProfile("js:~caller·/srv/a.js:1:1 cpp:leaf", "js:~caller·/srv/a.js:1:1 builtin:B"),
  );

  it("has the colours of frames without ticks of their own, after the others", () => {
    expect(entries(lookByKind(model, shownOf(model), palette))).toEqual([
      "V8 builtin or stub 1",
      "C++ 1",
      "Ignition 0",
    ]);
    expect(entries(lookByPackage(model, shownOf(model), palette)).at(-1)).toBe("app 0");
  });

  it("has no colour of hidden frames", () => {
    expect(entries(lookByKind(model, shownOf(model, { cpp: false }), palette))).toEqual([
      "Ignition 1",
      "V8 builtin or stub 1",
    ]);
  });

  it.each(FIXTURE_NAMES)("has each colour of %s once", async (name) => {
    const model = modelOf(await fixtureProfile(name));
    const shown = shownOf(model);
    for (const look of [lookByKind(model, shown, palette), lookByPackage(model, shown, palette)]) {
      const colors = look.legend.map(({ fill }) => packColor(fill));
      expect(new Set(colors).size).toBe(colors.length);
      for (const fill of look.fillsOf(shown.graph).plain.subarray(1)) expect(colors).toContain(fill);
      const ticks = look.legend.reduce((sum, entry) => sum + entry.ticks, 0);
      expect(ticks).toBe(model.data.ticks - shown.graph.self[0]!);
    }
  });
});

describe("the ticks of C++ and of V8's own work", () => {
  const KINDS: Readonly<Record<string, readonly string[]>> = {
    native: ["C++", "Library, no symbol"],
    gc: ["Garbage collection"],
    compiler: ["Compiling"],
    parser: ["Parsing"],
    profiler: ["The profiler itself"],
  };

  it.each(FIXTURE_NAMES)("are in the legend what they are in ticks top: %s", async (name) => {
    const profile = await fixtureProfile(name);
    const model = modelOf(profile);
    const { legend } = lookByKind(model, shownOf(model), palette);
    const top = new Map<string, number>(breakdown(profile).map(({ category, ticks }) => [category, ticks]));
    const inLegend = (titles: readonly string[]) =>
      legend.reduce((sum, { title, ticks }) => sum + (titles.includes(title) ? ticks : 0), 0);
    for (const [category, titles] of Object.entries(KINDS)) {
      const also = category === "compiler" ? (top.get("bytecode-compiler") ?? 0) : 0;
      expect(inLegend(titles), category).toBe((top.get(category) ?? 0) + also);
    }
  });
});
