import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { emptyTableToken, Profile as PprofProfile, type ProfileInput, StringTable } from "pprof-format";
import { ROOT } from "../../profile/call-tree.js";
import { reaching } from "../../profile/columns.js";
import { nodeMajor } from "../../profile/node-version.js";
import type { Profile } from "../../profile/profile.js";
import { SampleTableBuilder } from "../../profile/sample-table.js";
import { tickInterval } from "../../profile/sampling.js";
import { soundInterval, soundTime } from "../../profile/sound-numbers.js";
import type { Micros } from "../../profile/units.js";
import { versionText } from "../../profile/v8-version.js";
import { VERSION } from "../../version.js";
import { printable } from "../../views/label.js";
import { exportClock } from "../export-clock.js";
import { type ExportStacks, exportStacks } from "../export-stacks.js";
import type { ExportOptions } from "../exporter.js";
import { labelsOf } from "../labels.js";
import { profileId } from "../profile-id.js";
import { timeNote } from "../tick-times.js";
import { inlinedFrames, PprofCode } from "./pprof-code.js";
import { type SampleCounts, SampleLabels, SampleWriter } from "./pprof-samples.js";

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
export function pprof(profile: Profile, options: ExportOptions = {}): AsyncIterable<Uint8Array> {
  return packed(pprofMessage(profile, options));
}

/** Yields the message of a profile in parts, not compressed. */
export function pprofMessage(profile: Profile, options: ExportOptions = {}): Iterable<Uint8Array> {
  return message(profile, options, ticksOf(profile, options));
}

/** Yields the parts of a message as a file: compressed. */
export async function* packed(parts: Iterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let isHead = true;
  // The iterator throws the errors of both streams.
  for await (const piece of pipeline(Readable.from(parts), createGzip(), () => {})) {
    const bytes = piece as Uint8Array;
    if (isHead) bytes[GZIP_SYSTEM] = NO_SYSTEM;
    isHead = false;
    yield bytes;
  }
}

/** What the samples of a file count. */
export interface PprofCounts extends SampleCounts {
  /** The first is the one that tools show. */
  readonly types: readonly { readonly type: string; readonly unit: string }[];
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

/** Yields the message in parts: the fields of a protobuf message may be split into messages. */
export function* message(
  profile: Profile,
  options: ExportOptions,
  counts: PprofCounts,
): Iterable<Uint8Array> {
  const strings = new StringTable();
  const code = new PprofCode(profile, strings);
  const labels = new SampleLabels(profile, { strings, counts, given: labelsOf(options.labels) });
  yield* sampleParts(profile, code, { counts, labels });
  const { mappings: mapping, locations, functions } = code;
  const { sampleType = [], ...rest } = head(profile, strings, { options, counts });
  yield new PprofProfile({ sampleType, mapping, stringTable: new StringTable(emptyTableToken) }).encode();
  yield locations.bytes.written;
  yield functions.bytes.written;
  yield new PprofProfile({ ...rest, stringTable: strings }).encode();
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

/** Samples are passed on in parts of about this many bytes. */
const PART_BYTES = 1 << 18;
/** The bits of a set of labels that are counted as a VM state; the others are counted as a thread. */
const STATE_BITS = 8;

/** Writes the samples; those whose stacks differ only in the tiers of callers are merged. */
function* sampleParts(
  profile: Profile,
  code: PprofCode,
  { counts, labels }: { readonly counts: PprofCounts; readonly labels: SampleLabels },
): Iterable<Uint8Array> {
  const { samples } = profile;
  const { tree, nodeOf } = machineStacks(profile, code);
  const rows = new SampleTableBuilder(Math.max(1, samples.length));
  for (let i = 0; i < samples.length; i++) {
    const set = labels.of(i);
    rows.add(nodeOf[i]!, set & (2 ** STATE_BITS - 1), samples.ticks[i]!, set >>> STATE_BITS);
  }
  const writer = new SampleWriter();
  const { parent, frame } = tree;
  let locations = new Int32Array(64);
  for (let row = 0; row < rows.length; row++) {
    let depth = 0;
    for (let node = rows.node[row]!; node !== ROOT; node = parent[node]!) {
      if (depth === locations.length) locations = reaching(locations, depth);
      locations[depth++] = code.locationId(frame[node]!);
    }
    const { thread, encoded } = labels.sets[(rows.thread[row]! << STATE_BITS) | rows.vmState[row]!]!;
    writer.add(locations, depth, counts.valuesOf(rows.ticks[row]!, thread), encoded);
    if (writer.bytes.length < PART_BYTES) continue;
    yield writer.bytes.written.slice();
    writer.bytes.clear();
  }
  yield writer.bytes.written;
}

/**
 * Returns the call tree with lines for frames: an inlined function has the same caller as the function that
 * it is inlined into.
 */
function machineStacks(profile: Profile, code: PprofCode): ExportStacks {
  const { frames, tree } = profile;
  const isInlined = inlinedFrames(frames);
  const isInner = (node: number) => tree.parent[node] !== ROOT && isInlined[tree.frame[node]!] === 1;
  return exportStacks(profile, (node, outer) => code.lineOf(tree.frame[node]!, isInner(node) ? outer : -1), {
    isInner,
  });
}
