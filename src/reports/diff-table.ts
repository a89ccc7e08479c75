import { joined, milliseconds, named, segmentsOf, type Text, TICK, TICKS, text } from "../base/text.js";
import { isReal } from "../compare/causes.js";
import type { Cause, Diff, DiffRow, PerRun, Unsettled, Verdict } from "../compare/diff-model.js";
import type { RowName } from "../compare/run-groups.js";
import type { ShownName } from "../facts/function-names.js";
import { nameAt } from "../facts/function-table.js";
import { isEntry, printable } from "../facts/label.js";
import type { MemoryUnit } from "../profile/profile.js";
import {
  type Below,
  type Block,
  type Column,
  number,
  type Row,
  type Table,
  type Tone,
} from "../render/page.js";
import { shownMiddle } from "../render/width.js";
import {
  aRun,
  changeOrNothing,
  hasOneInterval,
  interval,
  orNothing,
  runChange,
  runInterval,
  runNumber,
  scaled,
  sharesText,
} from "./diff-numbers.js";
import { type DiffReport, isCountUnknown, measureOf, showsRuns, type TableRows } from "./diff-rows.js";
import {
  CHANCE,
  causeText,
  chanceOf,
  countedRows,
  leavesWaitsOut,
  memoryOf,
  NOUNS,
  restText,
  saidRow,
  titleOfRow,
  unsettledText,
  wholeText,
} from "./diff-words.js";
import { stackLine } from "./stack-text.js";
import { counted } from "./words.js";

/** Names in sentences are cut to this many columns. */
const NAME_COLUMNS = 60;

/** Cuts the names of a sentence. */
export function shortened(sentence: Text): Text {
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

export function diffTable({ rows, folded, chains, rest }: TableRows, report: DiffReport): Table {
  const { diff, by } = report;
  const { hasVerdict } = diff;
  const numbers = numberColumns(report);
  return {
    kind: "table",
    columns: [...(hasVerdict ? [{ title: "verdict" }] : []), ...numbers, { title: NOUNS[by] }],
    rows: rows.map((row): Row => {
      const chain = chains.get(row.name.key) ?? [row];
      const names = chain.map(({ name }) => saidRow(name));
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
  readonly textOf: (row: DiffRow) => Text;
}

/** Returns the columns of numbers: what runs take with the share beside it, or the numbers of another scale. */
function numberColumns({ diff, order }: DiffReport): NumberColumn[] {
  const { perRun } = diff;
  const isUnknown = isCountUnknown(diff);
  const runs = (row: DiffRow) => row.perRun[measureOf(row, order)];
  const shares = (row: DiffRow) => row[measureOf(row, order)];
  if (showsRuns(diff)) {
    const side = (row: DiffRow, name: "before" | "after") => {
      const { before, after } = runs(row);
      return orNothing(runNumber(runs(row)[name], perRun, Math.max(before, after)));
    };
    return [
      { ...number("before"), textOf: (row) => side(row, "before") },
      { ...number("after"), textOf: (row) => side(row, "after") },
      { ...number("change"), textOf: (row) => runChange(runs(row), perRun) },
      diff.hasVerdict && diff.judgedBy === "share"
        ? { ...OF_SHARE, textOf: (row) => interval(shares(row), diff) }
        : { ...INTERVAL, textOf: (row) => (isUnknown ? "" : runInterval(runs(row), perRun)) },
      { ...SHARE, textOf: (row) => sharesText(shares(row)) },
    ];
  }
  return [
    { ...number("before"), textOf: (row) => orNothing(scaled(shares(row).before, diff)) },
    { ...number("after"), textOf: (row) => orNothing(scaled(shares(row).after, diff)) },
    { ...number("change"), textOf: (row) => changeOrNothing(shares(row).change, diff) },
    { ...INTERVAL, textOf: (row) => (isUnknown ? "" : interval(shares(row), diff)) },
  ];
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
export function leftOutText(rows: readonly DiffRow[], { diff, by }: DiffReport): Text {
  const sum = (side: "before" | "after") =>
    scaled(
      rows.reduce((all, { self }) => all + self[side], 0),
      diff,
    );
  return text`… ${countedRows(rows.length, by, "more ")}: ${sum("before")} before, ${sum("after")} after`;
}

/** Returns the name of a row and where it is. */
function shownRowName(name: RowName): ShownName {
  const { file, line, origin, key } = name;
  const title = titleOfRow(name);
  // The row of a file is called like the file.
  if (file === undefined || file === title || key === file) return { title, position: "" };
  if (title === key) return { title, position: file };
  const position = line === undefined ? file : `${file}:${line}`;
  return { ...nameAt(title, position), isSymbol: origin === "native" };
}

/** Returns the title of the table: `functions by ticks a run`. */
export function tableTitle({ diff, by }: DiffReport): Text {
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

/** Returns how long a tick is: ` (a tick is 1.06 ms)`; nothing if that is not known. */
function tickText({ ms, before, after }: PerRun): Text {
  if (ms === undefined || before + after === 0 || !hasOneInterval({ ms, before, after })) return "";
  return text` (a ${TICK} is ${milliseconds(((ms.before + ms.after) / (before + after)) * 1e3)})`;
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

/** Returns what the reasons of the table mean that its rows do not say; nothing if it has none. */
export function reasonsLegend({ rows }: TableRows, diff: Diff): Block[] {
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

/** Returns {@link unsettledText} of the program's own code, if it is more than {@link shortReason} says. */
function unsettledNote(row: DiffRow, diff: Diff): Text | undefined {
  const hasNote = row.part !== "rest" && (row.unsettled === "rest" || row.unsettled === "length");
  return hasNote ? unsettledText(row, diff) : undefined;
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
