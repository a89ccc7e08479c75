import fc, { type Arbitrary } from "fast-check";
import { TicksError } from "../../../src/base/errors.ts";
import { topOf } from "../../../src/facts/top.ts";
import { analyzeRuns } from "../../../src/load/analyze.ts";
import { stackOf } from "../../../src/profile/call-tree.ts";
import { mergeProfiles } from "../../../src/profile/merge.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { allSamples, allTicks } from "../../../src/profile/sample-table.ts";
import { type Mutation, mutate, mutation } from "../mutation.ts";
import { broken, expectSame, type Target } from "../target.ts";

interface Node {
  readonly id: unknown;
  readonly name: unknown;
  readonly url: unknown;
  readonly line: unknown;
  readonly hits: unknown;
  readonly children: readonly unknown[];
  readonly lines: readonly (readonly [unknown, unknown])[];
}

interface Input {
  readonly form: "cpuprofile" | "nested" | "trace" | "pprof";
  readonly nodes: readonly Node[];
  readonly samples: readonly unknown[];
  readonly deltas: readonly unknown[];
  readonly start: unknown;
  readonly end: unknown;
  readonly mutations: readonly Mutation[];
  /** The bytes of a chunk. */
  readonly size: number;
}

const name = fc.oneof(
  fc.constantFrom(
    "main",
    "",
    "(root)",
    "(idle)",
    "(program)",
    "(garbage collector)",
    "(anonymous)",
    "RegExp: a",
  ),
  fc.constantFrom("\u001b[0m", "a\nb", "\0", "\u2028", "\ud800", "__proto__", "x ".repeat(50), "Builtin: A"),
  fc.string({ maxLength: 12, unit: "binary" }),
);
const url = fc.oneof(
  fc.constantFrom("/a.js", "file:///srv/a.js", "node:fs", "wasm://wasm/1", "", "C:\\a.js", "/usr/bin/node"),
  fc.string({ maxLength: 12, unit: "binary" }),
);
const small = fc.integer({ min: 0, max: 12 });
const number = fc.oneof(
  { weight: 12, arbitrary: small },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      -1,
      1e9,
      2 ** 31,
      2 ** 53,
      1e300,
      -1e300,
      0.5,
      null,
      "7",
      [],
      {},
      true,
    ),
  },
);
const delta = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -50, max: 3000 }) },
  { weight: 1, arbitrary: number },
);

const node: Arbitrary<Node> = fc.record({
  id: number,
  name,
  url,
  line: number,
  hits: number,
  children: fc.array(number, { maxLength: 4 }),
  lines: fc.array(fc.tuple(number, number), { maxLength: 3 }),
});

/** Profiles that are no logs, in each of their formats. */
export const profiles: Target<Input> = {
  name: "profiles",
  about:
    "any CPU profile, trace or pprof profile is refused or counts each sample once, in chunks of any size",
  arbitrary: fc.record({
    form: fc.constantFrom("cpuprofile" as const, "nested" as const, "trace" as const, "pprof" as const),
    nodes: fc.array(node, { maxLength: 14 }),
    samples: fc.array(number, { maxLength: 40 }),
    deltas: fc.array(delta, { maxLength: 40 }),
    start: fc.oneof(fc.constantFrom<unknown>(0, 1e9, 1.5, undefined), number),
    end: fc.oneof(fc.constantFrom<unknown>(1e9 + 5e4, 2.5, undefined), number),
    mutations: fc.array(mutation, { maxLength: 4 }),
    size: fc.constantFrom(1, 3, 64, 1 << 20),
  }),
  async check(input) {
    const bytes = bytesOf(input);
    const found = await read(bytes, input.size);
    expectSame("chunks of any size give the same", summary(found), summary(await read(bytes, bytes.length)));
    if (found === undefined || found.length === 0) return;
    for (const profile of found) checkProfile(profile);
    checkProfile(mergeProfiles(found));
    const whole = input.mutations.length === 0 && input.form === "cpuprofile" && input.samples.length > 0;
    if (whole) expectSame("each sample counts once", allSamples(found[0]!.samples), input.samples.length);
  },
  file: (input) => ({ extension: input.form === "pprof" ? "pb" : "json", bytes: bytesOf(input) }),
};

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  // One memory for all chunks: a chunk is valid until the next one.
  const chunk = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    chunk.set(part);
    yield chunk.subarray(0, part.length);
  }
}

/** Returns what is read; undefined for what is refused as it should. */
async function read(bytes: Uint8Array, size: number): Promise<readonly Profile[] | undefined> {
  try {
    return await analyzeRuns(chunksOf(bytes, Math.max(1, size)), {
      name: "x",
      timeline: true,
      inlines: true,
    });
  } catch (error) {
    if (error instanceof TicksError) return undefined;
    throw error;
  }
}

