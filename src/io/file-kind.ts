/** What a file is that is not a log. */
export interface FileKind {
  /** With its article: "a CPU profile (.cpuprofile)". */
  readonly what: string;
  /** What to do with it, in one sentence. */
  readonly hint: string;
}

/** How many of the first bytes of a file are looked at. */
export const KIND_BYTES = 1 << 14;
/** Lines that are looked at to tell formats that have no header. */
const SAMPLE_LINES = 50;

const NAME_THE_LOG = "Name the log that node --prof wrote, such as isolate-0x…-v8.log.";
const UNPACK = "Unpack it, then name the logs or their folder.";
const UNPACK_ONCE = "Unpack it once, and name what comes out: the rest is read as it is.";
const MAKE_AGAIN = "Name the log that it was made from.";
const IN_BROWSER = "Open it in a browser.";

const CPU_PROFILE: FileKind = {
  what: "a CPU profile (.cpuprofile)",
  hint: "ticks top and most other commands read it. This one needs a log: ticks record -- node app.js",
};
const HEAP_PROFILE: FileKind = {
  what: "a heap profile (.heapprofile)",
  hint: "ticks top and most other commands read it. This one needs a log: ticks record -- node app.js",
};
const TRACE: FileKind = {
  what: "a Chrome trace",
  hint: "ticks top and most other commands read its profiles. This one needs a log: ticks record -- node app.js",
};
const OR_RECORD = "or record one that ticks reads: node --cpu-prof app.js";
const EXECUTABLE: FileKind = { what: "an executable or a library", hint: NAME_THE_LOG };

/** The formats that their first bytes tell. */
const MAGIC: readonly (FileKind & { readonly bytes: string; readonly at?: number })[] = [
  // ELF, then Mach-O of each byte order and word size. Source: elf.h; mach-o/loader.h.
  { bytes: "\x7fELF", ...EXECUTABLE },
  { bytes: "\xfe\xed\xfa\xce", ...EXECUTABLE },
  { bytes: "\xfe\xed\xfa\xcf", ...EXECUTABLE },
  { bytes: "\xce\xfa\xed\xfe", ...EXECUTABLE },
  { bytes: "\xcf\xfa\xed\xfe", ...EXECUTABLE },
  { bytes: "\xca\xfe\xba\xbe\0\0\0", ...EXECUTABLE },
  { bytes: "\0asm", what: "a WebAssembly module", hint: NAME_THE_LOG },
  // Source: Linux, tools/perf/util/header.h and jitdump.h.
  {
    bytes: "PERFILE2",
    what: "a recording of Linux perf (perf.data)",
    hint: "Open it with: perf report -i FILE",
  },
  {
    bytes: "PERFFILE",
    what: "a recording of Linux perf (perf.data)",
    hint: "Open it with: perf report -i FILE",
  },
  {
    bytes: "DTiJ",
    what: "code that V8 dumped for Linux perf (jitdump)",
    hint: "It is read by: perf inject --jit",
  },
  {
    bytes: "JiTD",
    what: "code that V8 dumped for Linux perf (jitdump)",
    hint: "It is read by: perf inject --jit",
  },
  { bytes: "PK\x03\x04", what: "a zip archive", hint: UNPACK },
  { bytes: "PK\x05\x06", what: "an empty zip archive", hint: NAME_THE_LOG },
  { bytes: "ustar", at: 257, what: "a tar archive", hint: UNPACK },
  { bytes: "7z\xbc\xaf\x27\x1c", what: "a 7z archive", hint: UNPACK },
  { bytes: "Rar!\x1a\x07", what: "a rar archive", hint: UNPACK },
  { bytes: "\xfd7zXZ\0", what: "compressed with xz", hint: "Unpack it first: xz -dc FILE > UNPACKED" },
  { bytes: "BZh", what: "compressed with bzip2", hint: "Unpack it first: bzip2 -dc FILE > UNPACKED" },
  {
    bytes: "\x04\x22\x4d\x18",
    what: "compressed with lz4",
    hint: "Unpack it first: lz4 -dc FILE > UNPACKED",
  },
  { bytes: "\x1f\x8b", what: "compressed twice", hint: UNPACK_ONCE },
  { bytes: "\x28\xb5\x2f\xfd", what: "compressed twice", hint: UNPACK_ONCE },
  {
    bytes: "PAR1",
    what: "a Parquet table",
    hint: "Query it with DuckDB, Polars or pandas; fleet.sql of this package compares runs in it. ticks reads logs and pprof.",
  },
];

