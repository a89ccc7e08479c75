import { columnOf } from "../base/columns.js";
import type { Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import {
  CATEGORIES,
  CATEGORY_OF_STATE,
  type Category,
  categoryIndex,
  categoryOfCode,
  type GroupBy,
  type GroupName,
  TICK_GROUPS,
} from "../profile/categories.js";
import { type Frame, TIERS } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import { hasOneCompilerState } from "../profile/v8-era.js";
import { VM_STATES, type VmStateName } from "../profile/vm-state.js";
import { Analysis } from "./analysis.js";
import type { ShareRange } from "./confidence.js";
import { isRecorderWork } from "./origin.js";
import { sharesOf } from "./shares.js";
import type { TierTicks } from "./tier-ticks.js";

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
  /** The 95 % interval of the share of `ticks`, in percent; undefined if nobody asked for it. */
  readonly range?: ShareRange;
}

/**
 * Returns the category of each sample, as an index into {@link CATEGORIES}: the profiler's own work, else what
 * V8 says that it did, else the code that ran.
 */
export function categories(profile: Profile): Uint8Array {
  const { origins, frames, tree, samples } = Analysis.of(profile);
  const ofState = VM_STATES.map((state) => CATEGORY_OF_STATE[state]).map((category) =>
    category === undefined ? NONE : categoryIndex(category),
  );
  const ofFrame = columnOf(Uint8Array, frames, (frame, i) =>
    // JavaScript of the recorder is the profiler's work.
    frame.kind === "js" && origins[i]!.kind === "recorder" ? PROFILER : categoryIndex(categoryOfCode(frame)),
  );
  const isProfiler = profilerWork(profile);
  /** By node: 1 for native code that a function of the recorder called, such as the end of a heap profile. */
  const isRecorders = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    const isOwn = isRecorderWork({ frame: frames[frame]!, origin: origins[frame]! });
    isRecorders[node] = isOwn ? 1 : isRecorders[tree.parent[node]!]!;
  }
  const found = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i++) {
    const state = ofState[samples.vmState[i]!]!;
    const node = samples.node[i]!;
    const isCalled = isRecorders[node] === 1 && frames[tree.frame[node]!]!.kind !== "js";
    if (isCalled || isProfiler(i)) found[i] = PROFILER;
    else found[i] = state === NONE ? ofFrame[tree.frame[samples.node[i]!]!]! : state;
  }
  return found;
}

/** Stands for no category of a VM state. */
const NONE = 255;
const PROFILER = categoryIndex("profiler");

/** The groups of a profile's ticks. */
export interface TickGroups {
  readonly by: GroupBy;
  /** Every group, in the order of reports. */
  readonly names: readonly GroupName[];
  /** By row of the samples: an index into `names`. */
  readonly ofSample: Uint8Array;
}

export function groupsOf(profile: Profile, by: GroupBy): TickGroups {
  const { samples } = profile;
  const ofSample = by === "category" ? categories(profile) : samples.vmState.subarray(0, samples.length);
  return { by, names: TICK_GROUPS[by].map(({ name }) => name), ofSample };
}

/** Samples, and what {@link categories} returns for them. */
interface CategorizedSamples {
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
    return {
      category,
      title: isEvery ? "compilers" : title,
      index,
      ticks: ticks[index]!,
    };
  });
  const byTier = TIERS.flatMap((tier, i) => (ofTier[i]! > 0 ? [{ tier, ticks: ofTier[i]! }] : []));
  const shares = sharesOf(rows.map((row) => row.ticks));
  return rows
    .map((row, i) => ({ ...row, percent: shares[i]!, tiers: row.category === "js" ? byTier : [] }))
    .sort((a, b) => b.ticks - a.ticks);
}

/**
 * The classes that write V8's log, before the parameters of a C++ name. They were called Logger and Log up to
 * V8 8, V8FileLogger and LogFile later.
 *
 * Source: V8, src/logging/log.h, src/logging/log-file.h.
 */
