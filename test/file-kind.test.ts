import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { TicksError } from "../src/base/errors.ts";
import { EXPORTERS } from "../src/exports/exporters.ts";
import { binaryKindOf, fileKindOf, KIND_BYTES } from "../src/io/file-kind.ts";
import { openLog } from "../src/io/input.ts";
import { analyze } from "../src/load/analyze.ts";
import { feedLog } from "../src/load/log-feeder.ts";
import { LogParser } from "../src/log/parser.ts";
import { testFolder } from "./helpers/folder.ts";
import { chunksOf, logOf, NODE_26, profileOf } from "./helpers/logs.ts";

const folder = testFolder();

/** A file of which some bytes are given, at their offsets. */
function bytesAt(length: number, parts: Readonly<Record<number, string>>): Buffer {
  const bytes = Buffer.alloc(length);
  for (const [at, text] of Object.entries(parts)) bytes.write(text, Number(at), "latin1");
  return bytes;
}

const CALL_FRAME =
  '"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1}';

/** Files as their tools write them, and what is said of each: what it is, and what opens it. */
const FILES: readonly (readonly [name: string, content: string | Buffer, what: string, opens: string])[] = [
  [
    "CPU profile",
    `{"nodes":[{"id":1,${CALL_FRAME},"hitCount":0}]}`,
    "a CPU profile (.cpuprofile)",
    "ticks top",
  ],
  [
    "old CPU profile",
    '{"typeId":"CPU","head":{"functionName":"(root)","hitCount":0}}',
    "a CPU profile",
    "ticks top",
  ],
  [
    "pretty CPU profile",
    `{\n  "title": "x",\n  "nodes": [{${CALL_FRAME}, "hitCount": 0}]}`,
    "a CPU profile",
    "ticks record",
  ],
  [
    "list of CPU profiles",
    `[{"nodes":[{"id":1,${CALL_FRAME},"hitCount":0}]}]`,
    "a list of CPU profiles",
    "jq -c '.[]' FILE",
  ],
  [
    "Sentry",
    '{"samples":[{"stack_id":0,"thread_id":"0","elapsed_since_start_ns":"0"}],"stacks":[[0]],"frames":[]}',
    "a profile of Sentry",
    "node --cpu-prof app.js",
  ],
  [
    "Safari",
    '{"version":1,"recording":{"displayName":"Timeline Recording 1","startTime":0}}',
    "a timeline recording of Safari",
    "Web Inspector",
  ],
  [
    "Sentry, frames first",
    '{"event_id":"a","profile":{"frames":[{"function":"f","abs_path":"/a.js","lineno":3,"in_app":true}]}}',
    "a profile of Sentry",
    "node --cpu-prof app.js",
  ],
  [
    "Sentry, in chunks",
    '{"chunk_id":"a","profiler_id":"b","platform":"node","version":"2"}',
    "a profile of Sentry",
    "node --cpu-prof app.js",
  ],
  [
    "Safari, sorted",
    '{"overview":{"secondsPerPixel":1},"recording":{"instrumentTypes":["timeline-record-type-script"]}}',
    "a timeline recording of Safari",
    "Web Inspector",
  ],
  [
    "CPU profiles of VS Code",
    `[{"$vscode":{},"nodes":[{"id":1,${CALL_FRAME},"hitCount":0}]}]`,
    "a list of CPU profiles",
    "jq -c '.[]' FILE",
  ],
  [
    "speedscope, sorted",
    '{"exporter":"x","profiles":[{"type":"sampled","name":"a","unit":"ms"}],"shared":{}}',
    "a speedscope profile",
    "speedscope.app",
  ],
  [
    "gecko, as recorded",
    '{"libs":[],"meta":{"version":24,"interval":1,"sampleUnits":{"time":"ms"}},"threads":[]}',
    "a profile of the Firefox Profiler",
    "node --cpu-prof app.js",
  ],
  [
    "gecko, threads first",
    '{"threads":[{"name":"GeckoMain","stackTable":{"schema":{"prefix":0}}}],"meta":{}}',
    "a profile of the Firefox Profiler",
    "profiler.firefox.com",
  ],
  [
    "React DevTools",
    '{"version":5,"dataForRoots":[{"commitData":[]}]}',
    "a profile of React DevTools",
    "node --cpu-prof app.js",
  ],
  [
    "Self-Profiling",
    '{"resources":["https://a.example/a.js"],"frames":[{"name":"f","resourceId":0}],"samples":[]}',
    "a profile of the JS Self-Profiling API",
    "Performance panel",
  ],
  ["Lighthouse", '{"lighthouseVersion":"12.0.0"}', "a report of Lighthouse", "Performance panel"],
  [
    "Playwright",
    '{"version":8,"type":"context-options","browserName":"chromium"}\n{"type":"before"}\n',
    "a trace of Playwright",
    "show-trace",
  ],
  [
    "heap profile",
    `{"head":{${CALL_FRAME},"selfSize":0,"id":1}}`,
    "a heap profile (.heapprofile)",
    "needs a log",
  ],
  [
    "heap snapshot",
    '{"snapshot":{"meta":{"node_fields":["type"]}}}',
    "a heap snapshot or heap timeline",
    "bun --heap-prof calls it .heapprofile",
  ],
  [
    "profile in Markdown",
    "# CPU Profile\n\n| Duration | Samples |\n|---|---|\n| 9ms | 4 |\n",
    "a profile of Bun or Deno in Markdown",
    "--cpu-prof instead",
  ],
  [
    "heap profile in Markdown",
    "# Bun Heap Profile\n\nGenerated.\n",
    "a profile of Bun or Deno in Markdown",
    "as it is",
  ],
  [
    "preprocess",
    '{\n  "code": [],\n  "functions": [],\n  "ticks": [\n  ]}',
    "the JSON of --preprocess",
    "speedscope",
  ],
  ["VM symbols", '[\n["_init",8577024,8589312]]', "the C++ symbols of --serialize-vm-symbols", "the log"],
  ["trace", '{"traceEvents":[{"pid":1,"tid":1,"ts":1,"ph":"X"}]}', "a Chrome trace", "ticks top"],
  ["trace events", '[{"pid":1,"tid":1,"ts":1,"ph":"X"}]', "a Chrome trace", "ticks top"],
  ["sorted trace events", '[{"args":{"name":"main"},"ph":"M","pid":1}]', "a Chrome trace", "ticks top"],
  [
    "speedscope",
    '{"$schema":"https://www.speedscope.app/file-format-schema.json"}',
    "a speedscope profile",
    "speedscope.app",
  ],
  [
    "gecko",
    '{"meta":{"interval":1,"processType":0}}',
    "a profile of the Firefox Profiler",
    "profiler.firefox.com",
  ],
  [
    "report of ticks",
    '{"command":"top","version":"1","schemaVersion":1}',
    "a JSON report of ticks",
    "the log",
  ],
  ["source map", '{"version":3,"sources":[],"mappings":""}', "a source map", "the log"],
  ["diagnostic report", '{"header":{"reportVersion":3}}', "a diagnostic report of Node", "the log"],
  ["coverage", '{"result":[{"scriptId":"1"}]}', "a coverage report of V8", "c8"],
  ["package.json", '{"name":"x"}', "JSON", "the log"],
  [
    "prof-process",
    "Statistical profiling result from v8.log, (3 ticks).\n",
    "the text report of --prof-process",
    "the log",
  ],
  [
    "trace-opt",
    "[marking 0x1 <JSFunction f> for optimization]\n",
    "the text of V8's --trace-opt",
    "--log-deopt",
  ],
  [
    "perf map",
    "18c4000 300 Builtin:Abort\n18c4340 304 JS:*f /a.js:1:1\n18c",
    "a map of JIT code for Linux perf",
    "perf",
  ],
  [
    "perf script",
    "node  9921 14495.414389:     250000 cpu-clock:ppp: \n\t  15c78 main (/bin/x)\n",
    "the output of perf script",
    "firefox",
  ],
  ["perf script --header", "# ========\n# captured on    : Sun\n", "the output of perf script", "firefox"],
  [
    "perf report",
    "# To display the perf.data header info, please use\n",
    "the report of Linux perf",
    "as it is",
  ],
  ["collapsed", "main;f;g 3\nmain 1\n", "collapsed stacks", "flamegraph.pl"],
  ["callgrind", "# callgrind format\nversion: 1\n", "a callgrind profile", "KCachegrind"],
  ["symbols", "ticks-symbols 2 lines 165\n", "a file of saved symbols", "--symbols FILE LOG"],
  ["HTML", "<!-- x -->\n<!DOCTYPE html><p>", "an HTML page", "browser"],
  [
    "flame page",
    '<!doctype html>\n<html lang="en">\n<title>ticks flame</title>',
    "a flame graph page of ticks",
    "browser",
  ],
  ["SVG", '<?xml version="1.0"?>\n<svg xmlns="x">', "an SVG picture", "browser"],
  ["module", '// A comment.\nimport { x } from "y";\n', "JavaScript source", "node --prof FILE"],
  ["CommonJS", '"use strict";const a=require("b");\n', "JavaScript source", "node --prof FILE"],
  ["minified", "!function(){var e=1}();\n", "JavaScript source", "node --prof FILE"],
  ["ELF", bytesAt(64, { 0: "\x7fELF\x02\x01\x01" }), "an executable or a library", "isolate-0x"],
  ["Mach-O", bytesAt(32, { 0: "\xcf\xfa\xed\xfe" }), "an executable or a library", "isolate-0x"],
  [
    "fat Mach-O",
    bytesAt(32, { 0: "\xca\xfe\xba\xbe\0\0\0\x02" }),
    "an executable or a library",
    "isolate-0x",
  ],
  ["PE", bytesAt(256, { 0: "MZ\x90\0\x03", 128: "PE\0\0" }), "an executable or a library", "isolate-0x"],
  ["wasm", Buffer.from("\0asm\x01\0\0\0", "latin1"), "a WebAssembly module", "isolate-0x"],
  [
    "perf.data",
    bytesAt(104, { 0: "PERFILE2" }),
    "a recording of Linux perf (perf.data)",
    "perf report -i FILE",
  ],
  ["jitdump", bytesAt(40, { 0: "DTiJ" }), "code that V8 dumped", "perf inject"],
  ["zip", bytesAt(40, { 0: "PK\x03\x04" }), "a zip archive", "Unpack"],
  [
    "xz",
    Buffer.from("\xfd7zXZ\0", "latin1"),
    "compressed with xz",
    "Unpack it first: xz -dc FILE > UNPACKED",
  ],
  ["Parquet", bytesAt(40, { 0: "PAR1" }), "a Parquet table", "DuckDB"],
  [
    "pprof of Go",
    Buffer.from("\n\x04\x08\x01\x10\x02\n\x04\x08\x03\x10\x04", "latin1"),
    "a pprof profile",
    "ticks top",
  ],
  ["binary", Buffer.from("\x01\x02\0\x03", "latin1"), "a binary file", "isolate-0x"],
];

