import { printable } from "../../views/label.js";
import type { LoadCost } from "../../views/startup-loads.js";
import { fittedTable } from "../layout/fitted-table.js";
import { emphasize, shareOf } from "../layout/numbers.js";
import { section } from "../layout/section.js";
import type { Style } from "../layout/style.js";
import { type Column, table } from "../layout/table.js";
import { shownMiddle } from "../layout/width.js";
import { wrapped } from "../layout/wrapped.js";
import {
  adviceText,
  COST_COLUMNS,
  costCells,
  milliseconds,
  moduleNames,
  noteLines,
  packageName,
  phaseRows,
  type StartupReport,
  untilSentence,
  workLines,
} from "./startup-report.js";

/** The style and width of a text report. */
export interface StartupLayout {
  readonly style: Style;
  /** The maximum width of a line, in columns. */
  readonly width: number;
}

const TICKS: readonly Column[] = [
  { title: "ticks", align: "right" },
  { title: "share", align: "right" },
];
/** The width of a paragraph. */
const PARAGRAPH = 100;
/** Loads with less than this share of the start-up are left out of the tree, in percent. */
const LEAST_SHARE = 1;

/** Yields a start-up for people. */
export function* startupText(report: StartupReport, layout: StartupLayout): Iterable<string> {
  const { profile, startup, limit } = report;
  const { style } = layout;
  const width = layout.width - 2;
  const whole = startup.ticks;
  const nameOf = moduleNames(report);
  yield style.heading(`${shownMiddle(profile.info.title, width)}:`);
  yield* wrapped(untilSentence(report, printable), Math.max(width, PARAGRAPH));
  if (whole === 0) return;
  const phases = phaseRows(startup);
  const ranked = (rows: readonly { readonly ticks: number }[], lines: readonly string[]) =>
    lines.map((line, i) =>
      i === 0 ? line : emphasize(line, { ticks: rows[i - 1]?.ticks ?? 0, whole }, style),
    );
  yield* section(
    style,
    "What the time went to",
    ranked(
      phases,
      table(
        [...TICKS, { title: "" }],
        phases.map(({ title, ticks }) => [String(ticks), shareOf(ticks, whole), title]),
      ),
    ),
  );
  const costs = (title: string, rows: readonly LoadCost[], lastOf: (row: number) => string) =>
    ranked(
      rows.map(({ self }) => ({ ticks: self })),
      fittedTable(
        [...COST_COLUMNS, { title }],
        rows.map((row, i) => ({
          cells: costCells(row, whole),
          last: (columns) => shownMiddle(lastOf(i), columns),
        })),
        width,
      ),
    );
  const rest = (count: number) => (count > 0 ? [style.faint(`… ${count} more (--limit)`)] : []);
  const packages = startup.packages.slice(0, limit);
  yield* section(style, "Packages", [
    ...costs("package", packages, (i) => {
      const { modules } = packages[i]!;
      return `${packageName(packages[i]!)}${modules > 1 ? `  (${modules} modules)` : ""}`;
    }),
    ...rest(startup.packages.length - packages.length),
  ]);
  const modules = startup.modules.slice(0, limit);
  yield* section(style, "Modules", [
    ...costs("module", modules, (i) => nameOf(modules[i]!.file)),
    ...rest(startup.modules.length - modules.length),
  ]);
  const loads = startup.loads.filter(({ total }) => total * 100 >= LEAST_SHARE * whole);
  const shown = loads.slice(0, limit * 2);
  yield* section(style, "Who loads whom", [
    ...fittedTable(
      [
        { title: "total", align: "right" },
        { title: "share", align: "right" },
        { title: "self", align: "right" },
        { title: "module" },
      ],
      shown.map(({ module, depth, self, total }) => ({
        cells: [String(total), shareOf(total, whole), String(self)],
        last: (columns) => {
          const indent = "  ".repeat(Math.min(depth, Math.floor(columns / 4)));
          return indent + shownMiddle(nameOf(module.file), columns - indent.length);
        },
      })),
      width,
    ),
    ...rest(loads.length - shown.length),
  ]);
  if (startup.work !== undefined) {
    const scripts = startup.work.byScript.slice(0, Math.min(limit, 10));
    yield* section(style, "V8's work", workLines(report));
    if (scripts.length > 0) {
      yield "";
      const lines = fittedTable(
        [
          { title: "parse", align: "right" },
          { title: "compile", align: "right" },
          { title: "functions", align: "right" },
          { title: "never ran", align: "right" },
          { title: "script" },
        ],
        scripts.map(({ file, parse, compile, compiled, neverRun }) => ({
          cells: [
            milliseconds(parse),
            milliseconds(compile),
            String(compiled),
            startup.work?.neverRun === undefined ? "" : String(neverRun),
          ],
          last: (columns) => shownMiddle(nameOf(file), columns),
        })),
        width,
      );
      for (const line of lines) yield `  ${line}`;
    }
  }
  if (startup.advice.length > 0) {
    const rows = startup.advice.map((advice) => [
      `${advice.ticks}`,
      shareOf(advice.ticks, whole),
      adviceText(advice, (name) => shownMiddle(name, 60), nameOf),
    ]);
    yield* section(
      style,
      "What may help, and the ticks that it saves at most",
      table([...TICKS, { title: "" }], rows),
    );
  }
  const notes = noteLines(report);
  if (notes.length > 0) yield "";
  for (const note of notes) yield style.faint(`  ${note}`);
}
