import { shownNumber } from "../base/digits.js";
import { joined, type Numeral, named, percent, type Text, text } from "../base/text.js";
import { isReal } from "../compare/causes.js";
import type { Diff, DiffRow, RenamedFile, SureAmount, Verdict } from "../compare/diff-model.js";
import { ALMOST_SURE } from "../compare/verdicts.js";
import { UNKNOWN_COUNT } from "../facts/doubts.js";
import { isMuchUnsampled, UNSAMPLED } from "../facts/unsampled-cpu.js";
import type { MemoryUnit } from "../profile/profile.js";
import {
  amounts,
  aRun,
  bareTime,
  hasOneInterval,
  inUnit,
  rangeText,
  runInterval,
  runNumber,
  runNumbers,
  sharesText,
  signed,
  timesText,
  wholePercent,
} from "./diff-numbers.js";
import { type DiffReport, isCountUnknown, showsRuns } from "./diff-rows.js";
import { countedRows, memoryOf, NOUNS, saidRow, wholeText } from "./diff-words.js";
import { counted } from "./words.js";

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
  return ` Most code takes about ${shownNumber(lengthRatio)} times as long after${why}. So functions are judged by their shares.`;
}

/** Says whose the rest of the CPU time is, if much of it is not sampled. */
function cpuSummary({ diff: { perRun, before, after }, isFiltered = false }: DiffReport): Text[] {
  const { cpu, unit } = perRun;
  if (![...before, ...after].some((run) => run.cpu !== undefined && isMuchUnsampled(run.cpu))) return [];
  if (cpu === undefined) return [];
  const rest = `V8 samples only those of JavaScript; the rest is ${UNSAMPLED}.`;
  if (!isFiltered) return [`Of all threads, ${rest}`];
  const what = unit === "ms-per-unit" ? "unit of work" : "run";
  return [text`All threads together take ${timesText(cpu)} of CPU a ${what}: ${rest}`];
}

/**
 * Returns the whole in one sentence, by the CPU time that was measured of all threads: `A run takes 90 % less CPU: 11.2 → 1.1 s; of
 * it on JavaScript threads 5685 → 556 ticks`. Work that moved to the thread pool is no saving. By ticks alone, if that time is not known:
 * `A run takes 90 % less CPU on its JavaScript threads: 5685 → 556 ticks`.
 */
function headline({ diff, isFiltered = false }: DiffReport): Text {
  const { perRun } = diff;
  const { ms, unit, cpu } = perRun;
  const memory = memoryOf(diff);
  const time =
    ms === undefined || unit !== "ticks" || !hasOneInterval(perRun) ? "" : text` (${timesText(ms)})`;
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
  const chance = chanceText(whole, (value) => bareTime(value, whole));
  const said = text`${what} ${takenText(whole, "CPU")}: ${timesText(whole)}${chance}`;
  // Where ticks came late, since a thread waited for a CPU, they are longer than the CPU time that they are of.
  const isLate = unit === "ms" && (perRun.before > whole.before || perRun.after > whole.after);
  return isLate ? text`${said}.` : text`${said}; of it on JavaScript threads ${ticks}.`;
}

/** Returns how much more or less is taken: `takes 90 % less CPU`. */
function takenText(amount: SureAmount, what: string): Text {
  if (!isChanged(amount)) return `takes about as much ${what} as before`;
  const ratio = amount.after / amount.before;
  const much =
    ratio >= 3
      ? `${shownNumber(ratio)} times the`
      : text`${wholePercent(Math.abs(ratio - 1) * 100, percent)} ${ratio > 1 ? "more" : "less"}`;
  return text`${amount.isSure === undefined ? "took" : "takes"} ${much} ${what}`;
}

/** Returns how much more or less memory is counted: `allocates 34 % more`, `has 12 % less alive at its end`. */
function memoryText(amount: SureAmount, { of, is }: MemoryUnit): Text {
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
  if (ratio >= 3) return `${verb} ${shownNumber(ratio)} times as ${much}${what}${where}`;
  return text`${verb} ${wholePercent(Math.abs(ratio - 1) * 100, percent)} ${ratio > 1 ? "more" : of === "objects" ? "fewer" : "less"}${what}${where}`;
}

