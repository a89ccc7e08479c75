import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Profile as PprofProfile, StringTable } from "pprof-format";
import { describe, expect, it } from "vitest";
import { readCommandLine } from "../../src/cli/arguments.ts";
import { runProgram } from "../../src/cli/program.ts";
import { errorText } from "../../src/cli/usage/error-text.ts";
import { capturedRun } from "../helpers/captured-run.mjs";
import { ALL_LINES, faultOfOutput, LOG } from "../helpers/command-lines.mjs";
import { testFolder } from "../helpers/folder.ts";

interface Call {
  readonly name: string;
  readonly url?: string;
  readonly line?: number;
  readonly caller?: number;
  readonly id?: number;
}

const callFrame = ({ name, url = "", line = -1 }: Call) => ({
  ...{ functionName: name, scriptId: "1", url, lineNumber: line, columnNumber: line < 0 ? -1 : 3 },
});

/** Nodes below a root, numbered from 2 on. */
function nodesOf(calls: readonly Call[]) {
  const idOf = (at: number) => calls[at]!.id ?? at + 2;
  const callees = (caller: number | undefined) =>
    calls.flatMap((call, at) => (call.caller === caller ? [idOf(at)] : []));
  return [
    { id: 1, callFrame: callFrame({ name: "(root)" }), children: callees(undefined) },
    ...calls.map((call, at) => ({ id: idOf(at), callFrame: callFrame(call), children: callees(at) })),
  ];
}

const USUAL: readonly Call[] = [
  { name: "main", url: "file:///srv/app.js", line: 0 },
  { name: "work", url: "file:///srv/app.js", line: 8, caller: 0 },
  { name: "(idle)" },
  { name: "(program)" },
];

function profileOf(
  calls: readonly Call[],
  samples: readonly number[],
  deltas?: readonly number[],
  end?: number,
) {
  const timeDeltas = deltas ?? samples.map(() => 1000);
  const endTime = end ?? timeDeltas.reduce((sum, delta) => sum + delta, 0);
  return { nodes: nodesOf(calls), startTime: 0, endTime, samples, timeDeltas };
}

const WORK = [3, 3, 2, 3, 3, 2, 3, 3];
const CPU = "disabled-by-default-v8.cpu_profiler";
const event = (name: string, data: object, tid = 1) => ({
  ...{ name, cat: CPU, ph: "P", pid: 9, tid, ts: 1, id: `0x${tid}`, args: { data } },
});
const threadOf = (tid: number, timeDeltas: readonly number[], url = "file:///srv/app.js") => [
  event("Profile", { startTime: 0 }, tid),
  event(
    "ProfileChunk",
    {
      cpuProfile: {
        nodes: nodesOf(USUAL.map((call) => (call.url === undefined ? call : { ...call, url }))).map(
          ({ children: _, ...node }) => (node.id === 1 ? node : { ...node, parent: node.id === 3 ? 2 : 1 }),
        ),
        samples: WORK,
      },
      timeDeltas,
    },
    tid,
  ),
];

function pprofOf(
  types: readonly (readonly [string, string])[],
  values: readonly number[],
  threads = ["main"],
) {
  const strings = new StringTable();
  const text = (word: string) => strings.dedup(word);
  const [type, unit] = types.at(-1)!;
  return new PprofProfile({
    sampleType: types.map(([one, its]) => ({ type: text(one), unit: text(its) })),
    sample: threads.flatMap((thread) =>
      [1, 2].map((id) => ({
        locationId: [id, 2],
        value: [...values],
        label: [{ key: text("thread"), str: text(thread) }],
      })),
    ),
    location: [1, 2].map((id) => ({ id, line: [{ functionId: id, line: id + 2 }] })),
    function: [1, 2].map((id) => ({ id, name: text(`f${id}`), filename: text("/srv/a.go"), startLine: id })),
    periodType: { type: text(type), unit: text(unit) },
    period: 1,
    stringTable: strings,
  }).encode();
}

const doubled = Array.from(
  { length: 30 },
  (_, i): Call => ({ name: `f${i}`, url: "/a.js", line: i, id: 2 ** (i + 1) }),
);
const deep = Array.from(
  { length: 3000 },
  (_, i): Call => ({
    ...{ name: "call", url: "/srv/a.js", line: i % 50 },
    ...(i > 0 && { caller: i - 1 }),
  }),
);

