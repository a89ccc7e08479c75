import type { LoadCost } from "../../views/startup-loads.js";
import { codeCell, codeSpan, markdownTable } from "../layout/markdown.js";
import { shareOf } from "../layout/numbers.js";
import type { Column } from "../layout/table.js";
import {
  adviceText,
  COST_COLUMNS,
  costCells,
  moduleNames,
  noteLines,
  packageName,
  phaseRows,
  type StartupReport,
  untilSentence,
  workLines,
} from "./startup-report.js";

const TICKS: readonly Column[] = [
  { title: "ticks", align: "right" },
  { title: "share", align: "right" },
];

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
    [...TICKS, { title: "spent on" }],
    phaseRows(startup).map(({ title, ticks }) => [String(ticks), shareOf(ticks, whole), title]),
  );
  const costs = (title: string, rows: readonly LoadCost[], lastOf: (row: number) => string) => [
    "",
    ...markdownTable(
      [...COST_COLUMNS, { title }],
      rows.map((row, i) => [...costCells(row, whole), lastOf(i)]),
    ),
  ];
  const packages = startup.packages.slice(0, limit);
  yield* costs("package", packages, (i) => codeCell(packageName(packages[i]!)));
  const modules = startup.modules.slice(0, limit);
  yield* costs("module", modules, (i) => codeCell(nameOf(modules[i]!.file)));
  const work = workLines(report);
  if (work.length > 0) yield* ["", "V8's work:", "", ...work.map((line) => `- ${line}`)];
  if (startup.advice.length > 0) {
    yield* ["", "What may help, and the ticks that it saves at most:", ""];
    yield* markdownTable(
      [...TICKS, { title: "advice" }],
      startup.advice.map((advice) => [
        String(advice.ticks),
        shareOf(advice.ticks, whole),
        adviceText(advice, codeCell, nameOf),
      ]),
    );
  }
  const notes = noteLines(report);
  if (notes.length > 0) yield* ["", ...notes];
}
