import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { shownBytes } from "../../src/base/digits.ts";
import { collapsed } from "../../src/exports/folded.ts";
import { pprof } from "../../src/exports/pprof.ts";
import { speedscope } from "../../src/exports/speedscope.ts";
import { type AnalyzeOptions, analyze } from "../../src/load/analyze.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { PLAIN } from "../../src/render/style.ts";
import { textLines } from "../../src/render/text.ts";
import { field } from "../helpers/protobuf.ts";
import { topData, topPage, topReport } from "../helpers/top-report.ts";
import { stackLines } from "./stacks-of.ts";

const FILE = { style: PLAIN, width: 4000, pageWidth: 80 } as const;

interface Node {
  readonly id: number;
  readonly name: string;
  readonly url?: string;
  readonly line?: number;
  readonly size?: number;
  readonly children?: readonly Node[];
}

const nodeOf = ({ id, name, url = "", line = -1, size = 0, children = [] }: Node): object => ({
  callFrame: {
    ...{ functionName: name, scriptId: url === "" ? "0" : "1", url },
    ...{ lineNumber: line, columnNumber: line },
  },
  selfSize: size,
  id,
  children: children.map(nodeOf),
});

const KB = 1024;
const HEAD = nodeOf({
  id: 1,
  name: "(root)",
  children: [
    {
      ...{ id: 2, name: "main", url: "/a.js", line: 0, size: 32 * KB },
      children: [{ id: 3, name: "copy", url: "/a.js", line: 9, size: 288 * KB }],
    },
    { id: 4, name: "(V8 API)", size: 32 * KB },
    { id: 5, name: "(PARSER)", size: 48 * KB },
  ],
});
/** Nine samples in copy, one in each of the others. */
const SAMPLES = [2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 5].map((nodeId, i) => ({
  ...{ size: 32 * KB, nodeId, ordinal: i + 1 },
}));

