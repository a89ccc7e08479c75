import { TicksError } from "../base/errors.js";
import {
  INLINING_DEPTH,
  MATCHED_NAME_LENGTH,
  PPROF_BYTES,
  PPROF_MADE_BYTES,
  PPROF_NAME_BYTES,
  STACK_DEPTH,
} from "../base/limits.js";
import { valueAt } from "../base/maps.js";
import { PairNumbers } from "../base/pair-numbers.js";
import type { Micros, Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import { roundedWeight, validPosition } from "../profile/clamped-numbers.js";
import { Diagnostics } from "../profile/diagnostics.js";
import { hideFrames } from "../profile/filter.js";
import type { FunctionIdentity } from "../profile/function-identity.js";
import type { MemoryUnit, Profile, ThreadInfo } from "../profile/profile.js";
import { SampleTableBuilder } from "../profile/sample-table.js";
import { nameThreads } from "../profile/threads.js";
import { VM_STATES, type VmState, type VmStateName } from "../profile/vm-state.js";
import { FunctionFrames, stateOfFrame } from "./call-frames.js";
import { damaged } from "./damaged.js";
import { InputTree } from "./input-tree.js";
import { NumberList } from "./number-list.js";
import { DamagedMessage, numbersIn, readMessage, readNumbers, type Varint } from "./protobuf.js";
import { type LabelFilter, type LabelPattern, type ReadInputOptions, untimed } from "./read-options.js";
import { samplingOf } from "./sampler-steps.js";

/**
 * How many µs a unit of time is.
 *
 * Source: pprof, internal/measurement/measurement.go, `UnitTypes`.
 */
const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ ns: 1e-3, nanosecond: 1e-3, nanoseconds: 1e-3 },
    ...{ us: 1, µs: 1, microsecond: 1, microseconds: 1 },
    ...{ ms: 1e3, millisecond: 1e3, milliseconds: 1e3 },
    ...{ s: 1e6, sec: 1e6, second: 1e6, seconds: 1e6 },
  }),
);
/** How many bytes a unit of memory is. Source: as above. */
const BYTE_UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ b: 1, byte: 1, bytes: 1 },
    ...{ kb: 2 ** 10, kib: 2 ** 10, kilobyte: 2 ** 10, kilobytes: 2 ** 10 },
    ...{ mb: 2 ** 20, mib: 2 ** 20, megabyte: 2 ** 20, megabytes: 2 ** 20 },
  }),
);
/** What counts if the profile says nothing else, the first that it has. */
const USUAL_TYPES = ["cpu", "wall", "samples", "sample"];
/** The same of a profile without times: all that was allocated tells more than what is left of it. */
const MEMORY_TYPES = ["alloc_space", "alloc-space", "space", "inuse_space"];
/** Counts of objects, as Go, pprof-nodejs and Datadog call them. */
const OBJECTS = /^(?:(?:alloc|inuse|heap-live|live)[-_])?objects$/;
/** The same of what was allocated. */
const ALLOCATED = /^alloc/;

/**
 * Reads a pprof profile whose samples count time, or memory: of Node, Go, Pyroscope, Cloud Profiler, or an export of ours. A sample's
 * ticks are its count; its time is the value of the type that was chosen. What is made of it takes at most `mostBytes` of memory.
 *
 * Source: pprof, proto/profile.proto.
 */
export async function readPprof(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadInputOptions,
  mostBytes = PPROF_MADE_BYTES,
): Promise<readonly Profile[]> {
  const { name } = options;
  const { from, to } = options.range ?? {};
  if (from !== undefined || to !== undefined) throw untimed(name);
  const bytes = await allOf(chunks, name);
  try {
    return [new PprofReader(bytes, new Budget(name, mostBytes)).profile(options)];
  } catch (error) {
    if (error instanceof DamagedMessage) throw damaged(name, "a pprof profile", error.message, MAKE_AGAIN);
    throw error;
  }
}

const MAKE_AGAIN = "Download or write it again.";

