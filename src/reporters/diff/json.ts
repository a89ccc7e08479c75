import type { Cause, Change, Diff, DiffRow, PerRun } from "../../compare/diff-model.js";
import type { RowName } from "../../compare/run-groups.js";
import type { RunSummary } from "../../compare/run-summary.js";
import { printable } from "../../views/label.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import { jsonDocument, jsonWaited } from "../layout/json-parts.js";
import { nextCommands } from "./after-diff.js";
import { type DiffReport, shownRows, unsettledText } from "./diff-report.js";
import { summaryOf } from "./diff-summary.js";

/** Yields a comparison for programs, as `diff.schema.json` describes it. */
export function jsonDiff(report: DiffReport, layout: JsonLayout = {}): Iterable<string> {
  const { diff, by } = report;
  const { shown, rest } = shownRows(report);
  const document = {
    ...jsonDocument({ command: "diff", schemaVersion: 1 }),
    by,
    scale: diff.scale.name,
    unit: diff.scale.unit,
    hasVerdict: diff.hasVerdict,
    before: jsonSide(report.before, diff.before),
    after: jsonSide(report.after, diff.after),
    summary: summaryOf(report, printable),
    perRun: jsonPerRun(diff.perRun),
    tests: diff.tests,
    matched: diff.matched,
    lengthRatio: diff.lengthRatio,
    changedByLength: diff.changedByLength,
    leastChangeAtTenth: diff.leastAtTenth ?? null,
    runsNeeded: diff.runsNeeded ?? null,
    rows: shown.map((row) => jsonRow(row, diff)),
    rest: {
      rows: rest.length,
      before: sum(rest, "before"),
      after: sum(rest, "after"),
    },
    nextSteps: nextCommands(report),
  };
  return jsonLines(document, layout);
}

function sum(rows: readonly DiffRow[], side: "before" | "after"): number {
  return rows.reduce((all, { self }) => all + self[side], 0);
}

function jsonSide(title: string, runs: readonly RunSummary[]) {
  return {
    title,
    v8: Array.from(new Set(runs.flatMap(({ v8 }) => v8))),
    ticks: runs.reduce((all, { ticks }) => all + ticks, 0),
    runs: runs.map(({ logs, ticks, waited, interval, cpu }) => ({
      logs,
      ticks,
      ...jsonWaited({ waited }),
      intervalUs: interval ?? null,
      cpuUs: cpu?.all ?? null,
    })),
  };
}

function jsonPerRun({ unit, before, after, change, low, high, isSure, ms }: PerRun) {
  return { unit, before, after, change, low, high, isSure: isSure ?? null, ms: ms ?? null };
}

function jsonRow(row: DiffRow, diff: Diff) {
  const { name, nameBefore, matchedBy, verdict, self, total, causes, perRun, part, foldedInto } = row;
  return {
    ...jsonName(name),
    keyBefore: nameBefore?.key ?? null,
    matchedBy: matchedBy ?? null,
    verdict,
    part,
    foldedInto: foldedInto?.key ?? null,
    noVerdict: row.unsettled ?? null,
    noVerdictText: unsettledText(row, diff) ?? null,
    perRun,
    self: jsonChange(self),
    total: jsonChange(total),
    causes: causes.map(jsonCause),
  };
}

function jsonName({ key, title, file, line, column, origin, package: of }: RowName) {
  return {
    key,
    name: title,
    file: file ?? null,
    line: line ?? null,
    column: column ?? null,
    origin: origin ?? null,
    package: of ?? null,
  };
}

function jsonChange({ before, after, change, low, high, rate, least, verdict, isAlmostSure }: Change) {
  const [falseRate, leastChange] = [rate ?? null, least ?? null];
  return { before, after, change, low, high, falseRate, leastChange, verdict, isAlmostSure };
}

function jsonCause(cause: Cause) {
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
