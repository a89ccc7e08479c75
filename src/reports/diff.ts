import { pushTo } from "../base/maps.js";
import { shellWord } from "../base/shown-text.js";
import {
  ALL_TICKS,
  inSamples,
  joined,
  named,
  segmentsOf,
  type Text,
  TICK,
  TICKS,
  text,
} from "../base/text.js";
import type { Ticks } from "../base/units.js";
import { isReal } from "../compare/causes.js";
import { isOfCalls } from "../compare/diff.js";
import type {
  Cause,
  Change,
  Diff,
  DiffRow,
  Part,
  PerRun,
  RenamedFile,
  RunAmount,
  SureAmount,
  Unsettled,
  Verdict,
} from "../compare/diff-model.js";
import type { MatchedBy } from "../compare/row-matches.js";
import type { RowName, RunGroup } from "../compare/run-groups.js";
import { hasUnknownCounts, type RunSummary } from "../compare/run-summary.js";
import type { Scale } from "../compare/scales.js";
import { ALMOST_SURE } from "../compare/verdicts.js";
import { UNKNOWN_COUNT } from "../facts/doubts.js";
import type { ShownName } from "../facts/function-names.js";
import { UNNAMED } from "../facts/function-table.js";
import { isEntry, printable } from "../facts/label.js";
import { isMuchUnsampled, UNSAMPLED } from "../facts/unsampled-cpu.js";
import type { MemoryUnit } from "../profile/profile.js";
import { listedSymbol } from "../render/names.js";
import {
  type Below,
  type Block,
  type Column,
  GAP,
  note,
  number,
  type Row,
  section,
  type Table,
  type Tone,
} from "../render/page.js";
import { plainly, shownBytes, spoken, type Unit } from "../render/spoken.js";
import { shownMiddle } from "../render/width.js";
import {
  type Count,
  type FromTwo,
  type Integer,
  type JsonDocument,
  jsonDocument,
  jsonTicks,
  jsonWaited,
  type MemoryData,
  type OriginName,
  orNull,
  type WaitedData,
} from "./json.js";
import type { Report } from "./report.js";
import { stackLine } from "./stack-text.js";
import { counted, recordCommand, waitedText } from "./words.js";

/** What the rows are sorted by. */
export type DiffOrder = "change" | "before" | "after" | "total" | "name";

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
  /** The command that `ticks record` ran, if it made the runs after. */
  readonly command?: readonly string[] | undefined;
  /** Whether filters left out a part of the runs. Default: no. */
  readonly isFiltered?: boolean | undefined;
}

/** Names in sentences are cut to this many columns. */
const NAME_COLUMNS = 60;

/** What a comparison of memory counts; undefined for one of time. */
export function memoryOf({ before, after }: Pick<Diff, "before" | "after">): MemoryUnit | undefined {
  const all = [...before, ...after].flatMap(({ memory }) => memory ?? []);
  return all.find(({ is }) => is !== "unknown") ?? all[0];
}

/** Returns what all of a run is made of: ticks, or bytes or objects. */
function wholeText(diff: Diff): Text {
  return memoryOf(diff)?.of ?? TICKS;
}

/** `ticks diff`. */
export const DIFF: Report<DiffReport> = { data: diffData, page: diffPage };

/** Returns the page of `ticks diff`: the summary, then the table. */
export function diffPage(report: DiffReport): Block[] {
  const { diff } = report;
  const isSure = diff.rows.some(({ self, total }) => isReal(self) || isReal(total));
  const sentences = summaryOf(report).map(shortened);
  const told = toldRows(report);
  const { rest } = told;
  const left = rest.length === 0 ? [] : [note(leftOutText(rest, report), "faint")];
  const lines = nextCommands(report);
  return [
    note(text`before: ${sideText(report.before, diff.before)}`, "heading"),
    note(text`after:  ${sideText(report.after, diff.after)}`, "heading"),
    ...waitedNote(report).map((words) => note(words)),
    GAP,
    ...sentences.map((words, i) => note(words, i === 0 && isSure ? "hot" : "plain")),
    ...unmatchedNote(report).map((words) => note(words)),
    section(tableTitle(report), ...(told.rows.length > 0 ? [diffTable(told, report)] : left)),
    ...reasonsLegend(told, diff),
    ...(lines.length > 0 ? [section("Next", { kind: "commands", lines })] : []),
  ];
}

