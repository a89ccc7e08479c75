import { columnOf, marksOf } from "../base/columns.js";
import { Numbers } from "../base/maps.js";
import { PairNumbers } from "../base/pair-numbers.js";
import { cutName, jsonText } from "../base/shown-text.js";
import type { Micros, Ticks } from "../base/units.js";
import { FunctionTable, type ProfiledFunction } from "../facts/function-table.js";
import { fileName } from "../facts/origin.js";
import { ROOT } from "../profile/call-tree.js";
import { type Category, categoryOfCode, categoryRow, FIREFOX_COLORS } from "../profile/categories.js";
import { validPosition } from "../profile/clamped-numbers.js";
import { isInlined, type JsFrame, TIERS } from "../profile/frame.js";
import type { LibraryInfo, Profile, ProfileInfo } from "../profile/profile.js";
import { tickInterval } from "../profile/sampling.js";
import { hasCrankshaft } from "../profile/v8-era.js";
import { isIdle, type VmState, vmState } from "../profile/vm-state.js";
import { type ExportOptions, exportClock, factsOf, fileUrl } from "./export-options.js";
import { type ExportStacks, exportStacks } from "./export-stacks.js";
import { jsonColumn, jsonList, jsonNumbers } from "./json-text.js";
import {
  type DeoptEvent,
  deoptEvents,
  type GcSpans,
  gcSpans,
  IDLE,
  runsOverTime,
  type ThreadTicks,
  threadTicks,
  ticksOverTime,
  timeNote,
} from "./ticks-over-time.js";

/** The subcategories of JavaScript: the tiers, in their order, and functions that the sampler skipped. */
const JS_PARTS = ["Ignition", "Sparkplug", "TurboProp", "Maglev", "TurboFan", "Inferred"];

/** A kind of frame with its colour in Firefox. The first subcategory stands for the kind itself. */
interface FirefoxRow {
  readonly name: string;
  readonly color: string;
  readonly subcategories: readonly string[];
}

/** Firefox's categories, with the tiers of JavaScript. */
const FIREFOX: readonly FirefoxRow[] = Object.entries(FIREFOX_COLORS).map(([name, color]) => ({
  name,
  color,
  subcategories: ["Other", ...(name === categoryRow("js").firefox ? JS_PARTS : [])],
}));

/** Returns the categories, with the tiers that the V8 of these logs had. */
function categoriesOf(info: Pick<ProfileInfo, "v8" | "isUnversioned">): readonly FirefoxRow[] {
  if (!hasCrankshaft(info)) return FIREFOX;
  const old = new Map([
    ["Ignition", "full-codegen"],
    ["TurboFan", "Crankshaft"],
  ]);
  return FIREFOX.map(({ subcategories, ...category }) => ({
    ...category,
    subcategories: subcategories.map((name) => old.get(name) ?? name),
  }));
}

/** A frame's category and subcategory, as indices into {@link FIREFOX}. */
interface CategoryPair {
  readonly category: number;
  readonly subcategory: number;
}

/** A row of `funcTable`. */
interface GeckoFunction extends CategoryPair {
  readonly name: string;
  readonly isJs: boolean;
  /** Whether JavaScript-only views show it. */
  readonly isRelevantForJs: boolean;
  /** The library or script that it came from; undefined if there is none. */
  readonly resource: string | undefined;
  /** Whether {@link resource} is a script. */
  readonly isScript: boolean;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

const NOWHERE = { isJs: false, isScript: false, resource: undefined, line: undefined, column: undefined };
const GARBAGE_COLLECTOR = {
  ...NOWHERE,
  name: "(garbage collector)",
  isRelevantForJs: true,
  ...categoryPair("gc"),
};
const IDLE_TIME = { ...NOWHERE, name: "(idle)", isRelevantForJs: false, ...categoryPair("idle") };

/** The functions of a profile, followed by one for garbage collection and one for idle time. */
class GeckoFunctions {
  readonly functions: readonly GeckoFunction[];
  /** By frame number: its function. */
  readonly ofFrame: Int32Array;

  constructor({ frames }: Pick<Profile, "frames">) {
    const { functions, ofFrame } = new FunctionTable(frames);
    this.functions = [...functions.map(geckoFunction), GARBAGE_COLLECTOR, IDLE_TIME];
    this.ofFrame = ofFrame;
  }

