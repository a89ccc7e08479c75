import { inPercent, share, text } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import { bottomUp, HEAVY_CUTOFF, type HeavyNode } from "../facts/bottom-up.js";
import { entryPoints } from "../facts/entry-points.js";
import { type FlatRow, flatRows, type TotaledRow, totaledRows } from "../facts/flat.js";
import { printable } from "../facts/label.js";
import { percentOf } from "../facts/shares.js";
import { type SeparateOptions, StackLabels } from "../facts/stack-labels.js";
import { type TierNames, tierNamesOf } from "../facts/tier-names.js";
import { type Totals, totals } from "../facts/totals.js";
import type { FunctionKind } from "../profile/categories.js";
import type { Frame } from "../profile/frame.js";
import { parseFrameName } from "../profile/logged-name.js";
import type { Profile } from "../profile/profile.js";
import { creditInterpreted } from "../profile/shown-stacks.js";
import { type Block, type Cell, type Column, code, note, number, type Row, section } from "../render/page.js";
import type { Style } from "../render/style.js";
import {
  type DiagnosticData,
  type JsonHead,
  jsonHead,
  jsonStates,
  jsonWeights,
  kindOfCode,
  type LoggedFunction,
  type Percent,
  type StateTicks,
  type TierOrNone,
  type Weights,
} from "./json.js";
import type { ProfileReport } from "./report.js";
import type { ProcessReportOptions } from "./report-options.js";
import { counted } from "./words.js";

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