async function allOf(chunks: AsyncIterable<Uint8Array>, name: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > PPROF_BYTES) throw damaged(name, "a pprof profile", "it is larger than 256 MiB", MAKE_AGAIN);
    parts.push(Uint8Array.from(chunk));
  }
  return Buffer.concat(parts);
}

/** A type of value, by the numbers of its words in the table of texts. */
interface ValueType {
  type: number;
  unit: number;
}

interface ChosenType {
  /** Its place among the values of a sample. */
  readonly place: number;
  /** That of the number of samples; -1 for none. */
  readonly count: number;
  /** Whether ticks are that number: not of CPU time beside wall time, of which samples have more or less. */
  readonly isCounted: boolean;
  /** How many µs one is, or bytes or objects; undefined if it is none of them. */
  readonly unit: number | undefined;
  /** What is counted if it is no time. */
  readonly memory?: Pick<MemoryUnit, "of" | "is">;
}

class PprofReader {
  readonly #types: ValueType[] = [];
  readonly #samples: Ranges;
  readonly #texts: Ranges;
  readonly #locations: Rows;
  readonly #functions: Rows;
  readonly #mappings: Rows;
  /** By place of a location: where its frames begin in {@link #stacks}; 0 until it was asked for. */
  #stackAt = new Int32Array();
  /** The frames of locations, outermost first: how many, then each. */
  readonly #stacks = new NumberList();
  /** By place of a function: the first of the lines that locations have in it; 0 for none. */
  #firstLines = new Int32Array();
  #periodType: ValueType | undefined;
  #period = 0;
  #default = 0;
  readonly #diagnostics = new Diagnostics();
  readonly #frames = new FunctionFrames(this.#diagnostics);
  /** Places of a function and of a mapping, and the frames of these pairs. */
  readonly #pairs = new PairNumbers();
  readonly #frameOf = new NumberList();
  /** What our own exports call functions: their numbers count those without samples too. */
  readonly #identities = new Map<string, FunctionIdentity>();
  /** Those of labels and files, which are asked for again and again. */
  readonly #known = new Map<number, string>();
  readonly #made: Budget;

  /** How much of the texts of functions is kept: many functions may have the same long text. */
  #room: number;

  constructor(bytes: Uint8Array, budget: Budget) {
    this.#made = budget;
    this.#samples = new Ranges(bytes);
    this.#texts = new Ranges(bytes);
    this.#locations = new Rows(bytes);
    this.#functions = new Rows(bytes);
    this.#mappings = new Rows(bytes);
    this.#room = LEAST_ROOM + bytes.length;
    readMessage(bytes, {
      number: (field, value) => {
        if (field === 12) this.#period = Number(value);
        if (field === 14) this.#default = Number(value);
      },
      bytes: (field, part) => {
        budget.take(ROW_BYTES);
        switch (field) {
          case 1:
            this.#types.push(valueType(part));
            break;
          case 2:
            this.#samples.push(part);
            break;
          case 3:
            this.#mappings.push(part);
            break;
          case 4:
            this.#locations.push(part);
            break;
          case 5:
            this.#functions.push(part);
            break;
          case 6:
            this.#texts.push(part);
            break;
          case 11:
            this.#periodType = valueType(part);
        }
      },
    });
    this.#stackAt = new Int32Array(this.#locations.length);
    this.#firstLines = new Int32Array(this.#functions.length);
    for (const location of this.#locations) {
      for (const { id, line } of locationOf(location).lines) {
        const place = this.#functions.placeOf(id);
        const first = this.#firstLines[place] ?? 0;
        if (place >= 0 && line > 0 && (first === 0 || line < first)) this.#firstLines[place] = line;
      }
    }
  }

