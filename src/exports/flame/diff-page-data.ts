import { reaching } from "../../base/columns.js";
import { Numbers, valueAt } from "../../base/maps.js";
import type { Ticks } from "../../base/units.js";
import type { Change, Diff, DiffRow } from "../../compare/diff-model.js";
import type { RunSummary } from "../../compare/run-summary.js";
import { printable } from "../../facts/label.js";
import { stableKeys } from "../../facts/stable-key.js";
import {
  type FlamePageData,
  frameKind,
  type PackedChange,
  type PageDiff,
  type PageSide,
  type PageWaits,
  type SourceLine,
  type SourceRange,
  unsigned,
  VERDICTS,
} from "../../flame-page/page-data.js";
import { type CallTree, CallTreeBuilder, ROOT } from "../../profile/call-tree.js";
import type { Profile, SourceText } from "../../profile/profile.js";
import { type AlignedLines, alignLines, sourceLines } from "../../profile/source-lines.js";
import { regroup } from "../../profile/stacks.js";
import { sumOfWaits } from "../../profile/waited.js";
import { packColumn } from "./pack.js";
import {
  type FrameRow,
  frameRows,
  gcStacks,
  keepLargest,
  MERGED,
  numberedFrames,
  oldTiers,
  PAGE_LIMITS,
  type PageFunction,
  type PageLimits,
  type PageTree,
  packFrames,
  packNodes,
  packSamples,
  pageTree,
  pageWaits,
  type SampleRow,
  SMALL_FRAMES,
  sampleColumns,
} from "./page-data.js";
import { cutLine, fittingSources, mapFileOf, rangesAround, type WeightedSource } from "./source-excerpts.js";

interface RunFunction extends PageFunction {
  /** Its stable key; undefined for garbage collection and idle time as a whole. */
  readonly key: string | undefined;
}

/** The stacks of one run, without what only its log means. They can be sent from one thread to another. */
export interface RunStacks {
  readonly functions: readonly RunFunction[];
  readonly frames: readonly FrameRow[];
  /** Its frame numbers are indices into `frames`; that of the root is -1. */
  readonly tree: CallTree;
  /** Self ticks by node. */
  readonly ticks: Float64Array;
  /** All ticks in the tree. */
  readonly total: Ticks;
  /** The ticks that a filter left out. */
  readonly excluded: Ticks;
  readonly kindTitles: FlamePageData["kindTitles"];
  readonly sources: readonly SourceText[];
}

/** Returns the stacks of a run for a page that compares it with others. */
export function runStacks(profile: Profile): RunStacks {
  const { samples, sources, info } = profile;
  const { tree, node, frames: kept } = gcStacks(profile);
  const { table, keys } = stableKeys(profile);
  const { functions, ids, frames } = frameRows(profile.frames, kept, table);
  const ticks = new Float64Array(tree.length);
  for (const [i, at] of node.entries()) ticks[at]! += samples.ticks[i]!;
  return {
    functions: functions.map((fn, i) => ({ ...fn, key: keys[ids[i]!]?.key })),
    frames,
    tree,
    ticks,
    total: ticks.reduce((sum, count) => sum + count, 0),
    excluded: info.excluded,
    kindTitles: oldTiers(profile),
    sources,
  };
}

/** The runs of one side: their stacks in the order of the comparison. */
type SideStacks = readonly RunStacks[];

/** A function of either side or both. */
interface DiffFunction {
  /** As it is after; as it was before if it is gone. */
  readonly shown: PageFunction;
  /** As it was before and as it is after; undefined where no stack has it. */
  readonly sides: readonly [PageFunction | undefined, PageFunction | undefined];
  /** The row of the comparison; undefined if there is none. */
  readonly row: DiffRow | undefined;
}

/** The lines of a script, and its share of the ticks. */
interface ScriptTicks {
  readonly lines: Set<number>;
  share: number;
}

