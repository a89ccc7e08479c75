import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Profile as PprofProfile, StringTable } from "pprof-format";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../helpers/folder.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const folder = testFolder();
const run = (words: string) => warmTicks(words.split(" "), { cwd: folder });
const json = async (words: string) => JSON.parse((await run(`${words} --json`)).stdout);

type Types = readonly (readonly [type: string, unit: string])[];

const NAMES = ["main.work", "main.parse", "main.render", "main.main"];
/** Innermost function first, how many objects it allocated, and the bytes of one: a quarter of them is alive. */
const ROWS = [
  { stack: [1, 4], objects: 100, size: 1024 },
  { stack: [2, 1, 4], objects: 300, size: 2048 },
  { stack: [3, 1, 4], objects: 48, size: 65_536 },
  { stack: [2, 4], objects: 20, size: 1024 },
];

function amountOf(type: string, unit: string, { objects, size }: (typeof ROWS)[number], times: number) {
  const found = objects * times * (/^inuse/.test(type) ? 0.25 : 1);
  return /objects$/.test(type) ? found : (found * size) / (unit === "kilobytes" ? 1024 : 1);
}

interface Written {
  readonly types: Types;
  /** Its default type. */
  readonly first?: string;
  /** Whether samples have threads and other labels. */
  readonly hasLabels?: boolean;
  /** The order of its fields, by their numbers. */
  readonly order?: (a: number, b: number) => number;
  /** How often `main.render` does its work. */
  readonly renders?: number;
}

function write(name: string, { types, first, hasLabels = false, order, renders = 1 }: Written): void {
  const strings = new StringTable();
  const text = (word: string) => strings.dedup(word);
  const bytes = new PprofProfile({
    sampleType: types.map(([type, unit]) => ({ type: text(type), unit: text(unit) })),
    sample: ROWS.map((row, i) => ({
      locationId: row.stack,
      value: types.map(([type, unit]) => amountOf(type, unit, row, row.stack[0] === 3 ? renders : 1)),
      label: hasLabels
        ? [
            { key: text("thread name"), str: text(i === 2 ? "Worker #1" : "Main") },
            { key: text("bytes"), num: row.size, numUnit: text("bytes") },
          ]
        : [],
    })),
    location: NAMES.map((_, i) => ({ id: i + 1, line: [{ functionId: i + 1, line: 10 * i + 13 }] })),
    function: NAMES.map((name, i) => ({
      ...{ id: i + 1, name: text(name), systemName: text(name), filename: text("/srv/app/main.go") },
      startLine: 10 * i + 10,
    })),
    periodType: { type: text("space"), unit: text("bytes") },
    period: 1024,
    ...(first !== undefined && { defaultSampleType: text(first) }),
    stringTable: strings,
  }).encode();
  writeFileSync(join(folder, name), gzipSync(order === undefined ? bytes : reordered(bytes, order)));
}

/** Returns a message with its fields in another order; those of one number stay in theirs. */
function reordered(bytes: Uint8Array, order: (a: number, b: number) => number): Buffer {
  const parts: { readonly field: number; readonly part: Uint8Array }[] = [];
  let at = 0;
  const varint = () => {
    let [value, scale, byte] = [0, 1, 128];
    for (; byte >= 128; scale *= 128) {
      byte = bytes[at++]!;
      value += (byte % 128) * scale;
    }
    return value;
  };
  while (at < bytes.length) {
    const start = at;
    const key = varint();
    const length = varint();
    if (key % 8 === 2) at += length;
    parts.push({ field: Math.floor(key / 8), part: bytes.subarray(start, at) });
  }
  return Buffer.concat(parts.sort((a, b) => order(a.field, b.field)).map(({ part }) => part));
}

const GO: Types = [
  ["alloc_objects", "count"],
  ["alloc_space", "bytes"],
  ["inuse_objects", "count"],
  ["inuse_space", "bytes"],
];
const FILES: Readonly<Record<string, Written>> = {
  "go.pb.gz": { types: GO, first: "inuse_space" },
  "go-back.pb.gz": { types: GO, first: "inuse_space", order: (a, b) => b - a },
  "go-more.pb.gz": { types: GO, first: "inuse_space", renders: 2 },
  "nodejs.pb.gz": {
    types: [
      ["objects", "count"],
      ["space", "bytes"],
    ],
    hasLabels: true,
  },
  "datadog.pb.gz": { types: GO.toReversed(), hasLabels: true },
  "pyroscope.pb.gz": {
    types: [
      ["inuse_space", "kilobytes"],
      ["inuse_objects", "count"],
    ],
    hasLabels: true,
    order: (a, b) => Number(b === 6) - Number(a === 6),
  },
};

beforeAll(() => {
  for (const [name, written] of Object.entries(FILES)) write(name, written);
});

