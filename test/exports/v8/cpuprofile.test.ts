import { describe, expect, it } from "vitest";
import { cpuprofile } from "../../../src/exports/cpuprofile.ts";
import { mergeProfiles } from "../../../src/profile/merge.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { profileFromStacks } from "../../helpers/stacks.ts";
import { profileOverTime } from "../../helpers/timed-stacks.ts";

interface CallFrame {
  functionName: string;
  url: string;
  lineNumber: number;
  columnNumber: number;
  scriptId: string;
}

interface Json {
  nodes: {
    id: number;
    callFrame: CallFrame;
    hitCount: number;
    children?: number[];
    positionTicks?: { line: number; ticks: number }[];
  }[];
  startTime: number;
  endTime: number;
  samples: number[];
  timeDeltas: number[];
}

function jsonOf(profile: Profile): Json {
  return JSON.parse(Array.from(cpuprofile(profile)).join(""));
}

/** The stack of each sample, root first. */
function stacks({ nodes, samples }: Json): string[] {
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
  const text = (id: number): string =>
    callers.has(id) ? `${text(callers.get(id)!)} ${names.get(id)}` : names.get(id)!;
  return samples.map(text);
}

function callFrame(stack: string): CallFrame {
  return jsonOf(profileOverTime([5000, stack])).nodes[1]!.callFrame;
}

describe("cpuprofile", () => {
  it("has every tick in the order of time, and how long it was from the one before", () => {
    const json = jsonOf(profileOverTime([5000, "js:a js:b"], [6001, "js:a"], [7003, "js:a js:b"]));
    expect(stacks(json)).toEqual(["(root) a b", "(root) a", "(root) a b"]);
    expect(json.timeDeltas).toEqual([1000, 1001, 1002]);
    expect([json.startTime, json.endTime]).toEqual([4000, 8003]);
    expect(json.nodes.map(({ callFrame: { functionName }, hitCount }) => [functionName, hitCount])).toEqual([
      ["(root)", 0],
      ["a", 1],
      ["b", 2],
      ["(idle)", 0],
    ]);
  });

  it("has idle in the gaps, for which no hit is counted", () => {
    const json = jsonOf(profileOverTime([5000, "js:a"], [15_000, "js:a"], [25_001, "js:a"]));
    expect(stacks(json)).toEqual(["(root) a", "(root) a", "(root) (idle)", "(root) (idle)", "(root) a"]);
    expect(json.timeDeltas).toEqual([1000, 10_000, 1000, 8001, 1000]);
    expect(json.nodes.map(({ hitCount }) => hitCount)).toEqual([0, 3, 0]);
  });

  it("has one node for a function under a caller, in whatever tier, at whatever line", () => {
    const json = jsonOf(
      profileOverTime(
        [5000, "js:~f@3 js:g"],
        [6000, "js:*f@4 js:g"],
        [7000, "js:*f@4"],
        [8000, "js:*f@5"],
        [9000, "js:*f"],
      ),
    );
    expect(json.nodes.map(({ hitCount, positionTicks }) => [hitCount, positionTicks])).toEqual([
      [0, undefined],
      [
        3,
        [
          { line: 4, ticks: 1 },
          { line: 5, ticks: 1 },
        ],
      ],
      [2, undefined],
      [0, undefined],
    ]);
  });

  it("has inlined functions under those that hold their code", () => {
    expect(stacks(jsonOf(profileOverTime([5000, "js:outer@3 inlined:inner@7"])))).toEqual([
      "(root) outer inner",
    ]);
  });

  it("has garbage collection as a leaf, under the C++ that does it", () => {
    const json = jsonOf(profileOverTime([5000, "gc:js:a@3 cpp:Scavenge"], [6000, "js:a@3 cpp:Scavenge"]));
    expect(stacks(json)).toEqual(["(root) a Scavenge (garbage collector)", "(root) a Scavenge"]);
  });

  it("has places as the protocol has them: URLs, lines and columns from 0", () => {
    expect(callFrame("js:f·/srv/a·b#c%.js:10:5")).toEqual({
      functionName: "f",
      scriptId: "1",
      url: "file:///srv/a%20b%23c%25.js",
      lineNumber: 9,
      columnNumber: 4,
    });
    expect(callFrame("js:f·node:fs:10:5").url).toBe("node:fs");
    expect(callFrame("js:f·C:\\app\\x.js:10:5").url).toBe("file:///C:/app/x.js");
    expect(callFrame("js:·file:///a.mjs:1:1")).toMatchObject({
      functionName: "",
      url: "file:///a.mjs",
      lineNumber: 0,
    });
    expect(callFrame("js:f")).toMatchObject({ scriptId: "0", url: "", lineNumber: -1, columnNumber: -1 });
    expect(callFrame("builtin:Add")).toMatchObject({ functionName: "Builtin: Add", url: "", lineNumber: -1 });
    expect(callFrame("cpp:uv_run")).toMatchObject({
      functionName: "uv_run",
      url: "file:///bin/node",
      scriptId: "0",
    });
    expect(callFrame("?")).toMatchObject({ functionName: "(program)", url: "" });
  });

  it("keeps any name that is text", () => {
    const name = 'a"\\\n\u0001\ud800</script>;';
    expect(callFrame(`js:${name}`).functionName).toBe(name.replace("\ud800", "\ufffd"));
    expect(callFrame(`js:f·/x\ud800\n.js:1:1`).url).toBe("file:///x%EF%BF%BD%0A.js");
  });

  it("has threads one after the other", () => {
    const one = profileOverTime([5000, "js:a"], [6000, "js:a"]);
    const two = profileOverTime([100, "js:b"], [1100, "js:a"]);
    const json = jsonOf(mergeProfiles([one, two]));
    expect(stacks(json)).toEqual(["(root) a", "(root) a", "(root) b", "(root) a"]);
    expect(json.timeDeltas).toEqual([1000, 1000, 1000, 1000]);
    expect(json.endTime).toBe(9000);
  });

  it("puts ticks in order where time goes back", () => {
    const json = jsonOf(profileOverTime([5000, "js:a"], [4000, "js:b"], [6000, "js:c"]));
    expect(stacks(json)).toEqual(["(root) b", "(root) a", "(root) c"]);
    expect(json.timeDeltas).toEqual([1000, 1000, 1000]);
  });

  it("needs the times", () => {
    expect(() => Array.from(cpuprofile(profileFromStacks("js:a")))).toThrow(/time of each tick/);
  });
});