/** The stacks of two sides as one tree. */
interface DiffTree {
  readonly functions: readonly DiffFunction[];
  readonly frames: readonly FrameRow[];
  /** Its frame numbers are indices into `frames`. */
  readonly tree: CallTree;
  /** Before and after, by node: the part of a whole in the node itself, in the mean of the runs; see {@link SideWholes}. */
  readonly self: readonly [Float64Array, Float64Array];
  /** Before and after, by file: the lines of its frames. */
  readonly scripts: readonly [ReadonlyMap<string, ScriptTicks>, ReadonlyMap<string, ScriptTicks>];
}

/**
 * The whole that the ticks of each run are parts of, by side and run, in ticks: all ticks of the run where shares are judged. Where it
 * is judged what a run takes, that of the larger side, so that a run that takes less is narrower.
 */
type SideWholes = readonly [readonly number[], readonly number[]];

/** Returns the wholes of the runs, and what a run of the larger side takes; undefined where shares are judged. */
function wholesOf({ stacks, runScale }: FlamePageDiff): {
  readonly wholes: SideWholes;
  readonly perRun: PageDiff["perRun"];
} {
  const wholes = (of: (run: RunStacks, side: 0 | 1, number: number) => number): SideWholes => [
    stacks[0].map((run, number) => of(run, 0, number)),
    stacks[1].map((run, number) => of(run, 1, number)),
  ];
  const shares = { wholes: wholes(({ total }) => total), perRun: undefined };
  if (runScale === undefined) return shares;
  const { unit, factors } = runScale;
  const sizes = wholes(({ total }, side, number) => total * factors[side][number]!);
  const [before, after] = sizes.map((side) => side.reduce((sum, size) => sum + size, 0) / side.length);
  const amount = Math.max(before!, after!);
  if (!(amount > 0)) return shares;
  return { wholes: wholes((_, side, number) => amount / factors[side][number]!), perRun: { amount, unit } };
}

/**
 * Merges the stacks of two sides. Each run of a side counts the same, however many ticks it has, as in the
 * comparison. Functions are those of the rows of the comparison; `categories` has the rows of garbage
 * collection and idle time.
 */
function diffTree(diff: Diff, { categories, stacks: sides }: FlamePageDiff, wholes: SideWholes): DiffTree {
  const merger = new DiffTreeMerger(diff, categories);
  // Functions are called as they are after.
  for (const side of [1, 0] as const) {
    const names = side === 0 ? "before" : "after";
    for (const [run, stacks] of sides[side].entries())
      merger.add(stacks, { side, names, run, weight: 1 / sides[side].length, whole: wholes[side][run]! });
  }
  return merger.finish();
}

/** Where stacks are from, and what they count. */
interface Origin {
  readonly side: 0 | 1;
  readonly names: "before" | "after";
  /** The number of the run on its side. */
  readonly run: number;
  readonly weight: number;
  /** In ticks; see {@link SideWholes}. */
  readonly whole: number;
}

