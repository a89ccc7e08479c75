import { describe, expect, it } from "vitest";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { MissingCallers, Profile } from "../../src/profile/profile.ts";
import { adviceFor, coverageOf, warningsOf } from "../../src/views/coverage.ts";
import { missingCallersNote, missingCallersText } from "../../src/views/missing-callers.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

function profileOf(missingCallers: MissingCallers, embedder = "-node.30", major = 13): Profile {
  const profile = profileFromStacks("js:a");
  return {
    ...profile,
    info: { ...profile.info, v8: [{ major, minor: 6, build: 0, patch: 0, embedder }], missingCallers },
  };
}

const SOME: MissingCallers = { callers: 200, missing: 83, ticks: 40, belowProgram: 30, interpreted: 2 };

describe("missingCallersNote", () => {
  it("says how to see the functions of Node's snapshot", () => {
    const note = missingCallersNote(profileOf(SOME))!;
    expect(note).toMatchObject({ callers: 200, missing: 83, percent: 41.5, isSnapshot: true });
    expect(missingCallersText(note)).toBe(
      "83 of 200 callers (41.5%) are missing: functions of Node's startup snapshot. Record with --no-node-snapshot to see them.",
    );
  });

  it("knows of no snapshot in Deno and in old Node", () => {
    for (const profile of [profileOf(SOME, "-rusty"), profileOf(SOME, "-node.1", 9)]) {
      expect(missingCallersText(missingCallersNote(profile)!)).toBe(
        "83 of 200 callers (41.5%) are missing: the log has no rows of their code.",
      );
    }
  });

  it("is not there for few", () => {
    const ticks = (count: number, belowProgram: number) => {
      const { info, ...profile } = profileOf({ ...SOME, belowProgram });
      return { ...profile, info: { ...info, ticks: count } };
    };
    expect(missingCallersNote(ticks(1000, 49))).toBeUndefined();
    expect(missingCallersNote(ticks(1000, 50))).toBeDefined();
    // All are above the program, as on nearly every stack of Node 22 and later.
    expect(missingCallersNote(ticks(100, 0))).toBeUndefined();
    expect(
      missingCallersNote(profileOf({ callers: 0, missing: 0, ticks: 0, belowProgram: 0, interpreted: 0 })),
    ).toBeUndefined();
    expect(missingCallersNote(profileFromStacks("js:a"))).toBeUndefined();
  });

  it("is a warning and an advice, and sums over logs", () => {
    const both = mergeProfiles([profileOf(SOME), profileOf(SOME)]);
    expect(both.info.missingCallers).toEqual({
      callers: 400,
      missing: 166,
      ticks: 80,
      belowProgram: 60,
      interpreted: 4,
    });
    expect(warningsOf(both)).toContainEqual(
      expect.objectContaining({ kind: "missing-callers", missing: 166, callers: 400 }),
    );
    expect(adviceFor(both, coverageOf(both)).join()).toMatch(/^166 of 400 callers \(41\.5%\)/);
  });
});