const LOG_WRITER =
  /(?:^|[\s*&])v8::internal::(?:Logger|V8FileLogger|Log|LogFile|CodeEventLogger|ExistingCodeLogger)::/;

/** Functions of C libraries that write to a file, with an optional symbol version; none that print to memory. */
const FILE_WRITER =
  /^(?:(?:__GI_)?_{0,2}(?:libc_)?writev?(?:_nocancel)?|(?:_IO_|__)?fwrite(?:_unlocked|x)?|(?:_IO_)?(?:new_)?(?:file_|do_)(?:xsputn|write|overflow)|__s?write|_swrite|__sfvwrite|__std(?:io|out)_write)(?:@.*)?$/;

/** C++ streams: V8 writes its log through one. */
const STREAM_WRITER =
  /(?:^|[\s*&])(?:std::(?:__1::|__cxx11::)?(?:basic_)?(?:ostream|streambuf|filebuf)\b|std::(?:__1::)?__(?:ostream_insert|put_character_sequence)\b|v8::internal::OFStream(?:Base)?::)/;

/** What V8 does itself: no code of Node or an addon runs in these states. */
const V8_STATES: readonly VmStateName[] = ["gc", "parser", "bytecode-compiler", "compiler"];

/**
 * Finds the ticks that the profiler itself took: V8 writes a row to the log for all code that it makes, moves
 * or drops. V8 logs at most the native function that runs and the one that JavaScript called, seldom the
 * functions between. So a tick counts as the profiler's
 *
 * - if a native function since the last JavaScript is one of the log's writers, or
 * - if the native function that runs writes a file or a stream and V8 itself called it, because its state says
 *   so or the function that JavaScript called is V8's own. V8 writes nothing else.
 *
 * Source: V8, src/profiler/tick-sample.cc (what is in a tick).
 */
function profilerWork({ frames, tree, samples }: Profile): (sample: number) => boolean {
  const work = columnOf(Uint8Array, frames, workOf);
  /** By node: what is known of the native code since the last JavaScript. */
  const marks = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const own = work[tree.frame[node]!]!;
    const above = tree.parent[node]!;
    if (own === WORK.none) continue;
    const isFirst = above === ROOT || work[tree.frame[above]!] === WORK.none;
    const isV8 = own === WORK.v8 || own === WORK.log ? CALLED_BY_V8 : 0;
    marks[node] = (isFirst ? isV8 : marks[above]!) | (own === WORK.log ? IN_LOG_WRITER : 0);
  }
  return (sample) => {
    const node = samples.node[sample]!;
    if ((marks[node]! & IN_LOG_WRITER) !== 0) return true;
    if (node === ROOT || work[tree.frame[node]!] !== WORK.file) return false;
    const state = VM_STATES[samples.vmState[sample]!]!;
    const isCalledByV8 = (marks[tree.parent[node]!]! & CALLED_BY_V8) !== 0;
    return V8_STATES.includes(state) || (state !== "external" && isCalledByV8);
  };
}

/** A native function since the last JavaScript is one of the log's writers. */
const IN_LOG_WRITER = 1;
/** The native function that JavaScript called is V8's own. */
const CALLED_BY_V8 = 2;

/** What a native function does: it writes the log, or files and streams; other work of V8, or of others. `none` is no native function. */
const WORK = { none: 0, other: 1, v8: 2, log: 3, file: 4 } as const;

function workOf(frame: Frame): number {
  if (frame.kind !== "native") return WORK.none;
  if (frame.symbol === undefined) return WORK.other;
  const name = withoutParameters(frame.symbol);
  if (LOG_WRITER.test(name)) return WORK.log;
  if (FILE_WRITER.test(name) || STREAM_WRITER.test(name)) return WORK.file;
  return name.startsWith("v8::internal::") ? WORK.v8 : WORK.other;
}

/** Returns a C++ name up to its parameters, so that a function that is given a writer is none. */
function withoutParameters(symbol: string): string {
  const open = symbol.replaceAll("(anonymous namespace)", "<anonymous namespace>").indexOf("(");
  return open < 0 ? symbol : symbol.slice(0, open);
}
