import { describe, expect, it } from "vitest";
import { gecko } from "../../../src/exports/gecko.ts";
import { mergeProfiles } from "../../../src/profile/merge.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { onThread, profileOverTime } from "../../helpers/timed-stacks.ts";

interface Json {
  meta: { interval: number; categories: { name: string; subcategories: string[] }[] };
  libs: { path: string }[];
  shared: {
    funcTable: Record<string, (number | null)[]>;
    frameTable: Record<string, (number | null)[]>;
    stackTable: { frame: number[]; prefix: (number | null)[] };
    resourceTable: { lib: (number | null)[]; type: number[] };
    sources: { filename: number[] };
    stringArray: string[];
  };
  threads: {
    name: string;
    pid: string;
    tid: number;
    samples: { stack: (number | null)[]; time: number[]; length: number };
  }[];
}

function jsonOf(profile: Profile): Json {
  return JSON.parse(Array.from(gecko(profile)).join(""));
}

/** A frame as `name@line category/subcategory`, with a `+` for each level of inlining. */
function frameText({ meta, shared: { frameTable, funcTable, stringArray } }: Json, frame: number): string {
  const name = stringArray[funcTable.name![frameTable.func![frame]!]!];
  const category = meta.categories[frameTable.category![frame]!]!;
  const depth = "+".repeat(frameTable.inlineDepth![frame]!);
  const kind = `${category.name}/${category.subcategories[frameTable.subcategory![frame]!]}`;
  return `${depth}${name}@${frameTable.line![frame]} ${kind}`;
}

function stacks(json: Json): (string | null)[][] {
  const { frame, prefix } = json.shared.stackTable;
  const text = (stack: number): string => {
    const caller = prefix[stack] ?? null;
    return `${caller === null ? "" : `${text(caller)}; `}${frameText(json, frame[stack]!)}`;
  };
  return json.threads.map(({ samples }) =>
    samples.stack.map((stack) => (stack === null ? null : text(stack))),
  );
}

describe("gecko", () => {
  it("has every tick in the order of time, in milliseconds", () => {
    const json = jsonOf(
      profileOverTime([5000, "js:~a@3 js:*b@7"], [6001, "js:^a"], [7002, "builtin:Add cpp:main"]),
    );
    expect(stacks(json)).toEqual([
      [
        "a@3 JavaScript/Ignition; b@7 JavaScript/TurboFan",
        "a@null JavaScript/Sparkplug",
        "Builtin: Add@null V8/Other; main@null Native/Other",
      ],
    ]);
    expect(json.threads[0]?.samples.time).toEqual([5, 6.001, 7.002]);
    expect(json.meta.interval).toBe(1);
  });

  it("has functions once, whatever tier and line they ran at", () => {
    const { shared } = jsonOf(profileOverTime([1, "js:~f·/a.js:10:5@12"], [2, "js:*f·/a.js:10:5@13"]));
    const { name, lineNumber, columnNumber, source } = shared.funcTable;
    expect(name!.map((text) => shared.stringArray[text!])).toEqual(["f", "(garbage collector)", "(idle)"]);
    expect([lineNumber![0], columnNumber![0]]).toEqual([10, 5]);
    expect(shared.stringArray[shared.sources.filename[source![0]!]!]).toBe("file:///a.js");
    expect(shared.frameTable.func).toEqual([0, 0]);
  });

  it("marks inlined functions with their depth", () => {
    const json = jsonOf(profileOverTime([1, "js:a@1 inlined:b@2 inlined:c@3 js:d@4 inlined:b@2"]));
    expect(
      stacks(json)[0]?.[0]
        ?.split("; ")
        .map((text) => text.split(" ")[0]),
    ).toEqual(["a@1", "+b@2", "++c@3", "d@4", "+b@2"]);
  });

  it("has garbage collection as a leaf of its category", () => {
    const json = jsonOf(profileOverTime([1, "gc:cpp:Scavenge"]));
    expect(stacks(json)).toEqual([["Scavenge@null Native/Other; (garbage collector)@null GC / CC/Other"]]);
  });

  it("has samples without a stack where a gap begins and ends", () => {
    const json = jsonOf(profileOverTime([5000, "js:a"], [95_000, "js:a"]));
    expect(json.threads[0]?.samples).toMatchObject({
      stack: [0, null, null, 0],
      time: [5, 6, 94, 95],
      length: 4,
    });
  });

  it("has libraries and scripts as what functions came from", () => {
    const { libs, shared } = jsonOf(
      profileOverTime([1, "js:f·/bin/node:1:1 cpp:main"], [2, "cpp:other"], [3, "?"]),
    );
    expect(libs.map(({ path }) => path)).toEqual(["/bin/node"]);
    expect(shared.resourceTable).toMatchObject({ lib: [null, 0], type: [5, 1] });
    expect(shared.funcTable.resource).toEqual([0, 1, 1, -1, -1, -1]);
  });

  it("has a track a thread", () => {
    const main = onThread(profileOverTime([5000, "js:a"]), { kind: "main", pid: 77 });
    const other = onThread(profileOverTime([100, "js:a"]), { log: "/x/other.log" });
    const { threads } = jsonOf(mergeProfiles([main, other]));
    expect(threads.map(({ name, pid, tid }) => [name, pid, tid])).toEqual([
      ["pid 77 main", "77", 1],
      ["other.log", "log 2", 2],
    ]);
  });

  it("puts ticks in a row together that have one stack", () => {
    const ticks = Array.from({ length: 2500 }, (_, i) => [i * 1000, i < 2400 ? "js:a" : "js:b"] as const);
    const { samples } = jsonOf(profileOverTime(...ticks, [9e6, "js:b"])).threads[0]!;
    expect(samples).toMatchObject({
      weight: [2400, 100, 0, 0, 1],
      stack: [0, 1, null, null, 1],
      time: [0, 2400, 2500, 8999, 9000],
      length: 5,
    });
  });

  it("has markers for garbage collection and deoptimizations, the date and the labels", () => {
    const profile = profileOverTime([5000, "js:a"], [6000, "gc:cpp:x"], [7000, "gc:cpp:x"], [8000, "js:a"]);
    const deopt = { thread: 0, function: "f /a.js:1:1", tier: "*" as const, kind: "lazy", reason: "r" };
    const entries = [{ ...deopt, position: "</a.js:2:3>", count: 1, isOpen: false, times: [7500] }];
    const start = new Date("2026-11-22T10:00:00Z");
    const known = { ...profile, deopts: { entries, charges: [], demoted: [] } };
    const file = JSON.parse(Array.from(gecko(known, { labels: { env: "prod" }, start })).join(""));
    const { markers } = file.threads[0];
    expect(markers).toMatchObject({
      startTime: [5, 7.5],
      endTime: [7, null],
      phase: [1, 0],
      length: 2,
      data: [{ type: "V8GC" }, { type: "V8Deopt", function: "f", reason: "r" }],
    });
    expect(markers.name.map((name: number) => file.shared.stringArray[name])).toEqual([
      "Garbage collection",
      "Deoptimization",
    ]);
    expect(file.meta.startTime).toBe(start.getTime());
    expect(file.meta.extra.at(-1).entries).toContainEqual({ label: "env", format: "string", value: "prod" });
  });

  it("names a script's resource so that its URL begins with it", () => {
    const { shared } = jsonOf(profileOverTime([1, "js:f·/srv/a.js:1:1"]));
    const { name } = shared.resourceTable as unknown as { name: number[] };
    expect(shared.stringArray[shared.sources.filename[0]!]).toBe(shared.stringArray[name[0]!]);
  });
});