  /** Returns the function to append for a VM state; -1 if there is none. */
  leafOf(state: VmState): number {
    if (state === vmState("gc")) return this.functions.length - 2;
    return isIdle(state) ? this.functions.length - 1 : -1;
  }
}

/** Returns the category of JavaScript in a tier, or of a function that the sampler skipped. */
function tierCategory({ tier, inferred }: JsFrame): CategoryPair {
  const subcategory = inferred ? TIERS.length : TIERS.indexOf(tier);
  return { category: firefoxIndex("js"), subcategory };
}

/** Returns what a category of ticks is in Firefox. */
function categoryPair(category: Category): CategoryPair {
  return { category: firefoxIndex(category), subcategory: 0 };
}

function firefoxIndex(category: Category): number {
  const wanted = categoryRow(category).firefox;
  return FIREFOX.findIndex(({ name }) => name === wanted);
}

function geckoFunction({ title, frame, file, line, column }: ProfiledFunction): GeckoFunction {
  const ofCode = categoryPair(categoryOfCode(frame));
  switch (frame.kind) {
    case "js": {
      const known = {
        isJs: true,
        isRelevantForJs: true,
        isScript: file !== undefined,
        ...ofCode,
      };
      return { ...known, name: title, resource: file, line, column };
    }
    case "code":
      return { ...NOWHERE, name: title, isRelevantForJs: true, ...ofCode };
    case "native":
      return {
        ...NOWHERE,
        name: title,
        isRelevantForJs: false,
        resource: frame.library,
        ...ofCode,
      };
    case "unknown":
      return { ...NOWHERE, name: "(unknown)", isRelevantForJs: false, ...ofCode };
  }
}

/** A row of `frameTable`: a function in a tier at a line, with its depth of inlining. */
interface GeckoFrame extends CategoryPair {
  readonly function: number;
  /** How many functions it is below the one whose code it is in; 0 for that one itself. */
  readonly inlineDepth: number;
  readonly line: number | null;
}

/** The stacks of a profile, and the rows of their frames. */
interface GeckoStacks {
  readonly stacks: ExportStacks;
  readonly rows: readonly GeckoFrame[];
}

/** Returns the stacks of a profile with rows of `frameTable`. */
function geckoStacks(profile: Profile, functions: GeckoFunctions): GeckoStacks {
  const lines = new FunctionLines(profile, functions);
  const rows: GeckoFrame[] = [];
  const rowOf = new PairNumbers();
  const leafOf = (state: VmState) => {
    const number = functions.leafOf(state);
    if (number < 0) return -1;
    const known = rows.findIndex((row) => row.function === number);
    return known < 0 ? rows.push(rowOfFunction(functions, number)) - 1 : known;
  };
  const { tree } = profile;
  const depths = new Int32Array(tree.length);
  const frameAt = (node: number) => {
    const caller = tree.parent[node]!;
    const frame = tree.frame[node]!;
    const inlineDepth = lines.isInlined[frame] === 1 && caller !== ROOT ? depths[caller]! + 1 : 0;
    if (inlineDepth > 0) depths[node] = inlineDepth; // Memory that is never written to takes no room.
    const line = lines.ofFrame[frame]!;
    const number = rowOf.of(line, inlineDepth);
    if (number === rows.length) rows.push({ ...lines.rows[line]!, inlineDepth });
    return number;
  };
  return { stacks: exportStacks(profile, frameAt, { leafOf }), rows };
}

function rowOfFunction({ functions }: GeckoFunctions, number: number): GeckoFrame {
  const { category, subcategory } = functions[number]!;
  return { function: number, inlineDepth: 0, line: null, category, subcategory };
}

/** The lines of functions in tiers: rows that are not inlined. */
class FunctionLines {
  readonly rows: GeckoFrame[] = [];
  /** By frame of the profile: its row. */
  readonly ofFrame: Int32Array;
  /** By frame of the profile: 1 if it is inlined into its caller. */
  readonly isInlined: Uint8Array;