  profile({ name, origin, sampleType, labels: wanted }: ReadInputOptions): Profile {
    const chosen = this.#choose(name, sampleType);
    const tree = new InputTree((functionName) => this.#frames.of({ functionName }));
    const samples = new SampleTableBuilder();
    const threads = new Map<string, { readonly info: ThreadInfo; readonly number: number; ticks: Ticks }>();
    const { tick, isCountUnknown } = this.#tickOf(chosen);
    const states = new Float64Array(VM_STATES.length);
    const { memory } = chosen;
    const size = chosen.unit === undefined ? this.#interval() : tick * chosen.unit;
    const tickTime = memory === undefined ? size : undefined;
    let excluded = 0;
    for (const sample of this.#samples) {
      this.#made.take(SAMPLE_BYTES);
      const { locations, isDeep, values, labels } = partsOf(sample);
      if (isDeep) this.#diagnostics.add("deep-stack", 1);
      const value = values[chosen.place] ?? 0;
      if (!(value > 0 && value <= Number.MAX_SAFE_INTEGER)) {
        if (value !== 0) this.#diagnostics.add("odd-value", 1);
        continue;
      }
      const count = chosen.isCounted ? (values[chosen.count] ?? 0) : 0;
      const isCount = count > 0 && count <= Number.MAX_SAFE_INTEGER;
      const hits = isCount ? count : isCountUnknown ? 1 : Math.max(1, Math.round(value / tick));
      const ticks = chosen.unit === undefined ? hits : roundedWeight(value / tick);
      const facts = this.#labelsOf(labels);
      const key = THREAD_LABELS.map((label) => facts.get(label) ?? "").join("\0");
      let thread = threads.get(key);
      if (thread === undefined) {
        // A profile numbers its threads with 16 bits.
        const isFull = threads.size >= MOST_THREADS;
        thread = (isFull ? threads.values().next().value : undefined) ?? {
          info: threadOf(facts, { name, origin }),
          number: threads.size,
          ticks: 0,
        };
        if (isFull) this.#diagnostics.add("many-threads", 1);
        else threads.set(key, thread);
      }
      const { node, state } = this.#stackOf(locations, tree);
      const own = stateOf(facts) ?? state;
      states[own]! += ticks;
      thread.ticks += ticks;
      if (wanted !== undefined && !isWanted(this.#labelsOf(labels, true), wanted)) excluded += ticks;
      else samples.addCount(samples.add(node, own, ticks, thread.number), hits);
    }
    if (wanted?.focus !== undefined && samples.length === 0) throw this.#unknownLabel(name);
    const table = samples.finish();
    const all = Array.from(threads.values());
    if (all.length === 0) all.push({ info: threadOf(new Map(), { name, origin }), number: 0, ticks: 0 });
    const total = all.reduce((sum, { ticks }) => sum + ticks, 0);
    const samplingFor = (ticks: Ticks) =>
      memory === undefined
        ? samplingOf({ hasTimes: false, ticks, time: ticks * (tickTime ?? DEFAULT_INTERVAL) })
        : samplingOf({ hasTimes: false, ticks: 0, time: 0 });
    const profile: Profile = {
      frames: this.#frames.frames,
      tree: tree.finish(),
      samples: table,
      sources: [],
      ...(this.#identities.size > 0 && { identities: this.#identities }),
      info: {
        title: name,
        logs: [name],
        input: "pprof",
        ...(tickTime !== undefined && { tickTime }),
        ...(memory !== undefined && { memory: { ...memory, tick: size! } }),
        ...(isCountUnknown && { isCountUnknown }),
        threads: nameThreads(
          all.map(({ info, ticks }) => {
            const sampling = samplingFor(ticks);
            return { ...info, ticks, span: sampling.span, sampling };
          }),
        ),
        v8: [],
        sampling: samplingFor(total),
        rangeRows: { currentTime: 0, runtimeTimers: 0 },
        ticks: total,
        excluded,
        ticksByState: Array.from(states),
        hasShownStacks: true,
        libraries: [],
        diagnostics: this.#diagnostics.list(),
      },
    };
    // Without the frames that only samples had which are left out.
    return excluded === 0 ? profile : hideFrames(profile, () => false);
  }

  /** Returns the error for labels that no sample has: it lists the keys that there are. */
  #unknownLabel(name: string): TicksError {
    const keys = new Set<string>();
    for (const sample of this.#samples) {
      for (const key of this.#labelsOf(partsOf(sample).labels, true).keys()) keys.add(key);
      if (keys.size >= LISTED_KEYS) break;
    }
    const list = Array.from(keys).join(", ");
    return new TicksError(
      "BAD_OPTION",
      `--tagfocus: no sample of ${name} has such a label`,
      list === "" ? "It has no labels." : `Keys of its labels: ${list}`,
    );
  }

  /** Returns the type of values to count. Throws a {@link TicksError} that lists them if it cannot be one. */
  #choose(name: string, wanted: string | undefined): ChosenType {
    const types = this.#types.map(({ type, unit }) => ({ type: this.#text(type), unit: this.#text(unit) }));
    const named = (text: string) =>
      types.findIndex(({ type, unit }) => text === type || text === `${type}/${unit}`);
    const list = types.map(({ type, unit }) => `${type} (${unit})`).join(", ");
    if (wanted !== undefined && named(wanted) < 0)
      throw new TicksError(
        "BAD_OPTION",
        `--sample-type ${wanted}: ${name} has no such values`,
        `It has: ${list}`,
      );
    const isOfTime = ({ type, unit }: { readonly type: string; readonly unit: string }) =>
      UNITS.has(unit) || (unit === "count" && !OBJECTS.test(type));
    const isOfMemory = ({ type, unit }: { readonly type: string; readonly unit: string }) =>
      BYTE_UNITS.has(unit.toLowerCase()) || (unit === "count" && OBJECTS.test(type));
    const usual = [this.#default === 0 ? "" : this.#text(this.#default), ...USUAL_TYPES].map(named);
    const known = (places: readonly number[], isWanted: (of: (typeof types)[number]) => boolean) =>
      places.find((at) => at >= 0 && isWanted(types[at]!));
    const hasTime = types.some(({ unit }) => UNITS.has(unit));
    const usualMemory = [usual[0]!, ...MEMORY_TYPES.map(named), types.findIndex(isOfMemory)];
    const ofMemory = hasTime ? undefined : known(usualMemory, isOfMemory);
    const place = wanted === undefined ? (ofMemory ?? known(usual, isOfTime) ?? -1) : named(wanted);
    const type = types[place];
    if (type !== undefined && isOfMemory(type)) return memoryType(type, { place, types });
    if (type === undefined || !isOfTime(type)) {
      throw new TicksError(
        "NOT_A_LOG",
        `${name}: a pprof profile without time or memory: its values are ${list || "none"}`,
        "ticks reads profiles of CPU or wall time, bytes or objects. Open this one with: go tool pprof -http=: FILE",
      );
    }
    const count = types.findIndex((one) => one.unit === "count" && /^samples?$/.test(one.type));
    // Of a count, the time is that of the type beside it.
    const time =
      type.unit === "count"
        ? types.findIndex((one) => USUAL_TYPES.includes(one.type) && UNITS.has(one.unit))
        : place;
    if (time < 0) return { place, count: place, isCounted: true, unit: undefined };
    const isOnly = types.filter(({ unit }) => UNITS.has(unit)).length === 1;
    const isCounted = count >= 0 && (isOnly || types[time]!.type === "wall");
    return { place: time, count, isCounted, unit: UNITS.get(types[time]!.unit)! };
  }

  /** Returns the value of one tick: the mean of a sample, where samples are counted; else the period, or the mean of a row. */
  #tickOf({ place, count, unit, memory }: ChosenType): {
    readonly tick: number;
    readonly isCountUnknown: boolean;
  } {
    if (unit === undefined) return { tick: 1, isCountUnknown: false };
    let [rows, values, counts] = [0, 0, 0];
    for (const sample of this.#samples) {
      const { values: all } = partsOf(sample);
      const value = all[place] ?? 0;
      if (!(value > 0 && value <= Number.MAX_SAFE_INTEGER)) continue;
      rows++;
      values += value;
      counts += Math.max(0, all[count] ?? 0);
    }
    const isCounted = count >= 0 && counts > 0;
    const period = (memory === undefined ? this.#interval() : this.#step(memory.of)) ?? 0;
    const isPeriod = !isCounted && period > 0 && period * rows <= PERIOD_SLACK * values * unit;
    if (isPeriod) return { tick: period / unit, isCountUnknown: false };
    const samples = isCounted ? counts : rows;
    return { tick: values > 0 ? values / samples : 1, isCountUnknown: !isCounted && rows > 0 };
  }

  /** Returns the time between two samples by the period; undefined if that is none. */
  #interval(): Micros | undefined {
    const unit = this.#periodType && UNITS.get(this.#text(this.#periodType.unit));
    return unit !== undefined && this.#period * unit >= LEAST_PERIOD ? this.#period * unit : undefined;
  }

  /** Returns the bytes between two samples by the period; undefined if that is none. */
  #step(of: MemoryUnit["of"]): number | undefined {
    const unit = this.#periodType && BYTE_UNITS.get(this.#text(this.#periodType.unit).toLowerCase());
    return of === "bytes" && unit !== undefined && this.#period * unit >= LEAST_STEP
      ? this.#period * unit
      : undefined;
  }

  #stackOf(
    locations: readonly Varint[],
    tree: InputTree,
  ): { readonly node: number; readonly state: VmState } {
    let node = ROOT;
    let frame = -1;
    const known = tree.length;
    for (let i = locations.length - 1; i >= 0; i--) {
      const place = this.#locations.placeOf(locations[i]!);
      if (place < 0) {
        this.#diagnostics.add("unknown-node", 1);
        continue;
      }
      const at = this.#stackOfLocation(place);
      const length = this.#stacks.at(at);
      for (let line = 1; line <= length; line++) {
        frame = this.#stacks.at(at + line);
        node = tree.child(node, frame);
      }
    }
    this.#made.take((tree.length - known) * NODE_BYTES);
    if (tree.isCut(node)) this.#diagnostics.add("deep-calls", 1);
    if (node === ROOT) {
      frame = this.#frames.of({ functionName: "(program)" });
      node = tree.child(ROOT, frame);
    }
    return { node, state: stateOfFrame(this.#frames.frames[frame]!) };
  }

  /** Returns where the frames of a location begin in {@link #stacks}. */
  #stackOfLocation(place: number): number {
    const known = this.#stackAt[place]!;
    if (known > 0) return known - 1;
    const { lines, mapping } = locationOf(this.#locations.at(place)!);
    const at = this.#stacks.length;
    this.#stackAt[place] = at + 1;
    this.#stacks.push(lines.length);
    for (let i = lines.length - 1; i >= 0; i--) {
      const { id, line, column } = lines[i]!;
      this.#stacks.push(this.#frames.atLine(this.#functionOf(id, mapping), line, column));
    }
    return at;
  }

  /** Returns the frame of a function. Go's have a name with their package, and files of paths; V8's have an URL. */
  #functionOf(id: Varint, mapping: Varint | undefined): number {
    const place = this.#functions.placeOf(id);
    if (place < 0) {
      this.#diagnostics.add("unknown-node", 1);
      return this.#frames.of({ functionName: "" });
    }
    const pair = this.#pairs.of(place, mapping === undefined ? -1 : this.#mappings.placeOf(mapping));
    if (pair === this.#frameOf.length)
      this.#frameOf.push(this.#newFunction(this.#functions.at(place)!, { place, mapping }));
    return this.#frameOf.at(pair);
  }

  #newFunction(
    bytes: Uint8Array,
    { place: at, mapping }: { readonly place: number; readonly mapping: Varint | undefined },
  ): number {
    this.#made.take(FUNCTION_BYTES);
    const [name, path, start] = numbersIn(bytes, 2, 4, 5);
    const line = Number(start);
    const library = mapping === undefined ? "" : this.#libraryOf(mapping);
    const file = this.#kept(this.#text(Number(path)));
    const isOurs = library === JIT;
    const { own, identity } = exportedName(this.#textOf(Number(name)), file, isOurs);
    const { title, place } = placedName(this.#kept(own));
    // Where pprof-nodejs leaves out where functions begin, the line of a location often is that.
    const first = line > 0 ? line : (place?.line ?? this.#firstLines[at]!);
    const isNative = library !== "" && !isOurs && (file === "" || line === 0);
    const number = this.#frames.of(
      isNative
        ? { functionName: title, url: file.endsWith(library) ? file : this.#kept(library) }
        : {
            functionName: title,
            url: file,
            // Code that V8 made and that has a line is a function, of an eval if it has no file.
            ...((file !== "" || (isOurs && line > 0)) && {
              lineNumber: Math.max(0, first - 1),
              columnNumber: (place?.column ?? 1) - 1,
            }),
          },
    );
    const frame = this.#frames.frames[number]!;
    if (identity !== undefined && frame.kind === "js" && !this.#identities.has(frame.name))
      this.#identities.set(frame.name, identity);
    return number;
  }

  /** Returns a text of a function, cut once all together are longer than the file. */
  #kept(text: string): string {
    const kept = this.#room > 0 ? text : text.slice(0, SHORT_TEXT);
    this.#room -= kept.length;
    return kept;
  }

  /** Returns labels that are texts, and those that are numbers too if asked for. */
  #labelsOf(labels: readonly Uint8Array[], withNumbers = false): Map<string, string> {
    const facts = new Map<string, string>();
    for (const label of labels) {
      const [key, text, amount] = numbersIn(label, 1, 2, 3);
      if (text > 0) facts.set(this.#text(Number(key)), this.#text(Number(text)));
      else if (withNumbers) facts.set(this.#text(Number(key)), String(amount));
    }
    return facts;
  }

  #libraryOf(mapping: Varint): string {
    const bytes = this.#mappings.at(this.#mappings.placeOf(mapping));
    return bytes === undefined ? "" : this.#text(Number(numbersIn(bytes, 5)[0]));
  }

  /** Returns a text that may be asked for again: few are kept, since every sample can have texts of its own. */
  #text(number: number): string {
    if (this.#known.size >= KNOWN_TEXTS) this.#known.clear();
    return valueAt(this.#known, number, () => this.#textOf(number));
  }

  #textOf(number: number): string {
    const bytes = this.#texts.at(number)?.subarray(0, PPROF_NAME_BYTES);
    return bytes === undefined
      ? ""
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  }
}

/** Less bytes between two samples are the unit of the values, no step. */
const LEAST_STEP = 64;

/** Returns a chosen type of bytes or objects. Beside a count of samples, as in exports of ours, that is known. */
function memoryType(
  { type, unit }: { readonly type: string; readonly unit: string },
  { place, types }: { readonly place: number; readonly types: readonly { readonly type: string }[] },
): ChosenType {
  const bytes = BYTE_UNITS.get(unit.toLowerCase());
  const count = types.findIndex((one) => one.type === "samples");
  return {
    ...{ place, count, isCounted: count >= 0, unit: bytes ?? 1 },
    memory: {
      of: bytes === undefined ? "objects" : "bytes",
      is: ALLOCATED.test(type) ? "allocated" : "alive",
    },
  };
}

/** So many texts are kept. */
const KNOWN_TEXTS = 1024;

/** More keys of labels are not listed. */
const LISTED_KEYS = 20;

/** Returns whether a sample with these labels is asked for. */
function isWanted(labels: ReadonlyMap<string, string>, { focus, ignore = [] }: LabelFilter): boolean {
  const matches = ({ key, value }: LabelPattern) => {
    const texts = key === undefined ? Array.from(labels.values()) : [labels.get(key)];
    return texts.some((text) => text !== undefined && value.test(text.slice(0, MATCHED_NAME_LENGTH)));
  };
  return (focus === undefined || focus.some(matches)) && !ignore.some(matches);
}

/** What our own exports call the mapping of code that V8 made. */
const JIT = "[jit]";

/** Takes the name of a function apart: in an export, it has its file before it, if any, and its number: `src/app.js::main#2`. */
function exportedName(
  name: string,
  file: string,
  isOurs: boolean,
): { readonly own: string; readonly identity?: FunctionIdentity } {
  const at = file === "" ? -1 : name.lastIndexOf("::");
  const head = at < 0 ? "" : name.slice(0, at);
  // The name has an URL without its query.
  const [path = ""] = file.replaceAll("\\", "/").split(/[?#]/, 1);
  const isHead = head === "" ? isOurs && file === "" : path.endsWith(head) || path.startsWith(`${head}:`);
  if (!isHead) return { own: name };
  const key = at < 0 ? name : name.slice(at + 2);
  const [, title = "", ordinal = "1"] = /^(.*?)(?:#(\d{1,9}))?$/s.exec(key) ?? [];
  const own = title === "<anonymous>" ? "" : title;
  return { own, identity: { file: head, name: own, ordinal: Number(ordinal), sourceHash: undefined } };
}

/** A name, and where the function is if the name tells. */
interface PlacedName {
  readonly title: string;
  readonly place?: { readonly line: number; readonly column: number };
}

/**
 * Returns the name and the place of a function: pprof-nodejs calls those without a name `(anonymous:L#12:C#5)`.
 *
 * Source: pprof-nodejs, ts/src/profile-serializer.ts, `getFunction`.
 */
function placedName(title: string): PlacedName {
  const [, line, column = "1"] = /^\(anonymous:L#(\d{1,9})(?::C#(\d{1,9}))?\)$/.exec(title) ?? [];
  return line === undefined
    ? { title }
    : { title: "", place: { line: Number(line), column: Number(column) } };
}

/** Returns the functions of a location, innermost first, and its mapping. */
function locationOf(bytes: Uint8Array): {
  readonly lines: readonly LocationLine[];
  readonly mapping: Varint | undefined;
} {
  const lines: LocationLine[] = [];
  let mapping: Varint | undefined;
  readMessage(bytes, {
    number: (field, value) => {
      if (field === 2) mapping = value;
    },
    bytes: (field, part) => {
      if (field !== 4 || lines.length >= INLINING_DEPTH) return;
      const [id, packed, column] = numbersIn(part, 1, 2, 3);
      lines.push({ id, column: validPosition(Number(column)), ...placeOf(packed) });
    },
  });
  return { lines, mapping };
}

/** A function of a location, and where in it; 0 if that is unknown. */
interface LocationLine {
  readonly id: Varint;
  readonly line: number;
  readonly column: number;
}

/**
 * Returns a line, with the column that pprof-nodejs may put into its upper 32 bits.
 *
 * Source: pprof-nodejs, ts/src/profile-serializer.ts, `packLineAndColumn`.
 */
function placeOf(value: Varint): { readonly line: number; readonly column?: number } {
  if (typeof value === "number" && value < 2 ** 32) return { line: validPosition(value) };
  const bits = BigInt.asUintN(64, BigInt(value));
  const [line, column] = [Number(bits & 0xffff_ffffn), Number(bits >> 32n)];
  return { line: validPosition(line), ...(column > 0 && { column: validPosition(column) }) };
}

/** Adds up the bytes of memory that a profile takes. Throws a {@link TicksError} once they are too many. */
class Budget {
  readonly #name: string;
  readonly #most: number;
  #left: number;

  constructor(name: string, most: number) {
    this.#name = name;
    this.#most = most;
    this.#left = most;
  }

  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left >= 0) return;
    throw new TicksError(
      "NOT_A_LOG",
      `${this.#name}: a pprof profile that takes more than ${this.#most / 2 ** 30} GiB of memory: too many functions or stacks`,
      "Profile for a shorter time, or open it with: go tool pprof -http=: FILE",
    );
  }
}

/**
 * What takes memory: a row of a table, with its place; a function with its frames, which reports make rows of, as measured for `ticks top`
 * of 400,000 functions; a call in a stack.
 */
const ROW_BYTES = 32;
const FUNCTION_BYTES = 4096;
const NODE_BYTES = 64;
const SAMPLE_BYTES = 64;

/** So many characters of the texts of functions are kept in any case, and so many of each text beyond. */
const LEAST_ROOM = 1 << 20;
const SHORT_TEXT = 64;

/** Parts of bytes, by where they begin and end: an object for each would take many times as much. */
class Ranges {
  readonly #bytes: Uint8Array;
  readonly #ends = new NumberList();

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  push(part: Uint8Array): void {
    const start = part.byteOffset - this.#bytes.byteOffset;
    this.#ends.push(start);
    this.#ends.push(start + part.length);
  }

  at(number: number): Uint8Array | undefined {
    if (!(number >= 0 && 2 * number < this.#ends.length)) return undefined;
    return this.#bytes.subarray(this.#ends.at(2 * number), this.#ends.at(2 * number + 1));
  }

  get length(): number {
    return this.#ends.length / 2;
  }

  *[Symbol.iterator](): Iterator<Uint8Array> {
    for (let i = 0; i < this.length; i++) yield this.at(i)!;
  }
}

/** Messages with an id, their first field. Of several with one id, the last counts. */
class Rows extends Ranges {
  readonly #ids = new Map<Varint, number>();

  override push(part: Uint8Array): void {
    this.#ids.set(numbersIn(part, 1)[0], this.length);
    super.push(part);
  }

  /** Returns the place of the message with an id; -1 for none. */
  placeOf(id: Varint): number {
    return this.#ids.get(id) ?? -1;
  }
}

const DEFAULT_INTERVAL: Micros = 1000;
/** No sampler takes samples more often: a period of 1 ns, as Pyroscope and dotnet-trace write, is the unit of the values. */
const LEAST_PERIOD: Micros = 10;
/** Each row is a sample at least: a period that makes them last longer than this many times their time is none either. */
const PERIOD_SLACK = 2;
const MOST_THREADS = 65_535;
/** The labels that tell threads apart, of our exports and of Datadog's. */
const THREAD_LABELS = ["log", "pid", "isolate", "thread", "thread name", "thread id"];

function threadOf(
  facts: ReadonlyMap<string, string>,
  { name, origin }: Pick<ReadInputOptions, "name" | "origin">,
): ThreadInfo {
  const pid = facts.get("pid");
  const thread = facts.get("thread name") ?? facts.get("thread");
  return {
    name: thread ?? name,
    log: name,
    pid: pid !== undefined && /^\d{1,10}$/.test(pid) ? Number(pid) : origin?.pid,
    isolate: isolateOf(facts.get("isolate") ?? facts.get("thread id")) ?? origin?.isolate,
    kind:
      thread === undefined
        ? undefined
        : /\bmain\b/i.test(thread)
          ? "main"
          : /worker/i.test(thread)
            ? "worker"
            : undefined,
    label: facts.get("thread name"),
    ticks: 0,
    span: 0,
  };
}

/** Returns the id of an isolate or a thread; undefined for other text. */
function isolateOf(text: string | undefined): string | undefined {
  return text !== undefined && /^(?:0x[0-9a-f]{1,16}|\d{1,15})$/.test(text) ? text : undefined;
}

/** Returns the state of the VM that our exports state. */
function stateOf(facts: ReadonlyMap<string, string>): VmState | undefined {
  const state = facts.get("state");
  const found = state === undefined ? -1 : VM_STATES.indexOf(state as VmStateName);
  return found < 0 ? undefined : found;
}

function valueType(bytes: Uint8Array): ValueType {
  const [type, unit] = numbersIn(bytes, 1, 2);
  return { type: Number(type), unit: Number(unit) };
}

/** Values and labels of a sample beyond these are left out. */
const MOST_VALUES = 256;

/** Returns the parts of a sample. Locations and values may be packed or not. */
function partsOf(sample: Uint8Array) {
  const locations: Varint[] = [];
  const values: number[] = [];
  const labels: Uint8Array[] = [];
  let isDeep = false;
  const take = (field: number, value: Varint) => {
    if (field === 1 && locations.length < STACK_DEPTH) locations.push(value);
    else if (field === 1) isDeep = true;
    if (field === 2 && values.length < MOST_VALUES) values.push(Number(value));
  };
  readMessage(sample, {
    number: take,
    bytes: (field, bytes) => {
      if (field === 1 || field === 2) readNumbers(bytes, (value) => take(field, value));
      if (field === 3 && labels.length < MOST_VALUES) labels.push(bytes);
    },
  });
  return { locations, isDeep, values, labels };
}
