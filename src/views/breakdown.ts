import { type Frame, TIERS, type Tier } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { VM_STATES, type VmStateName } from "../profile/vm-state.js";
import { sharesOf } from "./shares.js";
import type { TierTicks } from "./tier-ticks.js";

/** What a tick was doing. */
export type Category =
  | "js"
  | "builtins"
  | "native"
  | "gc"
  | "compiler"
  | "bytecode-compiler"
  | "parser"
  | "logging"
  | "atomics-wait"
  | "idle"
  | "unknown";

/** The categories in the order of reports. */
export const CATEGORIES: readonly { readonly category: Category; readonly title: string }[] = [
  { category: "js", title: "JavaScript and WebAssembly" },
  { category: "builtins", title: "V8's builtins, stubs and regular expressions" },
  { category: "native", title: "C++ and other native code" },
  { category: "gc", title: "garbage collection" },
  { category: "compiler", title: "optimizing compilers" },
  { category: "bytecode-compiler", title: "bytecode compiler" },
  { category: "parser", title: "parser" },
  { category: "logging", title: "V8's logging" },
  { category: "atomics-wait", title: "waiting in Atomics.wait" },
  { category: "idle", title: "idle" },
  { category: "unknown", title: "unknown function" },
];

/** The VM states that override the category of the running code. */
export const STATE_CATEGORIES: Partial<Record<VmStateName, Category>> = {
  gc: "gc",
  compiler: "compiler",
  "bytecode-compiler": "bytecode-compiler",
  parser: "parser",
  logging: "logging",
  "atomics-wait": "atomics-wait",
  idle: "idle",
  "idle-external": "idle",
};

export interface BreakdownRow {
  readonly category: Category;
  readonly title: string;
  readonly ticks: Ticks;
  /** With one decimal. The rows sum to exactly 100.0, or to 0 if there are no ticks. */
  readonly percent: number;
  /** `ticks` by tier, slowest tier first. Empty except for JavaScript. */
  readonly tiers: readonly TierTicks[];
}

/** Counts each tick of a profile in one category. Sorts by ticks, then in the order of {@link CATEGORIES}. */
export function breakdown({ frames, tree, samples }: Profile): BreakdownRow[] {
  const ticks = new Map<Category, Ticks>(CATEGORIES.map(({ category }) => [category, 0]));
  const tiers = new Map<Tier, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    const frame = frames[tree.frame[samples.node[i]!]!]!;
    const category = STATE_CATEGORIES[VM_STATES[samples.vmState[i]!]!] ?? categoryOf(frame);
    ticks.set(category, ticks.get(category)! + samples.ticks[i]!);
    if (category === "js" && frame.kind === "js")
      tiers.set(frame.tier, (tiers.get(frame.tier) ?? 0) + samples.ticks[i]!);
  }
  const rows = CATEGORIES.map((row) => ({ ...row, ticks: ticks.get(row.category)! }));
  const byTier = TIERS.flatMap((tier) => (tiers.has(tier) ? [{ tier, ticks: tiers.get(tier)! }] : []));
  const shares = sharesOf(rows.map((row) => row.ticks));
  return rows
    .map((row, i) => ({ ...row, percent: shares[i]!, tiers: row.category === "js" ? byTier : [] }))
    .sort((a, b) => b.ticks - a.ticks);
}

function categoryOf(frame: Frame): Category {
  switch (frame.kind) {
    case "js":
      return "js";
    case "code":
      return "builtins";
    case "native":
      return "native";
    case "unknown":
      return "unknown";
  }
}