/** The formats that are JSON, by what stands at their beginning. */
const JSON_KINDS: readonly (FileKind & { readonly pattern: RegExp })[] = [
  {
    pattern: /^\{\s*"snapshot"\s*:\s*\{/,
    what: "a heap snapshot or heap timeline (.heapsnapshot, .heaptimeline)",
    hint: "Open it in the Memory panel of Chrome DevTools, as .heapsnapshot: bun --heap-prof calls it .heapprofile. For who allocates: ticks record --allocations -- node app.js",
  },
  {
    pattern:
      /"https:\/\/www\.speedscope\.app\/file-format-schema\.json"|^\{\s*"shared"\s*:\s*\{\s*"frames"|"type"\s*:\s*"(?:evented|sampled)"\s*,\s*"(?:name|unit)"/,
    what: "a speedscope profile",
    hint: `Open it in https://www.speedscope.app, ${OR_RECORD}`,
  },
  {
    pattern:
      /^\[\s*\{\s*"(?:nodes|typeId|head|startTime|endTime|samples|timeDeltas|id|result|profile|title|\$vscode)"\s*:[\s\S]*"(?:callFrame|functionName)"\s*:/,
    what: "a list of CPU profiles",
    hint: "ticks reads one in each file. Write them so: jq -c '.[]' FILE | split -l 1 --additional-suffix=.cpuprofile",
  },
  {
    // The frames of a profile may come first.
    pattern: /"(?:stack_id|thread_metadata|elapsed_since_start_ns|profiler_id|chunk_id|in_app)"\s*:/,
    what: "a profile of Sentry",
    hint: `Open it in Sentry, ${OR_RECORD}`,
  },
  {
    pattern: /^\{\s*"version"\s*:\s*\d+\s*,\s*"recording"\s*:|"recording"\s*:\s*\{|"timeline-record-type-/,
    what: "a timeline recording of Safari",
    hint: "Open it in the Timelines tab of Safari's Web Inspector (Import).",
  },
  { pattern: /"traceEvents"\s*:/, ...TRACE },
  { pattern: /^\[\s*\{[\s\S]*"ph"\s*:\s*"/, ...TRACE },
  { pattern: /^\{\s*"head"\s*:\s*\{\s*"callFrame"/, ...HEAP_PROFILE },
  { pattern: /"selfSize"\s*:/, ...HEAP_PROFILE },
  { pattern: /^\{\s*"nodes"\s*:\s*\[/, ...CPU_PROFILE },
  { pattern: /"hitCount"\s*:/, ...CPU_PROFILE },
  {
    pattern: /^\{\s*"code"\s*:\s*\[/,
    what: "the JSON of --preprocess",
    hint: "Open it in speedscope, or name the log that it was made from.",
  },
  {
    // Processed and as recorded, also of samply; its tables in any order.
    pattern:
      /^\{\s*"(?:meta|libs|threads|pages|counters|shared)"\s*:[\s\S]*"(?:processType|preprocessedProfileVersion|markerSchema|sampleUnits|stackTable|frameTable|breakpadId|stackwalk)"\s*:/,
    what: "a profile of the Firefox Profiler",
    hint: `Open it in https://profiler.firefox.com, ${OR_RECORD}`,
  },
  {
    pattern: /"dataForRoots"\s*:/,
    what: "a profile of React DevTools, which has no samples",
    hint: `Open it in React DevTools, ${OR_RECORD}`,
  },
  {
    pattern: /^\{\s*"resources"\s*:\s*\[[\s\S]*"(?:stackId|resourceId|frameId)"\s*:/,
    what: "a profile of the JS Self-Profiling API",
    hint: "Record one that ticks reads, in the Performance panel of DevTools.",
  },
  {
    pattern: /"lighthouseVersion"\s*:/,
    what: "a report of Lighthouse, which has no profile",
    hint: "Record one in the Performance panel of DevTools.",
  },
  {
    pattern: /^\{\s*"version"\s*:\s*\d+\s*,\s*"type"\s*:\s*"context-options"/,
    what: "a trace of Playwright, which has no profile",
    hint: "Open it with: npx playwright show-trace FILE",
  },
  {
    pattern: /^\{\s*"command"\s*:\s*"[a-z]+"\s*,\s*"version"\s*:[\s\S]*"schemaVersion"\s*:/,
    what: "a JSON report of ticks",
    hint: MAKE_AGAIN,
  },
  {
    pattern: /^\[\s*\[\s*"[^"\n]*"\s*,\s*\d+\s*,\s*\d+\s*\]/,
    what: "the C++ symbols of --serialize-vm-symbols",
    hint: MAKE_AGAIN,
  },
  { pattern: /"mappings"\s*:|^\{\s*"version"\s*:\s*3\b/, what: "a source map", hint: NAME_THE_LOG },
  { pattern: /"reportVersion"\s*:/, what: "a diagnostic report of Node", hint: NAME_THE_LOG },
  {
    pattern: /^\{\s*"result"\s*:\s*\[\s*\{\s*"scriptId"/,
    what: "a coverage report of V8",
    hint: "It is read by: npx c8 report",
  },
  { pattern: /^/, what: "JSON", hint: NAME_THE_LOG },
];

/** The formats that are text, by what stands at their beginning, or at that of a line. */
const TEXT_KINDS: readonly (FileKind & { readonly pattern: RegExp })[] = [
  {
    pattern: /^<!doctype html>[\s\S]*<title>ticks flame/i,
    what: "a flame graph page of ticks",
    hint: IN_BROWSER,
  },
  {
    pattern: /^(?:<!--[\s\S]*?-->\s*)?<(?:!doctype html|html|head|body)\b/i,
    what: "an HTML page",
    hint: IN_BROWSER,
  },
  {
    pattern: /^(?:<\?xml[^>]*>\s*)?(?:<!(?:--|DOCTYPE svg)[^>]*>\s*)*<svg\b/i,
    what: "an SVG picture",
    hint: IN_BROWSER,
  },
  {
    pattern: /^Statistical profiling result from /m,
    what: "the text report of --prof-process or ticks",
    hint: "Read it as it is, or name the log that it was made from.",
  },
  {
    pattern: /^# (?:CPU Profile\n+\| Duration|Bun Heap Profile\n)/,
    what: "a profile of Bun or Deno in Markdown",
    hint: "Read it as it is, or record one that ticks reads: --cpu-prof instead of --cpu-prof-md.",
  },
  {
    pattern: /^ticks-symbols \d/,
    what: "a file of saved symbols",
    hint: "Use it with: ticks process --symbols FILE LOG",
  },
  {
    pattern: /^# callgrind format|^version: 1\ncreator: /,
    what: "a callgrind profile",
    hint: "Open it in KCachegrind or QCachegrind; ticks reads logs of node --prof.",
  },
  {
    pattern: /^# To display the perf\.data header info/,
    what: "the report of Linux perf",
    hint: "Read it as it is; ticks reads logs of node --prof.",
  },
  {
    // The header, or `node  9921 14495.414389:     250000 cpu-clock:ppp:`.
    pattern: /^(?:# ={8}\n# captured on|[^\n,]{1,80} \d{1,12}\.\d{6,9}: )/,
    what: "the output of perf script",
    hint: "Open it in https://profiler.firefox.com or speedscope; ticks reads logs of node --prof.",
  },
  {
    pattern:
      /^\[(?:marking|manually marking|compiling method|completed (?:compiling|optimizing)|bailout|deoptimizing) /m,
    what: "the text of V8's --trace-opt or --trace-deopt",
    hint: "Record a log with: node --prof --log-deopt app.js",
  },
];

const SOURCE: FileKind = {
  what: "JavaScript source",
  hint: "Record a log of it with: node --prof FILE (it writes isolate-0x…-v8.log)",
};
/** Statements with which lines of JavaScript begin, minified too. */
const SOURCE_LINE =
  /^(?:#!.*\b(?:node|deno|bun|tsx)\b|["']use strict["']|import\s{1,9}(?:[\w*{]|["'])|export\s{1,9}(?:default|const|let|var|function|class|async|type|interface|\{|\*)|(?:const|let|var)\s{1,9}[\w${[]|(?:async\s{1,9})?function\b[\s*]{0,9}\w{0,99}\s{0,9}\(|class\s{1,9}\w{1,99}\s{0,9}(?:\{|extends\b)|module\.exports\b|exports\.|require\(|[!;(]{0,9}(?:function\s{0,9}\(|\(\)\s*=>))/m;

const PERF_MAP_LINE = /^(?:0x)?[\da-f]{1,16} [\da-f]{1,16} \S/i;
const COLLAPSED_LINE = /^\S.* \d+$/;

/** Returns what a file is whose first bytes no log can begin with; undefined for all others. */
export function binaryKindOf(head: Uint8Array): FileKind | undefined {
  const found = MAGIC.find(({ bytes, at = 0 }) => hasBytes(head, bytes, at));
  if (found !== undefined) return found;
  if (hasBytes(head, "MZ", 0) && head.subarray(0, 64).includes(0)) return EXECUTABLE; // PE, after its MS-DOS stub.
  return isPprof(head) ? PPROF : undefined;
}

/**
 * Returns what a file is in which no row of a log was found, by its first bytes, decompressed: at most
 * {@link KIND_BYTES} of them are looked at. Undefined if that is not known.
 */
export function fileKindOf(bytes: Uint8Array): FileKind | undefined {
  const head = bytes.subarray(0, KIND_BYTES);
  const binary = binaryKindOf(head);
  if (binary !== undefined) return binary;
  if (head.includes(0)) return isPerfetto(head) ? PERFETTO : { what: "a binary file", hint: NAME_THE_LOG };
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString("latin1").trimStart();
  if (/^(?:\{\s*["}]|\[\s*[[{"\]\d-])/.test(text))
    return JSON_KINDS.find(({ pattern }) => pattern.test(text));
  return (
    TEXT_KINDS.find(({ pattern }) => pattern.test(text)) ??
    lineKindOf(text) ??
    (SOURCE_LINE.test(text) ? SOURCE : undefined)
  );
}

/** Tells formats that are lines of one form, without a header. */
function lineKindOf(text: string): FileKind | undefined {
  const lines = text.split("\n", SAMPLE_LINES + 1);
  // The last one may be cut.
  const whole = lines.length > 1 ? lines.slice(0, -1) : lines;
  if (whole.every((line) => PERF_MAP_LINE.test(line))) {
    return {
      what: "a map of JIT code for Linux perf (perf-PID.map)",
      hint: "perf reads it beside perf.data; ticks reads logs of node --prof.",
    };
  }
  if (whole.every((line) => COLLAPSED_LINE.test(line)) && whole.some((line) => line.includes(";"))) {
    return {
      what: "collapsed stacks",
      hint: "Open them in speedscope or flamegraph.pl; ticks reads logs of node --prof.",
    };
  }
  return undefined;
}

const PPROF: FileKind = {
  what: "a pprof profile",
  hint: "ticks top and most other commands read it. This one needs a log: ticks record -- node app.js",
};
/**
 * By number, from 1 on: what each field of a pprof profile is. A message is given by the tags that it can begin with.
 * Source: pprof, proto/profile.proto.
 */
const PPROF_FIELDS: readonly ("number" | "text" | "numbers" | readonly number[])[] = [
  "number", // There is no field 0.
  [0x08, 0x10],
  [0x08, 0x0a, 0x10, 0x12, 0x1a],
  [0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x40, 0x48, 0x50],
  [0x08, 0x10, 0x18, 0x22, 0x28],
  [0x08, 0x10, 0x18, 0x20, 0x28],
  "text",
  "number",
  "number",
  "number",
  "number",
  [0x08, 0x10],
  "number",
  "numbers",
  "number",
  "number",
];
const MOST_VARINT_BYTES = 10;

/**
 * Returns whether a file begins like a pprof profile, with its fields in any order: Go writes the time first. All fields of its first
 * bytes must be such as one has; there are at least two, and one that is no number.
 */
export function isPprof(head: Uint8Array): boolean {
  let [at, fields, parts] = [0, 0, 0];
  const number = () => {
    let value = 0;
    for (let i = 0; i < MOST_VARINT_BYTES; i++) {
      const byte = head[at++];
      if (byte === undefined) return undefined;
      value += (byte & 0x7f) * 128 ** i;
      if (byte < 0x80) return value;
    }
    return Number.NaN;
  };
  while (at < head.length) {
    const tag = head[at++]!;
    const kind = PPROF_FIELDS[tag >> 3];
    const isNumber = (tag & 7) === 0;
    if (tag < 8 || kind === undefined || !(isNumber || (tag & 7) === 2)) return false;
    if (isNumber !== (kind === "number") && kind !== "numbers") return false;
    const value = number();
    if (value === undefined) break; // The file goes on.
    if (Number.isNaN(value)) return false;
    fields++;
    if (isNumber) continue;
    if (Array.isArray(kind) && value > 0 && at < head.length && !kind.includes(head[at]!)) return false;
    parts++;
    at += value;
  }
  return fields > 1 && parts > 0;
}

const PERFETTO: FileKind = {
  what: "a trace of Perfetto in its binary form",
  hint: "Open it in https://ui.perfetto.dev, or record one that ticks reads in the Performance panel of DevTools.",
};
/** The packets that are looked at, and how many there are at least. */
const PACKETS = 8;
const LEAST_PACKETS = 3;
const PACKET_TAG = 0x0a;

/**
 * Returns whether a binary file begins with packets, one after the other, and has nothing else.
 * Source: Perfetto, protos/perfetto/trace/trace.proto.
 */
function isPerfetto(head: Uint8Array): boolean {
  let [at, packets] = [0, 0];
  while (packets < PACKETS && at < head.length) {
    if (head[at++] !== PACKET_TAG) return false;
    let [length, shift] = [0, 1];
    for (let byte = 0x80; byte >= 0x80 && shift < 2 ** 35; shift *= 128) {
      byte = head[at++] ?? 0;
      length += (byte & 0x7f) * shift;
    }
    packets++;
    at += length;
  }
  return packets >= LEAST_PACKETS;
}

function hasBytes(head: Uint8Array, bytes: string, at: number): boolean {
  for (let i = 0; i < bytes.length; i++) if (head[at + i] !== bytes.charCodeAt(i)) return false;
  return true;
}
