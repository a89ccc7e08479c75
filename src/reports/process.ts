import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { counted, shareOf } from "../reporters/layout/numbers.js";
import { bottomUp, HEAVY_CUTOFF, type HeavyNode } from "../views/bottom-up.js";
import { entryPoints } from "../views/entry-points.js";
import { flatRows } from "../views/flat.js";
import type { FunctionKind } from "../views/label.js";
import { type SeparateOptions, StackLabels } from "../views/stack-labels.js";
import { totals } from "../views/totals.js";
import { type Block, type Cell, type Column, code, note, number, type Row, section } from "./page.js";

/** What the reporters of `ticks process` show. */
export interface ProcessReport {
  readonly profile: Profile;
  readonly separate?: SeparateOptions | undefined;
  /** Whether to exclude unaccounted ticks from percentages. Default: false. */
  readonly ignoreUnknown?: boolean | undefined;
  /** Levels of callers in the heavy tree. Default: 5. */
  readonly callGraphSize?: number | undefined;
  /** Only the summary. Default: false. */
  readonly onlySummary?: boolean | undefined;
  /** Returns the text to show for a label. Control characters are escaped afterwards. Default: the label. */
  readonly rename?: ((label: string) => string) | undefined;
}

const FLAT = [number("ticks"), number("total"), number("nonlib")];

const SECTIONS: readonly (readonly [title: string, category: FunctionKind])[] = [
  ["Shared libraries", "library"],
  ["JavaScript", "js"],
  ["C++", "native"],
];

/** Returns the numbers of the text report as tables. */
export function processPage(report: ProcessReport): Block[] {
  const { profile, ignoreUnknown = false, rename } = report;
  const labels = new StackLabels(profile, report.separate);
  const rows = flatRows(profile, labels);
  const sums = totals(profile, labels, rows);
  const whole = sums.ticks - (ignoreUnknown ? sums.unaccounted : 0);
  const nonLibrary = whole - sums.library;
  const name = (label: string) => code(rename?.(label) ?? label);
  const flat = (what: Cell, ticks: Ticks, isLibrary = false): Row => ({
    cells: [String(ticks), shareOf(ticks, whole), isLibrary ? "" : shareOf(ticks, nonLibrary), what],
    ticks,
  });
  const counts = `${counted(sums.ticks, "tick")}, ${sums.unaccounted} unaccounted, ${sums.excluded} excluded`;
  const heading: Block = { kind: "heading", name: profile.info.title, facts: counts };
  if (sums.ticks === 0) return [heading];
  const unaccounted: Row = {
    cells: [String(sums.unaccounted), shareOf(sums.unaccounted, sums.ticks), "", "Unaccounted"],
    ticks: sums.unaccounted,
  };
  const summary = part(
    "Summary",
    [...FLAT, { title: "what" }],
    [
      flat("JavaScript", sums.js),
      flat("C++", sums.native),
      flat("GC", sums.gc),
      flat("Shared libraries", sums.library, true),
      ...(!ignoreUnknown && sums.unaccounted > 0 ? [unaccounted] : []),
    ],
  );
  if (report.onlySummary) return [heading, summary];
  const entries = entryPoints(profile);
  const all = entries.reduce((sum, { ticks }) => sum + ticks, 0);
  return [
    heading,
    ...SECTIONS.map(([title, category]) =>
      part(
        title,
        [...FLAT, { title: "name" }],
        rows
          .filter((row) => row.category === category)
          .map(({ label, self }) => flat(name(label), self, category === "library")),
      ),
    ),
    summary,
    part(
      "C++ entry points",
      [number("ticks"), number("cpp"), number("total"), { title: "name" }],
      entries.map(({ label, ticks }) => ({
        cells: [String(ticks), shareOf(ticks, all), shareOf(ticks, whole), name(label)],
        ticks,
      })),
    ),
    part(
      "Bottom up (heavy) profile",
      [number("ticks"), number("parent"), number("level"), { title: "name" }],
      heavyRows(bottomUp(profile, labels, { total: whole, depth: report.callGraphSize }), name),
    ),
    note(
      `Level 0 is a function, the levels below it are its callers. Shares are of the row one level up. Callers with less than ${HEAVY_CUTOFF.toFixed(1)}% are not shown.`,
    ),
  ];
}

function part(title: string, columns: readonly Column[], rows: readonly Row[]): Block {
  return section(title, { kind: "table", columns, rows });
}

/** Returns functions, each followed by its callers. */
function heavyRows(roots: readonly HeavyNode[], name: (label: string) => Cell): Row[] {
  const rows: Row[] = [];
  const waiting = roots.map((node) => ({ node, level: 0 })).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, level } = next;
    const share = Number.isFinite(node.parentPercent) ? `${node.parentPercent.toFixed(1)}%` : "-";
    rows.push({
      cells: [String(node.ticks), share, String(level), name(node.label)],
      ticks: node.ticks,
      own: level === 0 ? node.ticks : 0,
    });
    for (const caller of node.callers.toReversed()) waiting.push({ node: caller, level: level + 1 });
  }
  return rows;
}
