import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { Profile as PprofProfile, StringTable } from "pprof-format";
import { describe, expect, it } from "vitest";
import { readCommandLine } from "../../src/cli/arguments.ts";
import { runProgram } from "../../src/cli/program.ts";
import { errorText } from "../../src/cli/usage/error-text.ts";
import { EXPORTERS } from "../../src/exports/exporters.ts";
import { capturedRun } from "../helpers/captured-run.mjs";
import { testFolder } from "../helpers/folder.ts";

let count = 0;
/** A word that nobody else has, each time another. */
const secret = () => `Zqx${count++}secret`;
const PRIVATE = /qx\d+sec/i;

const callFrame = (more: object = {}) => ({
  ...{ functionName: secret(), scriptId: secret(), url: `file:///${secret()}/${secret()}.js` },
  ...{ lineNumber: 4, columnNumber: 2, [secret()]: secret() },
  ...more,
});

/** Nodes with a private word in each field, also in such as V8 does not write. */
const nodes = () => [
  { id: 1, callFrame: callFrame({ functionName: "(root)" }), children: [2, 3, 4, 5, 6, 7] },
  {
    id: 2,
    callFrame: callFrame(),
    positionTicks: [{ line: 5, ticks: 2 }],
    deoptReason: secret(),
    bailoutReason: secret(),
    [secret()]: secret(),
  },
  { id: 3, callFrame: callFrame({ functionName: "(idle)" }) },
  { id: 4, callFrame: callFrame({ url: secret() }) },
  { id: 5, callFrame: callFrame({ url: "" }) },
  {
    id: 6,
    callFrame: callFrame({ functionName: "", url: `webpack://${secret()}/./${secret()}.ts?${secret()}` }),
  },
  {
    id: 7,
    callFrame: callFrame({
      functionName: `get ${secret()}.${secret()} [as ${secret()}]`,
      url: `node:${secret()}`,
    }),
  },
];
const SAMPLES = [2, 2, 3, 4, 5, 6, 7];
const TIMES = [0, 1000, 5000, 1000, 1000, 1000, 1000];

const cpuProfile = () => ({
  ...{ nodes: nodes(), startTime: 1000, endTime: 19_000, samples: SAMPLES, timeDeltas: TIMES },
  ...{ title: secret(), typeId: secret(), [secret()]: secret() },
  $vscode: { rootPath: secret(), locations: [secret()] },
});

const event = (name: string, args: object, more: object = {}) => ({
  ...{ name, args, pid: 1, tid: 2, ts: 1, ph: "P", id: "0x1" },
  cat: `disabled-by-default-v8.cpu_profiler,${secret()}`,
  ...more,
});
const named = (name: string, tid: number) =>
  event(name, { name: secret(), labels: secret() }, { ph: "M", cat: "__metadata", tid });
const trace = () => ({
  traceEvents: [
    ...["process_name", "process_labels", "thread_name"].map((name) => named(name, 2)),
    named("thread_name", 3),
    event(secret(), { data: { url: secret(), frame: secret() } }, { ph: "X", cat: "devtools.timeline" }),
    ...[2, 3].flatMap((tid) => [
      event("Profile", { data: { startTime: 1000, [secret()]: secret() } }, { tid, id: `0x${tid}` }),
      event(
        "ProfileChunk",
        {
          data: {
            cpuProfile: {
              nodes: nodes().map(({ children: _, ...node }) =>
                node.id === 1 ? node : { ...node, parent: 1 },
              ),
              samples: SAMPLES,
            },
            timeDeltas: TIMES,
          },
        },
        { tid, id: `0x${tid}` },
      ),
    ]),
  ],
  metadata: { [secret()]: secret(), "command-line": secret() },
});
const wholeEvent = () => [event("CpuProfile", { data: { cpuProfile: cpuProfile() } }, { ph: "I" })];

