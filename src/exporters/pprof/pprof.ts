import { gzipSync } from "node:zlib";
import {
  emptyTableToken,
  type LabelInput,
  Profile as PprofProfile,
  type ProfileInput,
  type SampleInput,
  StringTable,
} from "pprof-format";
import { type CallTree, CallTreeBuilder, ROOT } from "../../profile/call-tree.js";
import { isInferred } from "../../profile/frame.js";
import { nodeMajor } from "../../profile/node-version.js";
import type { Profile } from "../../profile/profile.js";
import { tickInterval } from "../../profile/sampling.js";
import { soundInterval, soundTime } from "../../profile/sound-numbers.js";
import type { Micros, Ticks } from "../../profile/units.js";
import { versionText } from "../../profile/v8-version.js";
import { VM_STATES } from "../../profile/vm-state.js";
import { VERSION } from "../../version.js";
import { printable } from "../../views/label.js";
import { type TierNames, tierNameOf, tierNamesOf } from "../../views/tier-names.js";
import { exportClock } from "../export-clock.js";
import type { ExportOptions } from "../exporter.js";
import { type Label, labelsOf } from "../labels.js";
import { profileId } from "../profile-id.js";
import { timeNote } from "../tick-times.js";
import { isInlined, PprofCode } from "./pprof-code.js";

/** The number of samples encoded at once, and of locations in their stacks. */
const BATCH = 4096;
const BATCH_LOCATIONS = 1 << 20;
/** The byte of a gzip file that states the system it was made on, and its value for none. */
const GZIP_SYSTEM = 9;
const NO_SYSTEM = 255;

/**
 * Writes a profile for `go tool pprof`, Pyroscope, Parca, Cloud Profiler: pprof's protobuf in gzip.
 *
 * The values of a sample are `samples/count`, its ticks, which tools show first, and `cpu/nanoseconds`, the
 * ticks times the sampling interval requested in the log, as in pprof's own CPU profiles; if the sampler was
 * slow, times the mean interval measured, and a comment says both. The second value is an estimate (a tick is
 * not a time): a tick stands for the interval before it, and the mean interval counts short sleeps as work. It
 * is left out if the log states no interval, and for logs with different intervals.
 *
 * Labels: `state` (of the VM), `tier` (of the leaf if it is a JavaScript function; `ignition` for a bytecode
 * handler), `inferred` (`caller` if a function of the stack is), `thread`, `log`, `pid`, `isolate`, and those of {@link ExportOptions}. A function in several tiers is
 * one function, named by its stable key. Inlined functions are lines of their caller's location. The same
 * profile gives the same bytes.
 *
 * Source: pprof, proto/profile.proto.
 */
export function* pprof(profile: Profile, options: ExportOptions = {}): Iterable<Uint8Array> {
  yield* packed(messages(profile, options, ticksOf(profile, options)));
}

/** Yields the message of a file, compressed. */
export function* packed(parts: Iterable<Uint8Array>): Iterable<Uint8Array> {
  const bytes = gzipSync(Buffer.concat(Array.from(parts)));
  bytes[GZIP_SYSTEM] = NO_SYSTEM;
  yield bytes;
}

/** What the samples of a file count. */
export interface PprofCounts {
  /** The first is the one that tools show. */
  readonly types: readonly { readonly type: string; readonly unit: string }[];
  /** Returns the values of a sample, one for each type. Called once a sample, in the order of the file. */
  valuesOf(ticks: Ticks, thread: number): readonly number[];
  /** The labels of a thread's samples beside those of the samples themselves. */
  labelsOf(thread: number): Readonly<Record<string, string | undefined>>;
  readonly comments: readonly string[];
}

/** Returns what files of ticks count: ticks, and their time. */
function ticksOf(profile: Profile, options: ExportOptions): PprofCounts {
  const interval = intervalOf(profile);
  const { threads } = profile.info;
  return {
    types: [COUNT, ...(interval === undefined ? [] : [CPU])],
    valuesOf: (ticks) => (interval === undefined ? [ticks] : [ticks, inRange(ticks * nanoseconds(interval))]),
    labelsOf(thread) {
      const { name, log, pid, isolate } = threads[thread] ?? {};
      return { thread: name, log, pid: pid?.toString(), isolate };
    },
    comments: commentsOf(profile, options),
  };
}

