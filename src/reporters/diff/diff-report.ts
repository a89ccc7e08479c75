import type { Change, Diff, DiffRow, Verdict } from "../../compare/diff-model.js";
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
function milliseconds(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 || size === 0 ? 2 : 4);
}

/** Returns the interval of a change: `+1.40 to +2.20`. */
export function interval({ low, high }: Change, diff: Diff): string {
  return `${signed(low, diff)} to ${signed(high, diff)}`;
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

/** As many rows of one verdict are named in the summary. */
const NAMED_ROWS = 3;

/** Returns the summary: what changed, what did not, and what these runs can tell. `show` makes names safe. */
export function summaryOf(report: DiffReport, show: (name: string) => string): string[] {
  return report.diff.hasVerdict ? verdictSummary(report, show) : differenceSummary(report, show);
}

const DID: Readonly<Record<Exclude<Verdict, "same">, string>> = {
  slower: "got slower",
  faster: "got faster",
  new: "new",
  gone: "gone",
};

function verdictSummary({ diff, by }: DiffReport, show: (name: string) => string): string[] {
  const changed = diff.rows.filter(({ self }) => self.verdict !== "same");
  const through = diff.rows.filter(({ self, total }) => self.verdict === "same" && total.verdict !== "same");
  const sentences = (["slower", "faster", "new", "gone"] as const).flatMap((verdict) => {
    const rows = changed.filter(({ self }) => self.verdict === verdict);
    const [only] = rows;
    if (only === undefined) return [];
    if (rows.length === 1) {
      const { before, after, low, high } = only.self;
      const verb = verdict === "new" || verdict === "gone" ? `is ${DID[verdict]}` : DID[verdict];
      const range = `95 %: ${signed(low, diff)} to ${signed(high, diff)}`;
      return [
        `${show(only.name.title)} ${verb}: ${amount(before, diff)} to ${amount(after, diff)} (${range}).`,
      ];
    }
    const verb = verdict === "new" || verdict === "gone" ? `are ${DID[verdict]}` : DID[verdict];
    const names = rows.slice(0, NAMED_ROWS).map(({ name, self }) => {
      return `${show(name.title)} (${signed(self.change, diff)})`;
    });
    const more = rows.length > NAMED_ROWS ? `, and ${rows.length - NAMED_ROWS} more` : "";
    return [`${countedRows(rows.length, by)} ${verb}: ${names.join(", ")}${more}.`];
  });
  const same = diff.rows.length - changed.length - through.length;
  const what = by === "category" ? "kind of work" : NOUNS[by];
  if (changed.length === 0 && through.length === 0)
    return [
      `No ${what} changed: all ${diff.rows.length} differ by no more than runs of the same code do.`,
      ...lengthNote(diff, by),
      ...powerOf(diff),
    ];
  if (changed.length === 0) sentences.push(`No ${what} changed by itself.`);
  if (through.length > 0) {
    const verb = through.length === 1 ? "changed" : "changed";
    sentences.push(
      `${countedRows(through.length, by)} ${verb} only through what ${through.length === 1 ? "it calls" : "they call"}.`,
    );
  }
  if (same > 0) sentences.push(`The other ${same} differ by no more than runs of the same code do.`);
  return [sentences.join(" "), ...lengthNote(diff, by), ...powerOf(diff)];
}

/** Returns what runs of another length do to shares. */
function lengthNote({ lengthRatio, changedByLength }: Diff, by: RunGroup): string[] {
  if (changedByLength === 0) return [];
  const first = `The runs after are ${lengthRatio.toPrecision(2)} times as long as those before.`;
  const rows = countedRows(changedByLength, by);
  const shares = changedByLength === 1 ? `The share of ${rows}` : `The shares of ${rows}`;
  return [`${first} ${shares} may differ by that alone, as that of a start does: no verdict on them.`];
}

/** Returns what these runs can tell. */
function powerOf({ leastAtTenth, before, after }: Diff): string[] {
  if (leastAtTenth === undefined) return [];
  const percent = Math.max(1, Math.round(leastAtTenth * 100));
  const runs = `${before.length} runs against ${after.length}`;
  return [`${runs} find a change of ${percent} % or more in what takes a tenth of the time.`];
}

function differenceSummary({ diff }: DiffReport, show: (name: string) => string): string[] {
  const { before, after, runsNeeded } = diff;
  const sides = before.length === 1 && after.length === 1 ? "One run a side" : "One run on a side";
  const [largest] = diff.rows;
  const lines = [
    `${sides}: no verdict. Two runs of the same code differ too; only several runs a side tell by how much.`,
  ];
  if (largest === undefined || largest.self.change === 0) return lines;
  const name = `${show(largest.name.title)} (${signed(largest.self.change, diff)})`;
  lines.push(
    runsNeeded === undefined
      ? `The largest difference is ${name}: too small to be settled by any number of runs that is practical.`
      : `The largest difference is ${name}: it takes ${runsNeeded} runs a side or more to settle it.`,
  );
  return lines;
}

/** Returns a note on how many ticks are in rows that were not found on the other side; none if few are. */
export function unmatchedNote({ diff, by }: DiffReport): string[] {
  const percent = (1 - diff.matched) * 100;
  if (percent < 1) return [];
  return [`${percent.toFixed(1)}% of the ticks are in ${NOUNS[by]}s that one side does not have.`];
}
