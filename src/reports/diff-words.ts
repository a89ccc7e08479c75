import { rounded } from "../base/digits.js";
import { inPercent, named, type Share, type Text, TICKS, text, withSign } from "../base/text.js";
import type { Cause, Diff, DiffRow } from "../compare/diff-model.js";
import type { RowName, RunGroup } from "../compare/run-groups.js";
import { UNNAMED } from "../facts/function-table.js";
import type { MemoryUnit } from "../profile/profile.js";
import { listedSymbol } from "../render/names.js";
import { plainly, type Unit } from "../render/spoken.js";
import { amounts, aRun, inUnit, runNumber, signed } from "./diff-numbers.js";
import { counted } from "./words.js";

/** What a comparison of memory counts; undefined for one of time. */
export function memoryOf({ before, after }: Pick<Diff, "before" | "after">): MemoryUnit | undefined {
  const all = [...before, ...after].flatMap(({ memory }) => memory ?? []);
  return all.find(({ is }) => is !== "unknown") ?? all[0];
}

/** Says that the scale `unchanged` has nothing to go by in runs such as this one. */
export function nothingInAll(run: Unit = {}): string {
  return plainly(text`nothing has ${TICKS} in all runs`, run);
}

/** Returns what all of a run is made of: ticks, or bytes or objects. */
export function wholeText(diff: Diff): Text {
  return memoryOf(diff)?.of ?? TICKS;
}

/** Returns the name of a row: of a function without one what it is for. */
export function titleOfRow({ title, role, origin }: RowName): string {
  if (origin === "native") return listedSymbol(title);
  return role === undefined ? title : `<${role}>`;
}

/** Returns the name of a row for a sentence, with its place if it has none, or if another one of the sentence has the same. */
export function saidRow(name: RowName, others: readonly DiffRow[] = []): string {
  const title = titleOfRow(name);
  const isAlike = others.some((other) => other.name.key !== name.key && titleOfRow(other.name) === title);
  if ((title !== UNNAMED && !isAlike) || name.file === undefined) return title;
  const file = name.file.slice(name.file.lastIndexOf("/") + 1);
  const place = `${file}${name.line === undefined ? "" : `:${name.line}`}`;
  return title === UNNAMED ? place : `${title} ${place}`;
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

/** What the rest of the runs did so that the share of a row changed, in a few words. */
export function restText({ self, total }: DiffRow, { perRun }: Diff): string {
  const isMore = (self.change === 0 ? total.change : self.change) > 0;
  const isLonger = perRun.change > 0;
  return `rest ${isLonger ? "grew" : "shrank"}${isMore === isLonger ? " less" : ""}`;
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

/** Of as many intervals of 95 % one is expected to leave out what is true. */
export const CHANCE = 20;

/** Returns of how many numbers the interval is expected to leave out 0 though nothing changed. */
export function chanceOf({ tests }: Diff): number {
  return Math.max(1, Math.round(tests / CHANCE));
}

/** Returns whether the runs have ticks that waited and are left out. */
export function leavesWaitsOut({ before, after }: Diff): boolean {
  return [...before, ...after].some(({ waited }) => waited !== undefined && waited.ticks > 0);
}

/** Returns a cause as a phrase. */
export function causeText(cause: Cause, diff: Diff): Text {
  switch (cause.kind) {
    case "source":
      return cause.isNew ? "its source" : "its source changed";
    case "slow-tiers":
      return text`${percent(cause.after)} of it in interpreted or baseline code, before ${percent(cause.before)}`;
    case "deopts": {
      const reason = cause.reason === "" ? "" : text`, mostly: ${named(cause.reason)}`;
      return text`deoptimized ${times(cause.after)} a run, before ${times(cause.before)}${reason}`;
    }
    case "inlining":
      return text`${percent(cause.after)} of it inlined into callers, before ${percent(cause.before)}`;
    case "gc":
      return text`garbage collection in it: ${amounts(cause, diff)}`;
    case "compile":
      return text`compiling in it: ${amounts(cause, diff)}`;
    case "moved":
      return text`${named(saidRow(cause.other))} changed the other way: their caller ${named(saidRow(cause.caller))} takes as ${memoryOf(diff) === undefined ? "long" : "much"} as before`;
    case "caller":
      return text`its source is the same: ${points(cause.change, diff)} when called by ${named(saidRow(cause.caller))}`;
    case "callee":
      return text`through ${named(saidRow(cause.callee))}: ${points(cause.change, diff)}`;
  }
}

export function points(change: number, diff: Diff): Text {
  if (memoryOf(diff) !== undefined)
    return text`${inUnit(
      withSign(change, (size) => runNumber(size, diff.perRun)),
      diff.perRun,
    )} ${aRun(diff.perRun)}`;
  return text`${signed(change, diff)} ${diff.scale.unit === "percent" ? "points" : "ms"}`;
}

function percent(fraction: number): Share {
  return inPercent(fraction * 100, 0);
}

function times(count: number): string {
  return rounded(count) === 1 ? "once" : `${rounded(count)} times`;
}