async function* inPieces(text: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

function read(profile: unknown, options: Partial<AnalyzeOptions> = {}): Promise<Profile> {
  const text = profile instanceof Uint8Array ? profile : JSON.stringify(profile);
  return analyze(inPieces(text), { name: "a.heapprofile", ...options });
}

/** The bytes of each row, by its leaf. */
function bytesOf({ samples, info }: Profile): number[] {
  return Array.from(samples.ticks, (ticks) => Math.round(ticks * info.memory!.tick));
}

describe("a heap profile", () => {
  it("has the bytes of each stack, and as many ticks as samples", async () => {
    const profile = await read({ head: HEAD, samples: SAMPLES });
    expect(stackLines(profile)).toEqual([
      "external: (V8 API) 1",
      "js: main /a.js:1:1 1",
      "js: main /a.js:1:1 > copy /a.js:10:10 9",
      "parser: (PARSER) 1",
    ]);
    expect(bytesOf(profile).sort((a, b) => a - b)).toEqual([32 * KB, 32 * KB, 48 * KB, 288 * KB]);
    expect(profile.info.memory).toEqual({ of: "bytes", tick: (400 * KB) / 12, is: "unknown" });
    expect(profile.info.ticks).toBeCloseTo(12, 5);
    expect(profile.info.diagnostics).toEqual([]);
  });

  it("is of what was alive at the end if V8 dropped samples", async () => {
    const alive = await read({
      head: HEAD,
      samples: SAMPLES.map((one) => ({ ...one, ordinal: one.ordinal * 2 })),
    });
    expect(alive.info.memory!.is).toBe("alive");
    expect(alive.info.isCountUnknown).toBeUndefined();
  });

  it.each([
    [true, "allocated"],
    [false, "alive"],
    ["yes", "unknown"],
  ])("is of what ticks record says of it, as few samples do not tell: %s", async (includesCollected, is) => {
    const told = await read({ head: HEAD, samples: SAMPLES, includesCollected });
    expect(told.info.memory!.is).toBe(is);
    expect(told.info.diagnostics).toEqual([]);
  });

  it("has functions of scripts that V8 had freed by the end, as Node 20 does, which are no builtins", async () => {
    const frame = { functionName: "make", url: "", lineNumber: -1, columnNumber: -1 };
    const children = ["115", "0"].map((scriptId, i) => ({
      ...{ callFrame: { ...frame, scriptId }, selfSize: KB, id: i + 2, children: [] },
    }));
    const profile = await read({ head: { ...nodeOf({ id: 1, name: "(root)" }), children }, samples: [] });
    expect(stackLines(profile)).toEqual(["external: make 1", "js: make (freed script):1:1 1"]);
  });

  it("does not say how sure shares are without samples, as old DevTools write it", async () => {
    const old = await read({ head: HEAD });
    expect(bytesOf(old).sort((a, b) => a - b)).toEqual([32 * KB, 32 * KB, 48 * KB, 288 * KB]);
    expect(old.info).toMatchObject({ isCountUnknown: true, memory: { is: "unknown" } });
  });

  it("is read in the answer of an inspector, and with its samples first", async () => {
    const whole = await read({ head: HEAD, samples: SAMPLES });
    expect(stackLines(await read({ samples: SAMPLES, head: HEAD }))).toEqual(stackLines(whole));
    expect(stackLines(await read({ id: 1, result: { profile: { head: HEAD, samples: SAMPLES } } }))).toEqual(
      stackLines(whole),
    );
  });

  it("tells what is wrong with it", async () => {
    await expect(read({ head: 7, samples: SAMPLES })).rejects.toThrow("not a heap profile");
    const odd = await read({
      head: { ...HEAD, selfSize: -1 },
      samples: [...SAMPLES, {}, ...Array(4).fill({ nodeId: 99 })],
    });
    expect(odd.info.diagnostics.map(({ code }) => code).sort()).toEqual([
      ...["damaged-value", "odd-value", "unknown-sample"],
    ]);
    await expect(read({ head: HEAD, samples: SAMPLES }, { range: { from: 1 } })).rejects.toThrow("no times");
  });

  it("is refused with the reason, if its tree cannot be read", async () => {
    const text = JSON.stringify({ head: HEAD, samples: SAMPLES });
    const refusal = (cut: string) =>
      read(Buffer.from(cut)).catch((error: Error & { hint?: string }) => error);
    expect(await refusal(text.slice(0, 200))).toMatchObject({
      message: expect.stringContaining("it was cut before the end of its tree of calls"),
    });
    expect(await refusal(text.replace('"(root)"', "root"))).toMatchObject({
      message: expect.stringContaining("its tree of calls is damaged, or more than 32 MiB of JSON"),
      hint: expect.stringContaining("--heap-prof-interval="),
    });
  });

  it("is read however deep its tree is", async () => {
    let text = '{"id":1,"selfSize":1,"children":[]}';
    const open =
      '{"callFrame":{"functionName":"f","url":"/a.js","lineNumber":1},"selfSize":1,"id":2,"children":[';
    text = `{"head":${open.repeat(50_000)}${text}${"]}".repeat(50_000)}}`;
    const profile = await analyze(inPieces(text, 1 << 16), { name: "deep" });
    expect(profile.info.ticks).toBe(50_001);
  });

  it("is merged by bytes", async () => {
    const one = await read({ head: HEAD, samples: SAMPLES });
    const other = await read({ head: HEAD, samples: SAMPLES.slice(0, 4) });
    const both = mergeProfiles([one, other]);
    expect(bytesOf(both).reduce((sum, bytes) => sum + bytes)).toBe(800 * KB);
  });

  it("says sizes on the page, and nothing of time", async () => {
    const profile = await read({
      head: nodeOf({
        id: 1,
        name: "(root)",
        children: [{ id: 2, name: "f", url: "/a.js", line: 4, size: 4e6 }],
      }),
      samples: Array.from({ length: 1000 }, (_, i) => ({ size: 4e3, nodeId: 2, ordinal: i + 1 })),
    });
    const report = topReport(profile, 10, ["a"]);
    const lines = Array.from(textLines(topPage(report), { ...FILE, unit: profile.info })).join("\n");
    expect(lines).toContain("Where the memory went");
    expect(lines).toMatch(/3\.81 MB +100\.0% +3\.81 MB +3\.81 MB +f +a\.js:5/);
    expect(lines).not.toMatch(/time|ticks\b(?! function)|CPU/);
    expect(topData(report)).toMatchObject({
      memory: { of: "bytes", tick: 4e3, is: "allocated" },
      functions: { bySelf: [{ selfBytes: 4e6, totalBytes: 4e6 }] },
    });
  });

  it("is exported in bytes, and read again from pprof", async () => {
    const profile = await read({ head: HEAD, samples: SAMPLES });
    const folded = Array.from(collapsed(profile) as Iterable<string>).join("");
    expect(folded.split("\n").filter((line) => line.endsWith(" 294912"))).toHaveLength(1);
    expect(Array.from(speedscope(profile)).join("")).toContain(
      '"unit":"bytes","startValue":0,"endValue":409600',
    );
    const parts: Uint8Array[] = [];
    for await (const part of pprof(profile) as AsyncIterable<Uint8Array>) parts.push(part);
    const again = await read(gunzipSync(Buffer.concat(parts)));
    expect(bytesOf(again).sort()).toEqual(bytesOf(profile).sort());
    expect(again.info).toMatchObject({ memory: { of: "bytes", is: "alive" } });
  });
});

describe("sizes", () => {
  it("have three digits, and KB of 1024 bytes", () => {
    const sizes = [0, 999, 1000, 32 * KB, 99.96 * KB, 1023 * KB, 1.5 * KB ** 2, 20 * KB ** 3, 5000 * KB ** 4];
    expect(sizes.map(shownBytes)).toEqual([
      ...["0 B", "999 B", "0.977 KB", "32.0 KB", "100 KB", "0.999 MB", "1.50 MB", "20.0 GB", "5000 TB"],
    ]);
  });
});

describe("a pprof profile of memory", () => {
  /** Values of Go: its types, and one sample of two objects with 64 KB of which one is alive. */
  function goHeap(
    types: readonly (readonly [string, string])[],
    values: readonly number[],
    period = 0,
  ): Buffer {
    const words = ["", "work", "/a.go", "space", "bytes"];
    const text = (word: string) => (words.includes(word) ? words.indexOf(word) : words.push(word) - 1);
    const type = ([name, unit]: readonly [string, string]) =>
      Buffer.concat([field(1, text(name)), field(2, text(unit))]);
    const rows = [
      ...types.map((one) => field(1, type(one))),
      field(2, Buffer.concat([field(1, [1]), field(2, values)])),
      field(4, Buffer.concat([field(1, 1), field(4, Buffer.concat([field(1, 1), field(2, 3)]))])),
      field(5, Buffer.concat([field(1, 1), field(2, 1), field(4, 2), field(5, 1)])),
      ...(period > 0 ? [field(11, type(["space", "bytes"])), field(12, period)] : []),
    ];
    return Buffer.concat([...rows, ...words.map((word) => field(6, Buffer.from(word)))]);
  }
  const GO = [
    ...[["alloc_objects", "count"] as const, ["alloc_space", "bytes"] as const],
    ...[["inuse_objects", "count"] as const, ["inuse_space", "bytes"] as const],
  ];
  const sizeOf = ({ info }: Profile) => info.ticks * info.memory!.tick;

  it("counts what was allocated, or the type that is asked for", async () => {
    const heap = goHeap(GO, [2, 65_536, 1, 32_768], 8192);
    const allocated = await read(heap);
    expect(allocated.info).toMatchObject({
      input: "pprof",
      memory: { of: "bytes", is: "allocated" },
      ticks: 8,
    });
    expect(sizeOf(allocated)).toBe(65_536);
    const alive = await read(heap, { sampleType: "inuse_space" });
    expect([sizeOf(alive), alive.info.memory!.is, alive.info.ticks]).toEqual([32_768, "alive", 4]);
    const objects = await read(heap, { sampleType: "alloc_objects" });
    expect([sizeOf(objects), objects.info.memory!.of]).toEqual([2, "objects"]);
  });

  it("has kilobytes, and no count of samples where no period tells it", async () => {
    const heap = await read(
      goHeap([["objects", "count"] as const, ["space", "kilobytes"] as const], [3, 64]),
    );
    expect(sizeOf(heap)).toBe(65_536);
    expect(heap.info).toMatchObject({ isCountUnknown: true, memory: { is: "alive" } });
  });

  it("is of time where it has times too", async () => {
    const types = [["cpu", "nanoseconds"] as const, ["alloc_space", "bytes"] as const];
    expect((await read(goHeap(types, [1e6, 5]))).info).toMatchObject({ tickTime: 1000 });
  });
});
