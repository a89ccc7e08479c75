import { parseLoggedName } from "../../profile/logged-name.js";
import type { DeoptimizedFunction, DeoptRow } from "../../views/deopts.js";
import type { TierTicks } from "../../views/tier-ticks.js";
import { jsonLines } from "../layout/json-lines.js";
import { jsonHead } from "../layout/json-parts.js";
import type { DeoptReport } from "./deopt-words.js";

/** Goes up when a key changes its meaning or goes away; new keys may come at any time. */
export const JSON_DEOPTS_VERSION = 1;

/** Deoptimizations for programs. `deopts.schema.json` describes it. */
export function* deoptsJson({ profile, view, limit }: DeoptReport): Iterable<string> {
  yield* jsonLines({
    version: JSON_DEOPTS_VERSION,
    ...jsonHead(profile),
    count: view.count,
    cost: view.cost,
    absence: view.whyNone ?? null,
    fallen: view.demoted,
    functions: view.functions
      .slice(0, limit)
      .map((one) => ({ function: functionOf(one), ...numbersOf(one), places: one.rows })),
    deopts: view.rows.slice(0, limit).map((row) => ({
      function: functionOf(row),
      at: row.at,
      reason: row.reason,
      kinds: row.kinds,
      ...numbersOf(row),
      loop: row.isLoop,
    })),
  });
}

function functionOf({ function: logged }: Pick<DeoptRow, "function">) {
  if (logged === undefined) return null;
  const { name, file = null, line = null, column = null } = parseLoggedName(logged);
  return { name, file, line, column };
}

function numbersOf({ count, cost, spread, tiers, isOpen }: Omit<DeoptimizedFunction, "rows">) {
  const ticks = spread.map(({ tier, ticks: own }: TierTicks) => ({ tier, ticks: own }));
  return { count, left: tiers, cost, spread: ticks, open: isOpen };
}