/** Cuts the names of a sentence. */
function shortened(sentence: Text): Text {
  return segmentsOf(sentence).map((segment) =>
    typeof segment !== "string" && segment.kind === "name"
      ? named(shownMiddle(segment.name, NAME_COLUMNS))
      : segment,
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** On a terminal names have at least this many columns, or some columns of numbers are left out, one after the other. */
const LEAST_NAME = 28;
const INTERVAL: Column = { ...number("95 %"), dropped: 1, isIfAny: true };
const OF_SHARE: Column = { ...number("95 % of share"), dropped: 1 };
const SHARE: Column = { ...number("share"), dropped: 2 };

function diffTable({ rows, folded, chains, rest }: ToldRows, report: DiffReport): Table {
  const { diff, by } = report;
  const { hasVerdict } = diff;
  const numbers = numberColumns(report);
  return {
    kind: "table",
    columns: [...(hasVerdict ? [{ title: "verdict" }] : []), ...numbers, { title: NOUNS[by] }],
    rows: rows.map((row): Row => {
      const chain = chains.get(row.name.key) ?? [row];
      const names = chain.map(({ name }) => titleOfRow(name));
      const callers = chain.flatMap(({ name }) => folded.get(name.key) ?? []);
      return {
        cells: [
          ...(hasVerdict ? [verdictText(row, report)] : []),
          ...numbers.map(({ textOf }) => textOf(row)),
          chain.length === 1
            ? shownRowName(row.name)
            : { path: names, fit: (columns) => stackLine(names.map(printable), columns) },
        ],
        tone: toneOf(row, diff),
        // Why the last one changed is why all did.
        below: belowOf(chain.at(-1)!, callers, diff),
      };
    }),
    rest: rest.length === 0 ? undefined : leftOutText(rest, report),
    least: LEAST_NAME,
  };
}

function toneOf({ verdict, self, total, part }: DiffRow, { hasVerdict }: Diff): Tone {
  if (hasVerdict && verdict === "same") return "faint";
  return isReal(self) || (isReal(total) && part === "changed") ? "hot" : "plain";
}

/** Returns why a row changed, and which callers changed with it. */
function belowOf(row: DiffRow, callers: readonly DiffRow[], diff: Diff): Below[] {
  const reason = unsettledNote(row, diff);
  const lines: Text[] = [
    ...row.causes
      .filter(isTelling)
      .flatMap((cause): Text[] => [shortened(causeText(cause, diff)), ...changedLines(cause)]),
    ...(callers.length > 0 ? [shortened(foldedText(callers))] : []),
    ...(reason === undefined ? [] : [reason]),
  ];
  return lines.map((words) => ({ words, tone: "faint" }));
}

/** Whether a cause names something: V8's entries to C++ are on the way to all of it. */
function isTelling(cause: Cause): boolean {
  return cause.kind !== "callee" || cause.callee.origin !== "native" || !isEntry(cause.callee.title);
}

/** Returns the lines of the source that changed, as in a patch. */
function changedLines(cause: Cause): Text[] {
  if (cause.kind !== "source") return [];
  const lines = cause.lines.map(
    ({ side, text: line }) => text`  ${named(`${side === "before" ? "-" : "+"} ${line}`)}`,
  );
  return cause.more === 0 ? lines : [...lines, `  … ${counted(cause.more, "more changed line")}`];
}

/** A column of numbers. */
interface NumberColumn extends Column {
  readonly textOf: (row: DiffRow) => string;
}

/** Returns the columns of numbers: what runs take with the share beside it, or the numbers of another scale. */
function numberColumns({ diff, order }: DiffReport): NumberColumn[] {
  const { perRun } = diff;
  const isUnknown = isCountUnknown(diff);
  const runs = (row: DiffRow) => row.perRun[measureOf(row, order)];
  const scaled = (row: DiffRow) => row[measureOf(row, order)];
  if (showsRuns(diff)) {
    const side = (row: DiffRow, name: "before" | "after") => {
      const { before, after } = runs(row);
      const text = runNumber(runs(row)[name], perRun, Math.max(before, after));
      return isZero(text) ? "" : text;
    };
    return [
      { ...number("before"), textOf: (row) => side(row, "before") },
      { ...number("after"), textOf: (row) => side(row, "after") },
      { ...number("change"), textOf: (row) => runChange(runs(row), perRun) },
      diff.hasVerdict && diff.judgedBy === "share"
        ? { ...OF_SHARE, textOf: (row) => interval(scaled(row), diff) }
        : { ...INTERVAL, textOf: (row) => (isUnknown ? "" : runInterval(runs(row), perRun)) },
      { ...SHARE, textOf: (row) => sharesText(scaled(row)) },
    ];
  }
  return [
    { ...number("before"), textOf: (row) => amountOrNone(scaled(row).before, diff) },
    { ...number("after"), textOf: (row) => amountOrNone(scaled(row).after, diff) },
    { ...number("change"), textOf: (row) => changeOrNone(scaled(row).change, diff) },
    { ...INTERVAL, textOf: (row) => (isUnknown ? "" : interval(scaled(row), diff)) },
  ];
}

/** Whether a side does not tell how many samples it has: what may be chance is not known. */
function isCountUnknown({ before, after }: Diff): boolean {
  return hasUnknownCounts([...before, ...after]);
}

/** Which numbers of a row are shown: those with all that it calls if only these changed, or if it has hardly any of its own. */
function measureOf({ self, total }: DiffRow, order: DiffOrder): "self" | "total" {
  if (order === "total") return "total";
  if (self.verdict !== "same") return "self";
  return total.verdict !== "same" || isOfCalls(self, total) ? "total" : "self";
}

/** What verdicts are called where memory is compared. */
const IN_MEMORY = { slower: "more", faster: "less" } as const;

/** Returns the verdict on a row, and whether its numbers are of all that it calls, too. */
function verdictText(row: DiffRow, { diff, order }: DiffReport): Text {
  const { self, total } = row;
  const where = measureOf(row, order) === "total" ? " in total" : "";
  const word = (verdict: Verdict) =>
    memoryOf(diff) === undefined ? verdict : { ...IN_MEMORY, new: "new", gone: "gone", same: "~" }[verdict];
  if (self.verdict !== "same") return `${word(self.verdict)}${where}`;
  if (total.verdict !== "same") return `${word(total.verdict)} in total`;
  const reason = shortReason(row, diff);
  return reason === undefined ? `~${where}` : text`~${where}${where === "" ? " " : ", "}${reason}`;
}

/** Returns a line for the rows that are not shown, so that all add up. */
function leftOutText(rows: readonly DiffRow[], { diff, by }: DiffReport): string {
  const sum = (side: "before" | "after") => rows.reduce((all, { self }) => all + self[side], 0);
  const values = `${scaledText(sum("before"), diff)} to ${scaledText(sum("after"), diff)}`;
  return `… ${countedRows(rows.length, by, "more ")}: ${values}`;
}

/** The rows that are shown, and the others. */
interface ShownRows {
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

/** Returns the name of a row: of a function without one what it is for. */
function titleOfRow({ title, role, origin }: RowName): string {
  if (origin === "native") return listedSymbol(title);
  return role === undefined ? title : `<${role}>`;
}

/** Returns the name of a row for a sentence: what has none is told by its place. */
function saidRow(name: RowName): string {
  const title = titleOfRow(name);
  if (title !== UNNAMED || name.file === undefined) return title;
  const file = name.file.slice(name.file.lastIndexOf("/") + 1);
  return `${title} ${file}${name.line === undefined ? "" : `:${name.line}`}`;
}

/** Returns the name of a row and where it is. */
function shownRowName(name: RowName): ShownName {
  const { file, line, origin, key } = name;
  const title = titleOfRow(name);
  // The row of a file is called like the file.
  if (file === undefined || file === title || key === file) return { title, position: "" };
  if (title === key) return { title, position: file };
  const position = line === undefined ? file : `${file}:${line}`;
  return { title, position, isSymbol: origin === "native" };
}

/** The nouns of the rows. */
const NOUNS: Readonly<Record<RunGroup, string>> = {
  function: "function",
  file: "file",
  package: "package",
  line: "line",
  category: "kind of work",
};

/** Returns a count with the noun of the rows, and a word before it. */
function countedRows(number: number, by: RunGroup, before = ""): string {
  if (by === "category") return `${number} ${before}${number === 1 ? "kind" : "kinds"} of work`;
  return counted(number, `${before}${NOUNS[by]}`);
}

/** Returns a number of the comparison with its unit. */
function scaledText(value: number, { scale }: Diff): string {
  return scale.unit === "percent" ? `${value.toFixed(2)}%` : `${threeDigits(value)} ms`;
}

/** Returns a change, with its sign and without a unit: percent changes by percentage points. */
function signed(value: number, { scale }: Diff): string {
  const text = scale.unit === "percent" ? Math.abs(value).toFixed(2) : threeDigits(Math.abs(value));
  return `${value < 0 && Number(text) !== 0 ? "-" : "+"}${text}`;
}

/** Returns what something takes, and a change: nothing for what is too small to show. */
function amountOrNone(value: number, diff: Diff): string {
  const text = scaledText(value, diff);
  return isZero(text.replace(/[^\d.]/g, "")) ? "" : text;
}

function changeOrNone(value: number, diff: Diff): string {
  const text = signed(value, diff);
  return isZero(text) ? "" : text;
}

/**
 * Returns a time with three digits: `1,234`, `54.8`, `1.10`, `0.771`. Beside a larger one it has as many decimals as that:
 * `of` is the largest that is said with it.
 */
function threeDigits(value: number, of = value): string {
  if (Math.abs(value) < LEAST_SHOWN) return "0";
  // 9.996 is 10.0.
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(of), LEAST_SHOWN) * 1.0005)));
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Smaller times are none. */
const LEAST_SHOWN = 1e-6;

/** Returns the interval of a change: `+1.40 to +2.20`; empty if both ends are 0. */
function interval({ low, high }: Pick<Change, "low" | "high">, diff: Diff): string {
  return rangeText([low, high], (value) => signed(value, diff));
}

function rangeText([low, high]: readonly [number, number], textOf: (value: number) => string): string {
  const [first, second] = [textOf(low), textOf(high)];
  return isZero(first) && isZero(second) ? "" : `${first} to ${second}`;
}

function isZero(text: string): boolean {
  return Number(text.replaceAll(",", "").replace(/ B$/, "")) === 0;
}

/** Returns a number of a run, without its unit: `5,685`, `0.7`. */
function runNumber(value: number, { unit }: Pick<PerRun, "unit">, of = value): string {
  if (isInBytes(unit)) return shownBytes(value);
  if (unit !== "ticks" && !isInObjects(unit)) return threeDigits(value, of);
  if (Math.abs(value) < 10 && !Number.isInteger(value)) return value.toFixed(1);
  return Math.round(value).toLocaleString("en-US");
}

function isInBytes(unit: PerRun["unit"]): boolean {
  return unit === "bytes" || unit === "bytes-per-unit";
}

function isInObjects(unit: PerRun["unit"]): boolean {
  return unit === "objects" || unit === "objects-per-unit";
}

/** Returns numbers of {@link runNumbers} with their unit, which bytes have already. */
function inUnit(numbers: string, { unit }: Pick<PerRun, "unit">): Text {
  if (isInBytes(unit)) return numbers;
  return text`${numbers} ${isInObjects(unit) ? "objects" : unit === "ticks" ? TICKS : "ms"}`;
}

/** Returns what something takes in a run before and after: `5,685 → 556`. */
function runNumbers({ before, after }: Pick<RunAmount, "before" | "after">, of: PerRun): string {
  const most = Math.max(before, after);
  return `${runNumber(before, of, most)} → ${runNumber(after, of, most)}`;
}

