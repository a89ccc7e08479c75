/**
 * What V8 was doing at a tick, in the order of the newest V8. A {@link VmState} is an index into it. Logs
 * number the states differently from version to version; log/dialect.ts lists how and translates them.
 *
 * Source: V8, include/v8-unwinder.h, `enum StateTag`.
 */
export const VM_STATES = [
  "js",
  "gc",
  "parser",
  "bytecode-compiler",
  "compiler",
  "other",
  "external",
  "atomics-wait",
  "idle",
  "logging",
  "idle-external",
  "unknown",
  /** Not a state of V8: it says EXTERNAL, but the thread most likely waited. See replay/inferred-waits.ts. */
  "idle-inferred",
] as const;

/** The name of a VM state. */
export type VmStateName = (typeof VM_STATES)[number];

/** An index into {@link VM_STATES}. */
export type VmState = number;

export function vmState(name: VmStateName): VmState {
  return VM_STATES.indexOf(name);
}

/** Returns whether the thread had nothing to do. V8 ticks then on Windows, and wherever a sleep ends. */
export function isIdle(state: VmState): boolean {
  return state === IDLE || state === IDLE_EXTERNAL || state === IDLE_INFERRED;
}

/** Returns whether the thread waited and used no CPU: it had nothing to do, or slept in `Atomics.wait`. */
export function isWait(state: VmState): boolean {
  return isIdle(state) || state === ATOMICS_WAIT;
}

export const ATOMICS_WAIT: VmState = vmState("atomics-wait");
export const IDLE: VmState = vmState("idle");
const IDLE_EXTERNAL: VmState = vmState("idle-external");
/** The state of ticks in which the thread most likely waited. */
export const IDLE_INFERRED: VmState = vmState("idle-inferred");
export const GC: VmState = vmState("gc");
export const EXTERNAL: VmState = vmState("external");
export const UNKNOWN_STATE: VmState = vmState("unknown");
