import { printable } from "../../views/label.js";
import type { LoadCost } from "../../views/startup-loads.js";
import { fittedTable } from "../layout/fitted-table.js";
import { emphasize } from "../layout/numbers.js";
import { section } from "../layout/section.js";
import type { Style } from "../layout/style.js";
import { table } from "../layout/table.js";
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
  rowName,
  type StartupReport,
  shownLoads,
  shownModules,
  TICK_COLUMNS,
  tickCells,
  untilSentence,
  workLines,
} from "./startup-report.js";

/** The style and width of a text report. */
export interface StartupLayout {
  readonly style: Style;
  /** The maximum width of a line, in columns. */
  readonly width: number;
}

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
        [...TICK_COLUMNS, { title: "" }],
        phases.map(({ title, ticks }) => [...tickCells(ticks, report), title]),
      ),
    ),
  );
  if (startup.advice.length > 0) {
    const rows = startup.advice.map((advice) => [
      ...tickCells(advice.ticks, report),
      adviceText(advice, (name) => shownMiddle(name, 60), nameOf),
    ]);
    yield* section(
      style,
      "What may help, and the ticks that it saves at most",
      table([...TICK_COLUMNS, { title: "" }], rows),
    );
  }
  const costs = (title: string, rows: readonly LoadCost[], lastOf: (row: number) => string) =>
    ranked(
      rows.map(({ self }) => ({ ticks: self })),
      fittedTable(
        [...COST_COLUMNS, { title }],
        rows.map((row, i) => ({
          cells: costCells(row, report),
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
  const allModules = shownModules(report);
  const modules = allModules.slice(0, limit);
  const each = modules.some(({ files }) => files.length > 1)
    ? [style.faint("(--each lists each module)")]
    : [];
  yield* section(style, "Modules", [
    ...costs("module", modules, (i) => rowName(modules[i]!, nameOf)),
    ...rest(allModules.length - modules.length),
    ...each,
  ]);
  const loads = shownLoads(report).filter(({ total }) => total * 100 >= LEAST_SHARE * whole);
  const shown = loads.slice(0, limit * 2);
  yield* section(style, "Who loads whom", [
    ...fittedTable(
      [
        { title: "total", align: "right" },
        { title: "ms", align: "right" },
        { title: "share", align: "right" },
        { title: "self", align: "right" },
        { title: "module" },
      ],
      shown.map((row) => ({
        cells: [...tickCells(row.total, report), String(row.self)],
        last: (columns) => {
          const indent = "  ".repeat(Math.min(row.depth, Math.floor(columns / 4)));
          return indent + shownMiddle(rowName(row, nameOf), columns - indent.length);
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
  const notes = noteLines(report);
  if (notes.length > 0) yield "";
  for (const note of notes) yield style.faint(`  ${note}`);
}
