import type { Change, Diff, DiffRow, PerRun, RunAmount } from "../../compare/diff-model.js";
import type { RowName, RunGroup } from "../../compare/run-groups.js";
import type { RunSummary } from "../../compare/run-summary.js";
import { howWaited, sumOfWaits } from "../../profile/waited.js";
import type { ShownName } from "../../views/function-names.js";
import { counted } from "../layout/numbers.js";

/** What the rows are sorted by. */
export const DIFF_ORDERS = ["change", "before", "after", "total", "name"] as const;

export type DiffOrder = (typeof DIFF_ORDERS)[number];

/** A comparison and what to show of it. */
export interface DiffReport {
  readonly diff: Diff;
  readonly by: RunGroup;
  /** What the user called the sides. */
  readonly before: string;
  readonly after: string;
  readonly order: DiffOrder;
  /** The smallest change, of self or total, of a row that is shown. */
  readonly min: number;
  /** The maximum number of rows without a verdict. */
  readonly limit: number;
  /** The words of the command line for both sides, for commands to run next. Default: name none. */
  readonly words?: { readonly before: readonly string[]; readonly after: readonly string[] } | undefined;
  /** Whether filters left out a part of the runs. Default: no. */
  readonly isFiltered?: boolean | undefined;
}

/** The rows that are shown, and the others. */
export interface ShownRows {
  readonly shown: readonly DiffRow[];
  readonly rest: readonly DiffRow[];
}

/** Returns the rows with a verdict, and as many of the others as wanted. */
export function shownRows({ diff, order, min, limit }: DiffReport): ShownRows {
  const sorted = order === "change" ? diff.rows : Array.from(diff.rows).sort(comparer(order));
  const shown: DiffRow[] = [];
  const rest: DiffRow[] = [];
  let others = 0;
  for (const row of sorted) {
    const isLarge = Math.max(Math.abs(row.self.change), Math.abs(row.total.change)) >= min;
    const isShown = isLarge && (row.verdict !== "same" || others++ < limit);
    (isShown ? shown : rest).push(row);
  }
  return { shown, rest };
}

function comparer(order: Exclude<DiffOrder, "change">): (a: DiffRow, b: DiffRow) => number {
  const byName = (a: DiffRow, b: DiffRow) => (a.name.key < b.name.key ? -1 : 1);
  switch (order) {
    case "before":
      return (a, b) => b.self.before - a.self.before || byName(a, b);
    case "after":
      return (a, b) => b.self.after - a.self.after || byName(a, b);
    case "total":
      return (a, b) => Math.abs(b.total.change) - Math.abs(a.total.change) || byName(a, b);
    case "name":
      return byName;
  }
}

/** Returns the name of a row and where it is. */
export function shownRowName({ title, file, line, origin, key }: RowName): ShownName {
  // The row of a file is called like the file.
  if (file === undefined || file === title || key === file) return { title, position: "" };
  if (title === key) return { title, position: file };
  const position = line === undefined ? file : `${file}:${line}`;
  return { title, position, isSymbol: origin === "native" };
}

/** The nouns of the rows. */
export const NOUNS: Readonly<Record<RunGroup, string>> = {
  function: "function",
  file: "file",
  package: "package",
  line: "line",
  category: "kind of work",
};

/** Returns a count with the noun of the rows, and a word before it. */
export function countedRows(number: number, by: RunGroup, before = ""): string {
  if (by === "category") return `${number} ${before}${number === 1 ? "kind" : "kinds"} of work`;
  return counted(number, `${before}${NOUNS[by]}`);
}

/** Returns a number of the comparison with its unit. */
export function amount(value: number, { scale }: Diff): string {
  return scale.unit === "percent" ? `${value.toFixed(2)}%` : `${milliseconds(value)} ms`;
}

/** Returns a change, with its sign and without a unit: percent changes by percentage points. */
export function signed(value: number, { scale }: Diff): string {
  const text = scale.unit === "percent" ? Math.abs(value).toFixed(2) : milliseconds(Math.abs(value));
  return `${value < 0 && Number(text) !== 0 ? "-" : "+"}${text}`;
}

/** Returns milliseconds with about three digits. */
export function milliseconds(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 || size === 0 ? 2 : 4);
}

/** Returns the interval of a change: `+1.40 to +2.20`; empty if both ends are 0. */
export function interval({ low, high }: Pick<Change, "low" | "high">, diff: Diff): string {
  return rangeText([low, high], (value) => signed(value, diff));
}

function rangeText([low, high]: readonly [number, number], textOf: (value: number) => string): string {
  const [first, second] = [textOf(low), textOf(high)];
  return isZero(first) && isZero(second) ? "" : `${first} to ${second}`;
}

function isZero(text: string): boolean {
  return Number(text.replaceAll(",", "")) === 0;
}

