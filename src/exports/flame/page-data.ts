import { columnOf, reaching } from "../../base/columns.js";
import { Numbers, valueAt } from "../../base/maps.js";
import { PairNumbers } from "../../base/pair-numbers.js";
import { withoutVersion } from "../../base/symbols.js";
import { categories } from "../../facts/breakdown.js";
import { FunctionTable, nameAt, type ProfiledFunction } from "../../facts/function-table.js";
import { printable } from "../../facts/label.js";
import { LookAlikes } from "../../facts/look-alikes.js";
import { fileName, type Origin } from "../../facts/origin.js";
import {
  type FlamePageData,
  FRAME_KINDS,
  type FrameKind,
  type FrameKindName,
  frameKind,
  type PackedFrames,
  type PackedFunctions,
  type PackedNodes,
  type PackedSamples,
  type PageThread,
  type PageUnit,
  type PageWaits,
  type SourcePlace,
} from "../../flame-page/page-data.js";
import { type CallTree, CallTreeBuilder, depthFirst, ROOT } from "../../profile/call-tree.js";
import { CATEGORIES } from "../../profile/categories.js";
import { validPosition } from "../../profile/clamped-numbers.js";
import type { Frame, JsFrame, Tier } from "../../profile/frame.js";
import { parseLoggedName } from "../../profile/logged-name.js";
import { oncePerLongName } from "../../profile/long-names.js";
import { inWholeUnits } from "../../profile/merge.js";
import type { Profile, WaitedTicks } from "../../profile/profile.js";
import { stackTicks } from "../../profile/sample-table.js";
import { regroup } from "../../profile/stacks.js";
import { nodeText, reportTitle } from "../../profile/titles.js";
import { hasCrankshaft } from "../../profile/v8-era.js";
import { versionText } from "../../profile/v8-version.js";
import { GC, isIdle } from "../../profile/vm-state.js";
import { howWaited } from "../../profile/waited.js";
import { packColumn } from "./pack.js";
import { type LinesWithTicks, sourceExcerpts } from "./source-excerpts.js";
import { pageTimes } from "./times.js";

/** A call tree with garbage collection under one frame and idle time under another, and the node of each sample. */
interface GcStacks {
  /** Its frame numbers are indices into `frames`. Nodes without ticks are left out. */
  readonly tree: CallTree;
  readonly frames: readonly KeptFrame[];
  /** By row of the samples. */
  readonly node: Int32Array;
}

/** A part of the ticks. */
interface Part {
  /** What frames have the kind of, instead of their own: work of V8 itself, or waiting. Undefined for what they are. */
  readonly work: FrameKindName | undefined;
  /** What all its stacks are under. Where there is none, only the frames that ran last have its kind. */
  readonly apart?: PageFrame;
}

const PARTS: readonly Part[] = [
  { work: undefined },
  { work: "gc", apart: { kind: "gc" } },
  { work: "idle", apart: { kind: "idle" } },
  { work: "compile" },
  { work: "parse" },
  { work: "profiler" },
];

/** By index into `CATEGORIES`: the part with the ticks of a category, if frames that ran last have its kind; else 0. */
const WORK_PARTS: readonly number[] = CATEGORIES.map(({ category, time }) =>
  Math.max(
    0,
    PARTS.findIndex(({ work, apart }) => apart === undefined && (work === category || work === time)),
  ),
);

/**
 * Puts all ticks in garbage collection under one outermost frame, and idle ones under another: without a JavaScript stack, they
 * would appear as many C++ functions without callers. `ofSample` is what `categories` returns for the profile: what ran last
 * while V8 compiled, parsed or wrote its log has frames of its own. Default: none has.
 */
