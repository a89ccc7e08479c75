import { describe, expect, it } from "vitest";
import { Analysis } from "../src/facts/analysis.ts";
import { flatRows } from "../src/library/profile-views.ts";
import type { Frame } from "../src/profile/frame.ts";
import type { Profile } from "../src/profile/profile.ts";
import { shownStacks } from "../src/profile/shown-stacks.ts";
import { FIXTURE_NAMES, fixtureProfile, WHOLE } from "./helpers/fixtures.ts";
import { profileFromStacks } from "./helpers/stacks.ts";

type Counts = Readonly<Record<string, number>>;

/** What `process` and `top` both tell apart: the first has rows by tier and copy too, the second by library. */
function keyOf(frame: Frame): string {
  switch (frame.kind) {
    case "js":
      return frame.name;
    case "code":
      return `${frame.type}: ${frame.name}`;
    case "native":
      return frame.symbol ?? frame.library;
    case "unknown":
      return "UNKNOWN";
  }
}

function sums(rows: readonly { readonly frame: Frame; readonly self: number }[]): Counts {
  const counts: Record<string, number> = {};
  for (const { frame, self } of rows) if (self > 0) counts[keyOf(frame)] = (counts[keyOf(frame)] ?? 0) + self;
  return counts;
}

const inProcess = (profile: Profile, bytecodes = false) => sums(flatRows(profile, { bytecodes }));

function inTop(profile: Profile, separateBytecodes = false): Counts {
  const shown = shownStacks(profile, { separateBytecodes });
  const { functions } = Analysis.of(shown).table;
  const { self } = Analysis.of(shown).functionTicks;
  return sums(functions.map(({ frame }, id) => ({ frame, self: self[id]! })));
}

/** The functions with other numbers: how many more ticks `top` has. */
function differences(process: Counts, top: Counts): Counts {
  const keys = new Set([...Object.keys(process), ...Object.keys(top)]);
  return Object.fromEntries(
    Array.from(keys, (key): [string, number] => [key, (top[key] ?? 0) - (process[key] ?? 0)]).filter(
      ([, more]) => more !== 0,
    ),
  );
}

/** docs/prof-process.md lists the differences. */
describe("process and top have the same self ticks", () => {
  it.each(FIXTURE_NAMES)(
    "of %s, except for handlers of the interpreter and inlined functions",
    async (name) => {
      const [outer, inlined] = [await fixtureProfile(name), await fixtureProfile(name, WHOLE)];
      for (const profile of [outer, inlined]) {
        expect(inTop(profile, true)).toEqual(inProcess(profile, true));
        // A handler without its function stays one, so top has more ticks there, and less at the function above.
        const found = Object.entries(differences(inProcess(profile), inTop(profile)));
        const isHandler = ([key]: [string, number]) => key.startsWith("BytecodeHandler: ");
        expect(found.filter((one) => isHandler(one) !== one[1] > 0)).toEqual([]);
        expect(found.reduce((sum, [, more]) => sum + more, 0)).toBe(0);
      }
      // Without --inlines, an inlined function's ticks are those of the function it is inlined into.
      const found = Object.keys(differences(inProcess(outer), inProcess(inlined)));
      const functions = new Set(inlined.frames.flatMap((frame) => (frame.kind === "js" ? [frame.name] : [])));
      expect(found.filter((key) => !functions.has(key))).toEqual([]);
      if (!inlined.frames.some((frame) => frame.kind === "js" && frame.inlined)) expect(found).toEqual([]);
    },
  );

  it("of a handler below an unknown function: process gives it to the function above", () => {
    const profile = profileFromStacks(
      "js:~f ? handler:Add",
      "js:~f handler:Add",
      "js:^f handler:Add",
      "? handler:Add",
    );
    expect(inProcess(profile)).toEqual({ f: 3, "BytecodeHandler: Add": 1 });
    expect(inTop(profile)).toEqual({ f: 1, "BytecodeHandler: Add": 3 });
  });
});
