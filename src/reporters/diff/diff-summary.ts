import { isReal } from "../../compare/causes.js";
import type { Diff, DiffRow, Verdict } from "../../compare/diff-model.js";
import { ALMOST_SURE } from "../../compare/verdicts.js";
import { cpuText, isMuchUnsampled, UNSAMPLED } from "../../views/unsampled-cpu.js";
import {
  amount,
  countedRows,
  type DiffReport,
  hasOneInterval,
  milliseconds,
  NOUNS,
  percentText,
  runInterval,
  runNumbers,
  runUnit,
  sharesText,
  showsRuns,
  signed,
} from "./diff-report.js";

/** As many rows of one kind are named in the summary. */
const NAMED_ROWS = 3;

/**
 * Returns the summary: what a run takes, then what changed, what did not, and what these runs can tell. `show` makes
 * names safe.
 */
export function summaryOf(report: DiffReport, show: (name: string) => string): string[] {
  const rest = report.diff.hasVerdict ? verdictSummary(report, show) : differenceSummary(report, show);
  return [headline(report), ...cpuSummary(report.diff), ...rest];
}

/** Says what CPU time the processes of a run take, if much of it on a side is not sampled. */
function cpuSummary({ before, after }: Diff): string[] {
  const [old, now] = [before, after].map((runs) => meanOf(runs.map(({ cpu }) => cpu?.all)));
  const isMuch = [...before, ...after].some(({ cpu }) => cpu !== undefined && isMuchUnsampled(cpu));
  if (old === undefined || now === undefined || !isMuch) return [];
  return [
    `All threads together take ${cpuText(old)} → ${cpuText(now)} of CPU a run: V8 samples only those of JavaScript; the rest is ${UNSAMPLED}.`,
  ];
}

function meanOf(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined);
  return known.length < numbers.length ? undefined : known.reduce((sum, one) => sum + one, 0) / known.length;
}

/** Returns the whole in one sentence: `A run takes 90 % less CPU on its JavaScript threads: 5,685 → 556 ticks`. */
function headline({ diff, isFiltered = false }: DiffReport): string {
  const { perRun } = diff;
  const { before, after, change, isSure, ms, unit } = perRun;
  const what = isFiltered
    ? "What the filters keep of a run"
    : unit === "ms-per-unit"
      ? "A unit of work"
      : "A run";
  const time = ms === undefined || unit !== "ticks" || !hasOneInterval(perRun) ? "" : ` (${timesText(ms)})`;
  const numbers = `${runNumbers(perRun, perRun)} ${runUnit(perRun)}${time}`;
  const where = "CPU on its JavaScript threads";
  if (isSure === false || before === 0 || change === 0) {
    const range = runInterval(perRun, perRun);
    const interval = isSure === undefined || range === "" ? "" : `, 95 %: ${range}`;
    return `${what} takes about as much ${where} as before: ${numbers}${interval}.`;
  }
  const ratio = after / before;
  const much =
    ratio >= 3
      ? `${ratio.toPrecision(2)} times the`
      : `${percentText(Math.abs(ratio - 1) * 100)} % ${ratio > 1 ? "more" : "less"}`;
  const subject =
    isSure === undefined && what === "A run" && diff.after.length === 1 ? "The run after" : what;
  return `${subject} ${isSure === undefined ? "took" : "takes"} ${much} ${where}: ${numbers}.`;
}

function timesText({ before, after }: { readonly before: number; readonly after: number }): string {
  if (Math.max(before, after) < 1000) return `${milliseconds(before)} → ${milliseconds(after)} ms`;
  return `${(before / 1000).toFixed(2)} → ${(after / 1000).toFixed(2)} s`;
}

const DID: Readonly<Record<Exclude<Verdict, "same">, string>> = {
  slower: "got slower",
  faster: "got faster",
  new: "new",
  gone: "gone",
};

function verdictSummary(report: DiffReport, show: (name: string) => string): string[] {
  const { diff, by } = report;
  const found = diff.rows.filter(({ verdict }) => verdict !== "same");
  const isTold = by === "category" ? () => true : ({ part }: DiffRow) => part !== "rest";
  const source = found.filter(({ part }) => part === "changed");
  const own = found.filter((row) => row.part !== "changed" && row.self.verdict !== "same" && isTold(row));
  const others = found.filter((row) => row.self.verdict !== "same" && !isTold(row));
  const through = found.filter(({ part, self }) => part !== "changed" && self.verdict === "same");
  const what = by === "category" ? "kind of work" : NOUNS[by];
  if (found.length === 0)
    return [
      `No ${what} changed: all ${diff.rows.length} differ by no more than runs of the same code do.`,
      ...lengthNote(report, show),
      ...powerOf(diff),
    ];
  const sentences = [...changedSentences(source, report, show), ...ownSentences(own, report, show)];
  if (source.length + own.length + others.length === 0) sentences.push(`No ${what} changed by itself.`);
  if (through.length > 0) {
    sentences.push(
      `${countedRows(through.length, by)} changed only through what ${through.length === 1 ? "it calls" : "they call"}.`,
    );
  }
  if (others.length > 0) {
    const names = named(others, ({ name, self, perRun }) => {
      const size = showsRuns(diff) ? runNumbers(perRun.self, diff.perRun) : signed(self.change, diff);
      return `${show(name.title)} (${size})`;
    });
    sentences.push(`In Node, V8 and the system, ${countedRows(others.length, by)} changed: ${names}.`);
  }
  const same = diff.rows.length - found.length;
  if (same > 0) sentences.push(`The other ${same} differ by no more than runs of the same code do.`);
  return [sentences.join(" "), ...lengthNote(report, show), ...powerOf(diff)];
}

