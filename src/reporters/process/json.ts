import type { Frame } from "../../profile/frame.js";
import { parseFrameName } from "../../profile/logged-name.js";
import { creditInterpreted } from "../../profile/shown-stacks.js";
import type { Ticks } from "../../profile/units.js";
import type { ProcessReport } from "../../reports/process.js";
import { bottomUp, type HeavyNode } from "../../views/bottom-up.js";
import { entryPoints } from "../../views/entry-points.js";
import { type TotaledRow, totaledRows } from "../../views/flat.js";
import { percentOf } from "../../views/shares.js";
import { StackLabels } from "../../views/stack-labels.js";
import { type TierNames, tierNamesOf } from "../../views/tier-names.js";
import { totals } from "../../views/totals.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
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
} from "../layout/json-parts.js";

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
    heavy: heavyRows(bottomUp(profile, labels, { total: whole, depth: options.callGraphSize }), rename),
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

function heavyRows(nodes: readonly HeavyNode[], rename: (label: string) => string): HeavyRowData[] {
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