/** Profiles of which each once got a wrong answer, no answer, or took what it should not. */
const KINDS: Readonly<Record<string, unknown>> = {
  "without times.cpuprofile": { nodes: nodesOf(USUAL).map((node) => ({ ...node, hitCount: node.id })) },
  "with a gap of two seconds.cpuprofile": profileOf(
    USUAL.slice(0, 2),
    WORK,
    [0, 1e3, 1e3, 2e6, 1e3, 1e3, 1e3, 1e3],
  ),
  "that ends long after its samples.cpuprofile": profileOf(USUAL, WORK, undefined, 9e5),
  "that waits in (program).cpuprofile": profileOf(USUAL, [3, 5, 5, 5, 5, 5, 5, 3]),
  "of a module without a line.cpuprofile": profileOf([{ name: "", url: "srv/app/index.js" }], [2, 2, 2]),
  "of bare names.cpuprofile": profileOf(
    ["worker.js", "tsc.js", "fs.js", "internal:x", "electron/js2c/y"].map((url) => ({
      name: "f",
      url,
      line: 1,
    })),
    [2, 3, 4, 5, 6],
  ),
  "of ids that double.cpuprofile": profileOf(
    doubled,
    doubled.map(({ id }) => id!),
  ),
  "of deep calls.cpuprofile": profileOf(
    deep,
    deep.flatMap((_, i) => (i % 20 === 0 ? [i + 2] : [])),
  ),
  "in an array.json": [profileOf(USUAL, WORK)],
  "in one event.json": [{ ...event("CpuProfile", { cpuProfile: profileOf(USUAL, WORK) }), ph: "I" }],
  "of a thread without times.json": {
    traceEvents: [
      ...threadOf(
        1,
        WORK.map(() => 1000),
      ),
      ...threadOf(2, []),
    ],
  },
  "of a page.json": {
    traceEvents: threadOf(
      1,
      WORK.map(() => 1000),
      "https://a.example/app.js",
    ),
  },
  "without its category.json": {
    traceEvents: [{ name: "RunTask", cat: "toplevel", ph: "X", pid: 1, tid: 1, ts: 1, dur: 9 }],
  },
  "of Hermes.json": {
    traceEvents: [],
    samples: [2, 3, 3].map((sf, i) => ({ sf, ts: String(1000 * i), tid: "1", cpu: "-1", weight: "1" })),
    stackFrames: {
      1: { name: "[root]" },
      2: { name: "main(app.js:1:1)", parent: 1 },
      3: { name: "work(app.js:2:1)", parent: 2 },
    },
  },
  "of two threads.pb": pprofOf([["samples", "count"], ["cpu", "nanoseconds"]], [2, 2e7], ["main", "worker"]), // biome-ignore format: pairs
  "of nanoseconds alone.pb": pprofOf([["cpu", "nanoseconds"]], [147_230_000]),
  "of objects.pb": pprofOf([["inuse_objects", "count"]], [3]),
};

const LINES = [
  ...ALL_LINES.filter(({ args }) => args.includes(LOG) && args[0] !== "live"),
  { args: ["check", LOG, "--max-self", "/./=1", "--format", "junit"], form: "text" },
  { args: ["export", LOG, "--format", "collapsed", "--redact", "-o", "-"], form: "text" },
] as typeof ALL_LINES;
/** No name here has such a word. */
const NO_VALUE = /\bNaN\b|Infinity|\bundefined\b|\[object /;

const folder = testFolder();

describe.each(Object.entries(KINDS))("a profile %s", (name, content) => {
  const path = join(folder, name);

  it("gets an answer from every command, in every form", { timeout: 600_000 }, async () => {
    writeFileSync(path, content instanceof Uint8Array ? content : JSON.stringify(content));
    for (const { args, form } of LINES) {
      const words = args.map((word) =>
        word === LOG ? path : word === "FUNCTION" || word === "a.js" ? "/./" : word,
      );
      const run = await capturedRun({ readCommandLine, runProgram, errorText }, words);
      const text = `${form === "bytes" ? "" : run.stdout}${run.stderr}`;
      expect({
        ...{
          args: args.join(" "),
          bug: run.bug,
          hasStatus: run.status <= 2,
          noValue: NO_VALUE.exec(text)?.[0],
        },
        fault: faultOfOutput(run, { args, form, status: run.status } as never),
      }).toEqual({
        args: args.join(" "),
        bug: undefined,
        hasStatus: true,
        noValue: undefined,
        fault: undefined,
      });
      // A command that does not fit says so in some lines, and writes nothing.
      if (run.status === 2 && args[0] !== "check")
        expect([args.join(" "), run.stdout.length]).toEqual([args.join(" "), 0]);
    }
  });
});
