import type { LoadCost } from "../../views/startup-loads.js";
import { codeCell, codeSpan, markdownTable } from "../layout/markdown.js";
import {
  adviceText,
  COST_COLUMNS,
  costCells,
  moduleNames,
  noteLines,
  packageName,
  phaseRows,
  rowName,
  type StartupReport,
  shownModules,
  TICK_COLUMNS,
  tickCells,
  untilSentence,
  workLines,
} from "./startup-report.js";

/** Yields a start-up for pull requests and language models. */
export function* startupMarkdown(report: StartupReport): Iterable<string> {
  const { profile, startup, limit } = report;
  const whole = startup.ticks;
  const nameOf = moduleNames(report);
  yield `## Start-up of ${codeSpan(profile.info.title)}`;
  yield "";
  yield `${untilSentence(report, codeSpan)}.`;
  if (whole === 0) return;
  yield "";
  yield* markdownTable(
    [...TICK_COLUMNS, { title: "spent on" }],
    phaseRows(startup).map(({ title, ticks }) => [...tickCells(ticks, report), title]),
  );
  if (startup.advice.length > 0) {
    yield* ["", "What may help, and the ticks that it saves at most:", ""];
    yield* markdownTable(
      [...TICK_COLUMNS, { title: "advice" }],
      startup.advice.map((advice) => [
        ...tickCells(advice.ticks, report),
        adviceText(advice, codeCell, nameOf),
      ]),
    );
  }
  const costs = (title: string, rows: readonly LoadCost[], lastOf: (row: number) => string) => [
    "",
    ...markdownTable(
      [...COST_COLUMNS, { title }],
      rows.map((row, i) => [...costCells(row, report), lastOf(i)]),
    ),
  ];
  const packages = startup.packages.slice(0, limit);
  yield* costs("package", packages, (i) => codeCell(packageName(packages[i]!)));
  const modules = shownModules(report).slice(0, limit);
  yield* costs("module", modules, (i) => codeCell(rowName(modules[i]!, nameOf)));
  const work = workLines(report);
  if (work.length > 0) yield* ["", "V8's work:", "", ...work.map((line) => `- ${line}`)];
  const notes = noteLines(report);
  if (notes.length > 0) yield* ["", ...notes];
}