function summary(profiles: readonly Profile[] | undefined): unknown {
  return profiles?.map(({ frames, tree, samples, info }) => ({ frames, tree, samples, info }));
}

function checkProfile(profile: Profile): void {
  const { frames, tree, samples, timeline, info } = profile;
  if (allTicks(samples) !== info.ticks)
    broken("ticks of samples are all ticks", `${allTicks(samples)} ${info.ticks}`);
  for (let node = 1; node < tree.length; node++)
    if (!(tree.parent[node]! < node && frames[tree.frame[node]!] !== undefined)) broken("the tree is one");
  for (let i = 0; i < samples.length; i++) {
    if (samples.node[i] === 0) broken("each sample has a stack");
    const ticks = samples.ticks[i]!;
    if (!(ticks >= 0 && Number.isFinite(ticks))) broken("ticks are sound", String(ticks));
    if (Array.from(stackOf(tree, samples.node[i]!)).length === 0) broken("stacks have frames");
  }
  let before = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < (timeline?.length ?? 0) && info.threads.length === 1; i++) {
    if (timeline!.timestamp[i]! < before) broken("times are in order");
    before = timeline!.timestamp[i]!;
  }
  topOf(profile, 10);
}

function bytesOf(input: Input): Uint8Array {
  const whole = input.form === "pprof" ? pprofOf(input) : Buffer.from(JSON.stringify(jsonOf(input)));
  return mutate(Buffer.from(whole), input.mutations);
}

function jsonOf({
  form,
  nodes,
  samples,
  deltas: timeDeltas,
  start: startTime,
  end: endTime,
}: Input): unknown {
  const all = nodes.map(({ id, name: functionName, url, line, hits: hitCount, children, lines }) => ({
    id,
    callFrame: { functionName, url, lineNumber: line, columnNumber: line },
    hitCount,
    children,
    positionTicks: lines.map(([line, ticks]) => ({ line, ticks })),
  }));
  switch (form) {
    case "nested": {
      const head = all.reduceRight<object>((inner, one) => ({ ...one, children: [inner, 5] }), {});
      return { head, startTime, endTime, samples, timestamps: timeDeltas };
    }
    case "trace": {
      const half = Math.floor(samples.length / 2);
      const event = (name: string, data: object) => ({
        ph: "P",
        name,
        pid: 1,
        tid: 2,
        id: "0x1",
        args: { data },
      });
      const withParents = all.map(({ children, ...one }) => ({ ...one, parent: children[0] }));
      const part = (from: number, to: number, nodes: unknown) =>
        event("ProfileChunk", {
          cpuProfile: { nodes, samples: samples.slice(from, to) },
          timeDeltas: timeDeltas.slice(from, to),
          lines: samples.slice(from, to),
        });
      return [
        event("Profile", { startTime }),
        part(0, half, withParents),
        part(half, samples.length, []),
        { endTime },
      ];
    }
    default:
      return { nodes: all, startTime, endTime, samples, timeDeltas };
  }
}

/** A field of a protobuf message: a number, bytes, or numbers that follow each other. */
function field(number: number, value: number | Uint8Array | readonly number[]): Buffer {
  if (typeof value === "number") return Buffer.concat([varint(number * 8), varint(value)]);
  const bytes = value instanceof Uint8Array ? value : Buffer.concat(value.map(varint));
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

function pprofOf({ nodes, samples }: Input): Uint8Array {
  const words: string[] = [""];
  const text = (word: unknown) => words.push(String(word)) - 1;
  const numberOf = (value: unknown) =>
    typeof value === "number" ? Math.max(0, Math.min(2 ** 53, Math.round(value))) : 0;
  const type = (name: string, unit: string) => Buffer.concat([field(1, text(name)), field(2, text(unit))]);
  const label = Buffer.concat([field(1, text("state")), field(2, text("gc"))]);
  const rows = [
    field(1, type("samples", "count")),
    field(1, type("wall", "nanoseconds")),
    ...samples.map((id, i) =>
      field(
        2,
        Buffer.concat([field(1, [numberOf(id), i % 5]), field(2, [1, 1000 * numberOf(id)]), field(3, label)]),
      ),
    ),
    ...nodes.map(({ id, line, children }) =>
      field(
        4,
        Buffer.concat([
          field(1, numberOf(id)),
          field(4, Buffer.concat([field(1, numberOf(children[0])), field(2, numberOf(line))])),
        ]),
      ),
    ),
    ...nodes.map(({ id, name, url, line }) =>
      field(
        5,
        Buffer.concat([
          field(1, numberOf(id)),
          field(2, text(name)),
          field(4, text(url)),
          field(5, numberOf(line)),
        ]),
      ),
    ),
  ];
  return Buffer.concat([...rows, ...words.map((word) => field(6, Buffer.from(word)))]);
}
