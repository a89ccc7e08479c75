import { addTo, valueAt } from "../base/maps.js";
import type { Micros, Ticks } from "../base/units.js";
import { Analysis } from "../facts/analysis.js";
import { rowsOnStack } from "../facts/tick-batches.js";
import { depthFirst, ROOT, visitOutermost } from "../profile/call-tree.js";
import { TIERS } from "../profile/frame.js";
import type { CpuTime, InputKind, MemoryUnit, Profile, WaitedTicks } from "../profile/profile.js";
import { allSamples, allTicks } from "../profile/sample-table.js";
import { nodeText } from "../profile/titles.js";
import { versionText } from "../profile/v8-version.js";
import { VM_STATES } from "../profile/vm-state.js";
import { type Grouped, groupFrames, type RowName, type RunGroup } from "./run-groups.js";

/** How often code was discarded, for one reason. */
export interface DeoptCount {
  /** In V8's words; empty if the log gives none. */
  readonly reason: string;
  readonly count: number;
}

/** A function, or another group of code, in one run. */
export interface RunRow extends RowName {
  readonly self: Ticks;
  readonly total: Ticks;
  /** How many ticks tell as much as one independent tick does; only with the times of ticks. */
  readonly selfEffect: number | undefined;
  readonly totalEffect: number | undefined;
  /** Self ticks by tier, as in `TIERS`. Empty except for JavaScript. */
  readonly tiers: readonly Ticks[];
  /** Self ticks in code that was inlined into a caller. */
  readonly inlined: Ticks;
  /** The part of `total` in garbage collection. */
  readonly gc: Ticks;
  /** The part of `total` in compilers and the parser. */
  readonly compile: Ticks;
  readonly deopts: readonly DeoptCount[];
  /** Its source, if it is among the functions of the program that take the most and the log has it. */
  readonly text?: string | undefined;
  /** Pairs: the number of a row that called it, and the ticks of `total` through that row. Most ticks first; none if nothing called it. */
  readonly callers: readonly number[];
}

/** What a tick of a run is in bytes or objects. */
export interface RunMemory extends MemoryUnit {
  /** How many ticks of the run tell as much as one independent tick does: large samples tell less. */
  readonly effect: number;
}

/** What one run of a program contributes to a comparison: numbers by names that other runs share. */
export interface RunSummary {
  /** What reports call the run. */
  readonly title: string;
  readonly logs: readonly string[];
  /** What the logs are if they are none. */
  readonly input?: InputKind | undefined;
  readonly v8: readonly string[];
  /** The versions of Node as people name them: `Node 20.20.2`; undefined if one is not known. */
  readonly node?: string | undefined;
  /** What a tick takes, if samples weigh their time. */
  readonly tickTime?: Micros | undefined;
  /** What a tick is, if samples weigh memory; what its ticks have of it does not depend on the machine. */
  readonly memory?: RunMemory | undefined;
  /** Whether nothing tells how many samples its ticks are. Default: false. */
  readonly isCountUnknown?: boolean | undefined;
  /** All ticks but those that a filter left out. */
  readonly ticks: Ticks;
  /** How many samples these are: as many as ticks for logs. */
  readonly samples: number;
  /** Those that waited, if they are left out. */
  readonly waited?: WaitedTicks | undefined;
  /** As `ticks record` measured it. */
  readonly cpu?: CpuTime | undefined;
  /** The measured time between two ticks of a thread; that asked for if there is none. */
  readonly interval: Micros | undefined;
  readonly rows: readonly RunRow[];
}

/** Returns whether some runs do not tell how many samples they have: no change of theirs is sure. */
export function hasUnknownCounts(runs: readonly Pick<RunSummary, "isCountUnknown">[]): boolean {
  return runs.some(({ isCountUnknown }) => isCountUnknown);
}

const COMPILE_STATES: ReadonlySet<string> = new Set(["compiler", "bytecode-compiler", "parser"]);

/** Sums up a profile by groups. The summary can be sent from one thread to another. */
export function runSummary(of: Profile, by: RunGroup): RunSummary {
  const profile = Analysis.of(of);
  const { info } = profile;
  const groups = groupFrames(profile, by);
  const { sampling } = info;
  return {
    title: info.title,
    logs: info.logs,
    ...(info.input && { input: info.input }),
    v8: info.v8.map(versionText),
    node: nodeText(info),
    ...(info.tickTime !== undefined && { tickTime: info.tickTime }),
    ...(info.memory && { memory: { ...info.memory, effect: wholeEffect(profile) } }),
    ...(info.isCountUnknown && { isCountUnknown: true }),
    ticks: info.ticks - info.excluded,
    samples: allSamples(profile.samples),
    waited: info.waited,
    cpu: info.cpu,
    interval: info.memory ? undefined : (info.tickTime ?? sampling.got ?? sampling.asked),
    rows: rowsOf(profile, groups),
  };
}