class DiffTreeMerger {
  readonly #builder = new CallTreeBuilder();
  readonly #self: [Float64Array, Float64Array] = [new Float64Array(1024), new Float64Array(1024)];
  readonly #functions: {
    shown: PageFunction;
    sides: [PageFunction | undefined, PageFunction | undefined];
    row: DiffRow | undefined;
  }[] = [];
  readonly #frames: FrameRow[] = [];
  readonly #frameNumbers = new Map<string, number>();
  readonly #ofRow = new Map<DiffRow | string, number>();
  readonly #scripts = [new Map<string, ScriptTicks>(), new Map<string, ScriptTicks>()] as const;
  readonly #rows: ReadonlyMap<string, DiffRow>;
  /** By side and run: the rows by the keys that the run has for them. */
  readonly #rowsOfRun: Record<"before" | "after", readonly Map<string, DiffRow>[]>;

  constructor(diff: Diff, categories: Diff) {
    this.#rows = new Map(categories.rows.map((row) => [row.name.key, row]));
    this.#rowsOfRun = { before: rowsByRun(diff, "before"), after: rowsByRun(diff, "after") };
  }

  add(stacks: RunStacks, origin: Origin): void {
    const { tree, ticks } = stacks;
    const factor = origin.whole > 0 ? origin.weight / origin.whole : 0;
    const functions = stacks.functions.map((fn) => this.#function(fn, origin));
    const frames = stacks.frames.map((frame) =>
      this.#frame({ ...frame, function: functions[frame.function]! }),
    );
    const nodes = regroup(tree, this.#builder, (into, caller, node) =>
      into.child(caller, frames[tree.frame[node]!]!),
    );
    const last = this.#builder.length - 1;
    this.#self[0] = reaching(this.#self[0], last);
    this.#self[1] = reaching(this.#self[1], last);
    const inFrame = new Float64Array(stacks.frames.length);
    for (let node = 0; node < tree.length; node++) {
      const share = ticks[node]! * factor;
      this.#self[origin.side][nodes[node]!]! += share;
      if (node > 0) inFrame[tree.frame[node]!]! += share;
    }
    for (const [i, { function: id, line }] of stacks.frames.entries()) {
      const fn = stacks.functions[id]!;
      if (fn.file !== undefined && (line > 0 || fn.line > 0))
        this.#addLine(fn.file, origin.side, [line, fn.line], inFrame[i]!);
    }
  }

  finish(): DiffTree {
    const tree = this.#builder.finish();
    const [before, after] = this.#self.map((column) => column.slice(0, tree.length));
    return {
      functions: this.#functions,
      frames: this.#frames,
      tree,
      self: [before!, after!],
      scripts: this.#scripts,
    };
  }

  #function({ key, ...shown }: RunStacks["functions"][number], { side, names, run }: Origin): number {
    const row = key === undefined ? this.#rows.get(shown.kind) : this.#rowsOfRun[names][run]?.get(key);
    // No key of a function begins so.
    const name = row ?? (key === undefined ? `\0${shown.kind}` : key);
    const known = this.#ofRow.get(name);
    if (known !== undefined) {
      const { sides } = this.#functions[known]!;
      sides[side] ??= shown;
      return known;
    }
    const id = this.#functions.push({ shown, sides: [undefined, undefined], row }) - 1;
    this.#functions[id]!.sides[side] = shown;
    this.#ofRow.set(name, id);
    return id;
  }

  #frame(frame: FrameRow): number {
    const { function: id, kind, line, inlined, inferred } = frame;
    const key = `${id} ${kind} ${line} ${inlined} ${inferred}`;
    return valueAt(this.#frameNumbers, key, () => this.#frames.push(frame) - 1);
  }

  #addLine(file: string, side: 0 | 1, lines: readonly number[], share: number): void {
    const own = valueAt(this.#scripts[side], file, () => ({ lines: new Set<number>(), share: 0 }));
    for (const line of lines) if (line > 0) own.lines.add(line);
    own.share += share;
  }
}

/** Returns, by run of a side, the rows by their keys in that run: they may have been renamed since. */
function rowsByRun(diff: Diff, side: "before" | "after"): Map<string, DiffRow>[] {
  const found = diff[side].map(() => new Map<string, DiffRow>());
  for (const row of diff.rows) {
    for (const [run, one] of row.runs[side].entries()) if (one !== undefined) found[run]!.set(one.key, row);
  }
  return found;
}

/** A script before and after; undefined where its text is not known. */
interface Script {
  readonly before: SideScript | undefined;
  readonly after: SideScript | undefined;
}

interface SideScript {
  readonly file: string;
  readonly text: SourceText;
  readonly ticks: ScriptTicks;
}

/**
 * Returns the lines with ticks of scripts on either side and the lines around them, before and after beside
 * each other: scripts with the most ticks first, up to `room` characters. `number` returns the number of a file.
 */
function diffSources(
  { functions, scripts }: DiffTree,
  sides: readonly [SideStacks, SideStacks],
  { room, number }: { readonly room: number; number(file: string): number },
) {
  const [before, after] = sides.map((side, i) => sideScripts(side, scripts[i as 0 | 1]));
  const partner = filesBefore(functions);
  const pairs: Script[] = [];
  for (const [file, script] of after!) {
    const old = before!.get(partner.get(file) ?? file);
    if (old !== undefined) before!.delete(old.file);
    pairs.push({ before: old, after: script });
  }
  for (const script of before!.values()) pairs.push({ before: script, after: undefined });
  const found = pairs.map(
    ({ before: old, after: now }): WeightedSource => ({
      source: {
        before: old === undefined ? -1 : number(old.file),
        after: now === undefined ? -1 : number(now.file),
        ranges: rangesOf({ before: old, after: now }),
        ...mapFileOf((now ?? old)!.text),
      },
      weight: Math.max(old?.ticks.share ?? 0, now?.ticks.share ?? 0),
    }),
  );
  return fittingSources(found, room);
}