describe("a pprof profile of memory", () => {
  it.each(
    Object.entries(FILES).flatMap(([name, { types, first, renders = 1 }]) => [
      ...types.map(([type]) => ({ name, type, renders, words: `${name} --sample-type ${type}` })),
      // What was allocated is shown first, if the file does not say another.
      { name, type: first ?? types.find(([type]) => /^(alloc_)?space/.test(type))?.[0] ?? "inuse_space", renders, words: name }, // biome-ignore format: one case
    ]),
  )("has the values of $type: $words", async ({ type, renders, words }) => {
    const top = await json(`top ${words}`);
    const isBytes = /space$/.test(type);
    const is = /^alloc/.test(type) ? "allocated" : "alive";
    expect(top.memory).toMatchObject({ of: isBytes ? "bytes" : "objects", is });
    const key = isBytes ? "selfBytes" : "selfObjects";
    const found = top.functions.bySelf.map((one: Record<string, unknown>) => [one.name, one[key]]);
    const of = (name: string) =>
      ROWS.filter(({ stack }) => NAMES[stack[0]! - 1] === name).reduce(
        (sum, row) => sum + amountOf(type, "bytes", row, name === "main.render" ? renders : 1),
        0,
      );
    expect(new Map(found)).toEqual(new Map(NAMES.slice(0, 3).map((name) => [name, of(name)])));
    expect(top.threads).toHaveLength(FILES[words.split(" ")[0]!]!.hasLabels ? 2 : 1);
  });

  it.each([
    ["tree go.pb.gz --sample-type alloc_space", / 3\.00 MB .* main\.render /],
    ["function go.pb.gz main.parse --sample-type inuse_objects", / 75 {2}93\.7% {2}main\.work /],
    ["lines datadog.pb.gz --sample-type alloc_space", /3\.00 MB .*main\.go:33/],
    ["threads pyroscope.pb.gz", /Worker #1 +768 KB/],
    ["export go.pb.gz --format collapsed --sample-type alloc_space -o -", /main\.render [^\n]* 3145728\n/],
    ["export go.pb.gz --format callgrind --sample-type inuse_objects -o -", /^summary: 117$/m],
    ["diff go.pb.gz go-more.pb.gz --sample-type alloc_space", / 3\.00 MB +6\.00 MB +\+100% .* main\.render /],
    ["diff go.pb.gz go-more.pb.gz --sample-type inuse_objects", / 12 +24 +\+100% .* main\.render /],
    [
      "check go.pb.gz --max-allocated main.render=9MB --sample-type alloc_space",
      / 3\.00 MB .* 9\.00 MB {2}allocated {2}main\.render/,
    ],
  ])("is read by %s", async (words, shown) => {
    const { stdout, status } = await run(words);
    expect(stdout).toMatch(shown);
    expect(status).toBe(0);
  });

  it("is read in the same way by the commands that a comparison names", async () => {
    const { stdout } = await run("diff go.pb.gz go-more.pb.gz --sample-type alloc_objects");
    expect(stdout).toContain("  ticks function --sample-type alloc_objects go-more.pb.gz main.render\n");
    expect(stdout).toContain("  ticks flame --sample-type alloc_objects go.pb.gz -- go-more.pb.gz\n");
    const next = await run("function --sample-type alloc_objects go-more.pb.gz main.render");
    expect(next.stdout).toContain("self 96 ");
  });

  it.each([
    ["timeline go.pb.gz", "go.pb.gz counts memory, not time: it does not tell what ran when"],
    ["startup go.pb.gz", "go.pb.gz counts memory, not time"],
    ["diff go.pb.gz go-more.pb.gz --scale cpu", "go.pb.gz counts memory, not time"],
    ["top go.pb.gz --from 1s", "go.pb.gz: its samples have no times, so it cannot be cut by time"],
    ["export go.pb.gz --format cpuprofile -o -", "--format cpuprofile has times, and go.pb.gz counts memory"],
    ["check go.pb.gz --max-turn 50", "go.pb.gz counts memory, not time"],
    ["check go.pb.gz --max-ticks main.work=5", "go.pb.gz counts memory, not time"],
    ["check go.pb.gz --max-deopts main.work=5", "go.pb.gz counts memory, not time"],
    ["check go.pb.gz --max-allocated category:gc=5KB", "go.pb.gz counts memory, not time"],
    ["check go.pb.gz --max-allocated main.work=5KB --idle", "go.pb.gz counts memory, not time"],
    ["top go.pb.gz --state gc", "go.pb.gz counts memory, not time"],
    ["flame go.pb.gz --state gc -o -", "go.pb.gz counts memory, not time"],
    ["diff go.pb.gz go-more.pb.gz --state gc", "go.pb.gz counts memory, not time"],
    ["check go.pb.gz --max-allocated main.work=1KB --sample-type inuse_objects", "go.pb.gz has no bytes"],
    [
      "top nodejs.pb.gz --sample-type alloc_space",
      "--sample-type alloc_space: nodejs.pb.gz has no such values",
    ],
  ])("is refused in one line where time is needed: %s", async (words, line) => {
    const { status, stdout, stderr } = await run(words);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr.split("\n")[0]).toContain(line);
  });
});
