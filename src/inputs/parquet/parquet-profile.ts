import { TicksError } from "../../errors.js";
import { TABLE_TIMED_TICKS, TABLE_TIMED_TICKS_PER_BYTE } from "../../limits.js";
import { CallTreeBuilder, ROOT } from "../../profile/call-tree.js";
import type { Frame, JsFrame, Tier } from "../../profile/frame.js";
import { type FrameKey, frameKeys } from "../../profile/frame-keys.js";
import type { FunctionIdentity } from "../../profile/function-identity.js";
import type { InputKind, Profile, ThreadInfo } from "../../profile/profile.js";
import { SampleTableBuilder } from "../../profile/sample-table.js";
import type { Sampling } from "../../profile/sampling.js";
import { soundPosition, soundWeight } from "../../profile/sound-numbers.js";
import { nameThreads } from "../../profile/threads.js";
import { TimelineBuilder } from "../../profile/timeline.js";
import type { Micros, Ticks } from "../../profile/units.js";
import type { V8Version } from "../../profile/v8-version.js";
import { VM_STATES } from "../../profile/vm-state.js";
import { DamagedTable } from "./damaged-table.js";
import { type FileBytes, openTable, type TableFile, type TableGroup } from "./table-file.js";

/** The columns that say what a frame is. */
const FRAME_COLUMNS = [
  "key",
  "source_hash",
  "function",
  "file",
  "line",
  "function_line",
  "function_column",
  "tier",
  "library_path",
  "origin",
  "inlined",
  "inferred",
] as const;

/** The tiers by their names in the table. */
const TIERS: ReadonlyMap<string, Tier> = new Map([
  ["ignition", "~"],
  ["sparkplug", "^"],
  ["turboprop", "-"],
  ["maglev", "+"],
  ["turbofan", "*"],
]);
/** Those of V8 before 5.9. */
const OLD_TIERS: ReadonlyMap<string, Tier> = new Map([
  ["full-codegen", "~"],
  ["crankshaft", "*"],
]);

/** What the table has for functions without a name. */
const ANONYMOUS = "<anonymous>";

/** A row of the table, as far as it tells of its frame. */
type FrameRow = Readonly<Record<(typeof FRAME_COLUMNS)[number], string | number | undefined>>;

/** The frames of a table, each once. */
class FrameRows {
  readonly frames: Frame[] = [];
  /** What the functions are called in every log: the table has their keys. */
  readonly identities = new Map<string, FunctionIdentity>();
  readonly #numbers = new Map<FrameKey, number>();
  readonly #keyOf = frameKeys();

  /** Returns a function that returns the number of a row's frame. */
  reader({ columns }: TableGroup): (row: number) => number {
    const read = FRAME_COLUMNS.map((name) => columns.get(name));
    const known = new Map<string, number>();
    return (row) => {
      let key = "";
      for (const column of read) key += `${column?.numbers[row] ?? ""},`;
      let number = known.get(key);
      if (number === undefined) {
        const values = read.map((column) => {
          const at = column?.numbers[row];
          if (at === undefined || column?.values === undefined) return at;
          return at < 0 ? undefined : column.values[at];
        });
        number = this.#add(Object.fromEntries(FRAME_COLUMNS.map((name, i) => [name, values[i]])) as FrameRow);
        known.set(key, number);
      }
      return number;
    };
  }

  #add(row: FrameRow): number {
    const frame = frameOf(row);
    const key = this.#keyOf(frame);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.frames.push(frame) - 1;
      this.#numbers.set(key, number);
    }
    if (frame.kind === "js" && !this.identities.has(frame.name))
      this.identities.set(frame.name, identityOf(row));
    return number;
  }
}

function frameOf(row: FrameRow): Frame {
  const { origin, library_path: library, key, function: title = "" } = row;
  if (origin === "unknown") return { kind: "unknown", reason: "unmapped" };
  if (library !== undefined) {
    const symbol = title === library ? undefined : String(title);
    return { kind: "native", library: String(library), symbol };
  }
  if (row.file === undefined && key === `v8 ${title}`) {
    // Builtin: ArrayMap
    const [type = "", ...name] = String(title).split(": ");
    return { kind: "code", type, name: name.join(": "), duplicate: 0 };
  }
  return scriptFrame(row);
}

