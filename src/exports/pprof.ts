import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import {
  emptyTableToken,
  type LabelInput,
  type MappingInput,
  Profile as PprofProfile,
  type ProfileInput,
  Sample,
  StringTable,
} from "pprof-format";
import { columnOf, marksOf, reaching } from "../base/columns.js";
import { Numbers, valueAt } from "../base/maps.js";
import { PairNumbers } from "../base/pair-numbers.js";
import type { Micros, Ticks } from "../base/units.js";
import { VERSION } from "../base/version.js";
import type { FunctionTable, ProfiledFunction } from "../facts/function-table.js";
import { printable } from "../facts/label.js";
import { fileName } from "../facts/origin.js";
import { type StableKey, stableKeys } from "../facts/stable-key.js";
import { tierNameOf } from "../facts/tier-names.js";
import { ROOT } from "../profile/call-tree.js";
import { clampedTime, validInterval, validPosition } from "../profile/clamped-numbers.js";
import { type Frame, isInferred, isInlined } from "../profile/frame.js";
import type { LibraryInfo, MemoryUnit, Profile } from "../profile/profile.js";
import { tickInterval } from "../profile/sampling.js";
import { filePath } from "../profile/stable-files.js";
import { nodeMajor, versionText } from "../profile/v8-version.js";
import { VM_STATES } from "../profile/vm-state.js";
import { type ExportOptions, exportClock, type Label, labelsOf, profileId } from "./export-options.js";
import { type ExportStacks, exportStacks } from "./export-stacks.js";
import { roundedSums, type StackDifference } from "./folded.js";
import { Bytes } from "./growing-bytes.js";
import { timeNote } from "./ticks-over-time.js";

/** The functions of a profile, and what pprof's tools call each. */
interface PprofNames {
  readonly table: FunctionTable;
  /** By function of the table. */
  readonly names: readonly string[];
}

/**
 * Returns the names of functions, which pprof's tools know them by: their stable keys, so that files of two
 * versions of a program can be compared. `::` is before the function's own name, because a box without room for
 * all of it shows what is behind the last `::` or dot. Native code has its library as the mapping.
 *
 * Source: pprof, internal/report/shortnames.go, `shortNameList`.
 */
export function pprofNames(profile: Profile): PprofNames {
  const { table, keys } = stableKeys(profile);
  return { table, names: table.functions.map((one, id) => nameOf(one, keys[id]!)) };
}

function nameOf({ frame, title }: ProfiledFunction, { key, file, name, ordinal }: StableKey): string {
  switch (frame.kind) {
    case "js":
      if (file === undefined) return printable(key);
      return `${printable(file)}::${printable(ordinal > 1 ? `${name}#${ordinal}` : name)}`;
    case "native":
      return printable(name);
    case "code":
    case "unknown":
      return printable(title);
  }
}