/** Returns the scripts of a side that have ticks and a text. Of several texts, the first run's counts. */
function sideScripts(side: SideStacks, scripts: ReadonlyMap<string, ScriptTicks>): Map<string, SideScript> {
  const found = new Map<string, SideScript>();
  for (const text of side.flatMap(({ sources }) => sources)) {
    const file = printable(text.file);
    const ticks = scripts.get(file);
    if (ticks !== undefined && !found.has(file)) found.set(file, { file, text, ticks });
  }
  return found;
}

/** Returns, by the name of a file after, that before: most of its functions were in it. */
function filesBefore(functions: DiffTree["functions"]): Map<string, string> {
  const votes = new Map<string, Map<string, number>>();
  for (const { sides } of functions) {
    const [before, after] = [sides[0]?.file, sides[1]?.file];
    if (before === undefined || after === undefined) continue;
    const found = valueAt(votes, after, () => new Map());
    found.set(before, (found.get(before) ?? 0) + 1);
  }
  const taken = new Set<string>();
  const partner = new Map<string, string>();
  const ballots = Array.from(votes).flatMap(([after, found]) =>
    Array.from(found, ([before, count]) => ({ before, after, count })),
  );
  for (const { before, after } of ballots.sort((a, b) => b.count - a.count)) {
    if (taken.has(before) || partner.has(after)) continue;
    taken.add(before);
    partner.set(after, before);
  }
  return partner;
}

function rangesOf({ before, after }: Script): SourceRange[] {
  const [old, now] = [before, after].map((script) => script && sourceLines(script.text.text));
  const rows = rowsOf(old, now, before?.text.text === after?.text.text);
  const ticked: number[] = [];
  for (const [i, row] of rows.entries()) {
    if (before?.ticks.lines.has(row.before) || after?.ticks.lines.has(row.after)) ticked.push(i + 1);
  }
  return rangesAround(ticked, rows.length).map(({ first, last }) => {
    const own = rows.slice(first - 1, last);
    const firstOf = (side: "before" | "after") => own.find((row) => row[side] > 0)?.[side] ?? 0;
    const textOf = (lines: readonly string[] | undefined, line: number) =>
      line > 0 ? cutLine(lines?.[line - 1] ?? "") : null;
    const lines = own.map((row): SourceLine => {
      if (row.isSame) return cutLine((now ?? old)![(now === undefined ? row.before : row.after) - 1]!);
      return [textOf(old, row.before), textOf(now, row.after)];
    });
    return { before: firstOf("before"), after: firstOf("after"), lines };
  });
}

function rowsOf(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
  isSame: boolean,
): readonly AlignedLines[] {
  if (before !== undefined && after !== undefined && !isSame) return alignLines(before, after);
  return (after ?? before ?? []).map((_, i) => ({
    before: before === undefined ? 0 : i + 1,
    after: after === undefined ? 0 : i + 1,
    isSame: true,
  }));
}

/** What a page that compares two sides is made of. */
export interface FlamePageDiff {
  /** By function, in shares of all ticks. */
  readonly diff: Diff;
  /** The same runs by category. */
  readonly categories: Diff;
  /** The stacks of the same runs, before and after. */
  readonly stacks: readonly [SideStacks, SideStacks];
  /**
   * What a tick of each run stands for, by side and run, where the comparison judges what runs take; undefined where it judges
   * shares.
   */
  readonly runScale?:
    | {
        readonly unit: NonNullable<PageDiff["perRun"]>["unit"];
        readonly factors: readonly [readonly number[], readonly number[]];
      }
    | undefined;
  /** What the user called the sides. */
  readonly titles: readonly [string, string];
  /** What changed, in sentences. */
  readonly summary: readonly string[];
  /** Returns what changed together with a row, in phrases. */
  causesOf(row: Diff["rows"][number]): readonly string[];
}