/** Returns what became of the functions whose source changed. */
function changedSentences(
  rows: readonly DiffRow[],
  { diff, by }: DiffReport,
  show: (name: string) => string,
): string[] {
  const [first] = rows;
  if (first === undefined) return [];
  const text = (row: DiffRow) => {
    const [own, whole] = showsRuns(diff) ? [row.perRun.self, row.perRun.total] : [row.self, row.total];
    const isThrough = Math.abs(whole.change) > 1.1 * Math.abs(own.change);
    const size = showsRuns(diff)
      ? `${runNumbers(isThrough ? whole : own, diff.perRun)} ${runUnit(diff.perRun)}`
      : amounts(isThrough ? row.total : row.self, diff);
    return `${show(row.name.title)} ${size}${isThrough ? " with what it calls" : ""}`;
  };
  const what = countedRows(rows.length, by);
  const verb = rows.length === 1 ? "has" : "have";
  return [`${what} of the program ${verb} another source: ${named(rows, text)}.`];
}

/** Returns what became of the program's other code. */
function ownSentences(
  all: readonly DiffRow[],
  { diff, by }: DiffReport,
  show: (name: string) => string,
): string[] {
  return (["slower", "faster", "new", "gone"] as const).flatMap((verdict) => {
    const rows = all.filter(({ self }) => self.verdict === verdict);
    const [only] = rows;
    if (only === undefined) return [];
    const isThere = verdict === "slower" || verdict === "faster";
    if (rows.length === 1) {
      const verb = isThere ? DID[verdict] : `is ${DID[verdict]}`;
      return [`${show(only.name.title)} ${verb}: ${rowAmounts(only, diff)}.`];
    }
    const verb = isThere ? DID[verdict] : `are ${DID[verdict]}`;
    const names = named(rows, ({ name, self, perRun }) => {
      const size = showsRuns(diff) ? runNumbers(perRun.self, diff.perRun) : signed(self.change, diff);
      return `${show(name.title)} (${size})`;
    });
    return [`${countedRows(rows.length, by)} ${verb}: ${names}.`];
  });
}

function named(rows: readonly DiffRow[], textOf: (row: DiffRow) => string): string {
  const names = rows.slice(0, NAMED_ROWS).map(textOf);
  const more = rows.length - names.length;
  return `${names.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

function rowAmounts({ self, perRun }: DiffRow, diff: Diff): string {
  if (!showsRuns(diff))
    return `${amounts(self, diff)} (95 %: ${signed(self.low, diff)} to ${signed(self.high, diff)})`;
  const range = `95 %: ${signed(self.low, diff)} to ${signed(self.high, diff)} points`;
  return `${runNumbers(perRun.self, diff.perRun)} ${runUnit(diff.perRun)} a run, ${sharesText(self)} (${range})`;
}

function amounts({ before, after }: { readonly before: number; readonly after: number }, diff: Diff): string {
  return `${amount(before, diff)} to ${amount(after, diff)}`;
}

/** Returns which rows have no verdict because the runs have another length. */
function lengthNote({ diff, by }: DiffReport, show: (name: string) => string): string[] {
  const rows = diff.rows.filter(({ unsettled }) => unsettled === "length");
  const [first] = rows;
  if (first === undefined) return [];
  const names = named(rows, ({ name }) => show(name.title));
  const shares = rows.length === 1 ? `the share of this ${NOUNS[by]}` : `the shares of these ${NOUNS[by]}s`;
  return [
    `The runs have another length: ${shares} may differ by that alone, as that of a start does, so that there is no verdict on ${names}.`,
  ];
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
  const sure = diff.rows.filter(({ self, total }) => isReal(self) || isReal(total));
  if (sure.length > 0) {
    const text = ({ name, self, total }: DiffRow) => {
      const isThrough = Math.abs(total.change) > 1.1 * Math.abs(self.change);
      return `${show(name.title)} ${sharesText(isThrough ? total : self)}${isThrough ? " with what it calls" : ""}`;
    };
    return [
      `${sides}: no verdict, but a difference this large is almost surely real: ${named(sure, text)} of all ticks. Below ${ALMOST_SURE} points it may be chance.`,
    ];
  }
  const lines = [
    `${sides}: no verdict. Two runs of the same code differ too; only several runs a side tell by how much.`,
  ];
  const size = ({ self }: DiffRow) => Math.abs(self.change);
  const largest = diff.rows.reduce<DiffRow | undefined>(
    (most, row) => (most === undefined || size(row) > size(most) ? row : most),
    undefined,
  );
  if (largest === undefined || largest.self.change === 0) return lines;
  const name = `${show(largest.name.title)} (${signed(largest.self.change, diff)})`;
  lines.push(
    runsNeeded === undefined
      ? `The largest difference is ${name}: too small to be settled by any number of runs that is practical.`
      : `The largest difference is ${name}: it takes ${runsNeeded} runs a side or more to settle it.`,
  );
  return lines;
}
