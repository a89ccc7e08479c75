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

/** The index of each category in {@link CATEGORIES}. */
const INDEX_OF = new Map(CATEGORIES.map(({ category }, i) => [category, i]));

/** Returns the category of each row of the samples, as an index into {@link CATEGORIES}. */
export function categories({ frames, tree, samples }: Profile): Uint8Array {
  const ofFrame = Uint8Array.from(frames, (frame) => INDEX_OF.get(categoryOf(frame))!);
  const ofState = VM_STATES.map((state) => INDEX_OF.get(STATE_CATEGORIES[state]!));
  const result = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i++)
    result[i] = ofState[samples.vmState[i]!] ?? ofFrame[tree.frame[samples.node[i]!]!]!;
  return result;
}

/**
 * Returns the ticks of a profile by category: most ticks first, then in the order of {@link CATEGORIES}. Each
 * tick is in one row.
 */
export function breakdown(profile: Profile): BreakdownRow[] {
  const { frames, tree, samples } = profile;
  const ofSample = categories(profile);
  const ticks = new Float64Array(CATEGORIES.length);
  const tiers = new Map<Tier, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    const frame = frames[tree.frame[samples.node[i]!]!]!;
    const { category } = CATEGORIES[ofSample[i]!]!;
    ticks[ofSample[i]!]! += samples.ticks[i]!;
    if (category === "js" && frame.kind === "js")
      tiers.set(frame.tier, (tiers.get(frame.tier) ?? 0) + samples.ticks[i]!);
  }
  const rows = CATEGORIES.map((row, i) => ({ ...row, ticks: ticks[i]! }));
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
