import type { Frame } from "../../profile/frame.js";
import { parseLoggedName } from "../../profile/logged-name.js";
import type { Profile } from "../../profile/profile.js";
import { versionText } from "../../profile/v8-version.js";
import { VM_STATES } from "../../profile/vm-state.js";
import { bottomUp, type HeavyNode } from "../../views/bottom-up.js";
import { entryPoints } from "../../views/entry-points.js";
import { type TotaledRow, totaledRows } from "../../views/flat.js";
import { StackLabels } from "../../views/stack-labels.js";
import { threadTotals } from "../../views/thread-totals.js";
import { TIER_NAMES } from "../../views/tier-names.js";
import { totals } from "../../views/totals.js";
import { jsonLines } from "../layout/json-lines.js";
import { jsonThread } from "../layout/json-thread.js";
import type { Reporter, ReportOptions } from "./reporter.js";

/** Goes up when a key changes its meaning or goes away; new keys may come at any time. */
export const JSON_REPORT_VERSION = 1;

/** The numbers of the text report for programs. `report.schema.json` describes it. */
export const jsonReporter: Reporter = {
  name: "json",
  title: "one JSON document, for programs",
  *report(profile, options) {
    yield* jsonLines(document(profile, options));
  },
};

function document(profile: Profile, options: ReportOptions) {
  const labels = new StackLabels(profile, options.separate);
  const rows = totaledRows(profile, labels);
  const sums = totals(profile, labels, rows);
  const { info } = profile;
  const whole = sums.ticks - (options.ignoreUnknown ? sums.unaccounted : 0);
  const rename = options.rename ?? ((label: string) => label);
  const threads = threadTotals(profile).map(jsonThread);
  const head = {
    version: JSON_REPORT_VERSION,
    log: info.logs,
    v8: info.v8 === undefined ? null : versionText(info.v8),
    ticks: {
      total: sums.ticks,
      unaccounted: sums.unaccounted,
      excluded: sums.excluded,
      states: Object.fromEntries(VM_STATES.map((state, i) => [state, info.ticksByState[i] ?? 0])),
    },
    summary: {
      javascript: sums.js,
      cpp: sums.cpp,
      gc: sums.gc,
      sharedLibraries: sums.library,
      unaccounted: sums.unaccounted,
    },
  };
  if (options.onlySummary) return { ...head, threads, diagnostics: info.diagnostics };
  return {
    ...head,
    functions: rows.map((row) => functionRow(row, rename)),
    entryPoints: entryPoints(profile).map(({ label, ticks }) => ({ label: rename(label), ticks })),
    heavy: heavyRows(bottomUp(profile, labels, { total: whole, depth: options.callGraphSize }), rename),
    threads,
    diagnostics: info.diagnostics,
  };
}

function functionRow({ label, frame, self, total }: TotaledRow, rename: (label: string) => string) {
  return { label: rename(label), ...describe(frame), self, total };
}

/** What the parts of a frame are, without the marks of its label. */
function describe(frame: Frame) {
  const nowhere = { file: null, line: null, column: null, tier: null };
  switch (frame.kind) {
    case "js": {
      const { name, file, line, column } = parseLoggedName(frame.name);
      const place = { file: file ?? null, line: line ?? null, column: column ?? null };
      return { name, kind: "js", ...place, tier: TIER_NAMES[frame.tier] };
    }
    case "code":
      return { name: frame.name, kind: kebab(frame.type), ...nowhere };
    case "native":
      return frame.symbol === undefined
        ? { name: frame.library, kind: "library", ...nowhere, file: frame.library }
        : { name: frame.symbol, kind: "cpp", ...nowhere, file: frame.library };
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

/** `BytecodeHandler` as `bytecode-handler`, `RegExp` as `regexp`. */
function kebab(type: string): string {
  return type === "RegExp" ? "regexp" : type.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
}
