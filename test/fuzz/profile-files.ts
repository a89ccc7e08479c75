import { gzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { field } from "../helpers/protobuf.ts";
import { type Mutation, mutate, mutation } from "./mutation.ts";

interface Node {
  readonly id: unknown;
  readonly name: unknown;
  readonly url: unknown;
  readonly line: unknown;
  readonly hits: unknown;
  readonly children: readonly unknown[];
  readonly lines: readonly (readonly [unknown, unknown])[];
}

/** What a profile is made from, the same for each format. */
export interface ProfileInput {
  readonly form: (typeof FORMS)[number];
  readonly nodes: readonly Node[];
  readonly samples: readonly unknown[];
  readonly deltas: readonly unknown[];
  readonly start: unknown;
  readonly end: unknown;
  /** How many threads share the samples, where a file can have several, and their names. */
  readonly threads: readonly unknown[];
  /** The types of the values of a pprof profile. */
  readonly types: readonly (readonly [type: string, unit: string])[];
  readonly mutations: readonly Mutation[];
}

/** `event` is a trace with whole profiles in single events. */
const FORMS = [
  "cpuprofile",
  "answer",
  "nested",
  "trace",
  "event",
  "hermes",
  "heap",
  "pprof",
  "pprof.gz",
] as const;

const name = fc.oneof(
  fc.constantFrom(
    ...[
      "main",
      "",
      "(root)",
      "(idle)",
      "(program)",
      "(garbage collector)",
      "(anonymous)",
      "RegExp: a",
      "UNKNOWN",
    ],
    ...["parse(/srv/a.js:7:1)", "[root]", "[GC Young Gen]", "a.js::main#2", "(anonymous:L#12:C#5)", "eval"],
  ),
  fc.constantFrom("\u001b[0m", "a\nb", "\0", "\u2028", "\ud800", "__proto__", "x ".repeat(50), "Builtin: A"),
  fc.string({ maxLength: 12, unit: "binary" }),
);
const url = fc.oneof(
  fc.constantFrom(
    ...[
      "/a.js",
      "file:///srv/a.js",
      "node:fs",
      "wasm://wasm/1",
      "",
      "C:\\a.js",
      "/usr/bin/node",
      "node:internal/url",
    ],
    ...[
      "/srv/node_modules/@scope/p/i.js",
      "https://example.com/a.js?x#y",
      "data:text/javascript,1",
      "[vdso]",
    ],
    ...[
      "webpack://app/./src/a.ts",
      "evalmachine.<anonymous>",
      "internal:fs",
      "ext:core/01.js",
      "..",
      "libc.so.6",
    ],
  ),
  fc.string({ maxLength: 12, unit: "binary" }),
);
const small = fc.integer({ min: 0, max: 12 });
const number = fc.oneof(
  { weight: 12, arbitrary: small },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      ...[-1, 1e9, 2 ** 31, 2 ** 53, 1e300, -1e300, 0.5, null, "7", [], {}, true],
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

const TYPES: ProfileInput["types"] = [
  ["samples", "count"],
  ["wall", "nanoseconds"],
  ["cpu", "nanoseconds"],
  ["cpu", "ms"],
  ["objects", "count"],
  ["alloc_space", "kilobytes"],
  ["inuse_space", "bytes"],
  ["", ""],
];

/** Profiles of any format and shape, most of which can be read. */
export const profileInput: Arbitrary<ProfileInput> = fc.record({
  form: fc.constantFrom(...FORMS),
  nodes: fc.array(node, { maxLength: 14 }),
  samples: fc.array(number, { maxLength: 40 }),
  deltas: fc.array(delta, { maxLength: 40 }),
  start: fc.oneof(fc.constantFrom<unknown>(0, 1e9, 1.5, undefined), number),
  end: fc.oneof(fc.constantFrom<unknown>(1e9 + 5e4, 2.5, undefined), number),
  threads: fc.oneof(
    fc.constantFrom<unknown[]>(["main"], ["CrRendererMain", "worker 1"]),
    fc.array(fc.oneof(name, number), { minLength: 1, maxLength: 4 }),
  ),
  types: fc.oneof(
    { weight: 3, arbitrary: fc.constant(TYPES.slice(0, 2)) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...TYPES), { maxLength: 4 }) },
  ),
  mutations: fc.oneof(fc.constant([]), fc.array(mutation, { maxLength: 4 })),
});

/** The bytes of a profile. What is compressed was damaged before. */
export function profileBytes(input: ProfileInput): Buffer {
  const isPprof = input.form.startsWith("pprof");
  const whole = isPprof ? pprofOf(input) : Buffer.from(JSON.stringify(jsonOf(input)));
  const bytes = mutate(Buffer.from(whole), input.mutations);
  return input.form === "pprof.gz" ? gzipSync(bytes, { level: 1 }) : bytes;
}

/** The extension of its file. */
export function profileExtension({ form }: ProfileInput): string {
  return form.startsWith("pprof") ? form.replace("pprof", "pb") : form === "cpuprofile" ? form : "json";
}