function pprofOf(types: readonly (readonly [string, string])[]): Uint8Array {
  const strings = new StringTable();
  const text = (word: string) => strings.dedup(word);
  const [type, unit] = types.at(-1)!;
  return new PprofProfile({
    sampleType: types.map(([one, its]) => ({ type: text(one), unit: text(its) })),
    sample: [1, 2, 3].map((id) => ({
      locationId: [id, (id % 3) + 1],
      value: types.map(() => 10_000_000 * id),
      label: [
        { key: text("thread"), str: text(secret()) },
        { key: text(secret()), str: text(secret()) },
        { key: text(secret()), num: 5, numUnit: text(secret()) },
      ],
    })),
    mapping: [
      {
        ...{ id: 1, memoryStart: 4096, memoryLimit: 8192 },
        ...{ filename: text(`/${secret()}/${secret()}.so`), buildId: text(secret()) },
      },
    ],
    location: [1, 2, 3].map((id) => ({
      ...{ id, mappingId: 1, address: 4096 + id },
      line: id === 3 ? [] : [{ functionId: id, line: id }],
    })),
    function: [1, 2].map((id) => ({
      ...{ id, name: text(secret()), systemName: text(secret()) },
      ...{ filename: text(`/srv/${secret()}.js`), startLine: id },
    })),
    ...{ dropFrames: text(secret()), keepFrames: text(secret()), comment: [text(secret())] },
    ...{ period: 10_000_000, timeNanos: 5000, durationNanos: 90_000_000 },
    periodType: { type: text(type), unit: text(unit) },
    stringTable: strings,
  }).encode();
}

const heapProfile = () => ({
  head: {
    ...{ id: 1, selfSize: 0, callFrame: callFrame({ functionName: "(root)" }) },
    children: [
      {
        ...{ id: 2, selfSize: 4096, callFrame: callFrame() },
        children: [{ id: 3, selfSize: 99, callFrame: callFrame({ url: "" }), children: [] }],
      },
    ],
  },
  samples: [
    { size: 4096, nodeId: 2, ordinal: 1 },
    { size: 99, nodeId: 3, ordinal: 2 },
  ],
  [secret()]: secret(),
});

/** A log with a private word in each field that holds text, also in rows that V8 does not write. */
const LOG = `v8-version,12,4,254,21,-${secret()},0
v8-platform,linux,${secret()}
shared-library,/${secret()}/node,0x1000,0x9000,0
shared-library,/${secret()}/lib${secret()}.so,0xa000,0xb000,0
code-creation,JS,10,1,0x20000,100,${secret()} file:///${secret()}/${secret()}.js:1:1,0x30000,~
code-creation,JS,10,1,0x20100,100,get ${secret()} /srv/node_modules/@${secret()}/${secret()}/x.js:2:3,0x30010,*
code-creation,Builtin,2,1,0x20200,100,${secret()}
code-creation,RegExp,3,1,0x20300,100,${secret()}
code-creation,Function,0,1,0x20400,100,wasm-function[1] ${secret()}
code-creation,${secret()},0,1,0x20500,100,${secret()}
script-source,5,file:///${secret()}/${secret()}.js,let ${secret()} = "${secret()}"; // ${secret()}\\n//# source${"MappingURL"}=${secret()}.map
code-source-info,0x20000,5,0,22,C0O0C4O12,,${secret()}
code-deopt,950,64,0x20100,-1,3,${secret()},</${secret()}/${secret()}.js:1:3> inlined at <${secret()}:1:1>,${secret()}
LoadIC,0x20010,950,1,2,0,1,0x1,${secret()},${secret()},${secret()}
${secret()},${secret()},0x1
tick,0x20010,1000,0,0x0,0
tick,0x20110,2000,0,0x0,0,0x20010
tick,0x20210,3000,0,0x0,0,0x20110,0x20010
tick,0x20310,4000,0,0x0,0,0x20110
tick,0x20410,5000,0,0x0,0
tick,0x20510,6000,0,0x0,0
tick,0x1100,7000,0,0x0,0,0x20010
tick,0xa100,8000,1,0x20210,4,0x20010,${secret()}
${secret()}`;

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const CPU = [
  ["samples", "count"],
  ["cpu", "nanoseconds"],
] as const;
const PROFILES: readonly (readonly [kind: string, name: string, bytes: Uint8Array])[] = [
  ["a CPU profile", `${secret()}.cpuprofile`, json(cpuProfile())],
  ["a trace", `${secret()}.json`, json(trace())],
  ["a whole profile in a trace", `${secret()}.json`, json(wholeEvent())],
  ["pprof", `${secret()}.pb`, pprofOf(CPU)],
  ["pprof, compressed", `${secret()}.pb.gz`, gzipSync(pprofOf(CPU))],
  ["pprof of private types", `${secret()}.pb`, pprofOf([["samples", "count"], [secret(), "nanoseconds"]])], // biome-ignore format: pairs
  ["pprof of memory", `${secret()}.pb`, pprofOf([["inuse_objects", "count"], ["inuse_space", "bytes"]])], // biome-ignore format: pairs
  ["a heap profile", `${secret()}.heapprofile`, json(heapProfile())],
];

const folder = testFolder();

function run(args: readonly string[]) {
  return capturedRun({ readCommandLine, runProgram, errorText }, args);
}