export function gcStacks({ frames, tree, samples }: Profile, ofSample?: Uint8Array): GcStacks {
  const part = samples.vmState.slice(0, samples.length).map(partOf);
  for (let i = 0; ofSample !== undefined && i < part.length; i++) {
    const own = WORK_PARTS[ofSample[i]!]!;
    // The profiler can work while garbage is collected.
    if (own > 0 && (part[i] === 0 || PARTS[own]!.work === "profiler")) part[i] = own;
  }
  const made = new CallTreeBuilder();
  const numbers = new PairNumbers();
  const kept: KeptFrame[] = [];
  const numberOf = (number: number, part: number) => {
    const known = numbers.of(number, part);
    const { work, apart } = PARTS[part]!;
    if (known === kept.length) kept.push({ frame: frames[number] ?? apart!, number, work });
    return known;
  };
  const node = new Int32Array(samples.length);
  for (const [wanted, { apart }] of PARTS.entries()) {
    if (!part.includes(wanted)) continue;
    const root = apart === undefined ? ROOT : made.child(ROOT, numberOf(-1, wanted));
    const { needed, leaves } = neededNodes(tree, samples, part, wanted);
    const nodes = regroup(
      tree,
      made,
      (into, caller, at) =>
        needed[at] === 1
          ? into.child(
              caller,
              numberOf(tree.frame[at]!, apart !== undefined || leaves[at] === 1 ? wanted : 0),
            )
          : ROOT,
      root,
    );
    for (let i = 0; i < node.length; i++) if (part[i] === wanted) node[i] = nodes[samples.node[i]!]!;
  }
  return { tree: made.finish(), frames: kept, node };
}

/** Returns the part with the ticks of a VM state. */
function partOf(state: number): number {
  const work = state === GC ? "gc" : isIdle(state) ? "idle" : undefined;
  return PARTS.findIndex((part) => part.work === work);
}

/** Returns 1 for each node that has, or calls what has, ticks of samples of a part; and for each that has some. */
function neededNodes(
  tree: CallTree,
  samples: Profile["samples"],
  part: Uint8Array,
  wanted: number,
): Readonly<Record<"needed" | "leaves", Uint8Array>> {
  const needed = new Uint8Array(tree.length);
  for (let i = 0; i < samples.length; i++) {
    if (part[i] === wanted && samples.ticks[i]! > 0) needed[samples.node[i]!] = 1;
  }
  const leaves = needed.slice();
  for (let node = tree.length - 1; node > ROOT; node--) {
    if (needed[node] === 1) needed[tree.parent[node]!] = 1;
  }
  return { needed, leaves };
}

/** The nodes of a tree that a page keeps. */
interface KeptNodes {
  /** By node: 1 if it is kept. Callers of kept nodes are kept. */
  readonly kept: Uint8Array;
  /** The highest ticks of a node that is not kept; 0 if all are. */
  readonly largest: number;
  /** How many nodes are not kept. */
  readonly left: number;
}

/** Keeps the nodes with the most total ticks, at most `limit` of them; among equals the outermost. */
export function keepLargest(tree: CallTree, total: Float64Array, limit: number): KeptNodes {
  const kept = new Uint8Array(tree.length).fill(1);
  if (tree.length <= limit) return { kept, largest: 0, left: 0 };
  const bound = total.slice(0, tree.length).sort()[tree.length - limit]!;
  const depth = new Int32Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) depth[node] = depth[tree.parent[node]!]! + 1;
  let room = limit;
  const atDepth: number[] = [];
  for (let node = ROOT; node < tree.length; node++) {
    if (total[node]! > bound) room--;
    else if (total[node] === bound) atDepth[depth[node]!] = (atDepth[depth[node]!] ?? 0) + 1;
  }
  let deepest = -1;
  for (const [level, count = 0] of atDepth.entries()) {
    if (count > room) break;
    room -= count;
    deepest = level;
  }
  let largest = 0;
  let left = 0;
  for (let node = ROOT + 1; node < tree.length; node++) {
    if (total[node]! > bound || (total[node] === bound && depth[node]! <= deepest)) continue;
    kept[node] = 0;
    left++;
    largest = Math.max(largest, total[node]!);
  }
  return { kept, largest, left };
}

/** A call tree in depth-first order. */
export interface PageTree {
  readonly length: number;
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  /** A frame of the source tree; -1 for the root, {@link MERGED} for merged nodes. */
  readonly frame: Int32Array;
}

/** The frame number of merged nodes. */
export const MERGED = -2;

/**
 * Sorts the kept nodes, which are marked with 1. The ticks of other nodes go to one merged node under their nearest kept caller:
 * writes over each of `nodes` the node of the page that has its ticks.
 */
