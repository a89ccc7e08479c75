import type { Change, Diff } from "../../compare/diff-model.js";
import type { RunSummary } from "../../compare/run-summary.js";
import { frameKind } from "../../flame-page/frame-kind.js";
import { unsigned } from "../../flame-page/packed-column.js";
import {
  type PackedChange,
  type PageData,
  type PageSide,
  type PageWaits,
  VERDICTS,
} from "../../flame-page/page-data.js";
import { ROOT } from "../../profile/call-tree.js";
import { sumOfWaits } from "../../profile/waited.js";
import { printable } from "../../views/label.js";
import { diffSources } from "./diff-sources.js";
import { type DiffFunction, type DiffTree, diffTree, type SideStacks } from "./diff-tree.js";
import { packColumn } from "./pack-column.js";
import { PAGE_LIMITS, type PageLimits, packNodes, pageWaits } from "./page-data.js";
import { type FrameRow, Names, type PageFunction, packFrames, SMALL_FRAMES } from "./page-frames.js";
import { packSamples, type SampleRow, sampleColumns } from "./page-samples.js";
import { MERGED, type PageTree, pageTree } from "./page-tree.js";
import { keepLargest } from "./small-frames.js";

/** What a page that compares two sides is made of. */
export interface DiffPage {
  /** By function, in shares of all ticks. */
  readonly diff: Diff;
  /** The same runs by category. */
  readonly categories: Diff;
  /** The stacks of the same runs, before and after. */
  readonly stacks: readonly [SideStacks, SideStacks];
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
export function diffPageData(input: DiffPage, limits: PageLimits = PAGE_LIMITS): PageData {
  const { diff, stacks, titles } = input;
  const merged = diffTree(diff, input.categories, stacks);
  const { tree } = merged;
  const total = new Float64Array(tree.length);
  for (let node = 0; node < tree.length; node++) total[node] = merged.self[0][node]! + merged.self[1][node]!;
  for (let node = tree.length - 1; node > ROOT; node--) total[tree.parent[node]!]! += total[node]!;
  const { kept, largest } = keepLargest(tree, total, limits.frames);
  const pageNode = Int32Array.from({ length: tree.length }, (_, node) => node);
  const page = pageTree(tree, { total, kept }, pageNode);
  const { functions, frames, number } = keptRows(merged, page);
  const samples = samplesOf(merged, pageNode, page.length);
  const small = samples.filter(({ node }) => page.frame[node] === MERGED);
  const { files, ...tables } = packFrames({ functions: functions.map(({ shown }) => shown), frames });
  const allFiles = new Names(files);
  const fileBefore = functions.map(({ sides: [before] }) =>
    before?.file === undefined ? 0 : 1 + allFiles.number(before.file),
  );
  const { sources, leftOut } = diffSources(merged, stacks, {
    room: limits.source,
    number: (file) => allFiles.number(file),
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
    slices: undefined,
    merged: {
      frames: kept.reduce((sum, isKept) => sum + 1 - isKept, 0),
      ticks: small.reduce((sum, { ticks }) => sum + ticks, 0),
      largest: Math.round(largest * UNIT),
      sources: leftOut,
    },
    sources: [],
    diff: {
      sides: [sideOf(titles[0], diff.before), sideOf(titles[1], diff.after)],
      unit: UNIT,
      hasVerdict: diff.hasVerdict,
      summary: input.summary,
      // Garbage collection as a whole has no code of its own.
      self: packChange(functions.map(({ row, shown }) => (isWhole(shown) ? undefined : row?.self))),
      // More or less waiting is no slower or faster code.
      total: packChange(functions.map(({ row, shown }) => (shown.kind === "idle" ? undefined : row?.total))),
      fileBefore: packColumn(fileBefore),
      lineBefore: packColumn(functions.map(({ sides }) => sides[0]?.line ?? 0)),
      causes: functions.flatMap((fn, id) => {
        const texts = causesOf(fn, input);
        return texts.length === 0 ? [] : [[id, texts] as const];
      }),
      sources,
    },
    files: allFiles.names,
  };
}

/** The functions and frames of the page, numbered anew in the order of its tree. */
function keptRows({ functions, frames }: DiffTree, page: PageTree) {
  const numbers = new Map<number, number>();
  const ids = new Map<number, number>();
  const keptFunctions: DiffFunction[] = [];
  const keptFrames: FrameRow[] = [];
  const number = new Int32Array(page.length);
  const addFunction = (id: number) => {
    let known = ids.get(id);
    if (known === undefined) {
      const made = functions[id] ?? { shown: SMALL_FRAMES, sides: [undefined, undefined], row: undefined };
      known = keptFunctions.push(made) - 1;
      ids.set(id, known);
    }
    return known;
  };
  const smallFrame = { kind: frameKind("merged"), line: 0, column: 0, inlined: false, inferred: false };
  for (let node = 1; node < page.length; node++) {
    const frame = page.frame[node]!;
    let known = numbers.get(frame);
    if (known === undefined) {
      const row = frames[frame] ?? { ...smallFrame, function: MERGED };
      known = keptFrames.push({ ...row, function: addFunction(row.function) }) - 1;
      numbers.set(frame, known);
    }
    number[node] = known;
  }
  return { functions: keptFunctions, frames: keptFrames, number };
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
  const told = [0, 0];
  for (let node = 0; node < length; node++) {
    for (const [side, column] of sides.entries()) {
      sums[side]! += column[node]!;
      const ticks = Math.round(sums[side]! * UNIT) - told[side]!;
      if (ticks <= 0) continue;
      told[side]! += ticks;
      rows.push({ node, thread: side, ticks });
    }
  }
  return rows;
}

/** Returns whether a function stands for garbage collection or idle time as a whole. */
function isWhole({ kind }: PageFunction): boolean {
  return kind === "gc" || kind === "idle";
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
function causesOf({ sides: [before, after], row }: DiffFunction, { causesOf }: DiffPage): string[] {
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