/** Returns what is private in an output, and around it: in what it holds compressed, too. */
function leaksIn(bytes: Buffer): string[] {
  const isPacked = (some: Uint8Array) => some[0] === 0x1f && some[1] === 0x8b;
  if (isPacked(bytes)) return leaksIn(gunzipSync(bytes));
  const text = bytes.toString("latin1");
  const at = text.search(PRIVATE);
  const parts = Array.from(text.matchAll(/[A-Za-z0-9+/]{40,}={0,2}/g), ([part]) =>
    Buffer.from(part, "base64"),
  );
  return [
    ...(at < 0 ? [] : [text.slice(Math.max(0, at - 60), at + 60)]),
    ...parts.filter(isPacked).flatMap(leaksIn),
  ];
}

describe.each([...PROFILES, ["a log", `${secret()}.log`, Buffer.from(LOG)]] as const)(
  "of %s",
  (kind, name, bytes) => {
    const path = join(folder, name);

    it("no export and no page has a private word", async () => {
      writeFileSync(path, bytes);
      const lines = [
        ...EXPORTERS.map((one) => ["export", path, "--format", one.name, "--redact", "-o", "-"]),
        ["flame", path, "--redact", "-o", "-"],
        ["flame", path, "--", path, "--redact", "-o", "-"],
      ];
      let written = 0;
      for (const args of lines) {
        const { stdout, bug } = await run(args);
        expect([args[3], bug, leaksIn(stdout)]).toEqual([args[3], undefined, []]);
        if (stdout.length > 0) written++;
      }
      expect(written).toBeGreaterThan(3);
      const plain = await run(["export", path, "--format", "collapsed", "-o", "-"]);
      expect(leaksIn(plain.stdout)).not.toEqual([]);
    });

    it.runIf(kind === "a log")("ticks redact leaves no private word", async () => {
      writeFileSync(path, bytes);
      const output = join(folder, "redacted.log");
      expect(await run(["redact", path, "-o", output])).toMatchObject({ status: 0, bug: undefined });
      expect(leaksIn(readFileSync(output))).toEqual([]);
    });

    it.runIf(kind !== "a log")(
      "ticks redact says what it is, and what to do, and writes nothing",
      async () => {
        writeFileSync(path, bytes);
        const output = join(folder, "redacted");
        const { status, stderr } = await run(["redact", path, "-o", output]);
        expect([status, existsSync(output)]).toEqual([2, false]);
        expect(stderr).toMatch(
          /is a [\w ]*(?:profile|trace): ticks redact reads logs\nRedact an export of it: ticks export .* --redact\n/,
        );
      },
    );
  },
);

it("a redacted folder has no private word in its files and their names, and none of it if it fails", async () => {
  const from = join(folder, secret());
  mkdirSync(from);
  for (const number of [1, 2]) {
    const log = join(from, `${secret()}-isolate0x1${number}-123${number}-v8.log`);
    writeFileSync(log, LOG);
  }
  writeFileSync(
    join(from, "app.js.map"),
    JSON.stringify({ version: 3, sources: [secret()], sourcesContent: [secret()] }),
  );
  const fields = Object.fromEntries(
    [secret(), "name", "cpu", "platform", "arch", "node", "v8", "signal"].map((key) => [key, secret()]),
  );
  const recorded = {
    ...{ ...fields, command: ["node", secret()], cwd: `/${secret()}`, flags: [`--${secret()}`] },
    ...{
      machine: { ...fields, cpus: 2 },
      labels: { [secret()]: secret() },
      outcome: fields,
      versions: fields,
    },
    processes: [{ ...fields, pid: 1231, command: [secret()], workers: [{ thread: 1, name: secret() }] }],
  };
  writeFileSync(join(from, "record.json"), JSON.stringify({ command: "record", ...fields, recorded }));
  writeFileSync(join(from, "process-1231.map"), `1000-9000 r-xp 0 00:00 0 /${secret()}/${secret()}.so\n`);
  const to = join(folder, "out");
  expect(await run(["redact", from, "-o", to])).toMatchObject({ status: 0, bug: undefined });
  const names = readdirSync(to, { recursive: true }) as string[];
  expect(names.filter((name) => name.endsWith(".log"))).toHaveLength(2);
  for (const name of names)
    expect([PRIVATE.test(name), leaksIn(readFileSync(join(to, name)))]).toEqual([false, []]);

  writeFileSync(join(from, "record.json"), "{");
  expect(await run(["redact", from, "-o", join(folder, "half")])).toMatchObject({
    status: 2,
    bug: undefined,
  });
  expect(existsSync(join(folder, "half"))).toBe(false);
});
