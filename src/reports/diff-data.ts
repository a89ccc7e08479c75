import type { Text } from "../base/text.js";
import type { Ticks } from "../base/units.js";
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
import type { RunSummary } from "../compare/run-summary.js";
import type { Scale } from "../compare/scales.js";
import { printable } from "../facts/label.js";
import { plainly, spoken, type Unit } from "../render/spoken.js";
import { type DiffReport, shownRows } from "./diff-rows.js";
import { type DiffCommand, nextCommands } from "./diff-steps.js";
import { summaryOf } from "./diff-summary.js";
import { memoryOf, unsettledText } from "./diff-words.js";
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
  /** The CPU time of a run on the threads of the logs; null if an interval is not known, or if threads waited for a CPU. */
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

export function sum(rows: readonly DiffRow[], side: "before" | "after"): number {
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
