import type { Frame } from "../profile/frame.js";
import { parseFrameName } from "../profile/logged-name.js";
import type { Profile } from "../profile/profile.js";
import { creditInterpreted } from "../profile/shown-stacks.js";
import type { Ticks } from "../profile/units.js";
import { bottomUp, HEAVY_CUTOFF, type HeavyNode } from "../views/bottom-up.js";
import { entryPoints } from "../views/entry-points.js";
import { flatRows, type TotaledRow, totaledRows } from "../views/flat.js";
import type { FunctionKind } from "../views/label.js";
import { percentOf } from "../views/shares.js";
import { type SeparateOptions, StackLabels } from "../views/stack-labels.js";
import { type TierNames, tierNamesOf } from "../views/tier-names.js";
import { totals } from "../views/totals.js";
import {
  type DiagnosticData,
  type JsonHead,
  type JsonLayout,
  jsonHead,
  jsonLines,
  jsonStates,
  jsonWeights,
  kindOfCode,
  type LoggedFunction,
  type Percent,
  type StateTicks,
  type TierOrNone,
  type Weights,
} from "./json.js";
import { type Block, type Cell, type Column, code, note, number, type Row, section } from "./page.js";
import { counted, shareOf } from "./words.js";

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

/**
 * All weights are numbers of ticks. A tick is not a time.
 * @id process.schema.json
 * @title ticks process --format json, schema version 1
 */
export interface ProcessData extends JsonHead<"process"> {
  readonly summary: SummaryData;
  /** All ticks by VM state, the excluded ones too. */
  readonly states: StateTicks;
  /** Errors in the logs, by kind. */
  readonly diagnostics: readonly DiagnosticData[];
  /**
   * Every row of the flat sections, most self ticks first. Absent with --only-summary. Percentages are those of the text
   * report: of all ticks.
   */
  readonly functions?: readonly FlatRowData[];
  /** C++ functions that other code called. Absent with --only-summary. */
  readonly entryPoints?: readonly EntryPointData[];
  /** The bottom-up tree, cut as in the text report. Absent with --only-summary. */
  readonly heavy?: readonly HeavyRowData[];
}

/** js + native + sharedLibraries + unaccounted = ticks. */
export interface SummaryData {
  readonly js: Ticks;
  readonly native: Ticks;
  /** Counted in the other rows too. */
  readonly gc: Ticks;
  readonly sharedLibraries: Ticks;
  /** At addresses that nothing in the log explains. */
  readonly unaccounted: Ticks;
}

export interface FlatRowData extends CodeData, Weights {
  /** As in the text report, control characters raw. */
  readonly label: string;
}

/** Code without the marks of its label. */
export interface CodeData extends LoggedFunction {
  /** js, native, library (code without a symbol), unknown, or V8's own code: builtin, bytecode-handler, regexp, stub, ... */
  readonly kind: string;
  readonly tier: TierOrNone;
  /** Whether the function is not in the log, but inferred from other ticks. Absent if it is in the log. */
  readonly inferred?: true;
}

export interface EntryPointData {
  readonly label: string;
  readonly ticks: Ticks;
  readonly percent: Percent;
}

export interface HeavyRowData {
  readonly label: string;
  readonly ticks: Ticks;
  /** Of the parent's ticks; at the top, of all ticks. */
  readonly parentPercent: number;
  readonly callers: readonly HeavyRowData[];
}

/** Yields the numbers of the text report for programs. */
export function processJson(report: ProcessReport, layout: JsonLayout = {}): Iterable<string> {
  return jsonLines(processData(report), layout);
}

export function processData({ profile, ...options }: ProcessReport): ProcessData {
  const labels = new StackLabels(profile, options.separate);
  const rows = totaledRows(profile, labels);
  const sums = totals(profile, labels, rows);
  const { info } = profile;
  const whole = sums.ticks - (options.ignoreUnknown ? sums.unaccounted : 0);
  const rename = options.rename ?? ((label: string) => label);
  const head: ProcessData = {
    ...jsonHead("process", options.separate?.bytecodes ? profile : creditInterpreted(profile)),
    summary: {
      js: sums.js,
      native: sums.native,
      gc: sums.gc,
      sharedLibraries: sums.library,
      unaccounted: sums.unaccounted,
    },
    states: jsonStates(info.ticksByState),
    diagnostics: info.diagnostics,
  };
  if (options.onlySummary) return head;
  return {
    ...head,
    functions: rows.map((row) => functionRow(row, { rename, whole, names: tierNamesOf(profile.info) })),
    entryPoints: entryPoints(profile).map(({ label, ticks }) => ({
      label: rename(label),
      ticks,
      percent: percentOf(ticks, whole),
    })),
    heavy: heavyData(bottomUp(profile, labels, { total: whole, depth: options.callGraphSize }), rename),
  };
}

function functionRow(
  { label, frame, self, total }: TotaledRow,
  {
    rename,
    whole,
    names,
  }: { readonly rename: (label: string) => string; readonly whole: Ticks; readonly names: TierNames },
): FlatRowData {
  return { label: rename(label), ...describe(frame, names), ...jsonWeights({ self, total }, whole) };
}

/** Returns the parts of a frame, without the marks of its label. */
function describe(frame: Frame, names: TierNames): CodeData {
  const nowhere = { file: "", line: null, column: null, tier: null };
  switch (frame.kind) {
    case "js": {
      const { name, file = "", line = null, column = null } = parseFrameName(frame);
      return {
        name,
        kind: "js",
        file,
        line,
        column,
        tier: names[frame.tier],
        ...(frame.inferred && { inferred: true }),
      };
    }
    case "code":
      return { name: frame.name, kind: kindOfCode(frame.type), ...nowhere };
    case "native":
      return frame.symbol === undefined
        ? { name: frame.library, kind: "library", ...nowhere, file: frame.library }
        : { name: frame.symbol, kind: "native", ...nowhere, file: frame.library };
    case "unknown":
      return { name: "UNKNOWN", kind: "unknown", ...nowhere };
  }
}

function heavyData(nodes: readonly HeavyNode[], rename: (label: string) => string): HeavyRowData[] {
  const rows: HeavyRowData[] = [];
  const waiting = [{ nodes, rows }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const { label, ticks, parentPercent, callers } of next.nodes) {
      const row = {
        label: rename(label),
        ticks,
        parentPercent: Math.round(parentPercent * 10) / 10,
        callers: [],
      };
      next.rows.push(row);
      waiting.push({ nodes: callers, rows: row.callers });
    }
  }
  return rows;
}