export function pageTree(tree: CallTree, kept: Uint8Array, nodes: Int32Array): PageTree {
  const merged = new CallTreeBuilder(tree.length);
  const mergedNode = regroup(tree, merged, (into, caller, node) => {
    if (kept[node] === 1) return into.child(caller, tree.frame[node]!);
    return into.frame[caller] === MERGED ? caller : into.child(caller, MERGED);
  });
  const { length } = merged;
  const order = depthFirst(merged).nodes;
  const pageNode = new Int32Array(length);
  const parent = new Int32Array(length).fill(-1);
  const depth = new Int32Array(length);
  const frame = new Int32Array(length).fill(-1);
  for (let node = ROOT + 1; node < length; node++) {
    const from = order[node]!;
    pageNode[from] = node;
    parent[node] = pageNode[merged.parent[from]!]!;
    depth[node] = depth[parent[node]!]! + 1;
    frame[node] = merged.frame[from]!;
  }
  for (let i = 0; i < nodes.length; i++) nodes[i] = pageNode[mergedNode[nodes[i]!]!]!;
  return { length, parent, depth, frame };
}

/** A frame of the page: one of the profile, or one that stands for garbage collection, idle time or merged frames. */
type PageFrame = Frame | { readonly kind: "gc" } | { readonly kind: "idle" } | { readonly kind: "merged" };

/** A frame of the page and the profile's frame that it shows, possibly while V8 did work of its own. */
interface KeptFrame {
  readonly frame: PageFrame;
  /** The frame's number in the profile; -1 if it has none. */
  readonly number: number;
  readonly work: FrameKindName | undefined;
}

interface PageTables {
  readonly files: readonly string[];
  readonly origins: readonly string[];
  readonly functions: PackedFunctions;
  readonly frames: PackedFrames;
}

/** What a page says of a function. */
export interface PageFunction {
  readonly title: string;
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
  readonly kind: FrameKindName;
  readonly origin: string;
}

/** A frame of the page: a function in a tier, at a line, inlined or not. */
export interface FrameRow {
  /** An index into the functions. */
  readonly function: number;
  readonly kind: FrameKind;
  readonly line: number;
  /** From 1, in long lines; 0 if unknown. */
  readonly column: number;
  readonly inlined: boolean;
  readonly inferred: boolean;
}

/** The frames of a page with their functions. */
interface FrameRows {
  readonly functions: readonly PageFunction[];
  /** By function: its number in the table of functions; -1 for what is no function of the profile. */
  readonly ids: readonly number[];
  readonly frames: readonly FrameRow[];
}

const NOWHERE = { file: undefined, line: 0, column: 0 };

/** What stands for frames that are too small to keep. */
export const SMALL_FRAMES: PageFunction = {
  ...NOWHERE,
  title: "(small frames)",
  kind: "merged",
  origin: "merged",
};

const TIERS: Readonly<Record<Tier, FrameKindName>> = {
  "~": "ignition",
  "^": "sparkplug",
  "-": "turboprop",
  "+": "maglev",
  "*": "turbofan",
  "": "js",
};

const SMALL: KeptFrame = { frame: { kind: "merged" }, number: -1, work: undefined };

/** Returns the frames of a page with only the functions that they use. */
export function frameRows(
  frames: readonly Frame[],
  kept: readonly KeptFrame[],
  table: FunctionTable = new FunctionTable(frames),
): FrameRows {
  const alike = new LookAlikes(table.functions);
  const numbers = new Map<string, number>();
  const functions: PageFunction[] = [];
  const ids: number[] = [];
  const rows = kept.map((one): FrameRow => {
    const { frame, number } = one;
    const js = frame.kind === "js" ? frame : undefined;
    const id = table.ofFrame[number] ?? -1;
    const key = number < 0 ? frame.kind : String(id);
    const fn = valueAt(numbers, key, () => {
      ids.push(id);
      return functions.push(pageFunction(frame, table.functions[id], alike)) - 1;
    });
    return {
      function: fn,
      kind: kindOf(one, functions[fn]!),
      line: validPosition(js?.line ?? 0),
      column: validPosition(js?.column ?? 0),
      inlined: js?.inlined ?? false,
      inferred: js?.inferred ?? false,
    };
  });
  return { functions, ids, frames: rows };
}