function rowsOf(profile: Analysis, groups: Grouped): RunRow[] {
  const { names } = groups;
  const self = selfColumns(profile, groups);
  const { total, gc, compile, callers } = totalColumns(profile, groups);
  const effects = effectsOf(profile, groups, { self: self.ticks, total });
  const deopts = deoptsOf(profile, groups);
  // Numbers of rows that have ticks.
  const numbers = new Int32Array(names.length).fill(-1);
  const kept = names.flatMap((_, id) => (self.ticks[id]! > 0 || total[id]! > 0 ? [id] : []));
  for (const [number, id] of kept.entries()) numbers[id] = number;
  const texts = textsOf(profile, groups, total);
  // Of very many rows most have few ticks: what is equal is one list, which also goes to another thread once.
  const tiers = new Map<string, readonly Ticks[]>([["", []]]);
  const tiersOf = (id: number) => {
    const found = self.tiers[id] ?? [];
    const key = found.join();
    const known = tiers.get(key);
    if (known === undefined) tiers.set(key, found);
    return known ?? found;
  };
  return kept.map((id) => ({
    // Key by key: of very many rows, copies of all keys take V8 long.
    key: names[id]!.key,
    family: names[id]!.family,
    ordinal: names[id]!.ordinal,
    sourceHash: names[id]!.sourceHash,
    title: names[id]!.title,
    role: names[id]!.role,
    file: names[id]!.file,
    line: names[id]!.line,
    column: names[id]!.column,
    origin: names[id]!.origin,
    package: names[id]!.package,
    self: self.ticks[id]!,
    total: total[id]!,
    selfEffect: effects?.self[id],
    totalEffect: effects?.total[id],
    tiers: tiersOf(id),
    inlined: self.inlined[id]!,
    gc: gc[id]!,
    compile: compile[id]!,
    deopts: deopts.get(id) ?? NONE,
    text: texts.get(id),
    callers: Array.from(callers[id] ?? [], ([caller, ticks]) => [numbers[caller]!, ticks] as const)
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .flat(),
  }));
}

const NONE: readonly DeoptCount[] = [];

/** The sources of as many functions are kept. */
const KEPT_TEXTS = 100;

/** Returns the sources of the functions of the program and its packages that take the most, by row. */
function textsOf(
  { identities }: Profile,
  { names, rowOfFunction }: Grouped,
  total: Float64Array,
): Map<number, string> {
  const found = new Map<number, string>();
  for (const [name, { text }] of identities ?? []) {
    if (text === undefined) continue;
    const row = rowOfFunction(name);
    if (row === undefined || names[row]!.sourceHash === undefined || !(total[row]! > 0)) continue;
    const { origin } = names[row]!;
    if (origin === "app" || origin === "deps") found.set(row, text);
  }
  const most = Array.from(found).sort((a, b) => total[b[0]]! - total[a[0]]! || a[0] - b[0]);
  return new Map(most.slice(0, KEPT_TEXTS));
}

function selfColumns({ frames, tree, samples }: Profile, { names, ofSample }: Grouped) {
  const ticks = new Float64Array(names.length);
  const inlined = new Float64Array(names.length);
  const tiers: number[][] = [];
  for (let i = 0; i < samples.length; i++) {
    const row = ofSample[i]!;
    const count = samples.ticks[i]!;
    ticks[row]! += count;
    const frame = frames[tree.frame[samples.node[i]!]!]!;
    if (frame.kind !== "js") continue;
    tiers[row] ??= TIERS.map(() => 0);
    tiers[row][TIERS.indexOf(frame.tier)]! += count;
    if (frame.inlined) inlined[row]! += count;
  }
  return { ticks, inlined, tiers };
}