/** Ticks of a whole side on the page: shares are whole numbers of its parts. */
const UNIT = 1e8;

/** Returns the data of a page that compares two sides. */
export function flamePageDiff(input: FlamePageDiff, limits: PageLimits = PAGE_LIMITS): FlamePageData {
  const { diff, stacks, titles } = input;
  const { wholes, perRun } = wholesOf(input);
  const merged = diffTree(diff, input, wholes);
  const { tree } = merged;
  const total = new Float64Array(tree.length);
  for (let node = 0; node < tree.length; node++) total[node] = merged.self[0][node]! + merged.self[1][node]!;
  for (let node = tree.length - 1; node > ROOT; node--) total[tree.parent[node]!]! += total[node]!;
  const { kept, largest } = keepLargest(tree, total, limits.frames);
  const pageNode = Int32Array.from({ length: tree.length }, (_, node) => node);
  const page = pageTree(tree, kept, pageNode);
  const { functions, frames, number } = keptRows(merged, page);
  const samples = samplesOf(merged, pageNode, page.length);
  const small = samples.filter(({ node }) => page.frame[node] === MERGED);
  const { files, ...tables } = packFrames({ functions: functions.map(({ shown }) => shown), frames });
  const allFiles = new Numbers(files);
  const fileBefore = functions.map(({ sides: [before] }) =>
    before?.file === undefined ? 0 : 1 + allFiles.of(before.file),
  );
  const { sources, leftOut } = diffSources(merged, stacks, {
    room: limits.source,
    number: (file) => allFiles.of(file),
  });
  const all = stacks.flat();
  return {
    version: 1,
    title: `${printable(titles[0])} → ${printable(titles[1])}`,
    logs: [...diff.before, ...diff.after].flatMap(({ logs }) => logs.map(printable)),
    v8: "",
    kindTitles: (stacks[1][0] ?? stacks[0][0])?.kindTitles ?? {},
    ticks: samples.reduce((sum, { ticks }) => sum + ticks, 0),
    excluded: all.reduce((sum, { excluded }) => sum + excluded, 0),
    waited: waitsOf([...diff.before, ...diff.after]),
    threads: ["before", "after"].map((title, side) => ({
      title,
      ticks: sumOf(diff[side === 0 ? "before" : "after"]),
    })),
    ...tables,
    nodes: packNodes(page, number),
    samples: packSamples(sampleColumns(samples)),
    times: undefined,
    unit: (diff.before[0] ?? diff.after[0])?.input === undefined ? "tick" : "sample",
    merged: {
      frames: kept.reduce((sum, isKept) => sum + 1 - isKept, 0),
      ticks: small.reduce((sum, { ticks }) => sum + ticks, 0),
      largest: Math.round(largest * UNIT),
      sources: leftOut,
    },
    sources,
    diff: {
      sides: [sideOf(titles[0], diff.before), sideOf(titles[1], diff.after)],
      unit: UNIT,
      perRun,
      hasVerdict: diff.hasVerdict,
      summary: input.summary,
      // Garbage collection as a whole has no code of its own.
      self: packChange(
        functions.map(({ row, shown }) => (isWhole(shown) ? undefined : shownChange(row, "self", perRun))),
      ),
      // More or less waiting is no slower or faster code.
      total: packChange(
        functions.map(({ row, shown }) =>
          shown.kind === "idle" ? undefined : shownChange(row, "total", perRun),
        ),
      ),
      fileBefore: packColumn(fileBefore),
      lineBefore: packColumn(functions.map(({ sides }) => sides[0]?.line ?? 0)),
      causes: functions.flatMap((fn, id) => {
        const texts = causesOf(fn, input);
        return texts.length === 0 ? [] : [[id, texts] as const];
      }),
    },
    files: allFiles.keys,
  };
}

const NO_FUNCTION: DiffFunction = { shown: SMALL_FRAMES, sides: [undefined, undefined], row: undefined };
const NO_FRAME = { kind: frameKind("merged"), line: 0, column: 0, inlined: false, inferred: false };

