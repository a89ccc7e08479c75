import { VM_STATES } from "../../profile/vm-state.js";
import { CATEGORIES } from "../../views/breakdown.js";
import type { ThreadTotals } from "../../views/thread-totals.js";

/** Returns a thread, in the same form for all JSON documents. */
export function jsonThread({
  name,
  kind,
  pid,
  isolate,
  log,
  ticks,
  excluded,
  span,
  ...groups
}: ThreadTotals) {
  return {
    name,
    kind: kind ?? null,
    pid: pid ?? null,
    isolate: isolate ?? null,
    log,
    ticks,
    excludedTicks: excluded,
    spanUs: span,
    categories: Object.fromEntries(
      CATEGORIES.map(({ category }, i) => [category, groups.categories[i] ?? 0]),
    ),
    states: Object.fromEntries(VM_STATES.map((state, i) => [state, groups.states[i] ?? 0])),
  };
}
