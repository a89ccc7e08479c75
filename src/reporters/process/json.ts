import type { Frame } from "../../profile/frame.js";
import { parseFrameName } from "../../profile/logged-name.js";
import type { Profile } from "../../profile/profile.js";
import { creditInterpreted } from "../../profile/shown-stacks.js";
import type { Ticks } from "../../profile/units.js";
import { bottomUp, type HeavyNode } from "../../views/bottom-up.js";
import { entryPoints } from "../../views/entry-points.js";
import { type TotaledRow, totaledRows } from "../../views/flat.js";
import { percentOf } from "../../views/shares.js";
import { StackLabels } from "../../views/stack-labels.js";
import { type TierNames, tierNamesOf } from "../../views/tier-names.js";
import { totals } from "../../views/totals.js";
import { jsonLines } from "../layout/json-lines.js";
import { jsonHead, jsonWeights, kindOfCode } from "../layout/json-parts.js";
import { jsonStates } from "../layout/json-thread.js";
import type { Reporter, ReportOptions } from "./reporter.js";

/** Yields the numbers of the text report for programs, as `process.schema.json` describes them. */
export const jsonReporter: Reporter = {
  name: "json",
  title: "one JSON document, for programs",
  *report(profile, options) {
    yield* jsonLines(document(profile, options), options);
  },
};

function document(profile: Profile, options: ReportOptions) {
  const labels = new StackLabels(profile, options.separate);
  const rows = totaledRows(profile, labels);
  const sums = totals(profile, labels, rows);
  const { info } = profile;
  const whole = sums.ticks - (options.ignoreUnknown ? sums.unaccounted : 0);
  const rename = options.rename ?? ((label: string) => label);
  const head = {
    ...jsonHead(
      { command: "process", schemaVersion: 1 },
      options.separate?.bytecodes ? profile : creditInterpreted(profile),
    ),
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
) {
  return { label: rename(label), ...describe(frame, names), ...jsonWeights({ self, total }, whole) };
}

/** Returns the parts of a frame, without the marks of its label. */
function describe(frame: Frame, names: TierNames) {
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

interface HeavyRow {
  readonly label: string;
  readonly ticks: number;
  readonly parentPercent: number;
  readonly callers: readonly HeavyRow[];
}

function heavyRows(nodes: readonly HeavyNode[], rename: (label: string) => string): HeavyRow[] {
  const rows: HeavyRow[] = [];
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
