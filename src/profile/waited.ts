import type { WaitedTicks } from "./profile.js";
import { ATOMICS_WAIT, IDLE_INFERRED, VM_STATES } from "./vm-state.js";

/** Returns how ticks waited: `idle`, `Atomics.wait` or both. */
export function howWaited({ ticks, byState }: Pick<WaitedTicks, "ticks" | "byState">): string {
  const [atomics, inferred] = [byState[ATOMICS_WAIT] ?? 0, byState[IDLE_INFERRED] ?? 0];
  const idle = ticks - atomics;
  const how = inferred === 0 ? "idle" : inferred === idle ? "idle, inferred" : "idle, partly inferred";
  return [...(idle > 0 ? [how] : []), ...(atomics > 0 ? ["Atomics.wait"] : [])].join(" and ");
}

/** Returns the waits of several profiles together; undefined if none of them leaves waits out. */
export function sumOfWaits(all: readonly (WaitedTicks | undefined)[]): WaitedTicks | undefined {
  const known = all.filter((waited) => waited !== undefined);
  if (known.length === 0) return undefined;
  return {
    ticks: known.reduce((sum, { ticks }) => sum + ticks, 0),
    byState: VM_STATES.map((_, state) => known.reduce((sum, { byState }) => sum + (byState[state] ?? 0), 0)),
    library: known.find(({ library }) => library !== undefined)?.library,
  };
}
