import { describe, expect, it } from "vitest";
import { profileId } from "../../src/exports/export-options.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { FIXTURE_NAMES, fixtureProfile, SOME_FIXTURES } from "../helpers/fixtures.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

function withSpan(profile: Profile, span: number): Profile {
  return { ...profile, info: { ...profile.info, sampling: { ...profile.info.sampling, span } } };
}

describe("profileId", () => {
  it("is the same for the same content, whatever the name of the log", () => {
    const profile = profileFromStacks("js:a js:b", "gc:js:a");
    const renamed = { ...profile, info: { ...profile.info, title: "other", logs: ["other"] } };
    expect(profileId(profile)).toMatch(/^[0-9a-f]{32}$/);
    expect(profileId(renamed)).toBe(profileId(profileFromStacks("js:a js:b", "gc:js:a")));
  });

  it("differs for other stacks, other ticks and other times", () => {
    const profile = profileFromStacks("js:a js:b", "js:a");
    const others = [
      profileFromStacks("js:a js:c", "js:a"),
      profileFromStacks("js:a js:b", "js:a", "js:a"),
      profileFromStacks("js:a js:b", "gc:js:a"),
      withSpan(profile, 7),
    ];
    expect(new Set([profile, ...others].map(profileId)).size).toBe(5);
  });

  it("is the same with and without times, and differs between all recorded logs", async () => {
    const ids = new Set<string>();
    for (const name of FIXTURE_NAMES) {
      const id = profileId(await fixtureProfile(name));
      ids.add(id);
      if (SOME_FIXTURES.includes(name))
        expect(profileId(await fixtureProfile(name, { timeline: true }))).toBe(id);
    }
    expect(ids.size).toBe(FIXTURE_NAMES.length);
  });
});