/** Packs the frames of a page, with the files and origins that their functions use. */
export function packFrames({ functions, frames }: Omit<FrameRows, "ids">): PageTables {
  const files = new Numbers();
  const origins = new Numbers();
  const file = functions.map((fn) => (fn.file === undefined ? 0 : 1 + files.of(fn.file)));
  const origin = functions.map((fn) => origins.of(fn.origin));
  return {
    files: files.keys,
    origins: origins.keys,
    functions: {
      titles: functions.map(({ title }) => title),
      file: packColumn(file),
      line: packColumn(functions.map(({ line }) => line)),
      column: packColumn(functions.map(({ column }) => column)),
      kind: packColumn(functions.map(({ kind }) => frameKind(kind))),
      origin: packColumn(origin),
    },
    frames: {
      function: packColumn(frames.map((frame) => frame.function)),
      kind: packColumn(frames.map(({ kind }) => kind)),
      line: packColumn(frames.map(({ line }) => line)),
      column: packColumn(frames.map(({ column }) => column)),
      inlined: packColumn(frames.map(({ inlined }) => (inlined ? 1 : 0))),
      inferred: packColumn(frames.map(({ inferred }) => (inferred ? 1 : 0))),
    },
  };
}

function pageFunction(frame: PageFrame, fn: ProfiledFunction | undefined, alike: LookAlikes): PageFunction {
  if (frame.kind === "gc") {
    return { ...NOWHERE, title: "(garbage collection)", kind: "gc", origin: "v8" };
  }
  if (frame.kind === "idle") return { ...NOWHERE, title: "(idle)", kind: "idle", origin: "idle" };
  if (frame.kind === "merged" || fn === undefined) return SMALL_FRAMES;
  return {
    title: printable(titleOf(frame, fn, alike.has(fn))),
    file: fn.file === undefined || fn.file === "" ? undefined : printable(fn.file),
    line: fn.line ?? 0,
    column: fn.column ?? 0,
    kind: functionKind(frame),
    origin: printable(originTitle(fn.origin)),
  };
}

/** Marks native code: Node's binary has the same name as its JavaScript. */
function originTitle({ kind, name }: Origin): string {
  return kind === "native" ? `${name} (native)` : name;
}

/** Returns the title of a function; an anonymous one, or one that looks like another, gets its position. */
function titleOf(
  frame: Frame,
  { title, name, file = "", line = 0, column }: ProfiledFunction,
  isAlike: boolean,
): string {
  if (frame.kind === "native") return withoutVersion(title);
  if (frame.kind !== "js" || (name !== "" && !isAlike)) return frame.kind === "unknown" ? "(unknown)" : title;
  if (file === "") return title;
  const shown = nameAt(title, `${fileName(file)}:${line}${isAlike ? `:${column}` : ""}`);
  return `${shown.title} ${shown.position}`.trimEnd();
}

function functionKind(frame: Frame): FrameKindName {
  switch (frame.kind) {
    case "js":
      return isWasm(frame) ? "wasm" : "js";
    case "code":
      return frame.type === "RegExp" ? "regexp" : "builtin";
    case "native":
      return frame.symbol === undefined ? "library" : "cpp";
    case "unknown":
      return "unknown";
  }
}

/**
 * Returns whether a function is WebAssembly, which V8 logs by its name alone or with the URL of its module.
 */
function isWasm({ name }: JsFrame): boolean {
  return / wasm:\/\//.test(name) || /^wasm-/.test(name);
}

function kindOf({ frame, work }: KeptFrame, { kind }: PageFunction): FrameKind {
  if (work !== undefined) return frameKind(work);
  return FRAME_KINDS.indexOf(frame.kind === "js" && kind === "js" ? TIERS[frame.tier] : kind);
}

/** The ticks of a stack in a thread. */
export interface SampleRow {
  readonly node: number;
  readonly thread: number;
  ticks: number;
}

/** The ticks of a page by node and thread, sorted, in columns. */
interface SampleColumns {
  readonly node: Int32Array;
  readonly thread: Int32Array;
  readonly ticks: Float64Array;
}

export function sampleColumns(rows: readonly SampleRow[]): SampleColumns {
  return {
    node: Int32Array.from(rows, ({ node }) => node),
    thread: Int32Array.from(rows, ({ thread }) => thread),
    ticks: Float64Array.from(rows, ({ ticks }) => ticks),
  };
}