/** The functions and frames of the page, numbered anew in the order of its tree. */
function keptRows({ functions, frames }: DiffTree, page: PageTree) {
  const { used, number } = numberedFrames(page);
  const ids = new Numbers<number>();
  const kept = used.map((frame): FrameRow => {
    const row = frames[frame] ?? { ...NO_FRAME, function: MERGED };
    return { ...row, function: ids.of(row.function) };
  });
  return { functions: ids.keys.map((id) => functions[id] ?? NO_FUNCTION), frames: kept, number };
}

/**
 * Returns the shares by node of the page, of which there are `length`, and side as whole numbers; `pageNode` is by node of the tree.
 * What rounding takes from a node the next one gets, so that sums stay right.
 */
function samplesOf({ self, tree }: DiffTree, pageNode: Int32Array, length: number): SampleRow[] {
  const sides = self.map((column) => {
    const ofNode = new Float64Array(length);
    for (let node = 0; node < tree.length; node++) ofNode[pageNode[node]!]! += column[node]!;
    return ofNode;
  });
  const rows: SampleRow[] = [];
  const sums = [0, 0];
  const counted = [0, 0];
  for (let node = 0; node < length; node++) {
    for (const [side, column] of sides.entries()) {
      sums[side]! += column[node]!;
      const ticks = Math.round(sums[side]! * UNIT) - counted[side]!;
      if (ticks <= 0) continue;
      counted[side]! += ticks;
      rows.push({ node, thread: side, ticks });
    }
  }
  return rows;
}

/** Returns whether a function stands for garbage collection or idle time as a whole. */
function isWhole({ kind }: PageFunction): boolean {
  return kind === "gc" || kind === "idle";
}

/** Returns what the page tells of a change: in percent, of a run where that is what the page is of. */
function shownChange(
  row: DiffRow | undefined,
  measure: "self" | "total",
  perRun: PageDiff["perRun"],
): Change | undefined {
  if (row === undefined || perRun === undefined) return row?.[measure];
  const { before, after, change, low, high } = row.perRun[measure];
  const part = (amount: number) => (amount * 100) / perRun.amount;
  return {
    ...row[measure],
    before: part(before),
    after: part(after),
    change: part(change),
    low: part(low),
    high: part(high),
  };
}

function packChange(changes: readonly (Change | undefined)[]): PackedChange {
  // Percent become millionths.
  const column = (of: (change: Change) => number) =>
    packColumn(
      changes.map((change) => {
        const value = change === undefined ? 0 : Math.round(of(change) * 1e4);
        return unsigned(Number.isSafeInteger(value) ? value : 0);
      }),
    );
  return {
    verdict: packColumn(changes.map((change) => (change ? 1 + VERDICTS.indexOf(change.verdict) : 0))),
    before: column(({ before }) => before),
    after: column(({ after }) => after),
    low: column(({ low }) => low),
    high: column(({ high }) => high),
  };
}

/** Returns what changed together with a function, and what it was called before. */
function causesOf({ sides: [before, after], row }: DiffFunction, { causesOf }: FlamePageDiff): string[] {
  if (row === undefined) return [];
  const isSame =
    before === undefined || after === undefined || before.kind !== "js" || row.matchedBy === "key";
  const was = isSame ? [] : [`before: ${before.title} ${before.file ?? ""}:${before.line}`];
  return [...was, ...causesOf(row)];
}

function sideOf(title: string, runs: readonly RunSummary[]): PageSide {
  const versions = Array.from(new Set(runs.flatMap(({ v8 }) => v8)));
  return {
    title: printable(title),
    runs: runs.length,
    ticks: sumOf(runs),
    waited: waitsOf(runs),
    v8: versions.map(printable).join(" and "),
  };
}

function waitsOf(runs: readonly RunSummary[]): PageWaits | undefined {
  return pageWaits(sumOfWaits(runs.map(({ waited }) => waited)));
}

function sumOf(runs: readonly RunSummary[]): number {
  return runs.reduce((sum, { ticks }) => sum + ticks, 0);
}