/** `ticks process`. */
export const PROCESS: ProfileReport<ProcessReport, ProcessReportOptions> = {
  needs: () => ({}),
  hasAllStacks: true,
  of: (profile, options) => ({ ...options, profile }),
  data: processData,
  page: processPage,
  text: processText,
};

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
    cells: [String(ticks), share(ticks, whole), isLibrary ? "" : share(ticks, nonLibrary), what],
    ticks,
  });
  const counts = `${counted(sums.ticks, "tick")}, ${sums.unaccounted} unaccounted, ${sums.excluded} excluded`;
  const heading: Block = { kind: "heading", name: profile.info.title, facts: counts };
  if (sums.ticks === 0) return [heading];
  const unaccounted: Row = {
    cells: [String(sums.unaccounted), share(sums.unaccounted, sums.ticks), "", "Unaccounted"],
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
        cells: [String(ticks), share(ticks, all), share(ticks, whole), name(label)],
        ticks,
      })),
    ),
    part(
      "Bottom up (heavy) profile",
      [number("ticks"), number("parent"), number("level"), { title: "name" }],
      heavyRows(bottomUp(profile, labels, { total: whole, depth: report.callGraphSize }), name),
    ),
    note(
      text`Level 0 is a function, the levels below it are its callers. Shares are of the row one level up. Callers with less than ${inPercent(HEAVY_CUTOFF)} are not shown.`,
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
    const ofParent = Number.isFinite(node.parentPercent) ? inPercent(node.parentPercent) : "-";
    rows.push({
      cells: [String(node.ticks), ofParent, String(level), name(node.label)],
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
  return { label: rename(label), ...describe(frame, names), ...jsonWeights({ self, total }, { whole }) };
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

/** A row is hot from this share on, in percent, and faint below the other. */
const HOT = 10;
const FAINT = 1;

/**
 * Yields the same report as `node --prof-process` of Node 26: the same sections, order, columns, rounding,
 * cut-offs and ties. Tools that read that report can read this one.
 *
 * Source: V8, tools/tickprocessor.mjs, `TickProcessor.printStatistics`.
 */
export function* processText(report: ProcessReport, { style }: { readonly style: Style }): Iterable<string> {
  const { profile } = report;
  const labels = new StackLabels(profile, report.separate);
  const rows = flatRows(profile, labels);
  const sums = totals(profile, labels, rows);
  yield* new TextReport(report, sums, style).lines(rows, labels);
}

class TextReport {
  readonly #profile: Profile;
  readonly #options: ProcessReport;
  readonly #style: Style;
  readonly #sums: Totals;
  /** Percentages are of these ticks. */
  readonly #whole: Ticks;
  readonly #nonLibrary: Ticks;

  constructor(options: ProcessReport, sums: Totals, style: Style) {
    this.#profile = options.profile;
    this.#options = options;
    this.#style = style;
    this.#sums = sums;
    this.#whole = sums.ticks - (options.ignoreUnknown ? sums.unaccounted : 0);
    this.#nonLibrary = this.#whole - sums.library;
  }

  *lines(rows: readonly FlatRow[], labels: StackLabels): Iterable<string> {
    const { ticks, unaccounted, excluded } = this.#sums;
    const logs = printable(this.#profile.info.title);
    const counts = `(${ticks} ticks, ${unaccounted} unaccounted, ${excluded} excluded)`;
    yield this.#style.heading(`Statistical profiling result from ${logs}, ${counts}.`);
    if (ticks === 0) return;
    if (!this.#options.onlySummary) {
      yield* this.#flatSection("Shared libraries", rows, "library");
      yield* this.#flatSection("JavaScript", rows, "js");
      yield* this.#flatSection("C++", rows, "native");
    }
    yield* this.#summary();
    if (this.#options.onlySummary) return;
    yield* this.#entryPoints();
    yield* this.#heavy(labels);
  }

  *#flatSection(title: string, rows: readonly FlatRow[], category: FunctionKind): Iterable<string> {
    yield* this.#flatHeading(title);
    for (const row of rows) {
      if (row.category !== category) continue;
      yield this.#line(
        this.#show(row.label),
        row.self,
        this.#whole,
        category === "library" ? undefined : this.#nonLibrary,
      );
    }
  }

  *#summary(): Iterable<string> {
    const { js, native, gc, library, unaccounted, ticks } = this.#sums;
    yield* this.#flatHeading("Summary");
    yield this.#line("JavaScript", js, this.#whole, this.#nonLibrary);
    yield this.#line("C++", native, this.#whole, this.#nonLibrary);
    yield this.#line("GC", gc, this.#whole, this.#nonLibrary);
    yield this.#line("Shared libraries", library, this.#whole, undefined);
    if (!this.#options.ignoreUnknown && unaccounted > 0) {
      yield this.#line("Unaccounted", unaccounted, ticks, undefined);
    }
  }

  *#entryPoints(): Iterable<string> {
    yield "";
    yield this.#style.heading(" [C++ entry points]:");
    yield "   ticks    cpp   total   name";
    const entries = entryPoints(this.#profile);
    const all = entries.reduce((sum, { ticks }) => sum + ticks, 0);
    for (const { label, ticks } of entries) yield this.#line(this.#show(label), ticks, all, this.#whole);
  }

  *#heavy(labels: StackLabels): Iterable<string> {
    yield "";
    yield this.#style.heading(" [Bottom up (heavy) profile]:");
    yield "  Note: percentage shows a share of a particular caller in the total";
    yield "  amount of its parent calls.";
    yield `  Callers occupying less than ${HEAVY_CUTOFF.toFixed(1)}% are not shown.`;
    yield "";
    yield "   ticks parent  name";
    const roots = bottomUp(this.#profile, labels, { total: this.#whole, depth: this.#options.callGraphSize });
    for (const root of roots) {
      yield* this.#heavyTree(root);
      yield "";
    }
  }

  *#heavyTree(root: HeavyNode): Iterable<string> {
    const waiting = [{ node: root, indent: 0 }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { node, indent } = next;
      const name = " ".repeat(indent) + this.#show(node.label);
      const text = `  ${column(node.ticks)}  ${percent(node.parentPercent)}  ${name}`;
      yield indent === 0 ? this.#emphasize(text, node.parentPercent) : text;
      for (const caller of node.callers.toReversed()) waiting.push({ node: caller, indent: indent + 2 });
    }
  }

  *#flatHeading(title: string): Iterable<string> {
    yield "";
    yield this.#style.heading(` [${title}]:`);
    yield "   ticks  total  nonlib   name";
  }

  /** Formats a row with its share of `whole` and, if given, of `part`. */
  #line(name: string, ticks: Ticks, whole: Ticks, part: Ticks | undefined): string {
    const share = (ticks * 100) / whole;
    const second = part === undefined ? "        " : `${percent((ticks * 100) / part)}  `;
    return this.#emphasize(`  ${column(ticks)}  ${percent(share)}  ${second}${name}`, share);
  }

  #emphasize(text: string, share: number): string {
    if (share >= HOT) return this.#style.hot(text);
    return share < FAINT ? this.#style.faint(text) : text;
  }

  #show(label: string): string {
    return printable(this.#options.rename?.(label) ?? label);
  }
}

function column(ticks: Ticks): string {
  return String(ticks).padStart(5);
}

/** Formats a share in percent; a dash for a share of nothing. */
function percent(share: number): string {
  return Number.isFinite(share) ? `${share.toFixed(1).padStart(5)}%` : "    - ";
}
