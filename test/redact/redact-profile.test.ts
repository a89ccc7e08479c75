import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { EXPORTERS } from "../../src/exports/exporters.ts";
import { testFolder } from "../helpers/folder.ts";
import { field } from "../helpers/protobuf.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

/** No word of V8's or Node's has it, in whatever case. */
const SECRET = "Zqxsecret";
const KEPT = /qxsec/i;

/** Names of functions with a private word, in the forms that names have in profiles. */
const NAMES = [
  ...[SECRET, `get ${SECRET}`, `${SECRET}.prototype.run`, `Builtin: ${SECRET}`, `Builtin: Array${SECRET}`],
  ...[
    `RegExp: ${SECRET}`,
    `(${SECRET})`,
    `[${SECRET}]`,
    `wasm-function[1] ${SECRET}`,
    `js-to-wasm:${SECRET}`,
  ],
  ...[
    `${SECRET} native array.js`,
    `eval at ${SECRET}`,
    `(anonymous:L#1:C#2)${SECRET}`,
    `${SECRET}(/srv/a.js:1:1)`,
  ],
  ...[`a.js::${SECRET}#2`, `${SECRET} :1:5`, `BytecodeHandler: ${SECRET}`, `Stub: ${SECRET}IC`, `*${SECRET}`],
];

/** The same of files. What is called like a public library is one only in the logs of V8, which opened it. */
const FILES = [
  ...[
    "",
    SECRET,
    `/srv/${SECRET}/app.js`,
    `file:///srv/${SECRET}.js`,
    `node:${SECRET}`,
    `node:internal/${SECRET}`,
  ],
  ...[
    `https://${SECRET}.example/a.js?token=${SECRET}#${SECRET}`,
    `data:text/javascript,${SECRET}()`,
    `[${SECRET}]`,
  ],
  ...[
    `evalmachine.<${SECRET}>`,
    `webpack://${SECRET}/./src/a.ts`,
    `wasm://wasm/${SECRET}-12ab`,
    `C:\\${SECRET}\\a.js`,
  ],
  ...[
    `/srv/node_modules/@${SECRET}/${SECRET}/i.js`,
    `internal:${SECRET}`,
    `ext:${SECRET}/a.js`,
    `${SECRET}.js`,
  ],
  ...[
    "/usr/lib/libc.so.6",
    "[vdso]",
    "node",
    `/srv/${SECRET}/libc.so.6`,
    `/usr/lib/lib${SECRET}.so`,
    "/srv/bin/deno",
  ],
];

const FUNCTIONS = FILES.flatMap((url) => NAMES.map((functionName) => ({ functionName, url })));

const nodes = [
  { id: 1, callFrame: { functionName: "(root)", url: "", lineNumber: -1, columnNumber: -1 } },
  ...FUNCTIONS.map((one, i) => ({
    id: i + 2,
    parent: 1,
    deoptReason: SECRET,
    callFrame: {
      ...one,
      scriptId: SECRET,
      lineNumber: i % 3 === 0 ? -1 : i,
      columnNumber: i % 3 === 0 ? -1 : 0,
    },
  })),
];
const samples = nodes.slice(1).map(({ id }) => id);
const timeDeltas = samples.map(() => 1000);
const cpuProfile = {
  nodes,
  samples,
  timeDeltas,
  startTime: 0,
  endTime: 1000 * samples.length,
  title: SECRET,
};

const event = (name: string, args: object) => ({
  ...{ ph: "P", cat: SECRET, name, pid: 1, tid: 7, id: `0x${SECRET}`, scope: SECRET, args },
});
const TRACE = {
  metadata: { source: "DevTools", hostname: SECRET, [SECRET]: SECRET },
  traceEvents: [
    event("process_name", { name: SECRET }),
    event("thread_name", { name: `worker ${SECRET}` }),
    event(SECRET, { [SECRET]: SECRET, data: { url: SECRET } }),
    event("Profile", { data: { startTime: 0, title: SECRET } }),
    event("ProfileChunk", { data: { cpuProfile: { nodes, samples }, timeDeltas, source: SECRET } }),
    { ...event("thread_name", { name: SECRET }), tid: 8 },
    { ...event("CpuProfile", { data: { cpuProfile } }), tid: 8, id: 8 },
  ],
};

const HERMES = {
  traceEvents: [event("process_name", { name: SECRET }), event("thread_name", { name: SECRET })],
  samples: FUNCTIONS.map((_, i) => ({
    sf: i + 2,
    ts: String(1000 * i),
    cpu: SECRET,
    name: SECRET,
    tid: SECRET,
  })),
  stackFrames: Object.fromEntries([
    ["1", { name: "[root]", category: "root" }],
    ...FUNCTIONS.map(({ functionName, url }, i) => [
      String(i + 2),
      { name: `${functionName}(${url}:1:1)`, category: SECRET, line: "1", column: "1", parent: 1 },
    ]),
  ]),
};