function totalColumns({ tree, samples }: Profile, { names, ofFrame, ofSample }: Grouped) {
  const total = new Float64Array(names.length);
  const gc = new Float64Array(names.length);
  const compile = new Float64Array(names.length);
  const callers: Map<number, number>[] = [];
  if (ofFrame === undefined) {
    for (let i = 0; i < samples.length; i++) total[ofSample[i]!]! += samples.ticks[i]!;
    return { total, gc, compile, callers };
  }
  const gcState = VM_STATES.indexOf("gc");
  const isCompile = VM_STATES.map((state) => COMPILE_STATES.has(state));
  const ofNode = new Float64Array(tree.length);
  const gcOfNode = new Float64Array(tree.length);
  const compileOfNode = new Float64Array(tree.length);
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    const ticks = samples.ticks[i]!;
    const state = samples.vmState[i]!;
    ofNode[node]! += ticks;
    if (state === gcState) gcOfNode[node]! += ticks;
    else if (isCompile[state]) compileOfNode[node]! += ticks;
  }
  for (const column of [ofNode, gcOfNode, compileOfNode]) {
    for (let node = tree.length - 1; node > ROOT; node--) column[tree.parent[node]!]! += column[node]!;
  }
  const groups = { count: names.length, of: (node: number) => ofFrame[tree.frame[node]!]! };
  visitOutermost(depthFirst(tree), groups, (node, row) => {
    total[row]! += ofNode[node]!;
    gc[row]! += gcOfNode[node]!;
    compile[row]! += compileOfNode[node]!;
    const parent = tree.parent[node]!;
    const caller = parent === ROOT ? -1 : ofFrame[tree.frame[parent]!]!;
    if (caller < 0 || ofNode[node] === 0) return;
    callers[row] ??= new Map();
    addTo(callers[row], caller, ofNode[node]!);
  });
  return { total, gc, compile, callers };
}

/**
 * Returns samples with the variance of their ticks in place of these. V8 takes an object of s bytes with the probability
 * p = 1 - exp(-s/r), where r is its interval, and counts it as s/p bytes. So the variance of each sample is at most r², that of a large
 * object next to none; r is about the weight of the smallest samples. Of objects all that is known is that n samples of a stack tell
 * them to one part in the square root of n.
 *
 * Source: V8, src/profiler/sampling-heap-profiler.cc, `ScaleSample`.
 */
function variances({ samples, info }: Profile): Profile["samples"] {
  const { length, count } = samples;
  const countAt = (i: number) => Math.max(1, count?.[i] ?? 1);
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < length; i++) {
    const weight = samples.ticks[i]! / countAt(i);
    if (weight > 0 && weight < least) least = weight;
  }
  const isBytes = info.memory?.of === "bytes";
  const ticks = Float64Array.from(samples.ticks.subarray(0, length), (weight, i) =>
    weight === 0 ? 0 : isBytes ? countAt(i) * least ** 2 : weight ** 2 / countAt(i),
  );
  return { ...samples, ticks };
}

function wholeEffect(profile: Profile): number {
  const ticks = allTicks(profile.samples);
  return ticks > 0 ? allTicks(variances(profile)) / ticks : 1;
}

/** Returns the design effects of rows of memory: the variance of their ticks relative to that of as many independent ones. */
export function memoryEffects(
  profile: Profile,
  {
    count,
    ofSample,
    ofFrame,
  }: { count: number; ofSample: ArrayLike<number>; ofFrame: Int32Array | undefined },
  ticks: { readonly self: ArrayLike<number>; readonly total: ArrayLike<number> },
) {
  const samples = variances(profile);
  const self = new Float64Array(count);
  for (let i = 0; i < samples.length; i++) if (ofSample[i]! >= 0) self[ofSample[i]!]! += samples.ticks[i]!;
  const total =
    ofFrame === undefined ? self : Analysis.of({ ...profile, samples }).groupTicks({ count, ofFrame }).total;
  const effects = (variance: Float64Array, of: ArrayLike<number>) =>
    Array.from(variance, (sum, row) => (of[row]! > 0 ? sum / of[row]! : undefined));
  return { self: effects(self, ticks.self), total: effects(total, ticks.total) };
}

/** Returns the design effects of the rows; undefined without the times of ticks, but for memory. */
function effectsOf(
  profile: Analysis,
  { names, ofFrame, ofSample }: Grouped,
  ticks: { readonly self: Float64Array; readonly total: Float64Array },
) {
  if (profile.info.memory !== undefined)
    return memoryEffects(profile, { count: names.length, ofSample, ofFrame }, ticks);
  if (profile.timeline === undefined && !profile.info.isCountUnknown) return undefined;
  const { confidence } = profile;
  const self = confidence.effects(ticks.self, (sample, count) => count(ofSample[sample]!));
  if (ofFrame === undefined) return { self, total: self };
  return { self, total: confidence.effects(ticks.total, rowsOnStack(profile, ofFrame, names.length)) };
}

function deoptsOf({ deopts }: Profile, { rowOfFunction }: Grouped): Map<number, DeoptCount[]> {
  const found = new Map<number, Map<string, number>>();
  for (const { function: name, reason, count } of deopts?.entries ?? []) {
    const row = name === undefined ? undefined : rowOfFunction(name);
    if (row === undefined) continue;
    const reasons = valueAt(found, row, () => new Map());
    addTo(reasons, reason, count);
  }
  return new Map(
    Array.from(found, ([row, reasons]) => [
      row,
      Array.from(reasons, ([reason, count]) => ({ reason, count })),
    ]),
  );
}
