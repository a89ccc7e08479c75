import { describe, expect, it } from "vitest";
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
