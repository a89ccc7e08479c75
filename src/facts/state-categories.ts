import type { VmStateName } from "../profile/vm-state.js";

/** What a tick was doing. */
export type Category =
  | "js"
  | "builtins"
  | "native"
  | "gc"
  | "compiler"
  | "bytecode-compiler"
  | "parser"
  | "profiler"
  | "atomics-wait"
  | "idle"
  | "unknown";

/** The VM states that override the category of the running code. */
export const STATE_CATEGORIES: Partial<Record<VmStateName, Category>> = {
  gc: "gc",
  compiler: "compiler",
  "bytecode-compiler": "bytecode-compiler",
  parser: "parser",
  logging: "profiler",
  "atomics-wait": "atomics-wait",
  idle: "idle",
  "idle-external": "idle",
  "idle-inferred": "idle",
};
