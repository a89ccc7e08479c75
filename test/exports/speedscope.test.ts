import { describe, expect, it } from "vitest";
import { speedscope } from "../../src/exports/speedscope.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { onThread, profileOverTime } from "../helpers/timed-stacks.ts";

interface Json {
  name: string;
  shared: { frames: { name: string; file?: string; line?: number; col?: number }[] };
  profiles: { name: string; unit: string; endValue: number; samples: number[][]; weights: number[] }[];
}

function jsonOf(profile: Profile): Json {
  return JSON.parse(Array.from(speedscope(profile)).join(""));
}

function stacks({ shared, profiles }: Json): string[][] {
  return profiles.map(({ samples, weights }) =>
    samples.map((stack, i) => `${stack.map((frame) => shared.frames[frame]!.name).join(" ")} ${weights[i]}`),
  );
}

describe("speedscope", () => {
  it("has stacks in the order of time, those in a row as one, gaps without width", () => {
    const json = jsonOf(
      profileOverTime([5000, "js:a js:b"], [6000, "js:a js:b"], [99_000, "js:a"], [100_000, "js:a js:b"]),
    );
    expect(stacks(json)).toEqual([["a b 2", "a 1", "a b 1"]]);
    expect(json.profiles[0]).toMatchObject({ unit: "none", endValue: 4 });
  });

  it("has a frame for a function, in whatever tier, with the place where it begins", () => {
    const json = jsonOf(
      profileOverTime([1, "js:~f·/a.js:10:5@12"], [2, "js:*f·/a.js:10:5@13"], [3, "cpp:main"], [4, "?"]),
    );
    expect(json.shared.frames).toEqual([
      { name: "f", file: "/a.js", line: 10, col: 5 },
      { name: "main", file: "/bin/node" },
      { name: "UNKNOWN" },
    ]);
    expect(stacks(json)).toEqual([["f 2", "main 1", "UNKNOWN 1"]]);
  });

  it("keeps functions apart that are called alike", () => {
    const json = jsonOf(profileOverTime([1, "js:f·/a.js:1:1"], [2, "js:f·/b.js:1:1"], [3, "js:·/a.js:2:2"]));
    expect(json.shared.frames.map(({ name, file }) => `${name} ${file}`)).toEqual([
      "f /a.js",
      "f /b.js",
      "<anonymous> /a.js",
    ]);
  });

  it("has a profile a thread", () => {
    const main = onThread(profileOverTime([5000, "js:a"]), { kind: "main", pid: 77 });
    const worker = onThread(profileOverTime([100, "js:b"], [1100, "js:a"]), { log: "/x/other.log" });
    const json = jsonOf(mergeProfiles([main, worker]));
    expect(json.name).toBe("log");
    expect(json.profiles.map(({ name, endValue }) => [name, endValue])).toEqual([
      ["pid 77 main", 1],
      ["other.log", 2],
    ]);
    expect(stacks(json)).toEqual([["a 1"], ["b 1", "a 1"]]);
  });

  it("keeps any name that is text", () => {
    const name = 'a"\\\n\u0001\ud800</script>;';
    expect(jsonOf(profileOverTime([1, `js:${name}`])).shared.frames[0]?.name).toBe(
      name.replace("\ud800", "\ufffd"),
    );
  });
});