/** Returns the interval of what may be chance: `, 95 %: -80 to +80`. */
function chanceText(amount: SureAmount, numeral: (size: number) => Numeral): Text {
  if (amount.isSure === undefined || isChanged(amount)) return "";
  const range = rangeText(amount, numeral);
  return range === "" ? "" : text`, 95 %: ${range}`;
}

/** Whether a run takes more or less than before, as far as the runs tell. */
function isChanged({ before, change, isSure }: SureAmount): boolean {
  return isSure !== false && before !== 0 && change !== 0;
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
  const isNamed = by === "category" ? () => true : ({ part }: DiffRow) => part !== "rest";
  const changed = diff.rows.filter(({ part }) => part === "changed");
  const judged = changed.filter(({ verdict }) => verdict !== "same");
  const source = judged.length > 0 ? judged : changed;
  const own = found.filter((row) => row.part !== "changed" && row.self.verdict !== "same" && isNamed(row));
  const others = found.filter((row) => row.self.verdict !== "same" && !isNamed(row));
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

/** Returns the name of a row, and what it takes: `handle 5685 → 556 ticks`. */
function sizedIn(row: DiffRow, which: "self" | "total", diff: Diff, others?: readonly DiffRow[]): Text {
  const size = showsRuns(diff)
    ? inUnit(runNumbers(row.perRun[which], diff.perRun), diff.perRun)
    : amounts(row[which], diff);
  return text`${named(saidRow(row.name, others))} ${size}`;
}

/** Returns what became of the functions whose source changed, and of those that one side does not have. */
function changedSentences(rows: readonly DiffRow[], report: DiffReport): Text[] {
  const { by } = report;
  const isNew = ({ nameBefore }: DiffRow) => nameBefore === undefined;
  const isGone = (row: DiffRow) => row.matchedBy === undefined && !isNew(row);
  const sentence = (some: readonly DiffRow[], what: Text) =>
    some.length === 0 ? [] : [changedSentence(some, what, report)];
  const changed = rows.filter((row) => row.matchedBy !== undefined);
  const [made, gone] = [rows.filter(isNew), rows.filter(isGone)];
  const are = (some: readonly DiffRow[]) => {
    const owner = packageOf(some);
    const of = owner === undefined ? "" : text` of the package ${named(owner)}`;
    return text`${countedRows(some.length, by)}${of} ${some.length === 1 ? "is" : "are"}`;
  };
  return [
    ...sentence(
      changed,
      text`The source of ${countedRows(changed.length, by)} of ${ownerOf(changed)} changed`,
    ),
    ...sentence(made, text`${are(made)} new`),
    ...sentence(gone, text`${are(gone)} gone`),
  ];
}

/** Returns whose functions these are: the program's, or those of one package. */
function ownerOf(rows: readonly DiffRow[]): Text {
  const owner = packageOf(rows);
  if (owner !== undefined) return text`the package ${named(owner)}`;
  const isOfPackage = rows.some(({ name }) => name.origin === "deps" && name.package !== undefined);
  return isOfPackage ? "the program and its packages" : "the program";
}

/** Returns the only package that functions are of; undefined if there is none. */
function packageOf(rows: readonly DiffRow[]): string | undefined {
  const packages = new Set(rows.map(({ name }) => (name.origin === "deps" ? name.package : undefined)));
  return packages.size === 1 ? Array.from(packages)[0] : undefined;
}

/** Returns a sentence on rows with what they take, with what they call where that changed most. */
function changedSentence(rows: readonly DiffRow[], what: Text, { diff }: DiffReport): Text {
  const isThrough = ({ perRun: { self, total } }: DiffRow) =>
    Math.abs(total.change) > 1.1 * Math.abs(self.change);
  const shown = rows.slice(0, NAMED_ROWS);
  const sized = (row: DiffRow) => sizedIn(row, isThrough(row) ? "total" : "self", diff, shown);
  const inText = (row: DiffRow) => text`${sized(row)}${isThrough(row) ? " with what it calls" : ""}`;
  const areAll = rows.length > 1 && shown.every(isThrough);
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
          text`${named(saidRow(only.name))} ${verb === "have" ? "has" : "allocates"} ${more}: ${rowAmounts(only, diff)}.`,
        ];
      const names = listed(rows, (row) => sizedName(row, diff));
      return [text`${countedRows(rows.length, by)} ${verb} ${more}: ${names}.`];
    }
    if (rows.length === 1) {
      const verb = isThere ? DID[verdict] : `is ${DID[verdict]}`;
      return [text`${named(saidRow(only.name))} ${verb}: ${rowAmounts(only, diff)}.`];
    }
    const verb = isThere ? DID[verdict] : `are ${DID[verdict]}`;
    const names = listed(rows, (row) => sizedName(row, diff));
    return [text`${countedRows(rows.length, by)} ${verb}: ${names}.`];
  });
}