const COUNT = { type: "samples", unit: "count" };
/** CPU time, as all pprof files have it. */
export const CPU = { type: "cpu", unit: "nanoseconds" };

/** Yields the message in parts: the fields of a protobuf message may be split into consecutive messages. */
export function* messages(
  profile: Profile,
  options: ExportOptions,
  counts: PprofCounts,
): Iterable<Uint8Array> {
  const strings = new StringTable();
  const code = new PprofCode(profile, strings);
  const batch: SampleInput[] = [];
  let locations = 0;
  for (const sample of samplesOf(profile, code, { strings, counts, given: labelsOf(options.labels) })) {
    locations += sample.locationId?.length ?? 0;
    if (batch.push(sample) < BATCH && locations < BATCH_LOCATIONS) continue;
    yield encode({ sample: batch });
    batch.length = 0;
    locations = 0;
  }
  yield encode({ sample: batch });
  const { mappings: mapping, locations: location, functions } = code;
  yield encode({
    ...head(profile, strings, { options, counts }),
    mapping,
    location,
    function: functions,
    stringTable: strings,
  });
}

/**
 * Encodes a part of a message. It has no string table unless one is given, because each part would begin a
 * new one.
 */
function encode(input: ProfileInput): Uint8Array {
  return new PprofProfile({ stringTable: new StringTable(emptyTableToken), ...input }).encode();
}

/** Returns the time that a tick stands for; undefined if the logs state no interval, or several. */
function intervalOf({ info: { sampling } }: Profile): Micros | undefined {
  return soundInterval(sampling.asked) === undefined ? undefined : tickInterval(sampling);
}

interface HeadOptions {
  readonly options: ExportOptions;
  readonly counts: PprofCounts;
}

function head(profile: Profile, strings: StringTable, { options, counts }: HeadOptions): ProfileInput {
  const types = counts.types.map(({ type, unit }) => ({
    type: strings.dedup(type),
    unit: strings.dedup(unit),
  }));
  const { start } = exportClock(profile, options);
  return {
    sampleType: types,
    defaultSampleType: types[0]!.type,
    // Profiles with different period types cannot be summed; those with different numbers of sample types
    // can.
    periodType: { type: strings.dedup(CPU.type), unit: strings.dedup(CPU.unit) },
    period: nanoseconds(intervalOf(profile) ?? 0),
    // The proto has no date for a log without one.
    ...(start !== undefined && { timeNanos: BigInt(Math.round(start * 1000)) * 1000n }),
    durationNanos: nanoseconds(profile.info.sampling.span),
    comment: counts.comments.map((comment) => strings.dedup(comment)),
  };
}

function commentsOf({ info, ...profile }: Profile, options: ExportOptions): string[] {
  const { sampling, logs, v8, ticks, excluded } = info;
  const note = timeNote(sampling);
  const nodes = new Set(v8.map(nodeMajor).filter((major) => major !== undefined));
  return [
    `profile: ${profileId({ info, ...profile })}`,
    ...logs.map((log) => `log: ${printable(log)}`),
    ...labelsOf(options.labels).map(([key, value]) => `label: ${key}=${printable(value)}`),
    `ticks version: ${VERSION}`,
    `v8: ${v8.length === 0 ? "unknown" : v8.map((version) => printable(versionText(version))).join(", ")}`,
    ...(nodes.size === 0 ? [] : [`node: ${Array.from(nodes).join(", ")}`]),
    `ticks: ${ticks - excluded} of ${ticks} in ${profile.samples.length} stacks`,
    ...(note !== undefined || sampling.got === undefined ? [] : [`interval: ${Math.round(sampling.got)} µs`]),
    ...(note === undefined ? [] : [note]),
  ];
}

function nanoseconds(time: Micros): number {
  return inRange(Math.round(soundTime(time) * 1000));
}

/** The largest number that is exact both in 64 bits and in JavaScript. */
const LARGEST = 2 ** 63 - 2 ** 10;