/** Returns a number of a run, without its unit: `5,685`, `0.7`. */
export function runNumber(value: number, { unit }: Pick<PerRun, "unit">): string {
  if (unit !== "ticks") return milliseconds(value);
  if (Math.abs(value) < 10 && !Number.isInteger(value)) return value.toFixed(1);
  return Math.round(value).toLocaleString("en-US");
}

/** Returns the unit of what runs take. */
export function runUnit({ unit }: Pick<PerRun, "unit">): string {
  return unit === "ticks" ? "ticks" : "ms";
}

/** Returns what something takes in a run before and after: `5,685 → 556`. */
export function runNumbers({ before, after }: Pick<RunAmount, "before" | "after">, of: PerRun): string {
  return `${runNumber(before, of)} → ${runNumber(after, of)}`;
}

/** Returns a change relative to what was: `-90%`; as it is if there was nothing, empty if there is nothing at all. */
export function runChange({ before, change }: RunAmount, of: PerRun): string {
  if (before === 0 && change === 0) return "";
  if (before > 0) return `${signOf(change)}${percentText((Math.abs(change) / before) * 100)}%`;
  return `${signOf(change)}${runNumber(Math.abs(change), of)}`;
}

/** Returns the interval of a change in a run: `-5,140 to -5,110`; empty if both ends are 0. */
export function runInterval({ low, high }: RunAmount, of: PerRun): string {
  return rangeText([low, high], (value) => `${signOf(value)}${runNumber(Math.abs(value), of)}`);
}

/** Returns shares before and after: `96.1 → 5.2%`. */
export function sharesText({ before, after }: Pick<Change, "before" | "after">): string {
  if (before === 0 && after === 0) return "";
  return `${before.toFixed(1)} → ${after.toFixed(1)}%`;
}

function signOf(value: number): string {
  return value < 0 ? "-" : "+";
}

/** Returns percent without decimals, but never 100 for what is less. */
export function percentText(percent: number): string {
  const rounded = percent < 100 ? Math.min(99, Math.round(percent)) : Math.round(percent);
  return percent < 100 && percent > 99 ? percent.toFixed(1) : String(rounded);
}

/** Whether what runs take comes first: with the scale of shares, which say nothing on time. */
export function showsRuns({ scale }: Diff): boolean {
  return scale.name === "share";
}

/** Returns the title of the table: `functions by ticks a run`. */
export function tableTitle({ diff, by }: DiffReport): string {
  const rows = by === "category" ? "kinds of work" : `${NOUNS[by]}s`;
  if (!showsRuns(diff)) return `${rows} by ${unitText(diff)}`;
  const { perRun } = diff;
  if (perRun.unit !== "ticks") return `${rows} by CPU time of a run, in ms, and share of all ticks`;
  return `${rows} by ticks a run${tickText(perRun)}, and share of all ticks`;
}

/** Whether a tick is as long on both sides, so that times say what ticks say. */
export function hasOneInterval({ ms, before, after }: Pick<PerRun, "ms" | "before" | "after">): boolean {
  if (ms === undefined || before === 0 || after === 0) return false;
  const ratio = ms.after / after / (ms.before / before);
  return ratio < SAME_TICK && ratio > 1 / SAME_TICK;
}

/** Ticks whose lengths differ by a smaller factor are about as long. */
const SAME_TICK = 1.05;

/** Returns how long a tick is: ` (a tick is 1.06 ms)`; nothing if that is not known. */
function tickText({ ms, before, after }: PerRun): string {
  if (ms === undefined || before + after === 0 || !hasOneInterval({ ms, before, after })) return "";
  return ` (a tick is ${((ms.before + ms.after) / (before + after)).toPrecision(3)} ms)`;
}

/** What the rest of the runs did so that the share of a row changed, in a few words. */
function restText({ self, total }: DiffRow, { perRun }: Diff): string {
  const isMore = (self.change === 0 ? total.change : self.change) > 0;
  const isLonger = perRun.change > 0;
  return `rest ${isLonger ? "grew" : "shrank"}${isMore === isLonger ? " less" : ""}`;
}

/** Returns why a row has no verdict in a few words, for a table; undefined if it has one, or no interval leaves out 0. */
export function shortReason(row: DiffRow, diff: Diff): string | undefined {
  switch (row.unsettled) {
    case undefined:
      return undefined;
    case "rest":
      return restText(row, diff);
    case "whole":
      return "as whole run";
    case "length":
      return "run length";
    case "few":
      return "few ticks";
    case "many":
      return "many tests";
  }
}

