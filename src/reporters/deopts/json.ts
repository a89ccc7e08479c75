import { parseLoggedName } from "../../profile/logged-name.js";
import type { Ticks } from "../../profile/units.js";
import { cachesAt, type DeoptReport } from "../../reports/deopts.js";
import type { DeoptimizedFunction, DeoptRow } from "../../views/deopts.js";
import { percentOf } from "../../views/shares.js";
import { type TierNames, tierNamesOf } from "../../views/tier-names.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import { jsonHead, jsonTiers, shownTicks } from "../layout/json-parts.js";

/** Yields deoptimizations for programs. `deopts.schema.json` describes them. */
export function* deoptsJson(report: DeoptReport, layout: JsonLayout = {}): Iterable<string> {
  const { profile, view, limit } = report;
  const about = { whole: shownTicks(profile), names: tierNamesOf(profile.info) };
  yield* jsonLines(
    {
      ...jsonHead({ command: "deopts", schemaVersion: 1 }, profile),
      count: view.count,
      ...costOf(view.cost, about.whole),
      whyNone: view.whyNone ?? null,
      demotedFunctions: view.demoted,
      ...suspectsOf(report),
      functions: view.functions.slice(0, limit).map((one) => ({
        function: functionOf(one),
        ...numbersOf(one, about),
        positions: one.rows,
      })),
      deopts: view.rows.slice(0, limit).map((row) => ({
        function: functionOf(row),
        position: row.at,
        reason: row.reason,
        kinds: row.kinds,
        ...numbersOf(row, about),
        isLoop: row.isLoop,
        ...cachesOf(report, row),
      })),
    },
    layout,
  );
}

/** Returns the inline caches at a position; nothing if there are none. */
function cachesOf(report: DeoptReport, row: DeoptRow) {
  const caches = cachesAt(report, row);
  if (caches.length === 0) return {};
  return {
    ics: caches.map(({ kind, keys, first, states, ticks }) => ({
      kind,
      keys,
      states: [first, ...states.map(({ state }) => state)],
      ticks,
    })),
  };
}

/** Returns the functions that may have been deoptimized; nothing if there are none. */
function suspectsOf({ view, limit }: DeoptReport) {
  if (view.suspects.length === 0) return {};
  return {
    suspects: view.suspects.slice(0, limit).map((one) => ({
      function: functionOf(one),
      ticks: one.ticks,
      optimizedAgain: one.optimizedAgain,
    })),
  };
}

function functionOf({ function: logged }: Pick<DeoptRow, "function">) {
  if (logged === undefined) return null;
  const { name, file = "", line = null, column = null } = parseLoggedName(logged);
  return { name, file, line, column };
}

function numbersOf(
  { count, cost, costByTier, tiers, isOpen }: Omit<DeoptimizedFunction, "rows">,
  { whole, names }: { readonly whole: Ticks; readonly names: TierNames },
) {
  return {
    count,
    tiers: tiers.map((tier) => names[tier]),
    ...costOf(cost, whole),
    costByTier: jsonTiers(costByTier, names),
    isOpen,
  };
}

/** Returns a cost in ticks and percent. */
export function costOf(cost: Ticks, whole: Ticks) {
  return { cost, costPercent: percentOf(cost, whole) };
}
