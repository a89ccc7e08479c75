import { columnOf } from "../profile/columns.js";
import { type Frame, TIERS } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { Ticks } from "../profile/units.js";
import { hasOneCompilerState } from "../profile/v8-era.js";
import { VM_STATES } from "../profile/vm-state.js";
import { Analysis } from "./analysis.js";
import type { Origin } from "./origin.js";
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
  const { origins } = Analysis.of(profile);
  const ofState = Uint8Array.from(VM_STATES, (state) => {
    const category = STATE_CATEGORIES[state];
    return category === undefined ? NONE : categoryIndex(category);
  });
  const ofFrame = columnOf(Uint8Array, profile.frames, (frame, i) =>
    categoryIndex(categoryOf(frame, origins[i])),
  );
  return categorize(profile, { ofState, ofFrame });
}

/** Stands for no category of a VM state. */
const NONE = 255;
const PROFILER = CATEGORIES.findIndex(({ category }) => category === "profiler");

/** The category of each VM state and of each frame. */
interface CategoryColumns {
  readonly ofState: Uint8Array;
  readonly ofFrame: Uint8Array;
}

function categorize(profile: Profile, { ofState, ofFrame }: CategoryColumns): Uint8Array {
  const { tree, samples } = profile;
  const isProfiler = profilerWork(profile);
  const found = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i++) {
    const state = ofState[samples.vmState[i]!]!;
    if (isProfiler(i)) found[i] = PROFILER;
    else found[i] = state === NONE ? ofFrame[tree.frame[samples.node[i]!]!]! : state;
  }
  return found;
}

/** Samples, and what {@link categories} returns for them. */
export interface CategorizedSamples {
  readonly samples: SampleTable;
  readonly ofSample: Uint8Array;
}

/**
 * Counts each tick of a profile in one category. Sorts by ticks, then in the order of {@link CATEGORIES}. `ofSample` is
 * what {@link categories} returns.
 */
export function breakdown(profile: Profile, ofSample: Uint8Array = categories(profile)): BreakdownRow[] {
  return breakdownOf(profile, { samples: profile.samples, ofSample });
}

/** Returns the {@link breakdown} of a profile by samples that its own were merged into. */
export function breakdownOf(profile: Profile, { samples, ofSample }: CategorizedSamples): BreakdownRow[] {
  const ticks = new Float64Array(CATEGORIES.length);
  for (let i = 0; i < samples.length; i++) ticks[ofSample[i]!]! += samples.ticks[i]!;
  const ofTier = new Float64Array(TIERS.length);
  // A tick is JavaScript's if such a frame ran in a state that does not say what V8 did.
  const { frames, origins, leaves } = Analysis.of(profile);
  for (let i = 0; i < frames.length; i++) {
    const frame = frames[i]!;
    if (frame.kind === "js" && origins[i]!.kind !== "recorder")
      ofTier[TIERS.indexOf(frame.tier)]! += leaves.plain[i]!;
  }
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

/**
 * Returns the category of code, whatever V8 says that it did. JavaScript of the recorder is the profiler's, if the
 * origin is given.
 */
export function categoryOf(frame: Frame, origin?: Origin): Category {
  switch (frame.kind) {
    case "js":
      return origin?.kind === "recorder" ? "profiler" : "js";
    case "code":
      return "builtins";
    case "native":
      return "native";
    case "unknown":
      return "unknown";
  }
}