/** The mapping for code that V8 made. pprof's tools show a name in brackets as memory without a file. */
const JIT = "[jit]";
/** Paths that are not programs: `libc.so.6`, `ntdll.dll`, `libobjc.A.dylib`, `[vdso]`. */
const LOADED = /\.(?:so|dll|dylib)$|\.so[._]\d|^\[/i;

/**
 * The code of a profile as pprof tables. They have only the mappings, functions and locations that were asked
 * for, in that order. Ids count from 1; 0 means none.
 */
class PprofCode {
  /** The fields of the message that have the locations and the functions. */
  readonly locations = new PprofRows(LOCATION);
  readonly functions = new PprofRows(FUNCTION);
  /** The lines of functions: numbers below that of {@link lineCount}. */
  readonly #lines = new PairNumbers();
  /** The lines that are inlined at lines, whose numbers follow: that of the outer line, and the line. */
  readonly #pairs = new PairNumbers();
  /** By frame: the number of its line. */
  readonly lineOfFrame: Int32Array;
  readonly #strings: StringTable;
  readonly #table: FunctionTable;
  readonly #names: readonly string[];
  readonly #mappings: Mappings;
  /** By function and by line: the id in the tables; 0 until it has one. */
  readonly #functionIds: Int32Array;
  #locationIds = new Int32Array(64);
  /** A line, and the lines of a location. */
  readonly #line = new Bytes(LINE_BYTES);
  readonly #inner = new Bytes(LINE_BYTES);

  constructor(profile: Profile, strings: StringTable) {
    const { frames, info } = profile;
    const { table, names } = pprofNames(profile);
    this.#strings = strings;
    this.#table = table;
    this.#names = names;
    this.#mappings = new Mappings(info.libraries, strings);
    this.#functionIds = new Int32Array(this.#table.functions.length);
    this.lineOfFrame = columnOf(Int32Array, frames, (frame, i) =>
      this.#lines.of(table.ofFrame[i]!, frame.kind === "js" ? validPosition(frame.line) : 0),
    );
  }

  /** The number of lines that are not inlined. */
  get lineCount(): number {
    return this.#lines.length;
  }

  /** Returns the number of a frame's line. `outer` is that of the line that the frame is inlined at; -1 if it is not inlined. */
  lineOf(frame: number, outer: number): number {
    const line = this.lineOfFrame[frame]!;
    return outer < 0 ? line : this.lineCount + this.#pairs.of(outer, line);
  }

  /** The mappings, with the program first: pprof takes the first one for the main binary. */
  get mappings(): MappingInput[] {
    return this.#mappings.inputs();
  }

  /** Returns the id of the location of a line, which has the inlined lines innermost first. */
  locationId(number: number): number {
    this.#locationIds = reaching(this.#locationIds, number);
    const known = this.#locationIds[number]!;
    if (known !== 0) return known;
    const count = this.lineCount;
    const own = number < count ? number : this.#pairs.secondOf(number - count);
    const { frame } = this.#table.functions[this.#lines.firstOf(own)]!;
    const lines = this.#inner;
    lines.clear();
    for (let at = number; at >= 0; at = at < count ? -1 : this.#pairs.firstOf(at - count)) {
      const line = at < count ? at : this.#pairs.secondOf(at - count);
      putFields(this.#line, [this.#functionId(this.#lines.firstOf(line)), this.#lines.secondOf(line)]);
      putBytes(lines, LOCATION_LINE, this.#line.written);
    }
    const id = this.locations.add([this.locations.length + 1, this.#mappings.idOf(frame)], lines);
    this.#locationIds[number] = id;
    return id;
  }

  #functionId(index: number): number {
    const known = this.#functionIds[index]!;
    if (known !== 0) return known;
    const profiled = this.#table.functions[index]!;
    const id = this.functions.add([
      this.functions.length + 1,
      this.#strings.dedup(this.#names[index]!),
      // Not the name again: pprof would take it for a mangled name, and cut what is in <> and ().
      this.#strings.dedup(""),
      this.#strings.dedup(printable(filePath(profiled.file ?? ""))),
      profiled.line ?? 0,
    ]);
    this.#functionIds[index] = id;
    return id;
  }
}

/** Rows of one kind in a message, without an object for each. */
class PprofRows {
  length = 0;
  readonly bytes = new Bytes();
  readonly #tag: number;
  readonly #row = new Bytes(LINE_BYTES);

  constructor(tag: number) {
    this.#tag = tag;
  }

  /** Adds a row with its first fields, of which 0 is the default, and others that are written already. Returns its id. */
  add(fields: readonly number[], others?: Bytes): number {
    const row = this.#row;
    putFields(row, fields);
    if (others !== undefined) row.bytes(others.written);
    putBytes(this.bytes, this.#tag, row.written);
    return ++this.length;
  }
}

/** Overwrites bytes with fields that are numbers: those with the numbers from 1 on. */
function putFields(bytes: Bytes, fields: readonly number[]): void {
  bytes.clear();
  for (const [i, field] of fields.entries()) {
    if (field === 0) continue;
    bytes.byte((i + 1) << 3);
    bytes.varint(field);
  }
}

/** Adds a field that has a length. */
function putBytes(to: Bytes, tag: number, bytes: Uint8Array): void {
  to.byte(tag);
  to.varint(bytes.length);
  to.bytes(bytes);
}

// The tags of fields: a number times 8, plus 2 for what has a length. Source: pprof, proto/profile.proto.
const [LOCATION, LOCATION_LINE, FUNCTION] = [0x22, 0x22, 0x2a];
const [SAMPLE, LOCATION_ID, VALUE] = [0x12, 0x0a, 0x12];
/** Enough for most rows. */
const LINE_BYTES = 64;

/** The mappings of a profile: one for each library with frames, and one for the code that V8 made. */
class Mappings {
  readonly #inputs: { readonly rank: number; readonly input: MappingInput }[] = [];
  readonly #libraries: ReadonlyMap<string, LibraryInfo>;
  readonly #strings: StringTable;
  readonly #ids = new Map<string, number>();

  constructor(libraries: readonly LibraryInfo[], strings: StringTable) {
    this.#libraries = new Map(libraries.map((library) => [library.path, library]));
    this.#strings = strings;
  }

  /** Returns the id of the mapping of a frame's code; 0 if the code is unknown. */
  idOf(frame: Frame): number {
    if (frame.kind === "unknown") return 0;
    const path = frame.kind === "native" ? frame.library : JIT;
    return valueAt(this.#ids, path, () => {
      const id = this.#inputs.length + 1;
      const input = path === JIT ? this.#jit(id) : this.#library(id, path);
      return this.#inputs.push({ rank: path === JIT ? 1 : LOADED.test(path) ? 2 : 0, input });
    });
  }

  inputs(): MappingInput[] {
    return this.#inputs.toSorted((a, b) => a.rank - b.rank).map(({ input }) => input);
  }

  #jit(id: number): MappingInput {
    const has = { hasFunctions: true, hasFilenames: true, hasLineNumbers: true, hasInlineFrames: true };
    return { id, filename: this.#strings.dedup(JIT), ...has };
  }

  #library(id: number, path: string): MappingInput {
    const library = this.#libraries.get(path);
    return {
      id,
      filename: this.#strings.dedup(printable(fileName(path))),
      buildId: this.#strings.dedup(library?.buildId ?? ""),
      hasFunctions: library?.source !== undefined,
    };
  }
}

/** More than there are VM states. */
const STATES = 256;

/** What samples count, and the labels that say of what. */
interface SampleCounts {
  /**
   * Returns the values of a sample, one for each type; `count`: how many samples the ticks are. Called once a sample, in the order of
   * the file.
   */
  valuesOf(ticks: Ticks, thread: number, count: number): readonly number[];
  /** The labels of a thread's samples beside those of the samples themselves. */
  labelsOf(thread: number): Readonly<Record<string, string | undefined>>;
}

/** The labels of samples of one thread. */
interface LabelSet {
  readonly thread: number;
  readonly encoded: Uint8Array;
}

/** What {@link SampleLabels} makes labels with. */
interface LabelOptions {
  readonly strings: StringTable;
  readonly counts: SampleCounts;
  /** The labels that all samples have. */
  readonly given: readonly Label[];
}

/** The distinct sets of labels of samples. */
class SampleLabels {
  readonly sets: LabelSet[] = [];
  readonly #ids = new PairNumbers();
  readonly #profile: Profile;
  readonly #options: LabelOptions;
  /** The names of tiers, and by frame the number of its own. */
  readonly #tiers: readonly (string | null)[];
  readonly #tierOf: Int32Array;
  /** By node: 1 if its stack has an inferred frame. */
  #isInferred: Uint8Array | undefined;

  constructor(profile: Profile, options: LabelOptions) {
    const tiers = new Numbers<string | null>();
    this.#tierOf = columnOf(Int32Array, profile.frames, (frame) => tiers.of(tierNameOf(frame)));
    this.#tiers = tiers.keys;
    this.#profile = profile;
    this.#options = options;
  }

  /** Returns the number of a sample's set of labels. */
  of(sample: number): number {
    const { tree, samples } = this.#profile;
    const node = samples.node[sample]!;
    const tier = this.#tierOf[tree.frame[node]!]!;
    this.#isInferred ??= inferredStacks(this.#profile);
    const inferred = this.#isInferred[node]!;
    const state = samples.vmState[sample]!;
    const thread = samples.thread[sample]!;
    const id = this.#ids.of((tier * STATES + state) * 2 + inferred, thread);
    if (id === this.sets.length)
      this.sets.push({ thread, encoded: this.#encoded({ tier, state, inferred, thread }) });
    return id;
  }

  #encoded(of: { tier: number; state: number; inferred: number; thread: number }): Uint8Array {
    const { strings, counts, given } = this.#options;
    const words = {
      state: VM_STATES[of.state],
      tier: this.#tiers[of.tier],
      inferred: of.inferred === 1 ? "caller" : undefined,
      ...counts.labelsOf(of.thread),
    };
    const label = [...Object.entries(words), ...given].flatMap(([key, word]): LabelInput[] =>
      word == null ? [] : [{ key: strings.dedup(key), str: strings.dedup(printable(word)) }],
    );
    return new Sample({ label }).encode();
  }
}

/** Returns 1 for each node whose stack has an inferred frame. */
function inferredStacks({ frames, tree }: Profile): Uint8Array {
  const isFrameInferred = marksOf(frames, isInferred);
  const stacks = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    stacks[node] = isFrameInferred[tree.frame[node]!]! | stacks[tree.parent[node]!]!;
  }
  return stacks;
}

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
 * is left out if the log states no interval, and for logs with different intervals. Of a profile it is `wall/nanoseconds`, the
 * time of its samples.
 *
 * Labels: `state` (of the VM), `tier` (of the leaf if it is a JavaScript function; `ignition` for a bytecode
 * handler), `inferred` (`caller` if a function of the stack is), `thread`, `thread name`, `log`, `pid`, `isolate`, and those of {@link ExportOptions}. A function in several tiers is
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
interface PprofCounts extends SampleCounts {
  /** The first is the one that tools show. */
  readonly types: readonly { readonly type: string; readonly unit: string }[];
  readonly comments: readonly string[];
}

/** Returns what files of ticks count: ticks, and their time. */
function ticksOf(profile: Profile, options: ExportOptions): PprofCounts {
  const interval = intervalOf(profile);
  const { threads, isCountUnknown, memory } = profile.info;
  return {
    types: memory
      ? [...(isCountUnknown ? [] : [COUNT]), memoryType(memory)]
      : [...(isCountUnknown ? [] : [COUNT]), ...(interval === undefined ? [] : [timeOf(profile)])],
    valuesOf(ticks, _, count) {
      if (memory !== undefined) {
        const size = Math.round(ticks * memory.tick);
        return isCountUnknown ? [size] : [count, size];
      }
      if (isCountUnknown) return [nanoseconds(ticks * (interval ?? 0))];
      if (profile.info.tickTime !== undefined) return [count, nanoseconds(ticks * profile.info.tickTime)];
      return interval === undefined ? [ticks] : [ticks, inRange(ticks * nanoseconds(interval))];
    },
    labelsOf(thread) {
      const { name, log, pid, isolate, label } = threads[thread] ?? {};
      return { thread: name, log, pid: pid?.toString(), isolate, "thread name": label };
    },
    comments: commentsOf(profile, options),
  };
}

const COUNT = { type: "samples", unit: "count" };
/** CPU time, as all pprof files have it. */
const CPU = { type: "cpu", unit: "nanoseconds" };

/** What V8's CPU profiler measures: it samples a thread that waits, too. */
const WALL = { type: "wall", unit: "nanoseconds" };

/** Returns what Go calls it. */
function memoryType({ of, is }: MemoryUnit) {
  const what = of === "bytes" ? "space" : "objects";
  return {
    type: `${{ alive: "inuse_", allocated: "alloc_", unknown: "" }[is]}${what}`,
    unit: of === "bytes" ? "bytes" : "count",
  };
}

function timeOf({ info }: Profile) {
  return info.input === undefined ? CPU : WALL;
}

/** Yields the message in parts: the fields of a protobuf message may be split into messages. */
function* message(profile: Profile, options: ExportOptions, counts: PprofCounts): Iterable<Uint8Array> {
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
function intervalOf({ info: { input, tickTime, sampling } }: Profile): Micros | undefined {
  if (input !== undefined) return tickTime ?? sampling.got;
  return validInterval(sampling.asked) === undefined ? undefined : tickInterval(sampling);
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
    periodType: { type: strings.dedup(timeOf(profile).type), unit: strings.dedup(CPU.unit) },
    period: profile.info.isCountUnknown ? 0 : nanoseconds(intervalOf(profile) ?? 0),
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
    `ticks: ${Math.round(ticks - excluded)} of ${Math.round(ticks)} in ${profile.samples.length} stacks`,
    ...(note !== undefined || sampling.got === undefined ? [] : [`interval: ${Math.round(sampling.got)} µs`]),
    ...(note === undefined ? [] : [note]),
  ];
}

function nanoseconds(time: Micros): number {
  return inRange(Math.round(clampedTime(time) * 1000));
}

/** The largest number that is exact both in 64 bits and in JavaScript. */
const LARGEST = 2 ** 63 - 2 ** 10;

/** Returns a number limited to 64 bits. */
function inRange(number: number): number {
  return Math.min(LARGEST, number);
}

/** Samples are passed on in parts of about this many bytes. */
const PART_BYTES = 1 << 18;

/** Writes the samples; those whose stacks differ only in the tiers of callers are merged. */
function* sampleParts(
  profile: Profile,
  code: PprofCode,
  { counts, labels }: { readonly counts: PprofCounts; readonly labels: SampleLabels },
): Iterable<Uint8Array> {
  const { samples } = profile;
  const { tree, nodeOf } = machineStacks(profile, code);
  const rows = new PairNumbers();
  const ticks: Ticks[] = [];
  const hits: number[] = [];
  for (let i = 0; i < samples.length; i++) {
    const row = rows.of(nodeOf[i]!, labels.of(i));
    ticks[row] = (ticks[row] ?? 0) + samples.ticks[i]!;
    hits[row] = (hits[row] ?? 0) + (samples.count ?? samples.ticks)[i]!;
  }
  const out = new Bytes();
  const [list, fields] = [new Bytes(1 << 10), new Bytes(1 << 10)];
  const { parent, frame } = tree;
  for (let row = 0; row < rows.length; row++) {
    const { thread, encoded } = labels.sets[rows.secondOf(row)]!;
    fields.clear();
    list.clear();
    for (let node = rows.firstOf(row); node !== ROOT; node = parent[node]!)
      list.varint(code.locationId(frame[node]!));
    if (list.length > 0) putBytes(fields, LOCATION_ID, list.written);
    list.clear();
    for (const value of counts.valuesOf(ticks[row]!, thread, hits[row]!)) list.varint(value);
    putBytes(fields, VALUE, list.written);
    fields.bytes(encoded);
    putBytes(out, SAMPLE, fields.written);
    if (out.length < PART_BYTES) continue;
    yield out.written.slice();
    out.clear();
  }
  yield out.written;
}

/**
 * Returns the call tree with lines for frames: an inlined function has the same caller as the function that
 * it is inlined into.
 */
function machineStacks(profile: Profile, code: PprofCode): ExportStacks {
  const { frames, tree } = profile;
  const inlined = marksOf(frames, isInlined);
  const isInner = (node: number) => tree.parent[node] !== ROOT && inlined[tree.frame[node]!] === 1;
  return exportStacks(profile, (node, outer) => code.lineOf(tree.frame[node]!, isInner(node) ? outer : -1), {
    isInner,
  });
}

/** What pprof's tools know the samples of the base by. Source: pprof, profile/profile.go, `Profile.SetLabel`. */
const BASE_LABEL = { "pprof::base": "true" };
/** A share in this unit is an integer with four decimals of a percent. */
const SHARE = { type: "share", unit: "ppm" };
const NANOSECONDS_PER_MICROSECOND = 1000;

/**
 * Writes a difference as `go tool pprof -proto -diff_base=BEFORE AFTER` does: the samples after, and those before
 * with negative values and the label `pprof::base`. Shares are in millionths, so that those of a side sum to
 * 1,000,000; times are in nanoseconds, memory in bytes or objects. Threads and logs are not told apart: values are means over the runs.
 *
 * Source: pprof, internal/driver/fetch.go, `fetchProfiles`.
 */
export function pprofDifference(difference: StackDifference): AsyncIterable<Uint8Array> {
  const { profile, unit, sides, title } = difference;
  const factor = unit === "µs" ? NANOSECONDS_PER_MICROSECOND : 1;
  const round = sides.map(() => roundedSums());
  const counts: PprofCounts = {
    types: [unit === "ppm" ? SHARE : unit === "µs" ? CPU : memoryType(unit)],
    valuesOf: (value, side) => {
      const rounded = round[side]!(value * factor);
      // A side that is 0 has no sign.
      return [sides[side] === "before" && rounded !== 0 ? -rounded : rounded];
    },
    labelsOf: (side) => (sides[side] === "before" ? BASE_LABEL : {}),
    comments: title.map(printable),
  };
  return packed(message(profile, {}, counts));
}