function jsonOf(input: ProfileInput): unknown {
  const { form, nodes, samples, deltas: timeDeltas, start: startTime, end: endTime } = input;
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
    case "trace":
    case "event":
      return traceOf(input, all);
    case "heap":
      return heapOf(input);
    case "hermes":
      return hermesOf(input);
    case "answer":
      return { id: 1, result: { profile: { nodes: all, startTime, endTime, samples, timeDeltas } } };
    default:
      return { nodes: all, startTime, endTime, samples, timeDeltas };
  }
}

function traceOf(input: ProfileInput, nodes: readonly { readonly children: readonly unknown[] }[]): unknown {
  const { form, samples, deltas, start: startTime, end: endTime, threads } = input;
  const withParents = nodes.map(({ children, ...one }) => ({ ...one, parent: children[0] }));
  const part = (list: readonly unknown[], thread: number, half: number) => {
    const middle = Math.floor(list.length / 2);
    const [from, to] = half === 0 ? [0, middle] : [middle, list.length];
    return list.slice(from, to).filter((_, i) => (from + i) % threads.length === thread);
  };
  return threads.flatMap((label, thread) => {
    const event = (name: string, args: object) => ({
      ph: "P",
      name,
      pid: 1,
      tid: thread,
      id: `0x${thread}`,
      args,
    });
    const chunk = (half: number, own: unknown) =>
      event("ProfileChunk", {
        data: {
          cpuProfile: { nodes: own, samples: part(samples, thread, half) },
          timeDeltas: part(deltas, thread, half),
          lines: part(samples, thread, half),
        },
      });
    const named = event("thread_name", { name: label });
    const cpuProfile = { nodes, startTime, endTime, samples, timeDeltas: deltas };
    return form === "event"
      ? [event("CpuProfile", { data: { cpuProfile } }), named]
      : [event("Profile", { data: { startTime } }), chunk(0, withParents), named, chunk(1, []), { endTime }];
  });
}

/** A heap profile: what times are for others are the numbers of its samples. */
function heapOf({ nodes, samples, deltas }: ProfileInput): unknown {
  const head = nodes.reduceRight<object>(
    (inner, { id, name: functionName, url, line, hits }) => ({
      callFrame: { functionName, url, lineNumber: line, columnNumber: line },
      selfSize: hits,
      id,
      children: [inner, { id: 5, selfSize: line }],
    }),
    {},
  );
  return { head, samples: samples.map((nodeId, i) => ({ size: deltas[i], nodeId, ordinal: deltas[i] })) };
}

function hermesOf({ nodes, samples, deltas, threads }: ProfileInput): unknown {
  const stackFrames = Object.fromEntries(
    nodes.map(({ id, name, line, children }) => [
      String(id),
      { name: String(name), category: "JavaScript", line: String(line), column: "1", parent: children[0] },
    ]),
  );
  const traceEvents = threads.map((name, tid) => ({
    ph: "M",
    name: "thread_name",
    pid: 1,
    tid,
    args: { name },
  }));
  return { traceEvents, samples: samples.map((sf, i) => ({ sf, ts: String(deltas[i]) })), stackFrames };
}

function pprofOf({ nodes, samples, threads, types }: ProfileInput): Uint8Array {
  const words: string[] = [""];
  const text = (word: unknown) => words.push(String(word)) - 1;
  const numberOf = (value: unknown) =>
    typeof value === "number" ? Math.max(0, Math.min(2 ** 53, Math.round(value))) : 0;
  const type = ([name, unit]: readonly [string, string]) =>
    Buffer.concat([field(1, text(name)), field(2, text(unit))]);
  const label = (key: string, value: unknown) => Buffer.concat([field(1, text(key)), field(2, text(value))]);
  const labels = threads.map((name, i) => [
    field(3, label("state", "gc")),
    field(3, label(i % 2 === 0 ? "thread name" : "thread", name)),
    field(3, label("tenant", name)),
  ]);
  const rows = [
    ...types.map((one) => field(1, type(one))),
    ...samples.map((id, i) =>
      field(
        2,
        Buffer.concat([
          field(1, [numberOf(id), i % 5]),
          field(2, [1, 1000 * numberOf(id), 5]),
          ...labels[i % labels.length]!.slice(i % 2),
        ]),
      ),
    ),
    ...nodes
      .slice(0, 3)
      .map(({ id, url }) =>
        field(3, Buffer.concat([field(1, numberOf(id)), field(5, text(url)), field(6, text(url))])),
      ),
    ...nodes.map(({ id, line, children }) =>
      field(
        4,
        Buffer.concat([
          field(1, numberOf(id)),
          field(2, numberOf(children[1])),
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
          field(3, text(name)),
          field(4, text(url)),
          field(5, numberOf(line)),
        ]),
      ),
    ),
  ];
  return Buffer.concat([...rows, ...words.map((word) => field(6, Buffer.from(word)))]);
}
