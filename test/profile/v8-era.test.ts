import { describe, expect, it } from "vitest";
import { gecko } from "../../src/exporters/gecko.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { hasCrankshaft, hasOneCompilerState } from "../../src/profile/v8-era.ts";
import { tierTitlesOf } from "../../src/reports/words.ts";
import { breakdown } from "../../src/views/breakdown.ts";
import { deoptView } from "../../src/views/deopts.ts";
import { FunctionNames } from "../../src/views/function-names.ts";
import { tierNamesOf } from "../../src/views/tier-names.ts";
import { logOf, profileOf } from "../helpers/logs.ts";

/** The log of a V8, one tick in a function and one in the compiler. */
function profileIn(version: string | undefined, code = "code-creation,LazyCompile,0,"): Promise<Profile> {
  const rows = [
    ...(version === undefined ? [] : [`v8-version,${version}`]),
    'profiler,"begin",1',
    `${code}0x1000,256,"f /srv/a.js:3:1",0x500,*`,
    "tick,0x1010,1000,0,0x0,0",
    "tick,0x1010,2000,0,0x0,2",
  ];
  return profileOf(logOf(...rows), { timeline: true, deopts: true });
}

describe("the words of V8 before 5.9", () => {
  it.each([undefined, "3,28,71,19,0", "5,1,281,111,0", "5,8,283,41,0"])(
    "are full-codegen and Crankshaft: %s",
    async (version) => {
      const profile = await profileIn(version);
      expect([hasCrankshaft(profile.info), hasOneCompilerState(profile.info)]).toEqual([true, true]);
      expect(tierNamesOf(profile.info)["*"]).toBe("crankshaft");
      expect(tierTitlesOf(profile.info)).toMatchObject({ "~": "full-codegen", "*": "Crankshaft" });
      const { meta } = JSON.parse(Array.from(gecko(profile)).join(""));
      expect(JSON.stringify(meta.categories)).toMatch(/"full-codegen",.*"Crankshaft"/);
      expect(JSON.stringify(meta.categories)).not.toMatch(/Ignition|TurboFan/);
    },
  );

  it("are no words of later ones, nor of newer logs that lost their first rows", async () => {
    for (const profile of [
      await profileIn("6,2,414,78,0", "code-creation,LazyCompile,0,5,"),
      await profileIn(undefined, "code-creation,LazyCompile,0,5,"),
    ]) {
      expect(hasCrankshaft(profile.info)).toBe(false);
      expect(tierTitlesOf(profile.info)["*"]).toBe("TurboFan");
    }
  });
});

it("state COMPILER is every compiler up to V8 6.0, and those that optimize from then on", async () => {
  for (const [version, title, state] of [
    ["6,0,287,53,0", "compilers", "(compiler)"],
    ["6,2,414,78,0", "optimizing compilers", "(optimizing compiler)"],
  ] as const) {
    const profile = await profileIn(version);
    expect(breakdown(profile).find(({ category }) => category === "compiler")).toMatchObject({
      title,
      ticks: 1,
    });
    const names = new FunctionNames([], profile.info);
    expect(names.callable({ kind: "state", state: "compiler" }).title).toBe(state);
  }
});

it("deoptimizations are not to be had from V8 of Node 0.x, whatever the flag", async () => {
  expect(deoptView(await profileIn(undefined)).whyNone).toBe("not-written");
  expect(deoptView(await profileIn("3,28,71,19,0")).whyNone).toBe("not-written");
  expect(deoptView(await profileIn("11,3,244,8,-node.33,0", "code-creation,JS,0,5,")).whyNone).toBe(
    "not-asked",
  );
});