async function refusalOf(bytes: Uint8Array, name: string): Promise<TicksError> {
  writeFileSync(join(folder, name), bytes);
  const parser = new LogParser({ takeTicks() {}, takeRecord() {} }, { add() {} });
  const error: unknown = await feedLog(openLog(join(folder, name)), parser, name).catch((error) => error);
  if (!(error instanceof TicksError)) throw new Error(`${name} is read`);
  return error;
}

describe("a file that is not a log", () => {
  it.each(FILES)("is told what it is and what opens it: %s", async (_, content, what, opens) => {
    const bytes = Buffer.from(content);
    for (const [name, stored] of [
      ["x.log", bytes],
      ["x.log.gz", gzipSync(bytes)],
    ] as const) {
      const { code, message, hint } = await refusalOf(stored, name);
      expect([code, message]).toEqual(["NOT_A_LOG", expect.stringContaining(`${name} is ${what}`)]);
      expect(message).toMatch(/, not a V8 log$/);
      expect(hint).toContain(opens);
    }
  });

  it("is told in every format that this program exports", async () => {
    const code = "code-creation,JS,10,1,0x10000,65536,f /a.js:1:1,0x1,*";
    const caller = "code-creation,JS,10,1,0x30000,65536,g /a.js:2:1,0x2,*";
    const ticks = [1, 2, 3].map((i) => `tick,0x1000${i},${i}000,0,0x0,0,0x30001`);
    const log = logOf(...NODE_26, code, caller, ...ticks);
    const profile = await profileOf(log, { timeline: true });
    for (const exporter of EXPORTERS) {
      const parts: Buffer[] = [];
      for await (const chunk of exporter.export(profile)) parts.push(Buffer.from(chunk));
      const { message } = await refusalOf(Buffer.concat(parts), exporter.name);
      expect(message, exporter.name).toMatch(/ is an? .*, not a V8 log$| is collapsed stacks, not a V8 log$/);
      expect(message, exporter.name).not.toMatch(/ is (?:JSON|a binary file),/);
    }
  });

  it("is found out before its rows are read where it is an archive: a tar of logs would count as one log", async () => {
    const log = logOf(...NODE_26, "tick,0x1,1,0,0x0,0");
    const tar = Buffer.concat([bytesAt(512, { 0: "isolate.log", 257: "ustar" }), log]);
    const { message, hint } = await refusalOf(tar, "logs.tgz");
    expect(message).toBe("logs.tgz is a tar archive, not a V8 log");
    expect(hint).toBe("Unpack it, then name the logs or their folder.");
    expect((await refusalOf(gzipSync(tar), "logs.tgz")).message).toBe(message);
  });

  it("is a trace of Perfetto, in packets, and no other binary file", async () => {
    const packet = Buffer.from([0x0a, 5, 0x40, 0, 0x18, 1, 0x50]);
    const { message, hint } = await refusalOf(Buffer.concat([packet, packet, packet]), "a.pftrace");
    expect(message).toBe("a.pftrace is a trace of Perfetto in its binary form, not a V8 log");
    expect(hint).toContain("https://ui.perfetto.dev");
    const { message: other } = await refusalOf(Buffer.concat([packet, packet, Buffer.from("\0x")]), "a.bin");
    expect(other).toBe("a.bin is a binary file, not a V8 log");
  });

  it("is not compressed, though its name says so", async () => {
    const { message } = await refusalOf(Buffer.from("const a = 1;\n"), "a.log.gz");
    expect(message).toBe(
      "a.log.gz is JavaScript source, not a V8 log (and not compressed, as its name says)",
    );
  });

  it("is compressed twice", async () => {
    const log = logOf(...NODE_26, "tick,0x1,1,0,0x0,0");
    const { message, hint } = await refusalOf(gzipSync(gzipSync(log)), "a.log.gz.gz");
    expect(message).toBe("a.log.gz.gz is compressed twice, not a V8 log");
    expect(hint).toBe("Unpack it once, and name what comes out: the rest is read as it is.");
  });

  it("is not known where nothing tells", () => {
    for (const text of ["", "a,b\n", "Some prose, of a class.\n\nAnd more.", "\x89PNG\r\n"]) {
      expect(fileKindOf(Buffer.from(text, "latin1")), text).toBeUndefined();
    }
  });

  it("is told by so many bytes at most, in little time, whatever they are", () => {
    const far = Buffer.concat([Buffer.alloc(KIND_BYTES, "x\n"), Buffer.from('const a = "b";\n')]);
    expect(fileKindOf(far)).toBeUndefined();
    for (const text of ["<!--", "function ", '[["', "# ", '{"', "1 ", " ", "const\t", "a;", "\n\x08"]) {
      fileKindOf(Buffer.alloc(1 << 20, text));
      fileKindOf(Buffer.concat([Buffer.from(text), Buffer.alloc(1 << 20, " ")]));
    }
  });
});

describe("a log", () => {
  const log = logOf(...NODE_26, "tick,0x1,1,0,0x0,0");

  it("is read by its content: compressed without the name, or named so without being it", async () => {
    for (const [name, bytes] of [
      ["named.log.gz", log],
      ["packed.log", gzipSync(log)],
    ] as const) {
      writeFileSync(join(folder, name), bytes);
      expect((await analyze(openLog(join(folder, name)))).info).toMatchObject({ ticks: 1, diagnostics: [] });
    }
  });

  it("of any beginning but those of binaries is read", async () => {
    for (const junk of ["", "\n", "\n\n\n\n\n", "\0\0\0\0\n", "MZ\n", "{\n", "\n\x04\n", "PK\n"]) {
      const bytes = Buffer.concat([Buffer.from(junk), log]);
      expect(binaryKindOf(bytes), JSON.stringify(junk)).toBeUndefined();
      const { info } = await analyze(chunksOf(bytes));
      expect(info.ticks, JSON.stringify(junk)).toBe(1);
    }
  });
});