/** Returns a change relative to what was: `-90%`; as it is if there was nothing, empty if there is nothing at all. */
function runChange({ before, change }: RunAmount, of: PerRun): string {
  if (isZero(runNumber(before, of)) && isZero(runNumber(change, of))) return "";
  if (before > 0) return `${signOf(change)}${percentText((Math.abs(change) / before) * 100)}%`;
  return `${signOf(change)}${runNumber(Math.abs(change), of)}`;
}

/** Returns the interval of a change in a run: `-5,140 to -5,110`; empty if both ends are 0. */
function runInterval({ low, high }: RunAmount, of: PerRun): string {
  const most = Math.max(Math.abs(low), Math.abs(high));
  return rangeText([low, high], (value) => `${signOf(value)}${runNumber(Math.abs(value), of, most)}`);
}

/** Returns shares before and after: `96.1 → 5.2%`. */
function sharesText({ before, after }: Pick<Change, "before" | "after">): string {
  const [first, second] = [before.toFixed(1), after.toFixed(1)];
  return isZero(first) && isZero(second) ? "" : `${first} → ${second}%`;
}

function signOf(value: number): string {
  return value < 0 ? "-" : "+";
}

/** Returns percent without decimals, but never 100 for what is less. */
function percentText(percent: number): string {
  const rounded = percent < 100 ? Math.min(99, Math.round(percent)) : Math.round(percent);
  return percent < 100 && percent > 99 ? percent.toFixed(1) : String(rounded);
}

/** Whether what runs take comes first: with the scale of shares, which say nothing on time. */
function showsRuns({ scale }: Diff): boolean {
  return scale.name === "share";
}

/** Returns the title of the table: `functions by ticks a run`. */
function tableTitle({ diff, by }: DiffReport): Text {
  const rows = capitalized(by === "category" ? "kinds of work" : `${NOUNS[by]}s`);
  const total = by === "category" ? "" : "; in total: with all they call";
  if (!showsRuns(diff)) return text`${rows} by ${unitText(diff)}${total}`;
  const { perRun } = diff;
  const memory = memoryOf(diff);
  if (memory !== undefined) return `${rows} by ${ofMemory(memory)} ${aRun(perRun)}${total}`;
  if (perRun.unit !== "ticks") return `${rows} by CPU time of a run, in ms${total}`;
  return text`${rows} by ${TICKS} a run${tickText(perRun)}${total}`;
}

/** Returns what is counted, for a title: `bytes allocated`. */
function ofMemory({ of, is }: MemoryUnit): string {
  return `${of}${{ allocated: " allocated", alive: " alive at the end of", unknown: "" }[is]}`;
}

function aRun({ unit }: Pick<PerRun, "unit">): string {
  return unit.endsWith("-per-unit") ? "a unit of work" : "a run";
}

/** Whether a tick is as long on both sides, so that times say what ticks say. */
function hasOneInterval({ ms, before, after }: Pick<PerRun, "ms" | "before" | "after">): boolean {
  if (ms === undefined || before === 0 || after === 0) return false;
  const ratio = ms.after / after / (ms.before / before);
  return ratio < SAME_TICK && ratio > 1 / SAME_TICK;
}

/** Ticks whose lengths differ by a smaller factor are about as long. */
const SAME_TICK = 1.05;

/** Returns how long a tick is: ` (a tick is 1.06 ms)`; nothing if that is not known. */
function tickText({ ms, before, after }: PerRun): Text {
  if (ms === undefined || before + after === 0 || !hasOneInterval({ ms, before, after })) return "";
  return text` (a ${TICK} is ${((ms.before + ms.after) / (before + after)).toPrecision(3)} ms)`;
}

/** What the rest of the runs did so that the share of a row changed, in a few words. */
function restText({ self, total }: DiffRow, { perRun }: Diff): string {
  const isMore = (self.change === 0 ? total.change : self.change) > 0;
  const isLonger = perRun.change > 0;
  return `rest ${isLonger ? "grew" : "shrank"}${isMore === isLonger ? " less" : ""}`;
}

/** Returns why a row has no verdict in a few words, for a table; undefined if it has one, or no interval leaves out 0. */
function shortReason(row: DiffRow, diff: Diff): Text | undefined {
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
      return text`few ${TICKS}`;
    case "many":
      return "many tests";
  }
}

/** Returns why a row has no verdict though an interval leaves out 0; undefined if it has one, or none leaves out 0. */
export function unsettledText(row: DiffRow, diff: Diff): Text | undefined {
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
      return text`no verdict: too few ${TICKS} to tell`;
    case "many":
      return `no verdict: of ${diff.tests} numbers that were looked at, about ${chanceOf(diff)} look so changed by chance`;
  }
}

/** Returns what the reasons of the table mean that its rows do not say; nothing if it has none. */
function reasonsLegend({ rows }: ToldRows, diff: Diff): Block[] {
  const has = (reason: Unsettled) => rows.some(({ unsettled }) => unsettled === reason);
  const lines = [
    ...(has("many")
      ? [
          `many tests: one 95 % interval in ${CHANCE} leaves out 0 by chance, about ${chanceOf(diff)} of the ${diff.tests} that were looked at`,
        ]
      : []),
    ...(has("whole")
      ? ["as whole run: it changed as the whole run did, as all code does on a busier machine"]
      : []),
  ];
  return lines.length === 0 ? [] : [{ kind: "legend", lines }];
}

/** Of as many intervals of 95 % one is expected to leave out what is true. */
const CHANCE = 20;

/** Returns of how many numbers the interval is expected to leave out 0 though nothing changed. */
function chanceOf({ tests }: Diff): number {
  return Math.max(1, Math.round(tests / CHANCE));
}

/** Returns {@link unsettledText} of the program's own code, if it is more than {@link shortReason} says. */
function unsettledNote(row: DiffRow, diff: Diff): Text | undefined {
  const isTold = row.part !== "rest" && (row.unsettled === "rest" || row.unsettled === "length");
  return isTold ? unsettledText(row, diff) : undefined;
}

/** The rows of the table, and those that are told with others. */
interface ToldRows {
  readonly rows: readonly DiffRow[];
  /** By the key of a shown row: the rows that changed only because of it. */
  readonly folded: ReadonlyMap<string, readonly DiffRow[]>;
  /** By the key of a row: it and the rows that it leads to and that changed alike, outermost first. */
  readonly chains: ReadonlyMap<string, readonly DiffRow[]>;
  /** All rows that are not in the table. */
  readonly rest: readonly DiffRow[];
}

/** Returns the shown rows with callers folded into what they call, unless the user asked for another order. */
function toldRows(report: DiffReport): ToldRows {
  const { shown, rest } = shownRows(report);
  if (report.order !== "change") return { rows: shown, folded: new Map(), chains: new Map(), rest };
  const keys = new Set(shown.map(({ name }) => name.key));
  let others = 0;
  const folded = new Map<string, DiffRow[]>();
  const hidden: DiffRow[] = [];
  const rows = shown.filter((row) => {
    const key = row.foldedInto?.key;
    if (row.self.verdict === "same" && row.name.origin === "native" && isEntry(row.name.title)) {
      hidden.push(row);
      return false;
    }
    const isLight = row.verdict === "same" && report.limit <= USUAL_ROWS && largestShare(row) < LIGHT;
    if (isLight && report.diff.hasVerdict && showsRuns(report.diff)) {
      hidden.push(row);
      return false;
    }
    if (key === undefined || !keys.has(key)) {
      // What V8 does differently follows from what the program does, in hundreds of functions.
      const isShown = report.by === "category" || row.part !== "rest" || row.verdict === "same";
      if (isShown || others++ < report.limit) return true;
      hidden.push(row);
      return false;
    }
    pushTo(folded, key, row);
    hidden.push(row);
    return false;
  });
  const chains = chainsOf(rows);
  const led = new Set(Array.from(chains.values()).flatMap((chain) => chain.slice(1)));
  const own = rows.filter((row) => !led.has(row));
  return { rows: own, folded, chains, rest: [...led, ...hidden, ...rest] };
}

/** Changes of shares in total that differ by no more points are alike. */
const ALIKE = 1;

