import { ALL_TICKS, inPercent, inSamples, joined, named, type Text, text } from "../base/text.js";
import { isReal } from "../compare/causes.js";
import { hasUnknownCounts, type RunSummary } from "../compare/run-summary.js";
import { type Block, GAP, note, section } from "../render/page.js";
import { diffData } from "./diff-data.js";
import { type DiffReport, tableRows } from "./diff-rows.js";
import { nextCommands } from "./diff-steps.js";
import { summaryOf } from "./diff-summary.js";
import { diffTable, leftOutText, reasonsLegend, shortened, tableTitle } from "./diff-table.js";
import { leavesWaitsOut, NOUNS, wholeText } from "./diff-words.js";
import type { Report } from "./report.js";
import { counted, waitedText } from "./words.js";

/** `ticks diff`. */
export const DIFF: Report<DiffReport> = { data: diffData, page: diffPage };

/** Returns the page of `ticks diff`: the summary, then the table. */
export function diffPage(report: DiffReport): Block[] {
  const { diff } = report;
  const isSure = diff.rows.some(({ self, total }) => isReal(self) || isReal(total));
  const sentences = summaryOf(report).map(shortened);
  const inTable = tableRows(report);
  const { rest } = inTable;
  const left = rest.length === 0 ? [] : [note(leftOutText(rest, report), "faint")];
  const lines = nextCommands(report);
  return [
    note(text`before: ${sideText(report.before, diff.before)}`, "heading"),
    note(text`after:  ${sideText(report.after, diff.after)}`, "heading"),
    ...waitedNote(report).map((words) => note(words)),
    GAP,
    ...sentences.map((words, i) => note(words, i === 0 && isSure ? "hot" : "plain")),
    ...unmatchedNote(report).map((words) => note(words)),
    section(tableTitle(report), ...(inTable.rows.length > 0 ? [diffTable(inTable, report)] : left)),
    ...reasonsLegend(inTable, diff),
    ...(lines.length > 0 ? [section("Next", { kind: "commands", lines })] : []),
  ];
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
    text`${inPercent(percent)} of the ${wholeText(diff)} are in ${NOUNS[by]}s that one side does not have.`,
  ];
}
