import { type Frame, TIERS } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { Ticks } from "../profile/units.js";
import { hasOneCompilerState } from "../profile/v8-era.js";
import { VM_STATES } from "../profile/vm-state.js";
import { leafTicks } from "./leaf-ticks.js";
import { profilerWork } from "./profiler-work.js";
import { sharesOf } from "./shares.js";
import { type Category, STATE_CATEGORIES } from "./state-categories.js";
import type { TierTicks } from "./tier-ticks.js";

export type { Category } from "./state-categories.js";

/** The categories in the order of reports. */
export const CATEGORIES: readonly { readonly category: Category; readonly title: string }[] = [
  { category: "js", title: "JavaScript and WebAssembly" },
  { category: "builtins", title: "V8's builtins, stubs and regular expressions" },
  { category: "native", title: "C++ and other native code" },
  { category: "gc", title: "garbage collection" },
  { category: "compiler", title: "optimizing compilers" },
  { category: "bytecode-compiler", title: "bytecode compiler" },
  { category: "parser", title: "parser" },
  { category: "profiler", title: "the profiler itself" },
  { category: "atomics-wait", title: "waiting in Atomics.wait" },
  { category: "idle", title: "idle" },
  { category: "unknown", title: "unknown function" },
];

/** Returns the index of a category in {@link CATEGORIES}. */
export function categoryIndex(category: Category): number {
  return CATEGORIES.findIndex((row) => row.category === category);
}

export interface BreakdownRow {
  readonly category: Category;
  /** Its index in {@link CATEGORIES}. */
  readonly index: number;
  readonly title: string;
  readonly ticks: Ticks;
  /** With one decimal. The rows sum to exactly 100.0, or to 0 if there are no ticks. */
  readonly percent: number;
  /** `ticks` by tier, slowest tier first. Empty except for JavaScript. */
  readonly tiers: readonly TierTicks[];
}

/**
 * Returns the category of each sample, as an index into {@link CATEGORIES}: the profiler's own work, else what
 * V8 says that it did, else the code that ran.
 */
export function categories(profile: Profile): Uint8Array {
  const { frames, tree, samples } = profile;
  const profiler = categoryIndex("profiler");
  const isProfiler = profilerWork(profile);
  const ofState = VM_STATES.map((state) => {
    const category = STATE_CATEGORIES[state];
    return category === undefined ? -1 : categoryIndex(category);
  });
  const ofFrame = frames.map((frame) => categoryIndex(categoryOf(frame)));
  const found = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i++) {
    const state = ofState[samples.vmState[i]!]!;
    if (isProfiler(i)) found[i] = profiler;
    else found[i] = state >= 0 ? state : ofFrame[tree.frame[samples.node[i]!]!]!;
  }
  return found;
}

/** Samples, and what {@link categories} returns for them. */
export interface CategorizedSamples {
  readonly samples: SampleTable;
  readonly ofSample: Uint8Array;
}

/**
 * Counts each tick of a profile in one category. Sorts by ticks, then in the order of {@link CATEGORIES}. `categorized` are its
 * samples, or others that they were merged into.
 */
export function breakdown(
  profile: Profile,
  { samples, ofSample }: CategorizedSamples = { samples: profile.samples, ofSample: categories(profile) },
): BreakdownRow[] {
  const ticks = new Float64Array(CATEGORIES.length);
  for (let i = 0; i < samples.length; i++) ticks[ofSample[i]!]! += samples.ticks[i]!;
  const ofTier = new Float64Array(TIERS.length);
  // A tick is JavaScript's if such a frame ran in a state that does not say what V8 did.
  const { plain } = leafTicks(profile);
  for (const [i, frame] of profile.frames.entries())
    if (frame.kind === "js") ofTier[TIERS.indexOf(frame.tier)]! += plain[i]!;
  const rows = CATEGORIES.map(({ category, title }, index) => {
    const isEvery = category === "compiler" && hasOneCompilerState(profile.info);
    return { category, title: isEvery ? "compilers" : title, index, ticks: ticks[index]! };
  });
  const byTier = TIERS.flatMap((tier, i) => (ofTier[i]! > 0 ? [{ tier, ticks: ofTier[i]! }] : []));
  const shares = sharesOf(rows.map((row) => row.ticks));
  return rows
    .map((row, i) => ({ ...row, percent: shares[i]!, tiers: row.category === "js" ? byTier : [] }))
    .sort((a, b) => b.ticks - a.ticks);
}

/** Returns the category of code, whatever V8 says that it did. */
export function categoryOf(frame: Frame): Category {
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