/** Returns rows that changed in total alike, since each calls the next. */
function chainsOf(rows: readonly DiffRow[]): Map<string, readonly DiffRow[]> {
  const byKey = new Map(rows.map((row) => [row.name.key, row]));
  const isThrough = ({ self, total, part }: DiffRow) =>
    self.verdict === "same" && total.verdict !== "same" && part !== "changed";
  const nextOf = (row: DiffRow): DiffRow | undefined => {
    const cause = row.causes.find((one) => one.kind === "callee");
    const next = cause === undefined ? undefined : byKey.get(cause.callee.key);
    if (next === undefined || !isThrough(next) || next.part !== row.part) return undefined;
    const isAlike = (["before", "after"] as const).every(
      (side) => Math.abs(next.total[side] - row.total[side]) < ALIKE,
    );
    return isAlike && next.total.verdict === row.total.verdict ? next : undefined;
  };
  const chains = new Map<string, readonly DiffRow[]>();
  const taken = new Set<DiffRow>();
  const callees = new Set(rows.filter(isThrough).flatMap((row) => nextOf(row) ?? []));
  for (const head of rows) {
    if (!isThrough(head) || callees.has(head)) continue;
    const chain: DiffRow[] = [];
    for (let row: DiffRow | undefined = head; row !== undefined && !taken.has(row); row = nextOf(row)) {
      taken.add(row);
      chain.push(row);
    }
    if (chain.length > 1) chains.set(head.name.key, chain);
  }
  return chains;
}

/** Rows without a verdict and with a smaller share, in percent, are left out, unless more rows are asked for than usual. */
const LIGHT = 1;
const USUAL_ROWS = 10;

function largestShare({ self, total }: DiffRow): number {
  return Math.max(self.before, self.after, total.before, total.after);
}

/** As many callers of a row are named. */
const NAMED_CALLERS = 4;