/** A profile of several threads, and of functions of JavaScript, of libraries and without a mapping. */
function pprof(): Buffer {
  const words = [""];
  const text = (word: string) => words.push(word) - 1;
  const type = Buffer.concat([field(1, text("wall")), field(2, text("nanoseconds"))]);
  const label = (key: string, value: string) =>
    field(3, Buffer.concat([field(1, text(key)), field(2, text(value))]));
  const number = (key: string) =>
    field(3, Buffer.concat([field(1, text(key)), field(3, 5), field(4, text(SECRET))]));
  const libraries = ["[jit]", `/srv/${SECRET}.so`, "/usr/lib/libc.so.6", "[vdso]", "/usr/bin/node"];
  const parts = [
    field(1, type),
    ...libraries.map((path, i) =>
      field(3, Buffer.concat([field(1, i + 1), field(5, text(path)), field(6, text(SECRET))])),
    ),
    ...FUNCTIONS.flatMap(({ functionName, url }, i) => {
      const id = i + 1;
      const line = field(4, Buffer.concat([field(1, id), field(2, i % 2)]));
      const mapping = i % 4 === 0 ? [] : [field(2, 1 + (i % libraries.length))];
      const name = text(functionName);
      const start = i % 3;
      const labels = [
        ["thread name", `${SECRET} ${i % 3}`],
        ["thread id", SECRET],
        ["thread", `worker ${SECRET}`],
        ["log", `${SECRET}.log`],
        ["pid", SECRET],
        ["isolate", SECRET],
        ["state", SECRET],
        [SECRET, SECRET],
        ["span id", SECRET],
      ].slice(i % 3);
      return [
        field(
          5,
          Buffer.concat([field(1, id), field(2, name), field(3, name), field(4, text(url)), field(5, start)]),
        ),
        field(4, Buffer.concat([field(1, id), ...mapping, line])),
        field(
          2,
          Buffer.concat([
            ...[field(1, [id]), field(2, [1_000_000])],
            ...[...labels.map(([key, value]) => label(key!, value!)), number(SECRET)],
          ]),
        ),
      ];
    }),
    // Which frames to drop and to keep, the type of the period, comments, and where the documentation is.
    ...[field(7, text(SECRET)), field(8, text(SECRET)), field(11, type), field(12, 1_000_000)],
    ...[field(13, text(SECRET)), field(15, text(SECRET))],
  ];
  return Buffer.concat([...parts, ...words.map((word) => field(6, Buffer.from(word)))]);
}

const INPUTS: readonly (readonly [name: string, bytes: string | Uint8Array])[] = [
  [`CPU.20260101.120000.1.0.${SECRET}.cpuprofile`, JSON.stringify(cpuProfile)],
  [`${SECRET}.trace.json`, JSON.stringify(TRACE)],
  [`${SECRET}.hermes.json`, JSON.stringify(HERMES)],
  [`${SECRET}.pb.gz`, gzipSync(pprof())],
];

describe("a redacted profile", () => {
  const folder = testFolder();
  beforeAll(() => {
    mkdirSync(join(folder, SECRET));
    for (const [name, bytes] of INPUTS) writeFileSync(join(folder, SECRET, name), bytes);
  });
  const left = async (args: readonly string[]) => {
    const { status, stderr } = await warmTicks([...args, "--redact", "-o", "out"], { cwd: folder });
    expect([args.join(" "), status, stderr.includes("bug")]).toEqual([args.join(" "), 0, false]);
    const bytes = readFileSync(join(folder, "out"));
    const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("latin1");
    const at = text.search(KEPT);
    return at < 0 ? "" : `${args.join(" ")}: ${text.slice(Math.max(0, at - 80), at + 80)}`;
  };

  for (const [name] of INPUTS) {
    it(`has no private word in any export or page: ${name}`, async () => {
      const path = join(SECRET, name);
      for (const { name: format } of EXPORTERS) {
        const isUntimed = name.includes(".pb") && /cpuprofile|speedscope|chrome|gecko|timeline/.test(format);
        if (!isUntimed) expect(await left(["export", path, "--format", format])).toBe("");
      }
      expect(await left(["flame", path])).toBe("");
      expect(await left(["flame", path, "--", path])).toBe("");
    });
  }

  it("has a text as its key, too, that is too long for the name of a file", async () => {
    const args = ["export", join(SECRET, INPUTS[0]![0]), "--format", "collapsed"];
    expect(await left([...args, "--key", "k".repeat(300)])).toBe("");
  });

  it("keeps what V8 made up", async () => {
    const made = ["(program)", "(idle)", "(garbage collector)"];
    const callFrame = { url: "", lineNumber: -1, columnNumber: -1 };
    const profile = {
      nodes: made.map((functionName, id) => ({ id, callFrame: { ...callFrame, functionName } })),
      ...{ samples: [0, 1, 2], timeDeltas: [1, 1, 1] },
    };
    writeFileSync(join(folder, "made.cpuprofile"), JSON.stringify(profile));
    await warmTicks(["export", "made.cpuprofile", "--format", "cpuprofile", "--redact", "-o", "out"], {
      cwd: folder,
    });
    for (const name of made) expect(readFileSync(join(folder, "out"), "utf8")).toContain(`"${name}"`);
  });
});