/** Returns the name of a row, and by how much it changed: `handle (5685 → 556)`. */
function sizedName({ name, self, perRun }: DiffRow, diff: Diff): Text {
  const size = showsRuns(diff) ? runNumbers(perRun.self, diff.perRun) : signed(self.change, diff);
  return text`${named(saidRow(name))} (${size})`;
}

function listed(rows: readonly DiffRow[], textOf: (row: DiffRow) => Text): Text {
  const names = rows.slice(0, NAMED_ROWS).map(textOf);
  const more = rows.length - names.length;
  return text`${joined(names, ", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

function rowAmounts({ self, perRun }: DiffRow, diff: Diff): Text {
  if (!showsRuns(diff))
    return text`${amounts(self, diff)} (95 %: ${signed(self.low, diff)} to ${signed(self.high, diff)})`;
  if (diff.judgedBy === "run")
    return text`${inUnit(runNumbers(perRun.self, diff.perRun), diff.perRun)} ${aRun(diff.perRun)} (95 %: ${runInterval(perRun.self, diff.perRun)}), ${sharesText(self)}`;
  const range = text`95 %: ${signed(self.low, diff)} to ${signed(self.high, diff)} points`;
  return text`${inUnit(runNumbers(perRun.self, diff.perRun), diff.perRun)} ${aRun(diff.perRun)}, ${sharesText(self)} (${range})`;
}

/** Returns which rows have no verdict because the runs have another length. */
function lengthNote({ diff, by }: DiffReport): Text[] {
  const rows = diff.rows.filter(({ unsettled }) => unsettled === "length");
  const [first] = rows;
  if (first === undefined) return [];
  const names = listed(rows, ({ name }) => named(saidRow(name)));
  const shares = rows.length === 1 ? `the share of this ${NOUNS[by]}` : `the shares of these ${NOUNS[by]}s`;
  return [
    text`The runs have another length: ${shares} may differ by that alone, as that of a start does, so that there is no verdict on ${names}.`,
  ];
}

/** Returns what these runs can tell. */
function powerOf(diff: Diff): Text[] {
  const { leastAtTenth, before, after } = diff;
  const memory = memoryOf(diff);
  if (leastAtTenth === undefined) return [];
  const least = percent(Math.max(1, leastAtTenth * 100));
  const [first, second] = [before.length, after.length];
  const runs = first === second ? `${first} runs a side` : `${first} runs before and ${second} after`;
  const tenth = memory === undefined ? "takes a tenth of the time" : `has a tenth of the ${memory.of}`;
  return [text`${runs} find changes of ${least} and more in what ${tenth}.`];
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
      return text`${named(saidRow(name))} ${sharesText(isThrough ? total : self)}${isThrough ? " with what it calls" : ""}`;
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
  const name = text`${named(saidRow(largest.name))} (${signed(largest.self.change, diff)})`;
  lines.push(
    runsNeeded === undefined
      ? text`The largest difference is ${name}: too small to be settled by any number of runs that is practical.`
      : text`The largest difference is ${name}: it takes ${String(runsNeeded)} runs a side or more to settle it.`,
  );
  return lines;
}
