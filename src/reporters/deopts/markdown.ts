import type { DeoptimizedFunction, DeoptRow } from "../../views/deopts.js";
import { waitedLines } from "../layout/left-out.js";
import { codeCell, codeSpan, markdownTable } from "../layout/markdown.js";
import { counted, shareOf } from "../layout/numbers.js";
import type { Column } from "../layout/table.js";
import {
  cachesText,
  costByTierText,
  costLegend,
  costLine,
  type DeoptReport,
  kindsText,
  PositionNames,
  suspectLines,
  titleOf,
  whyNoneLines,
} from "./deopt-words.js";

const NUMBERS: readonly Column[] = [
  { title: "cost", align: "right" },
  { title: "share", align: "right" },
  { title: "times", align: "right" },
];

/** Yields deoptimizations for pull requests and language models. */
export function* deoptsMarkdown(report: DeoptReport): Iterable<string> {
  const { profile, view, limit } = report;
  yield `## ${codeSpan(profile.info.title)}: ${titleOf(report)}`;
  for (const note of waitedLines(profile.info)) yield* ["", note];
  if (view.rows.length === 0) {
    yield* ["", ...whyNoneLines(view)];
    for (const note of suspectLines(report)) yield* ["", note];
    if (view.suspects.length > 0) yield* ["", ...suspectTable(report)];
    return;
  }
  yield "";
  yield `${costLine(report)}.`;
  const names = new PositionNames(view.rows);
  const whole = profile.info.ticks - profile.info.excluded;
  const cells = (one: DeoptimizedFunction | DeoptRow) => [
    String(one.cost),
    shareOf(one.cost, whole),
    String(one.count),
    codeCell(one.tiers.join(" ")),
    codeCell(costByTierText(one)),
    codeCell(`${one.title} ${names.function(one)}`.trim()),
  ];
  const titles = [...NUMBERS, { title: "left" }, { title: "slower code" }, { title: "function" }];
  if (view.functions.length < view.rows.length) {
    yield "";
    yield* markdownTable(
      [...titles, { title: "positions", align: "right" }],
      view.functions.slice(0, limit).map((one) => [...cells(one), String(one.rows)]),
    );
  }
  yield "";
  yield* markdownTable(
    [...titles, { title: "where" }, { title: "reason" }],
    view.rows.slice(0, limit).map((one) => {
      const at = names.at({ at: one.at, position: undefined }).map(codeCell);
      const reason = [codeCell(one.reason), one.kinds.length > 0 ? `(${codeCell(kindsText(one))})` : ""];
      return [
        ...cells(one),
        at.join(" inlined at "),
        [...reason, one.isLoop ? "**loop**" : "", codeCell(cachesText(report, one))]
          .filter(Boolean)
          .join(" "),
      ];
    }),
  );
  const rest = view.rows.slice(limit);
  if (rest.length > 0) {
    yield "";
    const cost = rest.reduce((sum, row) => sum + row.cost, 0);
    yield `${counted(cost, "tick")} in ${rest.length} more.`;
  }
  yield "";
  yield `${costLegend(report).join("; ")}.`;
}

function suspectTable({ view, limit }: DeoptReport): Iterable<string> {
  const names = new PositionNames(view.suspects);
  return markdownTable(
    [{ title: "ticks", align: "right" }, { title: "optimized again", align: "right" }, { title: "function" }],
    view.suspects
      .slice(0, limit)
      .map((one) => [
        String(one.ticks),
        String(one.optimizedAgain),
        codeCell(`${one.title} ${names.function(one)}`.trim()),
      ]),
  );
}