export function packSamples({ node, thread, ticks }: SampleColumns): PackedSamples {
  const steps = new Int32Array(node.length);
  for (let i = 0; i < node.length; i++) steps[i] = node[i]! - (i === 0 ? 0 : node[i - 1]!);
  return { node: packColumn(steps), thread: packColumn(thread), ticks: packColumn(ticks) };
}

/** Returns the ticks by page node and thread. `nodes` has the page node of each sample row. */
function sumSamples({ samples, info }: Profile, nodes: Int32Array): SampleColumns {
  const pairs = new PairNumbers();
  let sums = new Float64Array(64);
  for (let i = 0; i < samples.length; i++) {
    if (samples.ticks[i] === 0) continue;
    const row = pairs.of(nodes[i]!, samples.thread[i]!);
    sums = reaching(sums, row);
    sums[row]! += samples.ticks[i]!;
  }
  const threads = info.threads.length;
  const keys = columnOf(Float64Array, pairs.firsts(), (node, row) => node * threads + pairs.secondOf(row));
  keys.sort();
  const node = columnOf(Int32Array, keys, (key) => Math.floor(key / threads));
  const thread = columnOf(Int32Array, keys, (key) => key % threads);
  return { node, thread, ticks: columnOf(Float64Array, node, (at, i) => sums[pairs.of(at, thread[i]!)]!) };
}

/** How a page is made. */
export interface PageOptions {
  readonly limits?: PageLimits | undefined;
  /** The profile with the ticks that filters left out. Default: the same. */
  readonly whole?: Profile | undefined;
}

/** The limits of a page's size. */
export interface PageLimits {
  /** Frames of the call tree; if there are more, the smallest are merged. */
  readonly frames: number;
  /** Ticks over time, those in a row with one stack as one. */
  readonly rows: number;
  /** Boxes of the chart over time. */
  readonly boxes: number;
  /** Characters of source text. */
  readonly source: number;
}

export const PAGE_LIMITS: PageLimits = {
  frames: 200_000,
  rows: 1_200_000,
  boxes: 6_000_000,
  source: 4_000_000,
};

/**
 * Returns the data of a profile's page. Its samples, and its rows over time, sum to the profile's ticks without the
 * excluded ones. `whole` is the profile with those, for what they say of time.
 */
export function pageData(
  given: Profile,
  { limits = PAGE_LIMITS, whole: all = given }: PageOptions = {},
): FlamePageData {
  const profile = inWholeUnits(given);
  const whole = all === given ? profile : inWholeUnits(all);
  const { info } = profile;
  const ofSample = categories(profile);
  const stacks = gcStacks(profile, ofSample);
  const { tree, node: nodes } = stacks;
  const total = stackTicks(tree, { ...profile.samples, node: nodes });
  const { kept, largest, left } = keepLargest(tree, total, limits.frames);
  const page = pageTree(tree, kept, nodes);
  const { used, number } = numberedFrames(page);
  const frames = used.map((frame) => stacks.frames[frame] ?? SMALL);
  const rows = frameRows(profile.frames, frames);
  const tables = packFrames(rows);
  const samples = sumSamples(profile, nodes);
  const excerpts = sourceExcerpts(
    profile.sources,
    tables.files,
    linesWithTicks(profile, tables.files),
    limits.source,
  );
  return {
    version: 1,
    title: printable(reportTitle(info)),
    logs: info.logs.map(printable),
    v8:
      nodeText(info) === undefined
        ? info.v8.map((version) => printable(versionText(version))).join(", ")
        : "",
    kindTitles: oldTiers(profile),
    ticks: total[ROOT]!,
    excluded: info.excluded,
    waited: pageWaits(info.waited),
    threads: threads(profile),
    ...tables,
    nodes: packNodes(page, number),
    samples: packSamples(samples),
    times: pageTimes(
      profile,
      whole,
      {
        node: nodes,
        ofSample,
        parent: page.parent,
        depth: page.depth,
        functionOf: functionsByName(rows, frames),
      },
      limits,
    ),
    unit: pageUnit(info),
    merged: {
      frames: left,
      ticks: mergedTicks(samples, page),
      largest,
      sources: excerpts.leftOut,
    },
    sources: excerpts.sources,
  };
}