/** Returns which callers changed only because of a row. */
function foldedText(rows: readonly DiffRow[]): Text {
  const names = rows.slice(0, NAMED_CALLERS).map(({ name }) => named(saidRow(name)));
  const more = rows.length - names.length;
  return text`its callers changed with it: ${joined(names, ", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Returns what the numbers are: `share of all ticks`. */
function unitText(diff: Diff): Text {
  const { scale } = diff;
  if (scale.name === "unchanged")
    return `share of a run before, if most code takes as ${memoryOf(diff) === undefined ? "long" : "much"} as it did`;
  if (scale.unit === "percent")
    return text`share of all ${wholeText(diff)}${leavesWaitsOut(diff) ? " but those that waited" : ""}`;
  return scale.unit === "ms" ? "CPU time of a run, in ms" : "CPU time of a unit of work, in ms";
}

/** Returns what a side is: `before/: 6 runs, 18,432 ticks, Node 26`. */
function sideText(title: string, runs: readonly RunSummary[]): Text {
  const all = runs.reduce((sum, run) => sum + run.samples, 0);
  const least = hasUnknownCounts(runs) ? "at least " : "";
  const versions = runs.flatMap(({ v8, node }) => node ?? v8.map((version) => `V8 ${version}`));
  const node = versions.length === 0 ? "" : text`, ${joined(Array.from(new Set(versions), named), " and ")}`;
  return text`${named(title)}: ${counted(runs.length, "run")}, ${least}${inSamples(all)}${waitedPart(runs)}${node}`;
}

function waitedPart(runs: readonly RunSummary[]): Text {
  const waited = waitedText(runs);
  return waited === undefined ? "" : text` and ${waited.bare} that waited (${waited.how})`;
}

/** Returns whether the runs have ticks that waited and are left out. */
function leavesWaitsOut({ before, after }: Diff): boolean {
  return [...before, ...after].some(({ waited }) => waited !== undefined && waited.ticks > 0);
}

/** Returns a note on ticks that waited; nothing if there are none. */
function waitedNote({ diff }: DiffReport): Text[] {
  return leavesWaitsOut(diff)
    ? [text`${ALL_TICKS} that waited take no CPU and are left out of all numbers: --idle counts them.`]
    : [];
}

/** Returns a note on how many ticks are in rows that were not found on the other side; none if few are. */
export function unmatchedNote({ diff, by }: DiffReport): Text[] {
  const percent = (1 - diff.matched) * 100;
  if (percent < 1) return [];
  return [
    text`${percent.toFixed(1)}% of the ${wholeText(diff)} are in ${NOUNS[by]}s that one side does not have.`,
  ];
}

/** As many rows of one kind are named in the summary. */
const NAMED_ROWS = 3;

/**
 * Returns the summary: what a run takes, then what changed, what did not, and what these runs can tell.
 */
export function summaryOf(report: DiffReport): Text[] {
  const rest = report.diff.hasVerdict ? verdictSummary(report) : differenceSummary(report);
  return [
    text`${headline(report)}${workText(report.diff)}`,
    ...cpuSummary(report),
    ...renamedText(report),
    ...rest,
  ];
}

/** Says which files have another name after; nothing if none has. */
function renamedText({ diff, by }: DiffReport): Text[] {
  const files = renamedOrMoved(diff.renamedFiles);
  const [first] = files;
  if (first === undefined) return [];
  if (files.length === 1) {
    const name = text`${named(first.before)} is called ${named(first.after)} after`;
    if (by === "file") return [text`${name}.`];
    return [text`${name}: ${countedRows(first.rows, by)} of it ${first.rows === 1 ? "is" : "are"} compared.`];
  }
  const names = files
    .slice(0, NAMED_ROWS)
    .map(({ before, after }) => text`${named(before)} is ${named(after)}`);
  const more = files.length - names.length;
  return [
    text`${counted(files.length, "file")} have another name after: ${joined(names, ", ")}${more > 0 ? `, and ${more} more` : ""}.`,
  ];
}

/**
 * Returns the renamed files that are worth a word: no files that kept their names in a folder with another name, if it is one for
 * all of them, such as that of a release.
 */
function renamedOrMoved(files: readonly RenamedFile[]): readonly RenamedFile[] {
  const folders = new Set<string>();
  const renamed: RenamedFile[] = [];
  for (const file of files) {
    const [before, after] = otherParts(file);
    if (before === "" || after === "") renamed.push(file);
    else folders.add(`${before}\0${after}`);
  }
  return folders.size > 1 ? files : renamed;
}

/** Returns the folders by which two paths differ that end alike; empty if they have other last parts. */
function otherParts({ before, after }: RenamedFile): readonly [string, string] {
  const [old, now] = [before.split("/"), after.split("/")];
  let [same, end] = [0, 0];
  const most = Math.min(old.length, now.length);
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  if (end === 0) return ["", ""];
  while (same < most - end && old[same] === now[same]) same++;
  const folders = (parts: readonly string[]) => `/${parts.slice(same, parts.length - end).join("/")}`;
  return [folders(old), folders(now)];
}

/** Says that rows are judged by shares since most code takes another time, and what that may be; nothing if it does not. */
function workText({ hasVerdict, judgedBy, lengthRatio, before, after }: Diff): string {
  if (!hasVerdict || judgedBy === "run" || lengthRatio === 1) return "";
  const isStopped = [...before, ...after].some(({ cpu }) => cpu?.isWhole === false);
  const isMore = lengthRatio > 1;
  const why = isStopped
    ? ", since runs were stopped or did other work"
    : `: the machine was ${isMore ? "busier" : "less busy"}, or the runs did ${isMore ? "more" : "less"} work`;
  return ` Most code takes about ${lengthRatio.toPrecision(2)} times as long after${why}. So functions are judged by their shares.`;
}

/** Says whose the rest of the CPU time is, if much of it is not sampled. */
function cpuSummary({ diff: { perRun, before, after }, isFiltered = false }: DiffReport): string[] {
  const { cpu, unit } = perRun;
  if (![...before, ...after].some((run) => run.cpu !== undefined && isMuchUnsampled(run.cpu))) return [];
  if (cpu === undefined) return [];
  const rest = `V8 samples only those of JavaScript; the rest is ${UNSAMPLED}.`;
  if (!isFiltered) return [`Of all threads, ${rest}`];
  const what = unit === "ms-per-unit" ? "unit of work" : "run";
  return [`All threads together take ${timesText(cpu)} of CPU a ${what}: ${rest}`];
}

/**
 * Returns the whole in one sentence, by the CPU time that was measured of all threads: `A run takes 90 % less CPU: 11.2 → 1.1 s; of
 * it on JavaScript threads 5,685 → 556 ticks`. Work that moved to the thread pool is no saving. By ticks alone, if that time is not known:
 * `A run takes 90 % less CPU on its JavaScript threads: 5,685 → 556 ticks`.
 */
function headline({ diff, isFiltered = false }: DiffReport): Text {
  const { perRun } = diff;
  const { ms, unit, cpu } = perRun;
  const memory = memoryOf(diff);
  const time = ms === undefined || unit !== "ticks" || !hasOneInterval(perRun) ? "" : ` (${timesText(ms)})`;
  const range = chanceText(perRun, (value) =>
    runNumber(value, perRun, Math.max(perRun.before, perRun.after)),
  );
  const ticks = text`${inUnit(runNumbers(perRun, perRun), perRun)}${time}${range}`;
  const whole = cpu === undefined || isFiltered ? perRun : cpu;
  const isOne = diff.after.length === 1 && whole.isSure === undefined && isChanged(whole);
  const what = isFiltered
    ? "What the filters keep of a run"
    : unit.endsWith("-per-unit")
      ? "A unit of work"
      : isOne
        ? "The run after"
        : "A run";
  if (memory !== undefined) return text`${what} ${memoryText(whole, memory)}: ${ticks}.`;
  if (whole === perRun) return text`${what} ${takenText(whole, "CPU on its JavaScript threads")}: ${ticks}.`;
  const chance = chanceText(whole, (value) => timeText(value, whole));
  const said = `${what} ${takenText(whole, "CPU")}: ${timesText(whole)}${chance}`;
  // Where ticks came late, since a thread waited for a CPU, they are longer than the CPU time that they are of.
  const isLate = unit === "ms" && (perRun.before > whole.before || perRun.after > whole.after);
  return isLate ? `${said}.` : text`${said}; of it on JavaScript threads ${ticks}.`;
}

/** Returns how much more or less is taken: `takes 90 % less CPU`. */
function takenText(amount: SureAmount, what: string): string {
  if (!isChanged(amount)) return `takes about as much ${what} as before`;
  const ratio = amount.after / amount.before;
  const much =
    ratio >= 3
      ? `${ratio.toPrecision(2)} times the`
      : `${percentText(Math.abs(ratio - 1) * 100)} % ${ratio > 1 ? "more" : "less"}`;
  return `${amount.isSure === undefined ? "took" : "takes"} ${much} ${what}`;
}

/** Returns how much more or less memory is counted: `allocates 34 % more`, `has 12 % less alive at its end`. */
function memoryText(amount: SureAmount, { of, is }: MemoryUnit): string {
  const isPast = amount.isSure === undefined && isChanged(amount);
  const verb = is === "allocated" ? (isPast ? "allocated" : "allocates") : isPast ? "had" : "has";
  const what = of === "objects" ? " objects" : is === "unknown" ? " memory" : "";
  const where = is === "alive" ? " alive at its end" : "";
  const much = of === "objects" ? "many" : "much";
  if (!isChanged(amount)) {
    if (amount.before === 0 && amount.after > 0) return `${verb}${what || " memory"}${where}, before none`;
    return `${verb} about as ${much}${what}${where} as before`;
  }
  const ratio = amount.after / amount.before;
  if (ratio >= 3) return `${verb} ${ratio.toPrecision(2)} times as ${much}${what}${where}`;
  const percent = percentText(Math.abs(ratio - 1) * 100);
  return `${verb} ${percent} % ${ratio > 1 ? "more" : of === "objects" ? "fewer" : "less"}${what}${where}`;
}

/** Returns the interval of what may be chance: `, 95 %: -80 to +80`. */
function chanceText(amount: SureAmount, textOf: (size: number) => string): string {
  const { low, high, isSure } = amount;
  if (isSure === undefined || isChanged(amount)) return "";
  const range = rangeText([low, high], (value) => `${signOf(value)}${textOf(Math.abs(value))}`);
  return range === "" ? "" : `, 95 %: ${range}`;
}

/** Whether a run takes more or less than before, as far as the runs tell. */
function isChanged({ before, change, isSure }: SureAmount): boolean {
  return isSure !== false && before !== 0 && change !== 0;
}

function isInSeconds({ before, after }: BeforeAfter): boolean {
  return Math.max(before, after) >= 1000;
}

/** Returns milliseconds before and after in words: `10.5 → 1.1 s`. */
function timesText(of: BeforeAfter): string {
  return `${timeText(of.before, of)} → ${timeText(of.after, of)} ${isInSeconds(of) ? "s" : "ms"}`;
}

/** Returns milliseconds without a unit: as seconds, if those before or after are. */
function timeText(ms: number, of: BeforeAfter): string {
  const unit = isInSeconds(of) ? 1000 : 1;
  return threeDigits(ms / unit, Math.max(of.before, of.after) / unit);
}

const DID: Readonly<Record<Exclude<Verdict, "same">, string>> = {
  slower: "got slower",
  faster: "got faster",
  new: "new",
  gone: "gone",
};

function verdictSummary(report: DiffReport): Text[] {
  const { diff, by } = report;
  const found = diff.rows.filter(({ verdict }) => verdict !== "same");
  const isTold = by === "category" ? () => true : ({ part }: DiffRow) => part !== "rest";
  const changed = diff.rows.filter(({ part }) => part === "changed");
  const judged = changed.filter(({ verdict }) => verdict !== "same");
  const source = judged.length > 0 ? judged : changed;
  const own = found.filter((row) => row.part !== "changed" && row.self.verdict !== "same" && isTold(row));
  const others = found.filter((row) => row.self.verdict !== "same" && !isTold(row));
  const through = found.filter(({ part, self }) => part !== "changed" && self.verdict === "same");
  const what = by === "category" ? "kind of work" : NOUNS[by];
  if (found.length === 0)
    return [
      diff.rows.length === 1
        ? `It differs by no more than runs of the same code do.`
        : (unexplainedText(report) ??
          `No ${what} changed: all ${diff.rows.length} differ by no more than runs of the same code do.`),
      ...changedSentences(changed, report),
      ...lengthNote(report),
      ...powerOf(diff),
    ];
  const sentences = [...changedSentences(source, report), ...ownSentences(own, report)];
  if (source.length + own.length + others.length === 0) sentences.push(`No ${what} changed by itself.`);
  const isTheStory = source.length + own.length === 0;
  if (through.length > 0) sentences.push(throughSentence(through, report, isTheStory));
  if (others.length > 0) {
    const names = listed(others, (row) => sizedName(row, diff));
    sentences.push(text`In Node, V8 and the system, ${countedRows(others.length, by)} changed: ${names}.`);
  }
  const same = diff.rows.length - found.length;
  if (same > 0) sentences.push(`The other ${same} differ by no more than runs of the same code do.`);
  return [joined(sentences, " "), ...lengthNote(report), ...powerOf(diff)];
}

/** Returns what is said of runs that surely take another time though no row has a verdict; undefined if they do not. */
function unexplainedText({ diff, by }: DiffReport): Text | undefined {
  const { perRun, judgedBy, rows } = diff;
  if (!diff.hasVerdict || !isChanged(perRun)) return undefined;
  if (judgedBy === "share")
    return `The share of no ${NOUNS[by]} changed: all ${rows.length} differ by no more than runs of the same code do.`;
  const along = rows.filter(({ perRun: { self } }) => self.change * perRun.change > 0);
  const [first, ...others] = along;
  if (first === undefined) return undefined;
  const alike = along.filter(({ unsettled }) => unsettled === "whole").length;
  if (alike > 0 && 2 * alike >= along.filter(({ unsettled }) => unsettled !== undefined).length) {
    const takes =
      perRun.change > 0
        ? "take longer, as with more work or on a busier machine"
        : "take less, as with less work";
    return `No ${NOUNS[by]} changed beside the others: most ${takes}.`;
  }
  const size = (row: DiffRow) => Math.abs(row.perRun.self.change);
  const largest = others.reduce((most, row) => (size(row) > size(most) ? row : most), first);
  const numbers = inUnit(runNumbers(largest.perRun.self, perRun), perRun);
  return text`These runs do not tell in which ${NOUNS[by]} the change is: the largest is in ${named(saidRow(largest.name))}, ${numbers}.`;
}

/** Returns how many rows changed through what they call; if nothing else did in the program, the innermost of them too. */
function throughSentence(rows: readonly DiffRow[], { diff, by }: DiffReport, isTheStory: boolean): Text {
  const changed = `${countedRows(rows.length, by)} changed only through what ${rows.length === 1 ? "it calls" : "they call"}`;
  const inner = isTheStory
    ? rows.find(({ part, foldedInto }) => part !== "rest" && foldedInto === undefined)
    : undefined;
  if (inner === undefined) return `${changed}.`;
  return text`${changed}${rows.length === 1 ? "" : ", the innermost of them"}: ${sizedIn(inner, "total", diff)}.`;
}

/** Returns the name of a row, and what it takes: `handle 5,685 → 556 ticks`. */
function sizedIn(row: DiffRow, which: "self" | "total", diff: Diff): Text {
  const size = showsRuns(diff)
    ? inUnit(runNumbers(row.perRun[which], diff.perRun), diff.perRun)
    : amounts(row[which], diff);
  return text`${named(saidRow(row.name))} ${size}`;
}

/** Returns what became of the functions whose source changed, and of those that one side does not have. */
function changedSentences(rows: readonly DiffRow[], report: DiffReport): Text[] {
  const { by } = report;
  const isNew = ({ nameBefore }: DiffRow) => nameBefore === undefined;
  const isGone = (row: DiffRow) => row.matchedBy === undefined && !isNew(row);
  const told = (some: readonly DiffRow[], what: Text) =>
    some.length === 0 ? [] : [toldSentence(some, what, report)];
  const changed = rows.filter((row) => row.matchedBy !== undefined);
  const [made, gone] = [rows.filter(isNew), rows.filter(isGone)];
  const are = (some: readonly DiffRow[]) =>
    `${countedRows(some.length, by)} ${some.length === 1 ? "is" : "are"}`;
  return [
    ...told(changed, text`The source of ${countedRows(changed.length, by)} of ${ownerOf(changed)} changed`),
    ...told(made, `${are(made)} new`),
    ...told(gone, `${are(gone)} gone`),
  ];
}

/** Returns whose functions these are: the program's, or those of one package. */
function ownerOf(rows: readonly DiffRow[]): Text {
  const packages = new Set(rows.map(({ name }) => (name.origin === "deps" ? name.package : undefined)));
  const [first] = packages;
  if (packages.size === 1 && first !== undefined) return text`the package ${named(first)}`;
  return packages.has(undefined) && packages.size === 1 ? "the program" : "the program and its packages";
}

/** Returns a sentence on rows with what they take, with what they call where that changed most. */
function toldSentence(rows: readonly DiffRow[], what: Text, { diff }: DiffReport): Text {
  const isThrough = ({ perRun: { self, total } }: DiffRow) =>
    Math.abs(total.change) > 1.1 * Math.abs(self.change);
  const sized = (row: DiffRow) => sizedIn(row, isThrough(row) ? "total" : "self", diff);
  const inText = (row: DiffRow) => text`${sized(row)}${isThrough(row) ? " with what it calls" : ""}`;
  const areAll = rows.length > 1 && rows.slice(0, NAMED_ROWS).every(isThrough);
  return areAll
    ? text`${what}; with what they call: ${listed(rows, sized)}.`
    : text`${what}: ${listed(rows, inText)}.`;
}

/** Returns what became of the program's other code. */
function ownSentences(all: readonly DiffRow[], { diff, by }: DiffReport): Text[] {
  return (["slower", "faster", "new", "gone"] as const).flatMap((verdict) => {
    const rows = all.filter(({ self }) => self.verdict === verdict);
    const [only] = rows;
    if (only === undefined) return [];
    const isThere = verdict === "slower" || verdict === "faster";
    const memory = memoryOf(diff);
    if (memory !== undefined && isThere) {
      const verb = memory.is === "allocated" ? "allocate" : "have";
      const more = verdict === "slower" ? "more" : memory.of === "objects" ? "fewer" : "less";
      if (rows.length === 1)
        return [
          text`${named(titleOfRow(only.name))} ${verb === "have" ? "has" : "allocates"} ${more}: ${rowAmounts(only, diff)}.`,
        ];
      const names = listed(rows, (row) => sizedName(row, diff));
      return [text`${countedRows(rows.length, by)} ${verb} ${more}: ${names}.`];
    }
    if (rows.length === 1) {
      const verb = isThere ? DID[verdict] : `is ${DID[verdict]}`;
      return [text`${named(titleOfRow(only.name))} ${verb}: ${rowAmounts(only, diff)}.`];
    }
    const verb = isThere ? DID[verdict] : `are ${DID[verdict]}`;
    const names = listed(rows, (row) => sizedName(row, diff));
    return [text`${countedRows(rows.length, by)} ${verb}: ${names}.`];
  });
}

/** Returns the name of a row, and by how much it changed: `handle (5,685 → 556)`. */
function sizedName({ name, self, perRun }: DiffRow, diff: Diff): Text {
  const size = showsRuns(diff) ? runNumbers(perRun.self, diff.perRun) : signed(self.change, diff);
  return text`${named(titleOfRow(name))} (${size})`;
}

function listed(rows: readonly DiffRow[], textOf: (row: DiffRow) => Text): Text {
  const names = rows.slice(0, NAMED_ROWS).map(textOf);
  const more = rows.length - names.length;
  return text`${joined(names, ", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

function rowAmounts({ self, perRun }: DiffRow, diff: Diff): Text {
  if (!showsRuns(diff))
    return `${amounts(self, diff)} (95 %: ${signed(self.low, diff)} to ${signed(self.high, diff)})`;
  if (diff.judgedBy === "run")
    return text`${inUnit(runNumbers(perRun.self, diff.perRun), diff.perRun)} ${aRun(diff.perRun)} (95 %: ${runInterval(perRun.self, diff.perRun)}), ${sharesText(self)}`;
  const range = `95 %: ${signed(self.low, diff)} to ${signed(self.high, diff)} points`;
  return text`${inUnit(runNumbers(perRun.self, diff.perRun), diff.perRun)} ${aRun(diff.perRun)}, ${sharesText(self)} (${range})`;
}

function amounts({ before, after }: { readonly before: number; readonly after: number }, diff: Diff): string {
  return `${scaledText(before, diff)} to ${scaledText(after, diff)}`;
}

/** Returns which rows have no verdict because the runs have another length. */
function lengthNote({ diff, by }: DiffReport): Text[] {
  const rows = diff.rows.filter(({ unsettled }) => unsettled === "length");
  const [first] = rows;
  if (first === undefined) return [];
  const names = listed(rows, ({ name }) => named(titleOfRow(name)));
  const shares = rows.length === 1 ? `the share of this ${NOUNS[by]}` : `the shares of these ${NOUNS[by]}s`;
  return [
    text`The runs have another length: ${shares} may differ by that alone, as that of a start does, so that there is no verdict on ${names}.`,
  ];
}

/** Returns what these runs can tell. */
function powerOf(diff: Diff): string[] {
  const { leastAtTenth, before, after } = diff;
  const memory = memoryOf(diff);
  if (leastAtTenth === undefined) return [];
  const percent = Math.max(1, Math.round(leastAtTenth * 100));
  const [first, second] = [before.length, after.length];
  const runs = first === second ? `${first} runs a side` : `${first} runs before and ${second} after`;
  const tenth = memory === undefined ? "takes a tenth of the time" : `has a tenth of the ${memory.of}`;
  return [`${runs} find changes of ${percent} % and more in what ${tenth}.`];
}

function differenceSummary({ diff }: DiffReport): Text[] {
  const { before, after, runsNeeded } = diff;
  if (isCountUnknown(diff))
    return [text`${UNKNOWN_COUNT}. So there is no verdict: any difference may be chance.`];
  const sides = before.length === 1 && after.length === 1 ? "One run a side" : "One run on a side";
  const sure = diff.rows.filter(({ self, total }) => isReal(self) || isReal(total));
  if (sure.length > 0) {
    const sized = ({ name, self, total }: DiffRow) => {
      const isThrough = Math.abs(total.change) > 1.1 * Math.abs(self.change);
      return text`${named(titleOfRow(name))} ${sharesText(isThrough ? total : self)}${isThrough ? " with what it calls" : ""}`;
    };
    return [
      text`${sides}: no verdict, but a difference this large is almost surely real: ${listed(sure, sized)} of all ${wholeText(diff)}. Below ${String(ALMOST_SURE)} points it may be chance.`,
    ];
  }
  const lines: Text[] = [
    `${sides}: no verdict. Two runs of the same code differ too; only several runs a side tell by how much.`,
  ];
  const size = ({ self }: DiffRow) => Math.abs(self.change);
  const largest = diff.rows.reduce<DiffRow | undefined>(
    (most, row) => (most === undefined || size(row) > size(most) ? row : most),
    undefined,
  );
  if (largest === undefined || largest.self.change === 0) return lines;
  const name = text`${named(titleOfRow(largest.name))} (${signed(largest.self.change, diff)})`;
  lines.push(
    runsNeeded === undefined
      ? text`The largest difference is ${name}: too small to be settled by any number of runs that is practical.`
      : text`The largest difference is ${name}: it takes ${String(runsNeeded)} runs a side or more to settle it.`,
  );
  return lines;
}

/** Returns a cause as a phrase. */
export function causeText(cause: Cause, diff: Diff): Text {
  switch (cause.kind) {
    case "source":
      return cause.isNew ? "its source" : "its source changed";
    case "slow-tiers":
      return `${percent(cause.after)} of it in interpreted or baseline code, before ${percent(cause.before)}`;
    case "deopts": {
      const reason = cause.reason === "" ? "" : text`, mostly: ${named(cause.reason)}`;
      return text`deoptimized ${times(cause.after)} a run, before ${times(cause.before)}${reason}`;
    }
    case "inlining":
      return `${percent(cause.after)} of it inlined into callers, before ${percent(cause.before)}`;
    case "gc":
      return `garbage collection in it: ${scaledText(cause.before, diff)} to ${scaledText(cause.after, diff)}`;
    case "compile":
      return `compiling in it: ${scaledText(cause.before, diff)} to ${scaledText(cause.after, diff)}`;
    case "moved":
      return text`${named(titleOfRow(cause.other))} changed the other way: their caller ${named(titleOfRow(cause.caller))} takes as ${memoryOf(diff) === undefined ? "long" : "much"} as before`;
    case "caller":
      return text`its source is the same: ${points(cause.change, diff)} when called by ${named(saidRow(cause.caller))}`;
    case "callee":
      return text`through ${named(saidRow(cause.callee))}: ${points(cause.change, diff)}`;
  }
}

function points(change: number, diff: Diff): Text {
  if (memoryOf(diff) !== undefined)
    return text`${signOf(change)}${inUnit(runNumber(Math.abs(change), diff.perRun), diff.perRun)} ${aRun(diff.perRun)}`;
  return `${signed(change, diff)} ${diff.scale.unit === "percent" ? "points" : "ms"}`;
}

function percent(fraction: number): string {
  return `${Math.round(fraction * 100)}%`;
}

function times(count: number): string {
  const text = Number.isInteger(count) ? String(count) : count.toFixed(1);
  return text === "1" ? "once" : `${text} times`;
}

/** A command to run next. */
export interface DiffCommand {
  readonly kind: "record" | "function" | "flame";
  /** A command line for a shell. */
  readonly command: string;
  /** Why, in a few words. */
  readonly why: string;
}

/** With fewer runs a side, more are advised. */
const ENOUGH_RUNS = 3;

/** Returns the commands to run next; none that could not be typed, or if it is not known what the sides are. */
export function nextCommands({ diff, by, words, command }: DiffReport): DiffCommand[] {
  if (words === undefined) return [];
  const all: DiffCommand[] = [];
  if (!isCountUnknown(diff) && Math.min(diff.before.length, diff.after.length) < ENOUGH_RUNS)
    all.push({
      kind: "record",
      command: recordCommand(5, { command, memory: memoryOf(diff) !== undefined }),
      why: "several runs of each side tell what is chance",
    });
  const row = by === "function" ? diff.rows.find(isAskable) : undefined;
  if (row !== undefined) {
    const isGone = row.perRun.total.after === 0;
    const { title } = isGone ? row.nameBefore! : row.name;
    const logs = isGone ? words.before : words.after;
    all.push({
      kind: "function",
      command: commandOf("ticks function", [...logs, title]),
      why: `callers, callees and lines of ${title}, ${isGone ? "before" : "after"}`,
    });
  }
  all.push({
    kind: "flame",
    command: commandOf("ticks flame", words.before, words.after),
    why: "the change as a picture",
  });
  return all.filter(({ command }) => printable(command) === command);
}

/** Whether a function can be asked for by its name. */
function isAskable({ name, part, perRun }: DiffRow): boolean {
  const isThere = perRun.total.before + perRun.total.after > 0;
  return part !== "rest" && isThere && !name.title.startsWith("<") && !name.title.startsWith("-");
}

function commandOf(program: string, ...sides: readonly (readonly string[])[]): string {
  return `${program} ${sides.map((words) => words.map(shellWord).join(" ")).join(" -- ")}`;
}

/**
 * Runs before and after a change, compared. Numbers are means over the runs of a side, in `unit`. Rows with a verdict come
 * first.
 * @id diff.schema.json
 * @title ticks diff --format json, schema version 1
 */
export interface DiffData extends JsonDocument<"diff"> {
  readonly by: RunGroup;
  /**
   * `share`: of all ticks. `cpu`: ticks times the measured interval. `unchanged`: of a run before, if most functions take as
   * long as they did.
   */
  readonly scale: Scale["name"];
  readonly unit: Scale["unit"];
  /**
   * Whether both sides have two runs or more. If not, all verdicts are `same` and intervals are from the ticks of the one run.
   */
  readonly hasVerdict: boolean;
  /** What is compared if it is memory: the verdict slower means more of it, and faster less. Missing for time. */
  readonly memory?: Pick<MemoryData, "of" | "is">;
  readonly before: SideData;
  readonly after: SideData;
  /** The comparison in sentences: first what a run takes, then what changed. */
  readonly summary: readonly string[];
  readonly perRun: WholeRunData;
  /** What rows are judged by: `run`, what they take in a run; `share`, their share of it. */
  readonly judgedBy: Diff["judgedBy"];
  /** How many numbers were tested. Rows with hardly a tick are not. */
  readonly tests: Count;
  /** Files of the program and its packages that have another name after, those with the most rows first. */
  readonly renamedFiles: readonly RenamedFile[];
  /**
   * The fraction of the ticks of both sides in rows that were found on both.
   * @minimum 0
   * @maximum 1
   */
  readonly matched: number;
  /**
   * How many times as long as the runs before those after are; 1 if they are about as long, and with the scale cpu.
   * @exclusiveMinimum 0
   */
  readonly lengthRatio: number;
  /** How many rows have another share because the runs have another length, and no verdict therefore. */
  readonly changedByLength: Count;
  /**
   * The smallest true change of a row of 10 % that these runs find in 80 % of cases, as a fraction of the row; null without
   * verdicts.
   * @minimum 0
   */
  readonly leastChangeAtTenth: number | null;
  /**
   * How many runs a side it takes at least to settle the largest difference; null with verdicts, without a difference, or if
   * it is over 10,000.
   */
  readonly runsNeeded: FromTwo | null;
  readonly rows: readonly DiffRowData[];
  /** The rows that are not shown. */
  readonly rest: RestData;
  /** Commands to run next. */
  readonly nextSteps: readonly DiffCommand[];
}

export interface SideData {
  readonly title: string;
  /** The versions of V8 that wrote the logs. Empty if no log says. */
  readonly v8: readonly string[];
  readonly ticks: Ticks;
  readonly runs: readonly RunData[];
}

export interface RunData {
  /**
   * The logs that were read.
   * @minItems 1
   */
  readonly logs: readonly string[];
  readonly ticks: Ticks;
  /** Of a profile of memory: what its samples stand for. */
  readonly bytes?: Count;
  readonly objects?: Count;
  readonly waited?: WaitedData;
  /** The measured time between two ticks. */
  readonly intervalUs: number | null;
  /** The CPU time of all threads of its processes, as ticks record measured it; null if it is not known. */
  readonly cpuUs: number | null;
}

export interface BeforeAfter {
  readonly before: number;
  readonly after: number;
}

/** What a whole run takes: means over the runs of a side. */
export interface WholeRunData extends SureAmountData {
  /** `ms` if the sides have other sampling intervals; `ms-per-unit` with --per; bytes or objects of memory. */
  readonly unit: PerRun["unit"];
  /** The CPU time of a run on the threads of the logs; null if an interval is not known. */
  readonly ms: BeforeAfter | null;
  /**
   * The CPU time of a run on all threads of its processes, in milliseconds, of a unit of work with --per; null if ticks record
   * did not measure it of every run.
   */
  readonly cpu: SureAmountData | null;
}

export interface SureAmountData extends RunAmount {
  /** Whether runs of the same code would seldom differ so much; null with one run on a side. */
  readonly isSure: boolean | null;
}

export interface RestData extends BeforeAfter {
  readonly rows: Count;
}

export interface DiffRowData extends RowNameData {
  /** The key before; null if the row is new. */
  readonly keyBefore: string | null;
  /**
   * `source`: by its source text; `member`: by the last part of its name, `next` of `pp.next`; `file`: by its name in a file
   * that was renamed; null if it is on one side only.
   */
  readonly matchedBy: MatchedBy | null;
  readonly verdict: VerdictName;
  /**
   * `changed`: a function of the program or its packages with another source; `program`: other code of them; `rest`: Node, V8
   * and the system.
   */
  readonly part: Part;
  /** The key of the row that explains this one: it changed only through what it calls, in the end that row. */
  readonly foldedInto: string | null;
  /**
   * Why there is no verdict though an interval leaves out 0. `rest`: its share changed because the rest did; `whole`: it
   * changed as the whole run did; `length`: the runs have another length; `few`: too few ticks; `many`: of many tests some
   * find chance.
   */
  readonly noVerdict: Unsettled | null;
  /** The same in words. */
  readonly noVerdictText: string | null;
  /** What it takes in one run, in the unit of the document's perRun. */
  readonly perRun: DiffRow["perRun"];
  readonly self: ChangeData;
  readonly total: ChangeData;
  /** What changed with a row that has a verdict. */
  readonly causes: readonly CauseData[];
}

export interface RowNameData {
  /** The stable key: the same in every log of the program. */
  readonly key: string;
  readonly name: string;
  /** What a function without a name is for, by the text around it. Absent if that is not known. */
  readonly role?: string;
  readonly file: string | null;
  readonly line: Integer | null;
  /** Where the function begins in its line, from 1. */
  readonly column: Integer | null;
  readonly origin: OriginName | null;
  readonly package: string | null;
}

/** `same` if the change may be chance. */
export type VerdictName = Verdict;

export interface ChangeData extends RunAmount {
  /**
   * The false discovery rate at which the change counts; it does up to 0.05. null if it was not tested.
   * @minimum 0
   * @maximum 1
   */
  readonly falseRate: number | null;
  /**
   * The smallest true change that these runs find in 80 % of cases.
   * @minimum 0
   */
  readonly leastChange: number | null;
  readonly verdict: VerdictName;
  /** With one run on a side: whether it is so large that chance is hardly the reason. */
  readonly isAlmostSure: boolean;
}

export interface CauseData {
  readonly kind: Cause["kind"];
  readonly before?: number;
  readonly after?: number;
  readonly change?: number;
  readonly reason?: string;
  readonly other?: string;
  readonly caller?: string;
  readonly callee?: string;
  /** Lines of the source that changed, up to 12; none if a log does not have the text. */
  readonly lines?: readonly { readonly side: "before" | "after"; readonly text: string }[];
  /** How many more lines changed. */
  readonly more?: Count;
  /** Whether the function is new: lines are the first ones of its source then. */
  readonly isNew?: boolean;
}

export function diffData(report: DiffReport): DiffData {
  const { diff, by } = report;
  const { shown, rest } = shownRows(report);
  const memory = memoryOf(diff);
  return {
    ...jsonDocument("diff"),
    by,
    scale: diff.scale.name,
    unit: diff.scale.unit,
    hasVerdict: diff.hasVerdict,
    ...(memory && { memory: { of: memory.of, is: memory.is } }),
    before: sideOf(report.before, diff.before),
    after: sideOf(report.after, diff.after),
    summary: summaryOf(report).map((sentence) => spoken(sentence, printable, unitOf(diff))),
    perRun: wholeRun(diff.perRun),
    judgedBy: diff.judgedBy,
    tests: diff.tests,
    renamedFiles: diff.renamedFiles,
    matched: diff.matched,
    lengthRatio: diff.lengthRatio,
    changedByLength: diff.changedByLength,
    leastChangeAtTenth: diff.leastAtTenth ?? null,
    runsNeeded: diff.runsNeeded ?? null,
    rows: shown.map((row) => rowOf(row, diff)),
    rest: {
      rows: rest.length,
      before: sum(rest, "before"),
      after: sum(rest, "after"),
    },
    nextSteps: nextCommands(report),
  };
}

function sum(rows: readonly DiffRow[], side: "before" | "after"): number {
  return rows.reduce((all, { self }) => all + self[side], 0);
}

function sideOf(title: string, runs: readonly RunSummary[]): SideData {
  return {
    title,
    v8: Array.from(new Set(runs.flatMap(({ v8 }) => v8))),
    ticks: jsonTicks(runs.reduce((all, { ticks }) => all + ticks, 0)),
    runs: runs.map(({ logs, ticks, memory, waited, interval, cpu }) => ({
      logs,
      ticks: jsonTicks(ticks),
      ...(memory && { [memory.of]: Math.round(ticks * memory.tick) }),
      ...jsonWaited({ waited }),
      ...orNull({ intervalUs: interval, cpuUs: cpu?.all }),
    })),
  };
}

/** What is compared: the runs of both sides are of one kind. */
function unitOf({ before }: Diff): Unit {
  return { input: before[0]?.input };
}

function plainOrNull(text: Text | undefined, unit: Unit): string | null {
  return text === undefined ? null : plainly(text, unit);
}

function wholeRun({ unit, ms, cpu, ...ticks }: PerRun): WholeRunData {
  return { unit, ...sureAmount(ticks), ms: ms ?? null, cpu: cpu === undefined ? null : sureAmount(cpu) };
}

function sureAmount({ isSure, ...amount }: SureAmount): SureAmountData {
  return { ...amount, isSure: isSure ?? null };
}

function rowOf(row: DiffRow, diff: Diff): DiffRowData {
  const { name, nameBefore, matchedBy, verdict, self, total, causes, perRun, part, foldedInto } = row;
  return {
    ...nameOf(name),
    keyBefore: nameBefore?.key ?? null,
    matchedBy: matchedBy ?? null,
    verdict,
    part,
    foldedInto: foldedInto?.key ?? null,
    noVerdict: row.unsettled ?? null,
    noVerdictText: plainOrNull(unsettledText(row, diff), unitOf(diff)),
    perRun,
    self: changeOf(self),
    total: changeOf(total),
    causes: causes.map(causeOf),
  };
}

function nameOf({ key, title, role, file, line, column, origin, package: of }: RowName): RowNameData {
  return {
    key,
    name: title,
    ...(role !== undefined && { role }),
    ...orNull({ file, line, column, origin, package: of }),
  };
}

function changeOf({ rate, least, verdict, isAlmostSure, ...amount }: Change): ChangeData {
  return { ...amount, ...orNull({ falseRate: rate, leastChange: least }), verdict, isAlmostSure };
}

function causeOf(cause: Cause): CauseData {
  switch (cause.kind) {
    case "moved":
      return { kind: cause.kind, other: cause.other.key, caller: cause.caller.key };
    case "caller":
      return { kind: cause.kind, caller: cause.caller.key, change: cause.change };
    case "callee":
      return { kind: cause.kind, callee: cause.callee.key, change: cause.change };
    default:
      return cause;
  }
}
