import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Profile as PprofProfile, StringTable } from "pprof-format";
import { expect, it } from "vitest";
import { readCommandLine } from "../../src/cli/arguments.ts";
import { runProgram } from "../../src/cli/program.ts";
import { errorText } from "../../src/cli/usage/error-text.ts";
import { EXPORTERS } from "../../src/exports/exporters.ts";
import { capturedRun } from "../helpers/captured-run.mjs";
import { ALL_LINES, faultOfOutput, LOG } from "../helpers/command-lines.mjs";
import { testFolder } from "../helpers/folder.ts";

/** How far apart the cuts are, in bytes. 1 tries them all, with all commands in turn; it takes some minutes. */
const STEP = Number(process.env.TICKS_CUT_STEP ?? 37);

const callFrame = (functionName: string, lineNumber: number) => ({
  ...{ functionName, scriptId: "1", url: "file:///srv/a.js" },
  ...{ lineNumber, columnNumber: 2 },
});
const NODES = [
  { id: 1, callFrame: callFrame("(root)", -1), children: [2, 3] },
  { id: 2, callFrame: callFrame("work", 4), positionTicks: [{ line: 5, ticks: 2 }] },
  { id: 3, callFrame: callFrame("(idle)", -1) },
];
const TIMES = { startTime: 1000, endTime: 9000, samples: [2, 2, 3, 2], timeDeltas: [0, 1000, 5000, 1000] };
const event = (name: string, data: object) => ({
  ...{ name, id: "0x1", ph: "P", pid: 1, tid: 2, ts: 1, cat: "disabled-by-default-v8.cpu_profiler" },
  args: { data },
});
const TRACE = [
  event("Profile", { startTime: 1000 }),
  event("ProfileChunk", {
    cpuProfile: { nodes: NODES.slice(0, 2).map(({ children: _, ...node }) => node), samples: [2, 2] },
    timeDeltas: [1000, 1000],
  }),
  event("ProfileChunk", { endTime: 9000 }),
];

function pprofOf(types: readonly (readonly [string, string])[]): Uint8Array {
  const strings = new StringTable();
  const text = (word: string) => strings.dedup(word);
  return new PprofProfile({
    sampleType: types.map(([type, unit]) => ({ type: text(type), unit: text(unit) })),
    sample: [
      { locationId: [1, 2], value: [2, 20_000_000], label: [{ key: text("thread"), str: text("main") }] },
      { locationId: [2], value: [1, 10_000_000], label: [{ key: text("thread"), str: text("other") }] },
    ],
    mapping: [{ id: 1, memoryStart: 4096, memoryLimit: 8192, filename: text("/usr/bin/server") }],
    location: [1, 2].map((id) => ({
      id,
      mappingId: 1,
      address: 4096 + id,
      line: [{ functionId: id, line: id }],
    })),
    function: [1, 2].map((id) => ({ id, name: text(`f${id}`), filename: text("/srv/a.js"), startLine: id })),
    periodType: { type: text(types[1]![0]), unit: text(types[1]![1]) },
    period: 10_000_000,
    timeNanos: 5,
    durationNanos: 40_000_000,
    stringTable: strings,
  }).encode();
}

const TIME = pprofOf([["samples", "count"], ["cpu", "nanoseconds"]]); // biome-ignore format: pairs
const SPACE = pprofOf([["inuse_objects", "count"], ["inuse_space", "bytes"]]); // biome-ignore format: pairs
const HEAP = {
  head: {
    ...{ id: 1, selfSize: 0, callFrame: callFrame("(root)", -1) },
    children: [{ id: 2, selfSize: 4096, callFrame: callFrame("make", 4), children: [] }],
  },
  samples: [{ size: 4096, nodeId: 2, ordinal: 1 }],
};
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

const FILES: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ["a.cpuprofile", json({ nodes: NODES, ...TIMES })],
  ["a.cpuprofile.gz", gzipSync(json({ nodes: NODES, ...TIMES }))],
  ["a.json", json(TRACE)],
  ["whole.json", json({ traceEvents: TRACE })],
  ["time.pb", TIME],
  ["time.pb.gz", gzipSync(TIME)],
  ["space.pb", SPACE],
  ["space.pb.gz", gzipSync(SPACE)],
  ["a.heapprofile", json(HEAP)],
];
const COMMANDS = [
  ...ALL_LINES,
  ...EXPORTERS.map(({ name }) => ({
    args: ["export", LOG, "--format", name, "--redact", "-o", "-"],
    form: "bytes" as const,
  })),
  { args: ["redact", LOG, "-o", "-"], form: "bytes" as const },
];

const folder = testFolder();

async function run(args: readonly string[]) {
  return capturedRun({ readCommandLine, runProgram, errorText }, args);
}

it.each(FILES)("%s, cut anywhere, is read, or refused in one sentence", async (name, bytes) => {
  const path = join(folder, name);
  const faults: string[] = [];
  let turn = name.length;
  for (let cut = 0; cut <= bytes.length; cut += STEP) {
    writeFileSync(path, bytes.subarray(0, cut));
    for (const { args, form } of [COMMANDS[0]!, COMMANDS[turn++ % COMMANDS.length]!]) {
      const words = args.map((word) => (word === LOG ? path : word === "FUNCTION" ? "work" : word));
      const made = await run(words);
      const fault =
        (made.bug as Error | undefined)?.stack ?? faultOfOutput(made, { form, status: made.status });
      const isSilent = made.status === 2 && made.stderr === "";
      if (fault !== undefined || isSilent || ![0, 1, 2].includes(made.status))
        faults.push(`${cut} of ${bytes.length}, ${args.join(" ")}: ${made.status} ${fault} ${made.stderr}`);
    }
  }
  expect(faults).toEqual([]);
});
