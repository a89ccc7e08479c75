import { VM_STATES } from "../profile/vm-state.js";
import type { ThreadTicks } from "../views/threads.js";

/** A thread as JSON documents have it. */
export function jsonThread({ name, kind, pid, isolate, log, ticks, excluded, span, states }: ThreadTicks) {
  return {
    name,
    kind: kind ?? null,
    pid: pid ?? null,
    isolate: isolate ?? null,
    log,
    ticks,
    excluded,
    span,
    states: Object.fromEntries(VM_STATES.map((state, i) => [state, states[i] ?? 0])),
  };
}