/** Returns a number limited to 64 bits. */
function inRange(number: number): number {
  return Math.min(LARGEST, number);
}

interface SampleOptions {
  readonly given: readonly Label[];
  readonly strings: StringTable;
  readonly counts: PprofCounts;
}

/** Yields the samples; those whose stacks differ only in the tiers of callers are merged. */
function* samplesOf(
  profile: Profile,
  code: PprofCode,
  { strings, counts, given }: SampleOptions,
): Iterable<SampleInput> {
  const { tree, nodeOf } = machineStacks(profile, code);
  const labels = new Labels(profile, { strings, given, counts });
  const rows = new Map<number, { node: number; labels: number; ticks: number; thread: number }>();
  for (let i = 0; i < profile.samples.length; i++) {
    const node = nodeOf[profile.samples.node[i]!]!;
    const set = labels.of(i);
    const key = set * tree.length + node;
    const row = rows.get(key);
    if (row === undefined)
      rows.set(key, {
        ...{ node, labels: set },
        ...{ ticks: profile.samples.ticks[i]!, thread: profile.samples.thread[i]! },
      });
    else row.ticks += profile.samples.ticks[i]!;
  }
  for (const { node, labels: set, ticks, thread } of rows.values()) {
    const locationId = [];
    for (let n = node; n !== ROOT; n = tree.parent[n]!) locationId.push(code.locationId(tree.frame[n]!));
    yield { locationId, value: [...counts.valuesOf(ticks, thread)], label: labels.sets[set]! };
  }
}

/**
 * Returns the call tree with lines for frames: an inlined function has the same caller as the function that
 * it is inlined into.
 */
function machineStacks({ frames, tree }: Profile, code: PprofCode): { tree: CallTree; nodeOf: Int32Array } {
  const builder = new CallTreeBuilder();
  const nodeOf = new Int32Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const parent = tree.parent[node]!;
    const outer = nodeOf[parent]!;
    const caller = isInlined(frames[tree.frame[node]!]!, parent) ? builder.parent[outer]! : outer;
    nodeOf[node] = builder.child(caller, code.lineOf[node]!);
  }
  return { tree: builder.finish(), nodeOf };
}

/** Returns 1 for each node whose stack has an inferred frame. */
function inferredStacks({ frames, tree }: Profile): Uint8Array {
  const stacks = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    stacks[node] = isInferred(frames[tree.frame[node]!]!) ? 1 : stacks[tree.parent[node]!]!;
  }
  return stacks;
}

/** The distinct sets of labels of samples. */
class Labels {
  readonly sets: LabelInput[][] = [];
  readonly #ids = new Map<string, number>();
  readonly #profile: Profile;
  readonly #strings: StringTable;
  readonly #tiers: TierNames;
  /** By node: 1 if its stack has an inferred frame. */
  readonly #isInferred: Uint8Array;
  readonly #given: readonly Label[];
  readonly #counts: PprofCounts;

  /** `given` are labels that all samples have. */
  constructor(profile: Profile, { strings, given, counts }: SampleOptions) {
    this.#counts = counts;
    this.#profile = profile;
    this.#strings = strings;
    this.#tiers = tierNamesOf(profile.info);
    this.#isInferred = inferredStacks(profile);
    this.#given = given;
  }

  /** Returns the number of a sample's set of labels. */
  of(sample: number): number {
    const { frames, tree, samples } = this.#profile;
    const state = VM_STATES[samples.vmState[sample]!];
    const tier = tierNameOf(frames[tree.frame[samples.node[sample]!]!]!, this.#tiers);
    const thread = samples.thread[sample]!;
    const inferred = this.#isInferred[samples.node[sample]!] === 1 ? "caller" : undefined;
    const key = `${state} ${tier} ${thread} ${inferred}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const words = { state, tier, inferred, ...this.#counts.labelsOf(thread) };
    const set = [...Object.entries(words), ...this.#given].flatMap(([key, word]) =>
      word == null ? [] : [{ key: this.#strings.dedup(key), str: this.#strings.dedup(printable(word)) }],
    );
    const id = this.sets.push(set) - 1;
    this.#ids.set(key, id);
    return id;
  }
}