/** Returns what the page calls the ticks of a profile. */
function pageUnit({ input, tickTime, memory }: Profile["info"]): PageUnit {
  if (memory !== undefined) return memory.of === "bytes" ? "byte" : "object";
  return input === undefined ? "tick" : tickTime === undefined ? "sample" : "µs";
}

/** Returns a function that returns the function of a page by the logged name of its JavaScript; -1 for none. */
function functionsByName({ frames: rows }: FrameRows, kept: readonly KeptFrame[]): (name: string) => number {
  const ids = new Map<string, number>();
  for (const [i, { frame }] of kept.entries())
    if (frame.kind === "js") ids.set(frame.name, rows[i]!.function);
  return (name) => ids.get(name) ?? -1;
}

/** Numbers the frames of a page in the order of its tree. `number` is by node; the root's is 0. */
export function numberedFrames({ length, frame }: PageTree): {
  readonly used: readonly number[];
  readonly number: Int32Array;
} {
  const numbers = new Numbers<number>();
  const number = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++) number[node] = numbers.of(frame[node]!);
  return { used: numbers.keys, number };
}

/** Packs the tree of a page. `number` has the frame of each node. */
export function packNodes({ length, depth }: PageTree, number: Int32Array): PackedNodes {
  const rise = new Int32Array(length - 1);
  for (let i = 1; i < length; i++) rise[i - 1] = depth[i - 1]! + 1 - depth[i]!;
  return { rise: packColumn(rise), frame: packColumn(number.subarray(1, length)) };
}

/** Returns the ticks of the nodes that stand for merged ones. */
function mergedTicks({ node, ticks }: SampleColumns, { frame }: PageTree): number {
  let sum = 0;
  for (let i = 0; i < node.length; i++) if (frame[node[i]!] === MERGED) sum += ticks[i]!;
  return sum;
}

/** Returns the lines with frames, and the ticks, of each script by file number. */
function linesWithTicks(profile: Profile, files: readonly string[]): Map<number, LinesWithTicks> {
  const numbers = new Map(files.map((file, number) => [file, number]));
  const { frames, tree, samples } = profile;
  const ticks = new Float64Array(frames.length);
  for (let i = 0; i < samples.length; i++) {
    const frame = tree.frame[samples.node[i]!]!;
    if (frame >= 0) ticks[frame]! += samples.ticks[i]!;
  }
  const parse = oncePerLongName(parseLoggedName);
  const byFile = new Map<number, { lines: number[]; places: Omit<SourcePlace, "text">[]; ticks: number }>();
  for (let i = 0; i < frames.length; i++) {
    const frame = frames[i]!;
    if (frame.kind !== "js") continue;
    const { file, line = 0 } = parse(frame.name);
    const number = numbers.get(file ?? "");
    if (number === undefined) continue;
    const own = valueAt(byFile, number, () => ({ lines: [], places: [], ticks: 0 }));
    // Where its line is unknown, a function's ticks stand below the line where it begins.
    for (const one of [frame.line, line]) if (one > 0) own.lines.push(one);
    if (frame.column !== undefined) own.places.push({ line: frame.line, column: frame.column });
    own.ticks += ticks[i]!;
  }
  return byFile;
}

/** Returns what a page says of ticks that waited and are left out. */
export function pageWaits(waited: WaitedTicks | undefined): PageWaits | undefined {
  if (waited === undefined || waited.ticks === 0) return undefined;
  return { ticks: waited.ticks, how: howWaited(waited) };
}

function threads({ info, samples }: Profile): PageThread[] {
  const ticks = new Float64Array(info.threads.length);
  for (let i = 0; i < samples.length; i++) ticks[samples.thread[i]!]! += samples.ticks[i]!;
  return info.threads.map(({ name, log, program }, thread) => ({
    title: printable(
      program !== undefined || name.includes(fileName(log)) ? name : `${name}, ${fileName(log)}`,
    ),
    ticks: ticks[thread]!,
  }));
}

/**
 * Returns the titles of tiers that differ in old versions: before V8 5.9, `~` and `*` were other compilers.
 */
export function oldTiers({ info }: Pick<Profile, "info">): FlamePageData["kindTitles"] {
  return hasCrankshaft(info) ? { ignition: "Full code generator", turbofan: "Crankshaft" } : {};
}