function scriptFrame({ file, line, ...row }: FrameRow): JsFrame {
  const { name, role } = nameOf(row);
  const [first, column] = [row.function_line, row.function_column];
  const hasPosition = file !== undefined && first !== undefined;
  const position = column === undefined ? `${first}` : `${first}:${column}`;
  const old = OLD_TIERS.get(String(row.tier));
  return {
    kind: "js",
    type: "JS",
    tier: old ?? TIERS.get(String(row.tier)) ?? "",
    name: hasPosition ? `${name} ${file}:${position}` : name,
    ...(hasPosition && column === undefined && { lacksColumn: true as const }),
    ...(hasPosition && { scriptAt: name.length + 1 }),
    ...(role !== undefined && { role }),
    line: soundPosition(Number(line ?? 0)),
    inlined: row.inlined === 1,
    ...(row.inferred === 1 && { inferred: true as const }),
    ...(old !== undefined && { byOldCompilers: true as const }),
  };
}

/** Returns the name of a function; what it is for in place of one if the key says that it has none: `<setInterval callback>`. */
function nameOf({ key, function: title = "" }: Pick<FrameRow, "key" | "function">) {
  const name = String(title);
  if (name === ANONYMOUS) return { name: "", role: undefined };
  const isRole = /^<.+>$/s.test(name) && /(?:^| )<anonymous>(?:#\d{1,9})?$/.test(String(key));
  return isRole ? { name: "", role: name.slice(1, -1) } : { name, role: undefined };
}

/** Takes a function's key apart: its file, its name and its number. */
function identityOf({ key, function: of, source_hash: hash }: FrameRow): FunctionIdentity {
  const whole = String(key);
  const title = nameOf({ key, function: of }).name || ANONYMOUS;
  const sourceHash = hash === undefined ? undefined : String(hash);
  const number = /#(\d{1,9})$/.exec(whole);
  const named = [
    { head: whole, ordinal: 1 },
    ...(number === null ? [] : [{ head: whole.slice(0, number.index), ordinal: Number(number[1]) }]),
  ].find(({ head }) => head === title || head.endsWith(` ${title}`));
  if (named === undefined) return { file: "", name: whole, ordinal: 1, sourceHash };
  const { head, ordinal } = named;
  const file = head.slice(0, Math.max(0, head.length - title.length - 1));
  return { file, name: title === ANONYMOUS ? "" : title, ordinal, sourceHash };
}

/** A stack with more frames is damaged: V8 samples 256 frames, and each can have some inlined functions. */
const DEEPEST = 1 << 16;
/** A profile numbers its threads with 16 bits. */
const THREADS_LIMIT = 65_535;
const INPUTS: readonly InputKind[] = ["cpuprofile", "trace", "pprof"];
/** Sampling intervals that the table does not state are V8's default, in microseconds. */
const DEFAULT_INTERVAL = 1000;

const THREAD_COLUMNS = ["log", "pid", "isolate", "thread", "thread_kind"] as const;
const FILE_COLUMNS = ["v8", "interval_us", "interval_asked_us", "interval_got_us"] as const;
const ROW_COLUMNS = ["sample", "time_us", "depth", "state", "ticks"] as const;
const STATES: readonly string[] = VM_STATES;
/** Without these there are no stacks. */
const NEEDED = ["sample", "depth", "state", "ticks", "key", "function", "origin"] as const;
const COLUMNS: readonly string[] = [...THREAD_COLUMNS, ...FILE_COLUMNS, ...ROW_COLUMNS, ...FRAME_COLUMNS];

/** The options of {@link parquetProfile}. */
interface ParquetOptions {
  /** What reports call the file. */
  readonly name: string;
  /** Whether the profile has every tick with its time, if the table has times. Default: false. */
  readonly timeline?: boolean | undefined;
}

/**
 * Reads the table that `ticks export --format parquet`, or `parquet-timeline`, wrote of some logs, as the profile
 * that it was made of. The table has no texts of sources, deoptimizations and functions without ticks, and so has
 * the profile. Ticks in a row with one stack have one time in the table: here they follow each other by the
 * interval.
 *
 * Takes time that is linear in the rows, and memory for the columns of 250,000 rows and all different stacks.
 * Throws a {@link DamagedTable} for any other file.
 */
export async function parquetProfile(file: FileBytes, options: ParquetOptions): Promise<Profile> {
  const table = await openTable(file);
  const input = INPUTS.find((name) => name === table.facts.get("ticks.input"));
  const timedTicks = TABLE_TIMED_TICKS + TABLE_TIMED_TICKS_PER_BYTE * file.length;
  const reader = new TableReader({ ...options, input }, timedTicks);
  for await (const group of table.groups(COLUMNS)) reader.read(group);
  return reader.finish(table);
}

/** As {@link parquetProfile}, but throws a {@link TicksError} that names the file. */
export async function readTable(file: FileBytes, options: ParquetOptions): Promise<Profile> {
  try {
    return await parquetProfile(file, options);
  } catch (error) {
    if (!(error instanceof DamagedTable)) throw error;
    throw new TicksError(
      "NOT_A_LOG",
      `${options.name}: not a table of ticks: ${error.message}`,
      "Write one with: ticks export --format parquet LOG -o FILE.parquet",
    );
  }
}

/** Reads the rows of a table, stack by stack. */
class TableReader {
  readonly #options: ParquetOptions & { readonly input: InputKind | undefined };
  readonly #timedTicks: number;
  readonly #frames = new FrameRows();
  readonly #tree = new CallTreeBuilder();
  readonly #samples = new SampleTableBuilder();
  readonly #timeline: TimelineBuilder | undefined;
  readonly #threads = new Map<
    string,
    { readonly thread: ThreadInfo; readonly number: number; ticks: Ticks }
  >();
  readonly #ticksByState = VM_STATES.map(() => 0);
  readonly #v8 = new Set<string>();
  #asked: number | undefined;
  #got: number | undefined;
  /** What a tick of the table stands for, in µs. */
  #unit: number | undefined;
  #ticks = 0;
  #hasTimes = true;
  /** The frames of the stack that is being read, and what its rows share. */
  #stack: number[] = [];
  #open: OpenStack | undefined;

  /** At most `timedTicks` ticks get times. */
  constructor(options: ParquetOptions & { readonly input: InputKind | undefined }, timedTicks: number) {
    this.#options = options;
    this.#timedTicks = timedTicks;
    this.#timeline = options.timeline ? new TimelineBuilder() : undefined;
  }

  read(group: TableGroup): void {
    const missing = NEEDED.find((name) => !group.columns.has(name));
    if (missing !== undefined) throw new DamagedTable(`it lacks the column ${missing}`);
    const number = (name: string) => numbersOf(group, name);
    const text = (name: string) => textsOf(group, name);
    const [sample, depth, ticks, time] = [
      number("sample"),
      number("depth"),
      number("ticks"),
      number("time_us"),
    ];
    const unit = number("interval_us");
    const [state, v8, asked, got] = [
      text("state"),
      text("v8"),
      number("interval_asked_us"),
      number("interval_got_us"),
    ];
    const threads = this.#threadsOf(group);
    const frameOf = this.#frames.reader(group);
    for (let row = 0; row < group.rows; row++) {
      if (depth(row) === 0) {
        this.#close();
        this.#open = {
          sample: sample(row) ?? -1,
          ticks: ticks(row) ?? 0,
          state: STATES.indexOf(state(row) ?? ""),
          thread: threads(row),
          time: time(row),
        };
        const version = v8(row);
        if (version !== undefined) this.#v8.add(version);
        this.#asked ??= asked(row);
        this.#got ??= got(row);
        this.#unit ??= unit(row);
      } else if (depth(row) !== this.#stack.length || sample(row) !== this.#open?.sample) {
        throw new DamagedTable("a stack lacks a frame");
      }
      if (this.#stack.push(frameOf(row)) > DEEPEST) throw new DamagedTable("a stack is too deep");
    }
  }

  /** What a tick takes if the table is of a profile whose samples weigh their time: its ticks are microseconds. */
  get #tickTime(): Micros | undefined {
    if (this.#options.input === undefined || this.#unit !== 1) return undefined;
    return this.#got === undefined || this.#got <= 0 ? DEFAULT_INTERVAL : this.#got;
  }

  /** Counts the ticks of the stack that was read. */
  #close(): void {
    if (this.#open === undefined) return;
    const { state, thread, time } = this.#open;
    const tickTime = this.#tickTime;
    const ticks = tickTime === undefined ? this.#open.ticks : soundWeight(this.#open.ticks / tickTime);
    if (!(ticks > 0) || state < 0) throw new DamagedTable("a stack has no ticks, or an unknown state");
    let node = ROOT;
    for (let i = this.#stack.length - 1; i >= 0; i--) node = this.#tree.child(node, this.#stack[i]!);
    this.#stack = [];
    this.#open = undefined;
    const sample = this.#samples.add(node, state, ticks, thread.number);
    thread.ticks += ticks;
    this.#ticks += ticks;
    this.#ticksByState[state]! += ticks;
    if (!(this.#ticks <= Number.MAX_SAFE_INTEGER)) throw new DamagedTable("it has too many ticks");
    if (time === undefined) this.#hasTimes = false;
    if (this.#timeline === undefined || !this.#hasTimes) return;
    if (tickTime !== undefined) {
      this.#timeline.add(sample, time!, ticks);
      return;
    }
    if (this.#ticks > this.#timedTicks)
      throw new DamagedTable(`it has times for more ticks than the ${this.#timedTicks} that fit its size`);
    const interval = this.#asked ?? this.#got ?? DEFAULT_INTERVAL;
    for (let i = 0; i < ticks; i++) this.#timeline.add(sample, time! + i * interval);
  }

  #threadsOf(group: TableGroup) {
    const texts = THREAD_COLUMNS.map((name) => textsOf(group, name));
    return (row: number) => {
      const words = texts.map((read) => read(row));
      const key = words.map((word) => word ?? "").join("\0");
      const known = this.#threads.get(key);
      if (known !== undefined) return known;
      if (this.#threads.size === THREADS_LIMIT) throw new DamagedTable("it has too many threads");
      const [log = "", pid, isolate, name = "", kind] = words;
      const thread: ThreadInfo = {
        name,
        log,
        pid: pid === undefined ? undefined : Number(pid),
        isolate,
        kind: kind === "main" || kind === "worker" ? kind : undefined,
        ticks: 0,
        span: 0,
      };
      const made = { thread, number: this.#threads.size, ticks: 0 };
      this.#threads.set(key, made);
      return made;
    };
  }

  finish({ facts }: TableFile): Profile {
    this.#close();
    const { name } = this.#options;
    const sampling = samplingOf({
      asked: this.#asked,
      got: this.#got,
      hasTimes: facts.get("ticks.has_times") !== "false",
    });
    const threads = Array.from(this.#threads.values(), ({ thread, ticks }) => ({
      ...thread,
      ticks,
      sampling,
    }));
    const { frames } = this.#frames;
    const v8 = Array.from(this.#v8, versionOf).filter((version) => version !== undefined);
    return {
      frames,
      tree: this.#tree.finish(),
      samples: this.#samples,
      timeline: this.#hasTimes ? this.#timeline : undefined,
      sources: [],
      identities: this.#frames.identities,
      info: {
        title: name,
        logs: [name],
        ...(this.#options.input && { input: this.#options.input, tickTime: this.#tickTime }),
        threads: nameThreads(threads),
        v8,
        // A table of several versions names none, but their tiers.
        isUnversioned: v8.length === 0 && areOld(frames),
        sampling,
        rangeRows: { currentTime: 0, runtimeTimers: 0 },
        ticks: this.#ticks,
        excluded: 0,
        ticksByState: this.#ticksByState,
        hasShownStacks: true,
        libraries: [],
        diagnostics: [],
      },
    };
  }
}

/** Returns whether there is code with a tier, and a V8 before 5.9 made all of it. */
function areOld(frames: readonly Frame[]): boolean {
  const tiered = frames.filter((frame) => frame.kind === "js" && frame.tier !== "");
  return tiered.length > 0 && tiered.every((frame) => frame.kind === "js" && frame.byOldCompilers);
}

interface OpenStack {
  readonly sample: number;
  readonly ticks: Ticks;
  readonly state: number;
  readonly thread: { readonly number: number; ticks: Ticks };
  readonly time: number | undefined;
}

/** Returns a function that reads the number of a row; undefined for null. */
function numbersOf({ columns }: TableGroup, name: string): (row: number) => number | undefined {
  const column = columns.get(name);
  if (column === undefined) return () => undefined;
  const { numbers, values } = column;
  if (values === undefined) return (row) => numbers[row];
  return (row) => {
    const value = numbers[row]! < 0 ? undefined : values[numbers[row]!];
    return value === undefined ? undefined : Number(value);
  };
}

/** Returns a function that reads the text of a row; undefined for null. */
function textsOf({ columns }: TableGroup, name: string): (row: number) => string | undefined {
  const column = columns.get(name);
  if (column?.values === undefined) return () => undefined;
  const { numbers } = column;
  const texts = column.values.map(String);
  return (row) => (numbers[row]! < 0 ? undefined : texts[numbers[row]!]);
}

function samplingOf(known: Pick<Sampling, "asked" | "got" | "hasTimes">): Sampling {
  const unknown = { usual: undefined, span: 0, longestStep: 0, gaps: 0, gapTime: 0, longestGap: 0 };
  return { ...known, ...unknown, bunched: 0, overflows: 0, withoutStack: 0 };
}

const VERSION = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})\.(\d{1,9})(.*)$/s;

function versionOf(text: string): V8Version | undefined {
  const [, major, minor, build, patch, embedder = ""] = VERSION.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), build: Number(build), patch: Number(patch), embedder };
}