/** Returns why a row has no verdict though an interval leaves out 0; undefined if it has one, or none leaves out 0. */
export function unsettledText(row: DiffRow, diff: Diff): string | undefined {
  switch (row.unsettled) {
    case undefined:
      return undefined;
    case "rest": {
      const change = row.self.change === 0 ? row.total.change : row.self.change;
      return `no verdict: its share ${change > 0 ? "rose" : "fell"} because the ${restText(row, diff)}`;
    }
    case "whole":
      return "no verdict: it changed as the whole run did";
    case "length":
      return "no verdict: the runs have another length, and its share may have changed by that alone";
    case "few":
      return "no verdict: too few ticks to tell";
    case "many":
      return `no verdict: of ${diff.tests} numbers that were tested, some look changed though nothing did`;
  }
}

/** Returns {@link unsettledText} of the program's own code, if it is more than {@link shortReason} says. */
export function unsettledNote(row: DiffRow, diff: Diff): string | undefined {
  const isTold = row.part !== "rest" && (row.unsettled === "rest" || row.unsettled === "length");
  return isTold ? unsettledText(row, diff) : undefined;
}

/** The rows of the table, and those that are told with others. */
export interface ToldRows {
  readonly rows: readonly DiffRow[];
  /** By the key of a shown row: the rows that changed only because of it. */
  readonly folded: ReadonlyMap<string, readonly DiffRow[]>;
  /** All rows that are not in the table. */
  readonly rest: readonly DiffRow[];
}

/** Returns the shown rows with callers folded into what they call, unless the user asked for another order. */
export function toldRows(report: DiffReport): ToldRows {
  const { shown, rest } = shownRows(report);
  if (report.order !== "change") return { rows: shown, folded: new Map(), rest };
  const keys = new Set(shown.map(({ name }) => name.key));
  let others = 0;
  const folded = new Map<string, DiffRow[]>();
  const hidden: DiffRow[] = [];
  const rows = shown.filter((row) => {
    const key = row.foldedInto?.key;
    if (key === undefined || !keys.has(key)) {
      // What V8 does differently follows from what the program does, in hundreds of functions.
      const isShown = report.by === "category" || row.part !== "rest" || row.verdict === "same";
      if (isShown || others++ < report.limit) return true;
      hidden.push(row);
      return false;
    }
    const found = folded.get(key);
    if (found === undefined) folded.set(key, [row]);
    else found.push(row);
    hidden.push(row);
    return false;
  });
  return { rows, folded, rest: [...hidden, ...rest] };
}

/** As many callers of a row are named. */
const NAMED_CALLERS = 4;

/** Returns which callers changed only because of a row. */
export function foldedText(rows: readonly DiffRow[], show: (name: string) => string): string {
  const names = rows.slice(0, NAMED_CALLERS).map(({ name }) => show(name.title));
  const more = rows.length - names.length;
  return `its callers changed with it: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Returns what the numbers are: `share of all ticks`. */
export function unitText(diff: Diff): string {
  const { scale } = diff;
  if (scale.name === "unchanged") return "share of a run before, if most code takes as long as it did";
  if (scale.unit === "percent")
    return leavesWaitsOut(diff) ? "share of all ticks but those that waited" : "share of all ticks";
  return scale.unit === "ms" ? "CPU time of a run, in ms" : "CPU time of a unit of work, in ms";
}

/** Returns what a side is: `before/: 6 runs, 18,432 ticks, V8 14.6.202.34`. */
export function sideText(title: string, runs: readonly RunSummary[]): string {
  const ticks = runs.reduce((sum, run) => sum + run.ticks, 0);
  const versions = Array.from(new Set(runs.flatMap(({ v8 }) => v8)));
  const v8 = versions.length === 0 ? "" : `, V8 ${versions.join(" and ")}`;
  return `${title}: ${counted(runs.length, "run")}, ${counted(ticks, "tick")}${waitedPart(runs)}${v8}`;
}

function waitedPart(runs: readonly RunSummary[]): string {
  const waited = sumOfWaits(runs.map(({ waited }) => waited));
  return waited === undefined || waited.ticks === 0
    ? ""
    : ` and ${waited.ticks} that waited (${howWaited(waited)})`;
}

/** Returns whether the runs have ticks that waited and are left out. */
function leavesWaitsOut({ before, after }: Diff): boolean {
  return [...before, ...after].some(({ waited }) => waited !== undefined && waited.ticks > 0);
}

/** Returns a note on ticks that waited; nothing if there are none. */
export function waitedNote({ diff }: DiffReport): string[] {
  return leavesWaitsOut(diff)
    ? ["Ticks that waited take no CPU and are left out of all numbers: --idle counts them."]
    : [];
}

/** Returns a note on how many ticks are in rows that were not found on the other side; none if few are. */
export function unmatchedNote({ diff, by }: DiffReport): string[] {
  const percent = (1 - diff.matched) * 100;
  if (percent < 1) return [];
  return [`${percent.toFixed(1)}% of the ticks are in ${NOUNS[by]}s that one side does not have.`];
}