  constructor({ frames }: Pick<Profile, "frames">, functions: GeckoFunctions) {
    const lines = new PairNumbers();
    const numbers = new PairNumbers();
    this.isInlined = marksOf(frames, isInlined);
    this.ofFrame = columnOf(Int32Array, frames, (frame, i) => {
      const of = functions.ofFrame[i]!;
      const row =
        frame.kind === "js"
          ? { function: of, inlineDepth: 0, line: validPosition(frame.line) || null, ...tierCategory(frame) }
          : rowOfFunction(functions, of);
      const number = numbers.of(lines.of(of, row.line ?? 0), row.subcategory);
      if (number === this.rows.length) this.rows.push(row);
      return number;
    });
  }
}

/** The names of markers: the first strings of a file, in this order. */
const MARKER_NAMES = ["Garbage collection", "Deoptimization"] as const;

/** The phases of markers. Source: Firefox Profiler, src/app-logic/constants.ts, `INSTANT`, `INTERVAL`. */
const INSTANT = 0;
const INTERVAL = 1;

const IN_TRACK = ["marker-chart", "marker-table", "timeline-overview"];

/** How the viewer shows the markers. Source: Firefox Profiler, src/types/markers.ts, `MarkerSchema`. */
const MARKER_SCHEMA = [
  { name: "V8GC", display: IN_TRACK, tooltipLabel: "Garbage collection", fields: [] },
  {
    name: "V8Deopt",
    display: IN_TRACK,
    tooltipLabel: "Deoptimization",
    tableLabel: "{marker.data.function}: {marker.data.reason}",
    chartLabel: "{marker.data.function}",
    fields: [
      { key: "function", label: "Function", format: "string" },
      { key: "reason", label: "Reason", format: "string" },
      { key: "kind", label: "Kind", format: "string" },
      { key: "position", label: "Position", format: "string" },
    ],
  },
];

const GC_CATEGORY = firefoxIndex("gc");
const JS_CATEGORY = firefoxIndex("js");

/** Writes the markers of a thread: a table of its garbage collections and its deoptimizations. */
function* geckoMarkers(spans: GcSpans, deopts: readonly DeoptEvent[]): Iterable<string> {
  const length = spans.length + deopts.length;
  /** Entries of garbage collections, then of deoptimizations. */
  const column = (ofSpan: (span: number) => number, ofDeopt: (deopt: DeoptEvent) => number | null) =>
    jsonColumn(length, (i) => (i < spans.length ? ofSpan(i) : ofDeopt(deopts[i - spans.length]!)));
  yield '{"data":';
  yield* jsonList(payloads(spans.length, deopts));
  yield ',"name":';
  yield* column(
    () => 0,
    () => 1,
  );
  yield ',"startTime":';
  yield* column(
    (span) => spans.start[span]! / 1000,
    ({ time }) => time / 1000,
  );
  yield ',"endTime":';
  yield* column(
    (span) => spans.end[span]! / 1000,
    () => null,
  );
  yield ',"phase":';
  yield* column(
    () => INTERVAL,
    () => INSTANT,
  );
  yield ',"category":';
  yield* column(
    () => GC_CATEGORY,
    () => JS_CATEGORY,
  );
  yield `,"length":${length}}`;
}

function* payloads(spans: number, deopts: readonly DeoptEvent[]): Iterable<string> {
  for (let i = 0; i < spans; i++) yield '{"type":"V8GC"}';
  for (const { function: name, kind, reason, position } of deopts) {
    yield jsonText({ type: "V8Deopt", function: name, reason, kind, position: cutName(position) });
  }
}

/** The parts that all threads share. */
interface GeckoShared {
  /** Node `n` is row `n - 1` of `stackTable`; the root has no row. */
  readonly stacks: ExportStacks;
  /** The entries `libs` and `shared` of a profile, in pieces. */
  readonly json: Iterable<string>;
}

/** The kinds of resources. Source: Firefox Profiler, src/profile-logic/data-structures.ts, `resourceTypes`. */
const LIBRARY = 1;
const URL_RESOURCE = 5;

/** Returns the functions, frames and stacks of a profile as tables. */
function geckoShared(profile: Profile): GeckoShared {
  const functions = new GeckoFunctions(profile);
  const { stacks, rows } = geckoStacks(profile, functions);
  return { stacks, json: tables(functions.functions, rows, { stacks, ...profile.info }) };
}

type Value = string | number | null;

function* tables(
  functions: readonly GeckoFunction[],
  frames: readonly GeckoFrame[],
  { stacks, libraries }: { stacks: ExportStacks; libraries: readonly LibraryInfo[] },
): Iterable<string> {
  const strings = new Numbers();
  for (const name of MARKER_NAMES) strings.of(name);
  const resources = new Numbers();
  // A script and a library can share a name.
  const resourceOf = ({ resource, isScript }: GeckoFunction) =>
    resource === undefined ? -1 : resources.of(`${isScript ? "s" : "l"}${resource}`);
  const resourceNumbers = functions.map(resourceOf);
  const { keys } = resources;
  const names = keys.map((key) => key.slice(1));
  const isScript = keys.map((key) => key.startsWith("s"));
  const libs = names.filter((_, i) => !isScript[i]);
  const scripts = names.filter((_, i) => isScript[i]);
  const scriptNumbers = new Map(scripts.map((name, i) => [name, i]));
  const libNumbers = new Map(libs.map((name, i) => [name, i]));

  const known = new Map<string, LibraryInfo>();
  for (const library of libraries) if (!known.has(library.path)) known.set(library.path, library);
  yield '"libs":';
  yield* jsonList(libs.map((path) => jsonText(libOf(path, known.get(path)))));
  yield ',\n"shared":{"funcTable":';
  yield* table(functions.length, {
    name: (i) => strings.of(functions[i]!.name),
    isJS: (i) => String(functions[i]!.isJs),
    relevantForJS: (i) => String(functions[i]!.isRelevantForJs),
    resource: (i) => resourceNumbers[i]!,
    source: (i) => (functions[i]!.isScript ? scriptNumbers.get(functions[i]!.resource!)! : null),
    lineNumber: (i) => functions[i]!.line ?? null,
    columnNumber: (i) => functions[i]!.column ?? null,
  });
  yield ',\n"resourceTable":';
  yield* table(names.length, {
    lib: (i) => (isScript[i] ? null : libNumbers.get(names[i]!)!),
    // The viewer leaves out the name of a script if its URL begins with it.
    name: (i) => strings.of(isScript[i] ? fileUrl(cutName(names[i]!)) : fileName(names[i]!)),
    host: () => null,
    type: (i) => (isScript[i] ? URL_RESOURCE : LIBRARY),
  });
  yield ',\n"sources":';
  yield* table(scripts.length, {
    id: () => null,
    filename: (i) => strings.of(fileUrl(cutName(scripts[i]!))),
    startLine: () => 1,
    startColumn: () => 1,
    sourceMapURL: () => null,
  });
  yield ',\n"nativeSymbols":';
  yield* table(0, { libIndex: () => 0, address: () => 0, name: () => 0, functionSize: () => null });
  yield ',\n"frameTable":';
  yield* table(frames.length, {
    address: () => -1,
    inlineDepth: (i) => frames[i]!.inlineDepth,
    category: (i) => frames[i]!.category,
    subcategory: (i) => frames[i]!.subcategory,
    func: (i) => frames[i]!.function,
    nativeSymbol: () => null,
    innerWindowID: () => 0,
    line: (i) => frames[i]!.line,
    column: () => null,
  });
  yield ',\n"stackTable":';
  const { length, frame, parent } = stacks.tree;
  yield* table(length - 1, {
    frame: (i) => frame[i + 1]!,
    prefix: (i) => (parent[i + 1] === ROOT ? null : parent[i + 1]! - 1),
  });
  yield ',\n"stringArray":';
  yield* jsonList(strings.keys.map(jsonText));
  yield "}";
}

/** Writes a table of the format: an object of columns. */
function* table(length: number, columns: Record<string, (row: number) => Value>): Iterable<string> {
  yield "{";
  for (const [name, valueAt] of Object.entries(columns)) {
    yield `"${name}":`;
    yield* jsonColumn(length, valueAt);
    yield ",\n";
  }
  yield `"length":${length}}`;
}

function libOf(path: string, library: LibraryInfo | undefined) {
  const name = fileName(path);
  const codeId = library?.buildId ?? null;
  return { arch: "", name, path, debugName: name, debugPath: path, breakpadId: "", codeId };
}

/** The version of the processed profile format; viewers upgrade older ones. */
const PROCESSED_VERSION = 61;
/** The version of Firefox's own format, which a processed profile states too. */
const GECKO_VERSION = 30;

/**
 * Writes a profile in the processed format of the Firefox Profiler. A sample is a tick, or, if many have the
 * stack of the one before, several in a row with one stack, which are its weight. A sample without a stack, which
 * has no weight, marks the begin and end of a gap. Times are milliseconds since the first log of the process was
 * opened. `meta.extra` has {@link timeNote} and what else is known of the profile, which the viewer shows.
 *
 * Source: Firefox Profiler, docs-developer/processed-profile-format.md, src/types/profile.ts.
 */
export function* gecko(profile: Profile, options: ExportOptions = {}): Iterable<string> {
  const { title, sampling } = profile.info;
  const interval = tickInterval(sampling);
  const note = timeNote(sampling);
  const { stacks, json } = geckoShared(profile);
  const clock = exportClock(profile, options);
  const deopts = deoptEvents(profile, clock.offsets);
  const meta = {
    interval: interval / 1000,
    startTime: clock.start ?? 0,
    processType: 0,
    product: "Node.js",
    importedFrom: "ticks",
    arguments: title,
    categories: categoriesOf(profile.info),
    stackwalk: 1,
    debug: false,
    version: GECKO_VERSION,
    preprocessedProfileVersion: PROCESSED_VERSION,
    symbolicated: true,
    symbolicationNotSupported: true,
    sourceCodeIsNotOnSearchfox: true,
    markerSchema: MARKER_SCHEMA,
    sampleUnits: { time: "ms", eventDelay: "ms", threadCPUDelta: "ns" },
    extra: [
      ...(note === undefined ? [] : [facts("Sampling", { Times: note })]),
      facts("Profile", factsOf(profile, options)),
    ],
    extensions: { baseURL: [], id: [], name: [], length: 0 },
  };
  yield `{"meta":${jsonText(meta)},\n`;
  yield* json;
  yield ',\n"threads":[';
  for (const [i, thread] of threadTicks(profile, clock.offsets).entries()) {
    if (i > 0) yield ",";
    const markers = geckoMarkers(gcSpans(thread, profile.samples), deopts[thread.number] ?? []);
    yield* threadJson(thread, { number: i + 1, stacks, markers, tickTime: profile.info.tickTime });
  }
  yield "]}\n";
}

/** Returns a section of the viewer's panel of facts. */
function facts(label: string, known: Record<string, string | number | boolean>) {
  const entries = Object.entries(known).map(([label, value]) => ({
    label,
    format: "string",
    value: String(value),
  }));
  return { label, entries };
}

/** Samples are put together if that leaves fewer than this share of them: their weights take space too. */
const MERGED_SHARE = 0.8;

interface ThreadContext {
  readonly number: number;
  readonly stacks: ExportStacks;
  /** The table of its markers. */
  readonly markers: Iterable<string>;
  /** What a tick takes, if samples weigh their time. */
  readonly tickTime: Micros | undefined;
}

function* threadJson(
  thread: ThreadTicks,
  { number, stacks, markers, tickTime }: ThreadContext,
): Iterable<string> {
  const { info } = thread;
  const head = {
    processType: "default",
    processName: info.program?.command ?? info.log,
    processStartupTime: 0,
    processShutdownTime: null,
    registerTime: 0,
    unregisterTime: null,
    pausedRanges: [],
    name: info.name,
    isMainThread: info.kind !== "worker",
    // A thread of unknown process is a process of its own.
    pid: info.pid === undefined ? `log ${number}` : String(info.pid),
    tid: number,
  };
  yield `\n${jsonText(head).slice(0, -1)},\n"markers":`;
  yield* markers;
  const runs = () => runsOverTime(thread, stacks.nodeOf);
  let length = 0;
  for (const batch of runs()) length += batch.length;
  if (tickTime !== undefined || length < thread.length * MERGED_SHARE) {
    const weightOf = (ticks: Ticks) => (tickTime === undefined ? ticks : Math.round(ticks * tickTime) / 1000);
    yield ',\n"samples":{"weight":';
    yield* jsonNumbers(runs(), ({ ticks }, i) => weightOf(ticks[i]!));
    yield `,\n"weightType":"${tickTime === undefined ? "samples" : "tracing-ms"}","stack":`;
    yield* jsonNumbers(runs(), ({ stack }, i) => rowOf(stack[i]!));
    yield ',\n"time":';
    yield* jsonNumbers(runs(), ({ time }, i) => time[i]! / 1000);
    yield `,\n"length":${length}}}`;
    return;
  }
  const times = () => ticksOverTime(thread);
  length = 0;
  for (const batch of times()) length += batch.length;
  yield ',\n"samples":{"weight":null,"weightType":"samples","stack":';
  yield* jsonNumbers(times(), ({ sample }, i) =>
    rowOf(sample[i] === IDLE ? IDLE : stacks.nodeOf[sample[i]!]!),
  );
  yield ',\n"time":';
  yield* jsonNumbers(times(), ({ time }, i) => time[i]! / 1000);
  yield `,\n"length":${length}}}`;
}

/** Returns the row of a stack; the root has none. */
function rowOf(stack: number): number | null {
  return stack === IDLE ? null : stack - 1;
}
