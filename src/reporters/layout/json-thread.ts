import type { Ticks } from "../../profile/units.js";
import { IDLE_INFERRED, VM_STATES } from "../../profile/vm-state.js";
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
    states: jsonStates(groups.states),
  };
}

/** Returns ticks by VM state, indexed as `VM_STATES`; inferred waits only if there are any. */
export function jsonStates(ticks: readonly Ticks[]): Record<string, Ticks> {
  const states = VM_STATES.map((state, i) => [state, ticks[i] ?? 0] as const);
  return Object.fromEntries(states.filter(([, sum], i) => i !== IDLE_INFERRED || sum > 0));
}
