import { columnOf, reaching, widened } from "../base/columns.js";
import { TicksError } from "../base/errors.js";
import { LAST_TIME, SAMPLED_LINES, STACK_DEPTH } from "../base/limits.js";
import { valueAt } from "../base/maps.js";
import { PairNumbers } from "../base/pair-numbers.js";
import { upperBound } from "../base/sorted.js";
import type { Micros, Ticks } from "../base/units.js";
import { CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import { Diagnostics } from "../profile/diagnostics.js";
import { type Frame, frameKey } from "../profile/frame.js";
import { type FileTimes, logStart } from "../profile/log-start.js";
import { JSC_BUILTINS } from "../profile/logged-name.js";
import type { InputKind, Profile, ThreadInfo, ThreadOrigin } from "../profile/profile.js";
import { allTicks, SampleTableBuilder, stateTicks } from "../profile/sample-table.js";
import { gapLimit, type Sampling } from "../profile/sampling.js";
import { soundPosition, soundWeight } from "../profile/sound-numbers.js";
import { filePath } from "../profile/stable-files.js";
import { nameThreads } from "../profile/threads.js";
import { TimelineBuilder } from "../profile/timeline.js";
import { EXTERNAL, GC, isIdle, UNKNOWN_STATE, type VmState, vmState } from "../profile/vm-state.js";

/** The numbers of a piece of a list: a list grows without copies of what it has. */
const PIECE_BITS = 14;
const PIECE = 1 << PIECE_BITS;

/** Numbers in memory of their own: 4 bytes each, 8 in pieces with one that is no integer of 32 bits. */
export class NumberList {
  length = 0;
  #last: Int32Array | Float64Array = new Int32Array(16);
  readonly #pieces: (Int32Array | Float64Array)[] = [this.#last];

  push(value: number): void {
    const place = this.length++;
    const at = place & (PIECE - 1);
    if (at === 0 && place > 0) this.#replace(this.#pieces.length, new Int32Array(PIECE));
    else if (at === this.#last.length) this.#replace(this.#pieces.length - 1, widened(this.#last, 2 * at));
    if (value !== (value | 0) && this.#last instanceof Int32Array)
      this.#replace(this.#pieces.length - 1, Float64Array.from(this.#last));
    this.#last[at] = value;
  }

  at(place: number): number {
    return this.#pieces[place >> PIECE_BITS]![place & (PIECE - 1)]!;
  }

  /** Overwrites a number with one of 32 bits. */
  set(place: number, value: number): void {
    this.#pieces[place >> PIECE_BITS]![place & (PIECE - 1)] = value;
  }

  /** Frees the memory of the numbers before a place: they are not asked for again. */
  free(place: number): void {
    if ((place & (PIECE - 1)) === 0 && place > 0) this.#pieces[(place >> PIECE_BITS) - 1] = NO_NUMBERS;
  }

  #replace(piece: number, numbers: Int32Array | Float64Array): void {
    this.#pieces[piece] = numbers;
    this.#last = numbers;
  }
}

const NO_NUMBERS = new Int32Array();

/** Ids below this are in the column of any profile. */
const LEAST_IDS = 64;

/**
 * The places of rows, such as nodes, by their ids: in a column as long as ids are near to the number of rows, as V8's are. The length of
 * the column depends on that number alone: ids that double must not make it longer.
 */
export class RowIds {
  #near = new Int32Array(LEAST_IDS);
  readonly #far = new Map<number | bigint, number>();

  /** Returns the place of a row; -1 for none. */
  get(id: number | bigint): number {
    if (isPlace(id) && id < this.#near.length) return this.#near[id]! - 1;
    return this.#far.get(id) ?? -1;
  }

  /** `place` is how many rows came before. */
  set(id: number | bigint, place: number): void {
    if (isPlace(id) && id < Math.max(4 * place + LEAST_IDS, this.#near.length)) {
      const known = this.#near.length;
      this.#near = reaching(this.#near, id);
      if (this.#near.length > known && this.#far.size > 0) this.#moveNear();
      this.#near[id] = place + 1;
    } else this.#far.set(id, place);
  }

  #moveNear(): void {
    for (const [id, place] of this.#far) {
      if (!isPlace(id) || id >= this.#near.length) continue;
      this.#near[id] = place + 1;
      this.#far.delete(id);
    }
  }
}

function isPlace(id: number | bigint): id is number {
  return id >= 0 && Number.isInteger(id);
}

/** The options of a reader of a profile. */
export interface ReadInputOptions {
  /** What reports call the file. */
  readonly name: string;
  readonly origin?: ThreadOrigin | undefined;
  readonly fileTimes?: FileTimes | undefined;
  /** In ms from the start: only samples from then to then count. Default: all. */
  readonly range?: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined;
  /** Whether the profile has every sample with its time. Default: false. */
  readonly timeline?: boolean | undefined;
  /** Which of the values of a pprof profile count, by their type: `cpu`, `wall`. Default: what the profile says. */
  readonly sampleType?: string | undefined;
  /** Which samples of a pprof profile count, by their labels. Default: all. */
  readonly labels?: LabelFilter | undefined;
}

/** Labels of samples: those with a key, or of any key, whose value matches. */
export interface LabelPattern {
  readonly key: string | undefined;
  readonly value: RegExp;
}

/** Which samples count: those with a label that matches one of `focus`, if there are any, and none of `ignore`. */
export interface LabelFilter {
  readonly focus?: readonly LabelPattern[] | undefined;
  readonly ignore?: readonly LabelPattern[] | undefined;
}

/** What is known of a thread apart from its samples. */
export type GivenThread = ThreadOrigin & Pick<ThreadInfo, "kind" | "label" | "number">;

/** Returns what the name of a file tells of its thread. */
export function threadOfFile({ origin }: ReadInputOptions): GivenThread {
  const { pid, isolate } = origin ?? {};
  const kind = isolate !== undefined ? "worker" : pid === undefined ? undefined : "main";
  // Node's names of profiles have the number of the worker.
  const number = isolate !== undefined && /^\d+$/.test(isolate) ? Number(isolate) : undefined;
  return { pid, isolate, kind, number };
}

/**
 * The artificial functions of V8's profiler, and what Datadog's calls one. Source: V8, src/profiler/profile-generator.h, `CodeEntry`;
 * pprof-nodejs, ts/src/profile-serializer.ts.
 */
const STATE_OF: ReadonlyMap<string, VmState> = new Map([
  ["(garbage collector)", GC],
  ["Garbage Collection", GC],
  ["(idle)", vmState("idle")],
  // Of heap profiles: src/profiler/sampling-heap-profiler.cc, `AddStack`.
  ["(GC)", GC],
  ["(PARSER)", vmState("parser")],
  ["(COMPILER)", vmState("compiler")],
  ["(BYTECODE_COMPILER)", vmState("bytecode-compiler")],
]);

/** What V8's profiler made up. */
const MADE_UP = /^\((?:program|idle|garbage collector|root)\)$/;

/**
 * Scripts of runtimes that tell V8 when a thread waits: Node from 16 on, which does so since 14, and Chrome. Electron has scripts of Node,
 * but an event loop of its own.
 */
const TELLS_IDLE = /^(?:node:internal\/|https?:)/;

const V8_ONLY: ReadonlySet<string> = new Set(["(program)", "(idle)", "(garbage collector)"]);

/**
 * Returns the number of the first line and column in a profile, by its first node, the root, which has none: that is -1 or nothing where
 * they are from 0, as the inspector writes them; and 0 where they are from 1, as V8 says them to programs, which may write them as
 * they are. Profiles of old Chromes have no `callFrame`, and are from 1.
 *
 * Source: V8, include/v8-profiler.h, `CpuProfileNode`; src/inspector/v8-profiler-agent-impl.cc, `buildInspectorObjectFor`.
 */
export function firstPosition({ functionName, lineNumber }: CallFrame, hasCallFrame: boolean): 0 | 1 {
  if (lineNumber === -1) return 0;
  return !hasCallFrame || (functionName === "(root)" && lineNumber === 0) ? 1 : 0;
}

/** Returns the frame of what V8's profiler made up; it is of no file. */
function madeUpFrame(name: string): Frame {
  return { kind: "native", library: "", symbol: name };
}

/** Where a function is, as profiles in JSON have it. */
export interface CallFrame {
  readonly functionName?: unknown;
  readonly scriptId?: unknown;
  readonly url?: unknown;
  readonly lineNumber?: unknown;
  readonly columnNumber?: unknown;
}

/** The frames of functions, each once. */
export class FunctionFrames {
  readonly frames: Frame[] = [];
  /** Whether V8 or JavaScriptCore named the files: one without a position in it is a script then, unless it looks like a library. */
  readonly #ofScripts: boolean;
  /** The functions of scripts by their names, and the others by {@link frameKey}. */
  readonly #scripts = new Map<string, number>();
  readonly #others = new Map<string, number>();
  /** Pairs of a frame and a line, and those of the first with a column; and by the latter their frames. */
  readonly #lines = new PairNumbers();
  readonly #columns = new PairNumbers();
  readonly #atLines = new NumberList();
  readonly #diagnostics: Diagnostics;

  constructor(diagnostics: Diagnostics, { ofScripts = false }: { readonly ofScripts?: boolean } = {}) {
    this.#diagnostics = diagnostics;
    this.#ofScripts = ofScripts;
  }

  /** Returns the number of the frame of a function, without a line. `first` is the number of the first line and column. */
  of({ functionName, url, lineNumber, columnNumber }: CallFrame, first: 0 | 1 = 0): number {
    const name = typeof functionName === "string" ? functionName : "";
    const file = typeof url === "string" ? url : "";
    const isMadeUp = file === "" && MADE_UP.test(name);
    const from1 = (position: unknown) =>
      typeof position === "number" && !isMadeUp ? soundPosition(position + 1 - first) : 0;
    const [line, column] = [from1(lineNumber), from1(columnNumber)];
    const frame = this.#frameOf(name, { file, line, column });
    const add = () => this.frames.push(frame) - 1;
    return frame.kind === "js"
      ? valueAt(this.#scripts, frame.name, add)
      : valueAt(this.#others, frameKey(frame), add);
  }

  /** Gives the functions of JavaScriptCore without a file one of their own: each is its own text, of one line. */
  nameBuiltins(): void {
    for (const [number, frame] of this.frames.entries()) {
      if (frame.kind !== "js" || !JSC_BUILTIN.test(frame.name)) continue;
      const name = frame.name.replace(" :", ` ${JSC_BUILTINS}:`);
      this.frames[number] = { ...frame, name };
    }
  }

  #frameOf(name: string, place: Place): Frame {
    return frameOf(name, place, this.#ofScripts ? !LIBRARY.test(place.file) : URL_OF_SCRIPT.test(place.file));
  }

  /**
   * Returns the number of a frame of the same function at a line, and at a column if that is known; without one if there are more than
   * {@link SAMPLED_LINES}.
   */
  atLine(number: number, line: number, column = 0): number {
    const frame = this.frames[number]!;
    if (line === 0 || frame.kind !== "js") return number;
    const { length } = this.#columns;
    const found = this.#columns.of(this.#lines.of(number, line), column);
    if (found >= SAMPLED_LINES) {
      if (found === length) this.#diagnostics.add("many-lines", 1);
      return number;
    }
    if (found === length)
      this.#atLines.push(this.frames.push({ ...frame, line, ...(column > 0 && { column }) }) - 1);
    return this.#atLines.at(found);
  }
}

interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The kinds of V8's own code, as reports of this program name it in profiles: `Builtin: ArrayMap`. */
const CODE = /^([A-Z][A-Za-z]{1,30}): (.*)$/s;

/** Functions of WebAssembly as logs of V8 name them, which tell no module. */
const WEB_ASSEMBLY = /^wasm-(?:function\[\d+\]|to-js)$/;

/** Not what a program makes of a text, which is `anonymous` or `(eval)`. */
const JSC_BUILTIN = /^(?!anonymous )[\w$@ .[\]]+ :1:\d+$/;
/** Scripts that are named so have no position only if nobody knows it: in pprof, also for functions of libraries. */
const URL_OF_SCRIPT = /^[a-z][a-z0-9+.-]+:|^evalmachine\.|^wasm /i;
/** Binaries, and what Linux maps into a process: V8's own exports have none, those of this program do. */
const LIBRARY =
  /\.(?:so|dylib|dll|exe|node)(?:\.\d+)*$|^\[\w+\]$|(?:^|[\\/])(?:node|bun|deno|electron|chrome|chromium|workerd)$/i;

/** `isScript`: whether the file is one if the position in it is unknown. */
function frameOf(title: string, { file, line, column }: Place, isScript: boolean): Frame {
  if (file === "") {
    if (MADE_UP.test(title)) return madeUpFrame(title);
    if (line === 0 && WEB_ASSEMBLY.test(title))
      return { kind: "js", type: "JS", tier: "", name: title, line: 0, inlined: false };
    if (title === "UNKNOWN") return { kind: "unknown", reason: "unmapped" };
    const [, type, name] = (line === 0 && CODE.exec(title)) || [];
    if (type !== undefined) return { kind: "code", type, name: name!, duplicate: 0 };
    if (line === 0)
      return title === "" ? madeUpFrame("(anonymous)") : { kind: "native", library: "", symbol: title };
  } else if (line === 0 && !isScript) {
    const library = filePath(file);
    const isNamed = title !== library && !library.endsWith(`/${title}`);
    return { kind: "native", library, symbol: isNamed ? title : undefined };
  }
  const name = title === "(anonymous)" || title === "<anonymous>" ? "" : title;
  // Joined: V8 keeps a text that is added up as a tree of its parts, which takes several times as much memory.
  const full = [name, " ", file, ":", Math.max(1, line), ":", Math.max(1, column)].join("");
  return {
    kind: "js",
    type: "JS",
    tier: "",
    name: full,
    scriptAt: name.length + 1,
    line: 0,
    inlined: false,
  };
}

/** A node as a profile has it. */
interface RawNode {
  readonly id?: unknown;
  readonly callFrame?: unknown;
  readonly children?: unknown;
  readonly parent?: unknown;
  readonly hitCount?: unknown;
  readonly positionTicks?: unknown;
  /** The same in profiles of v8-profiler, there or in `callFrame`. */
  readonly lineTicks?: unknown;
}

/**
 * The usual step between samples, to a 16th. Two of three steps of a sampler are near the median. Where they are not, the file has
 * steps of another kind, such as how long one stack went on, or the sampler had little CPU: then many steps are as short as it can.
 */
class StepCounts {
  readonly #bins = new Float64Array(64 * STEP_PARTS);
  readonly #sums = new Float64Array(64 * STEP_PARTS);
  #count = 0;

  add(step: Micros): void {
    const bin = binOf(step);
    this.#bins[bin]!++;
    this.#sums[bin]! += step;
    this.#count++;
  }

  /** Returns the usual step, the median; undefined without steps, or if they are no sampler's. */
  usual(): Micros | undefined {
    const bin = this.#binAt(0.5);
    return this.#count < FEW_STEPS || this.#near(bin, STEP_PARTS) >= NEAR_STEPS * this.#count
      ? this.#meanOf(bin)
      : undefined;
  }

  /** Returns the step that a sampler makes unless it is late, if many are so short; undefined without such, or if they are no sampler's. */
  least(): Micros | undefined {
    const bin = this.#binAt(EARLY_PART);
    return this.#near(bin, STEP_PARTS / 4) >= EARLY_STEPS * this.#count ? this.#meanOf(bin) : undefined;
  }

  /** Returns a step that is too long for a sampler that is as punctual as this one. */
  late(): Micros {
    return (
      LATE_STEPS *
      Math.max(this.#meanOf(this.#binAt(0.5)) ?? 0, this.#meanOf(this.#binAt(1 - EARLY_PART)) ?? 0)
    );
  }

  /** Returns the bin below whose end a part of the steps is. */
  #binAt(part: number): number {
    let [bin, below] = [0, this.#bins[0]!];
    while (bin < this.#bins.length - 1 && below < part * this.#count) below += this.#bins[++bin]!;
    return bin;
  }

  #near(bin: number, parts: number): number {
    let near = 0;
    for (let other = Math.max(0, bin - parts); other <= bin + parts; other++) near += this.#bins[other] ?? 0;
    return near;
  }

  #meanOf(bin: number): Micros | undefined {
    return bin > 0 && this.#bins[bin]! > 0 ? this.#sums[bin]! / this.#bins[bin]! : undefined;
  }
}

/** Bins of a doubling of the step. */
const STEP_PARTS = 16;
const FEW_STEPS = 10;
const NEAR_STEPS = 0.6;
/** Where the shortest steps of a sampler end, and the part of all steps that is as short, to a quarter of a doubling. */
const EARLY_PART = 0.1;
const EARLY_STEPS = 0.25;
/** A step is late if it is so many times as long as nine of ten are. */
const LATE_STEPS = 2;

/** Returns the bin of a step: 0 for less than a microsecond. */
function binOf(step: Micros): number {
  return step < 1 ? 0 : Math.floor(Math.log2(step) * STEP_PARTS) + 1;
}

/** Stands for no node. */
export const NONE = -1;
/** Without any times, samples are so far apart: V8's default. */
const DEFAULT_INTERVAL: Micros = 1000;

/**
 * Makes a profile of the nodes, samples and times that V8's CPU profiler writes, in whatever order they come. A sample is a
 * tick if it took the mean time of all; its time is that up to the next sample, as in DevTools, and the last one's that up to the end.
 *
 * Source: V8, include/v8-profiler.h, `CpuProfile::Serialize`; Chrome DevTools Protocol, `Profiler.Profile`.
 */
export class V8ProfileBuilder {
  readonly diagnostics = new Diagnostics();
  /** In µs, but in seconds in some old profiles. */
  startTime: number | undefined;
  endTime: number | undefined;
  readonly #functions = new FunctionFrames(this.diagnostics, { ofScripts: true });
  #firstPosition: 0 | 1 = 0;
  /** Whether a node is one of those that V8 makes up: JavaScriptCore makes none, but the root. */
  #isOfV8 = false;
  #hasIdle = false;
  /** Whether a script is of a runtime that tells V8 when it is idle. */
  #tellsIdle = false;
  readonly #ids = new RowIds();
  /** By node: the number of its function's frame. */
  readonly #frames = new NumberList();
  /** By node: the place of its parent, once that is known. */
  readonly #parents = new NumberList();
  readonly #hits = new NumberList();
  /** By node: where its lines begin in {@link #lines}, which has a line and its ticks by turns. */
  readonly #lineStarts = new NumberList();
  readonly #lines = new NumberList();
  /** A place and the id of its child, by turns. */
  #children = new NumberList();
  /** A place and the id of its parent, by turns. */
  readonly #callers = new NumberList();
  /** The ids of the nodes that ran. */
  readonly #samples = new NumberList();
  /** By sample: its line, in files that have it. */
  readonly #sampleLines = new NumberList();
  /** The same, of columns. */
  readonly #sampleColumns = new NumberList();
  readonly #deltas = new NumberList();
  /** By sample: its time, as profiles of 2014 have in place of deltas. */
  readonly #times = new NumberList();

  addNode(value: unknown): void {
    const place = this.#add(value, NONE);
    if (place === NONE) return;
    const { children, parent } = value as RawNode;
    if (typeof parent === "number") {
      this.#callers.push(place);
      this.#callers.push(parent);
    }
    if (!Array.isArray(children)) return;
    if (children.some((child) => typeof child === "object")) this.#addNested(children, place);
    else {
      for (const child of children) {
        this.#children.push(place);
        this.#children.push(Number(child));
      }
    }
  }

  addSample(id: number): void {
    this.#samples.push(id);
  }

  /** `column`: 0 if unknown. */
  addSamplePlace(line: number, column: number): void {
    this.#padPlaces(this.#samples.length - 1);
    this.#sampleLines.push(soundPosition(line));
    this.#sampleColumns.push(soundPosition(column));
  }

  /** Samples without a place are at none, if others have one. */
  #padPlaces(length: number): void {
    while (this.#sampleLines.length < length) {
      this.#sampleLines.push(0);
      this.#sampleColumns.push(0);
    }
  }

  addDelta(delta: number): void {
    this.#deltas.push(delta);
  }

  addTime(time: number): void {
    this.#times.push(time);
  }

  get samples(): number {
    return this.#samples.length;
  }

  get nodes(): number {
    return this.#frames.length;
  }

  /** Adds nodes that are inside their parents, as profiles up to 2016 have them. */
  #addNested(children: readonly unknown[], place: number): void {
    const open = [{ nodes: children, parent: place }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const node of next.nodes) {
        const parent = this.#add(node, next.parent);
        if (parent === NONE) continue;
        const { children: nodes } = node as RawNode;
        if (Array.isArray(nodes)) open.push({ nodes, parent });
      }
    }
  }

  /** Adds a node, and returns its place; -1 for something else. */
  #add(value: unknown, parent: number): number {
    if (typeof value !== "object" || value === null) {
      this.diagnostics.add("damaged-value", 1);
      return NONE;
    }
    const node = value as RawNode;
    const place = this.#frames.length;
    const id = Number(node.id);
    if (this.#ids.get(id) >= 0) this.diagnostics.add("duplicate-node", 1);
    else if (Number.isFinite(id)) this.#ids.set(id, place);
    const { callFrame } = node;
    const hasCallFrame = typeof callFrame === "object" && callFrame !== null;
    const at: CallFrame = hasCallFrame ? callFrame : node;
    if (place === 0) this.#firstPosition = firstPosition(at, hasCallFrame);
    this.#frames.push(this.#functions.of(at, this.#firstPosition));
    if (at.functionName === "(idle)") this.#hasIdle = true;
    if (typeof at.url === "string" && TELLS_IDLE.test(at.url)) this.#tellsIdle = true;
    if (V8_ONLY.has(at.functionName as string) && !at.url) this.#isOfV8 = true;
    this.#parents.push(parent);
    this.#hits.push(countOf(node.hitCount));
    this.#lineStarts.push(this.#lines.length);
    const lines = node.positionTicks ?? (at as RawNode).lineTicks;
    for (const one of Array.isArray(lines) ? lines : []) {
      const { line, ticks, hitCount } = (one ?? {}) as {
        readonly [Key in "line" | "ticks" | "hitCount"]?: unknown;
      };
      this.#lines.push(soundPosition(Number(line)));
      this.#lines.push(countOf(ticks ?? hitCount));
    }
    return place;
  }

  /** Returns the profile. Call it once. `thread`: default: what the name of the file tells. */
  finish(kind: InputKind, options: ReadInputOptions, given: GivenThread = threadOfFile(options)): Profile {
    const { name, fileTimes, timeline: hasTimeline = false } = options;
    const range = rangeOf(options);
    const stacks = this.#stacks();
    const isSampled = this.#samples.length > 0;
    const timeline = hasTimeline && isSampled ? new TimelineBuilder(this.#samples.length) : undefined;
    const most = isSampled ? Math.min(this.#samples.length, this.nodes) : this.nodes;
    const samples = new SampleTableBuilder(Math.max(1, most));
    const count: Count = (node, { line, column = 0 }, { ticks, hits }) => {
      const row = samples.add(stacks.nodeAt(node, line, column), stacks.stateOf(node), ticks);
      samples.addCount(row, hits);
      return row;
    };
    const { hasTimes, start, end, interval, isGuess, times, pauses } = isSampled
      ? this.#countSamples(stacks, count, { range, timeline })
      : this.#countHits(count);
    if (range !== undefined && !hasTimes) throw untimed(name);
    const table = samples.finish();
    const ticks = allTicks(table);
    const time = ticks * interval;
    const sampling = samplingOf({ hasTimes, ticks, time, pauses });
    const span = sampling.span;
    const { pid, isolate, kind: threadKind, label, number } = given;
    const thread: ThreadInfo = {
      name,
      log: name,
      pid,
      isolate,
      kind: threadKind,
      label,
      number,
      ticks,
      span,
      start: fileTimes && logStart(fileTimes, span),
      sampling,
      recorded: { start, end },
      ...(pauses?.areWaits
        ? { isSampledAwake: true }
        : !this.#hasIdle && !this.#tellsIdle && this.#isOfV8 && { isIdleUnknown: true }),
    };
    return {
      frames: this.#functions.frames,
      tree: stacks.tree.finish(),
      samples: table,
      timeline: hasTimes ? timeline : undefined,
      sources: [],
      info: {
        title: name,
        logs: [name],
        input: kind,
        ...(!isGuess && { tickTime: interval }),
        threads: nameThreads([thread]),
        v8: [],
        sampling,
        rangeRows: { currentTime: 0, runtimeTimers: 0, ...(times && { times }) },
        ticks,
        excluded: 0,
        ticksByState: Array.from(stateTicks(table)),
        hasShownStacks: true,
        libraries: [],
        diagnostics: this.diagnostics.list(),
      },
    };
  }

  /** Links the nodes, and puts their stacks into a tree. */
  #stacks(): NodeStacks {
    const parents = this.#parents;
    if (!this.#isOfV8 && this.#samples.length > 0) this.#functions.nameBuiltins();
    const link = (child: number, parent: number) => {
      if (child < 0 || parent < 0) this.diagnostics.add("unknown-node", 1);
      else if (parents.at(child) === NONE) parents.set(child, parent);
      else if (parents.at(child) !== parent) this.diagnostics.add("second-caller", 1);
    };
    for (let i = 0; i < this.#children.length; i += 2)
      link(this.#ids.get(this.#children.at(i + 1)), this.#children.at(i));
    for (let i = 0; i < this.#callers.length; i += 2)
      link(this.#callers.at(i), this.#ids.get(this.#callers.at(i + 1)));
    this.#children = new NumberList(); // They may take much memory.
    return new NodeStacks(this.#functions, this.#frames, parents, this.diagnostics);
  }

  /** Counts the samples in the order of their times: each weighs its own, a tick for the mean time of all. */
  #countSamples(
    stacks: NodeStacks,
    count: Count,
    { range, timeline }: { range: MicrosRange | undefined; timeline: TimelineBuilder | undefined },
  ): Counted {
    const sampled = this.#sampleTimes();
    const { start, end, order, hasTimes, isGuess } = sampled;
    const { interval, lengthOf, pauses } = this.#sampleLengths(sampled, stacks);
    const next = sampled.times();
    const isWeighed = hasTimes && !isGuess;
    const hasLines = this.#sampleLines.length > 0;
    if (hasLines) this.#padPlaces(this.#samples.length);
    const places = hasLines
      ? new GivenPlaces(this.nodes, this.#sampleLines, this.#sampleColumns)
      : new LineTurns(this.#lineStarts, this.#lines);
    let hits = new Float64Array(Math.max(1, places.length));
    /** By place, in µs: exact, as sums of rounded ticks would not be. */
    let times = new Float64Array(hits.length);
    const { length } = this.#samples;
    const first = next();
    let last = first;
    for (let i = 0, time = first; i < length; i++) {
      const following = i + 1 < length ? next() : end;
      const lasts = lengthOf(i, following - time);
      const sample = order === undefined ? i : order[i]!;
      if (order === undefined && i % PIECE === 0) this.#free(i);
      const node = this.#ids.get(this.#samples.at(sample));
      if (node < 0) this.diagnostics.add("unknown-sample", 1);
      const place = places.next(node, sample);
      last = time;
      if (range === undefined || (time >= range.from && time <= range.to)) {
        if (place >= hits.length) {
          hits = widened(hits, 2 * place);
          times = widened(times, 2 * place);
        }
        hits[place]!++;
        times[place]! += lasts;
        if (following - time > lasts) pauses.add(following - time - lasts);
        timeline?.add(place, time, isWeighed ? soundWeight(lasts / interval) : undefined);
      }
      time = following;
    }
    if (!hasLines) shareByHits(places, hits, times);
    const rows = new Int32Array(places.length);
    for (let place = 0; place < places.length; place++) {
      if (hits[place]! > 0)
        rows[place] = count(places.nodeOf(place), places.at(place), {
          ticks: isWeighed ? soundWeight(times[place]! / interval) : hits[place]!,
          hits: hits[place]!,
        });
    }
    timeline?.renumber(rows);
    const facts = { hasTimes, start, end, interval, isGuess, pauses };
    return { ...facts, ...(range && { times: [first, last] as const }) };
  }

  /**
   * Returns how long samples last, and the mean of that. A sample lasts up to the next one, unless a gap is between them, as long as
   * gaps of logs are: JavaScriptCore takes no samples while a thread waits, and no sampler does without CPU. Then it lasts as long as
   * samples usually do; one that waits, up to the next one. If its end is not told, the last one does not last much longer than usual
   * either, unless it waits.
   */
  #sampleLengths(
    { hasTimes, isGuess, end, interval, times, order, isEndGiven }: SampleTimes,
    stacks: NodeStacks,
  ) {
    const { length } = this.#samples;
    const pauses = new Pauses();
    const whole = { interval, lengthOf: (_: number, step: Micros) => step, pauses };
    if (!hasTimes || isGuess) return whole;
    const counts = new StepCounts();
    let next = times();
    for (let i = 1, time = next(); i < length; i++) {
      const following = next();
      counts.add(following - time);
      time = following;
    }
    // A thread of V8 is sampled as it waits: where it was late, it had no CPU.
    const usual =
      length > 1 ? (counts.usual() ?? (this.#isOfV8 ? undefined : counts.least())) : DEFAULT_INTERVAL;
    if (usual === undefined) return whole;
    // Without CPU, steps of a short interval are soon ten times as long.
    const limit = this.#isOfV8 ? gapLimit({ asked: undefined, usual }) : GAP_STEPS * usual;
    const nodeOf = (i: number) => this.#ids.get(this.#samples.at(order === undefined ? i : order[i]!));
    const isWaiting = (i: number) => isIdle(stacks.stateOf(nodeOf(i)));
    // Where V8 is not told that a thread waits, it is in (program).
    const mayWait = this.#hasIdle ? isWaiting : (i: number) => stacks.isProgram(nodeOf(i));
    const isSampled = this.#sampledWaits(times(), limit, mayWait);
    // A thread that is sampled as it waits did not wait here: it had no CPU, which is a part of what it did, as in turns.
    const isSampledWaiting = this.#hasIdle && isSampled;
    const areWaits = this.#isOfV8 ? (this.#hasIdle || !this.#tellsIdle) && !isSampled : true;
    const longest = isSampledWaiting ? FAR_GAP * limit : areWaits ? Math.min(limit, counts.late()) : limit;
    const lengthOf = (i: number, step: Micros) => {
      const isLate = i === length - 1 && !isEndGiven ? step > LATE_END * usual : step > longest;
      return isLate && !isWaiting(i) ? usual : step;
    };
    next = times();
    let sum = 0;
    for (let i = 0, time = next(); i < length; i++) {
      const following = i + 1 < length ? next() : end;
      sum += lengthOf(i, following - time);
      time = following;
    }
    if (!(sum > 0)) return whole;
    pauses.usual = usual;
    pauses.limit = longest;
    pauses.areWaits = areWaits;
    return { interval: sum / length, lengthOf, pauses };
  }

  /**
   * Whether a thread is sampled as it waits: there are not many more gaps than samples that wait. V8 samples only threads that hold its isolate,
   * and workerd lets go of it to wait: there the profile has some samples in `(idle)`, such as its first, and all waits are gaps.
   */
  #sampledWaits(next: () => Micros, limit: Micros, isWaiting: (i: number) => boolean): boolean {
    let [gaps, waits] = [0, 0];
    for (let i = 0, time = next(); i < this.#samples.length; i++) {
      const following = i + 1 < this.#samples.length ? next() : time;
      if (isWaiting(i)) waits++;
      else if (following - time > limit) gaps++;
      time = following;
    }
    return MOST_GAPS_A_WAIT * (waits + 1) >= gaps;
  }

  /** Frees what was read of the samples before one. */
  #free(sample: number): void {
    const lists = [this.#samples, this.#deltas, this.#times, this.#sampleLines, this.#sampleColumns];
    for (const list of lists) list.free(sample);
  }

  /** Counts the hits of nodes: profiles up to 2014 have no samples. */
  #countHits(count: Count): Counted {
    const { length } = this.#frames;
    let hits = 0;
    for (let node = 0; node < length; node++) hits += this.#hits.at(node);
    const { start, length: given } = this.#span(hits * DEFAULT_INTERVAL);
    const isGuess = hits === 0 || given === undefined;
    const interval = isGuess ? DEFAULT_INTERVAL : given / hits;
    for (let node = 0; node < length; node++) {
      let left = this.#hits.at(node);
      const ends = node + 1 < length ? this.#lineStarts.at(node + 1) : this.#lines.length;
      for (let i = this.#lineStarts.at(node); i < ends && left > 0; i += 2) {
        const ticks = Math.min(left, this.#lines.at(i + 1));
        if (ticks > 0) count(node, { line: this.#lines.at(i) }, { ticks, hits: ticks });
        left -= ticks;
      }
      if (left > 0) count(node, { line: 0 }, { ticks: left, hits: left });
    }
    return { hasTimes: false, start, end: hits * interval, interval, isGuess };
  }

  #sampleTimes(): SampleTimes {
    const given = this.#times.length > 0 ? this.#times : this.#deltas;
    return (given.length > 0 ? this.#givenTimes(given) : undefined) ?? this.#evenTimes();
  }

  /** Samples without times share the time of the profile. */
  #evenTimes(): SampleTimes {
    const { length } = this.#samples;
    const { start, length: span } = this.#span(length * DEFAULT_INTERVAL);
    const interval = (span ?? length * DEFAULT_INTERVAL) / length;
    return {
      ...{ hasTimes: false, start, end: length * interval, interval, isGuess: span === undefined },
      ...{ order: undefined, times: evenly(interval), isEndGiven: true },
    };
  }

  /** Returns the times that a profile states; undefined if several samples have the same, which tells nothing. */
  #givenTimes(given: NumberList): SampleTimes | undefined {
    const { length } = this.#samples;
    if (given.length < length) this.diagnostics.add("missing-time", 1, undefined, length - given.length);
    const isAbsolute = given === this.#times;
    const base = isAbsolute ? firstTime(given) : 0;
    /** Returns the time of a sample from the start, given that of the one before. */
    const timeAt = (i: number, before: Micros) => {
      if (i >= given.length) return before;
      const time = isAbsolute ? given.at(i) - base : before + given.at(i);
      return Math.abs(time) <= LAST_TIME ? time : before;
    };
    const first = timeAt(0, 0);
    let [time, earliest, latest, odd, back, farthest] = [first, first, first, 0, 0, 0];
    for (let i = 0; i < length; i++) {
      const before = time;
      if (i > 0) time = timeAt(i, before);
      if (time < before) {
        back++;
        farthest = Math.max(farthest, latest - time);
      }
      if (i < given.length && !(Math.abs(given.at(i)) <= LAST_TIME)) odd++;
      earliest = Math.min(earliest, time);
      latest = Math.max(latest, time);
    }
    if (odd > 0) this.diagnostics.add("odd-time", 1, undefined, odd);
    if (back > 0)
      this.diagnostics.add(farthest > FAR_BACK ? "time-order" : "late-sample", 1, undefined, back);
    if (length > 1 && latest - earliest < LEAST_SPAN) return undefined;
    const span = this.#span(Math.max(1, latest - earliest));
    // The profile began with its first sample at the latest: no time is before its start.
    const shift = Math.max(0, -earliest);
    const early = isAbsolute && span.length !== undefined ? base - span.start : 0;
    const end = (span.length ?? 0) - (early > 0 && early < span.length! ? early : 0);
    const mean = length > 1 ? (latest - earliest) / (length - 1) : DEFAULT_INTERVAL;
    const told = given.length > length ? timeAt(length, time) : latest;
    const isEndGiven = told > latest;
    const last = isEndGiven ? told : end >= latest ? end : latest + mean;
    const ends = {
      hasTimes: true,
      start: (isAbsolute ? base : span.start) - shift,
      end: last + shift,
      interval: last > earliest ? (last - earliest) / length : DEFAULT_INTERVAL,
      isGuess: last <= earliest,
    };
    if (back === 0) {
      const times = () => {
        let [i, now] = [0, 0];
        return () => {
          now = timeAt(i++, now);
          return now + shift;
        };
      };
      return { ...ends, order: undefined, times, isEndGiven };
    }
    const all = new Float64Array(length);
    for (let i = 0, now = 0; i < length; i++) {
      now = timeAt(i, now);
      all[i] = now + shift;
    }
    const order = columnOf(Uint32Array, all, (_, i) => i).sort((a, b) => all[a]! - all[b]! || a - b);
    const times = () => {
      let i = 0;
      return () => all[order[i++]!]!;
    };
    return { ...ends, order, times, isEndGiven };
  }

  /**
   * Returns when the profile began, in µs, and how long it is. Its times are in µs, ms or seconds: whichever is nearest to what
   * the samples take.
   */
  #span(near: Micros): { readonly start: Micros; readonly length: Micros | undefined } {
    const { startTime = Number.NaN, endTime = Number.NaN } = this;
    const isStart = Math.abs(startTime) <= LAST_TIME;
    const raw = endTime - startTime;
    if (!isStart || !(raw > 0) || endTime > LAST_TIME)
      return { start: isStart ? startTime : 0, length: undefined };
    const farOff = (unit: number) => Math.abs(Math.log((raw * unit) / near));
    const unit = [1, 1e3, 1e6].reduce((best, one) => (farOff(one) < farOff(best) ? one : best));
    return { start: startTime * unit, length: raw * unit };
  }
}

/** Where a sample was in its function; 0 if that is unknown. */
interface SamplePlace {
  readonly line: number;
  readonly column?: number;
}

/** Counts ticks of a node, -1 for an unknown one, at a place, and of how many samples they are. Returns their row. */
type Count = (
  node: number,
  place: SamplePlace,
  weight: { readonly ticks: Ticks; readonly hits: number },
) => number;

/** What was counted. */
interface Counted {
  readonly hasTimes: boolean;
  /** When the profile began, by its own clock. */
  readonly start: Micros;
  /** Its end, from its start. */
  readonly end: Micros;
  /** The mean time of a sample: all take from the first one to the end. */
  readonly interval: Micros;
  /** Whether the profile does not tell that. */
  readonly isGuess: boolean;
  /** When the first and the last sample are, counted or not; only with a range. */
  readonly times?: readonly [Micros, Micros] | undefined;
  readonly pauses?: Pauses | undefined;
}

interface SampleTimes extends Omit<Counted, "times"> {
  /** Returns a function that returns the time of the next sample, from the start, in the order of time. */
  readonly times: () => () => Micros;
  /** Whether the file has a time more than samples: the end of the last. */
  readonly isEndGiven: boolean;
  /** By place in the order of time: the sample; undefined if that is the order of the file. */
  readonly order: Uint32Array | undefined;
}

/** The time between samples that belongs to none. */
class Pauses {
  count = 0;
  time: Micros = 0;
  longest: Micros = 0;
  /** The usual step, and the longest without a pause; undefined if that is not known. */
  usual: Micros | undefined;
  limit: Micros | undefined;
  /** Whether the thread waited in them, as it is hardly ever sampled while it does. */
  areWaits = false;

  add(time: Micros): void {
    this.count++;
    this.time += time;
    this.longest = Math.max(this.longest, time);
  }
}

/** Returns the first time of a list that can be one; 0 for none. */
function firstTime(times: NumberList): Micros {
  for (let i = 0; i < times.length; i++) if (Math.abs(times.at(i)) <= LAST_TIME) return times.at(i);
  return 0;
}

function evenly(interval: Micros): () => () => Micros {
  return () => {
    let i = 0;
    return () => interval * i++;
  };
}

/** Chrome writes samples that its threads take of themselves a few ms late: times that go back further are a fault. */
const FAR_BACK: Micros = 100_000;

/** Samples that are not even so far apart have no times. */
const LEAST_SPAN: Micros = 1;

/** The last sample surely does not go on to the end of a profile that is so many times as far off as samples usually are. */
const LATE_END = 2;

/** The limits of a gap that is no work even where a thread is sampled as it waits. */
const FAR_GAP = 20;

/** More gaps for each sample that waits are waits themselves: no machine is so busy. */
const MOST_GAPS_A_WAIT = 4;

/** The intervals of a gap where V8's own sampler is not known to have been without CPU, see {@link gapLimit}. */
const GAP_STEPS = 10;

/** Where samples can be, numbered: in which node, -1 for an unknown one, and at which line. */
interface SamplePlaces {
  readonly length: number;
  /** Returns the number of the place of the next sample of a node. */
  next(node: number, sample: number): number;
  nodeOf(place: number): number;
  at(place: number): SamplePlace;
}

/**
 * Gives the samples of a node its lines by turns: a profile has how many are at each line, not which ones. After the places at lines
 * come those of nodes without one, the last of which is the unknown node.
 */
class LineTurns implements SamplePlaces {
  readonly length: number;
  readonly #lines: NumberList;
  /** By node: where its lines begin. */
  readonly #starts: Int32Array;
  /** By node: the line whose turn it is. */
  readonly #now: Int32Array;
  /** How many samples each line had. */
  readonly #used: Uint32Array;

  constructor(starts: NumberList, lines: NumberList) {
    const [nodes, known] = [starts.length, lines.length / 2];
    this.#lines = lines;
    this.#starts = new Int32Array(nodes + 1).fill(known);
    for (let node = 0; node < nodes; node++) this.#starts[node] = starts.at(node) / 2;
    this.#now = this.#starts.slice();
    this.#used = new Uint32Array(known);
    this.length = known + nodes + 1;
  }

  next(node: number): number {
    const nodes = this.#starts.length - 1;
    if (node < 0) return this.length - 1;
    const end = this.#starts[node + 1]!;
    let line = this.#now[node]!;
    while (line < end && this.#used[line]! >= this.#lines.at(2 * line + 1)) line++;
    this.#now[node] = line;
    if (line === end) return this.length - 1 - nodes + node;
    this.#used[line]!++;
    return line;
  }

  nodeOf(place: number): number {
    const nodes = this.#starts.length - 1;
    if (place >= this.#used.length) {
      const node = place - this.#used.length;
      return node < nodes ? node : NONE;
    }
    return upperBound(this.#starts, place, 1) - 1; // The last node that begins at the line or before.
  }

  at(place: number): SamplePlace {
    return { line: place < this.#used.length ? this.#lines.at(2 * place) : 0 };
  }
}

/** The places of a profile that says for each sample where it was. */
class GivenPlaces implements SamplePlaces {
  readonly #sampleLines: NumberList;
  readonly #sampleColumns: NumberList;
  readonly #places: { readonly node: number; readonly line: number; readonly column: number }[] = [];
  readonly #numbers = new Map<string, number>();
  /** By node, after the unknown one: the place of its last sample. */
  readonly #last: Int32Array;

  constructor(nodes: number, lines: NumberList, columns: NumberList) {
    this.#sampleLines = lines;
    this.#sampleColumns = columns;
    this.#last = new Int32Array(nodes + 1).fill(NONE);
  }

  get length(): number {
    return this.#places.length;
  }

  next(node: number, sample: number): number {
    const [line, column] = [this.#sampleLines.at(sample), this.#sampleColumns.at(sample)];
    const last = this.#last[node + 1]!;
    const known = this.#places[last];
    if (known !== undefined && known.line === line && known.column === column) return last;
    const key = `${node} ${line}:${column}`;
    const place = valueAt(this.#numbers, key, () => this.#places.push({ node, line, column }) - 1);
    this.#last[node + 1] = place;
    return place;
  }

  nodeOf(place: number): number {
    return this.#places[place]!.node;
  }

  at(place: number): SamplePlace {
    return this.#places[place]!;
  }
}

/** Shares the time of a node among its lines by how many samples each has: which ones is not known. */
function shareByHits(places: SamplePlaces, hits: Float64Array, times: Float64Array): void {
  const sums = new Map<number, { hits: number; time: Micros }>();
  for (let place = 0; place < places.length; place++) {
    if (hits[place] === 0) continue;
    const sum = valueAt(sums, places.nodeOf(place), () => ({ hits: 0, time: 0 }));
    sum.hits += hits[place]!;
    sum.time += times[place]!;
  }
  for (let place = 0; place < places.length; place++) {
    const sum = sums.get(places.nodeOf(place));
    if (sum !== undefined) times[place] = (sum.time * hits[place]!) / sum.hits;
  }
}

/** Stands for the place of a node whose callers are being put into the tree. */
const OPEN = -2;

/** The stacks of nodes as a call tree, which has those that are asked for. */
export class NodeStacks {
  readonly tree: CallTreeBuilder;
  readonly #functions: FunctionFrames;
  readonly #frames: NumberList;
  readonly #parents: NumberList;
  readonly #diagnostics: Diagnostics;
  /** By node: the tree's node; {@link NONE} until it is asked for. */
  readonly #nodes: Int32Array;
  readonly #depths: Uint16Array;
  readonly #program: number;
  readonly #unknown: number;
  readonly #root: number;

  constructor(functions: FunctionFrames, frames: NumberList, parents: NumberList, diagnostics: Diagnostics) {
    const { length } = frames;
    this.#functions = functions;
    this.#frames = frames;
    this.#parents = parents;
    this.#diagnostics = diagnostics;
    this.#program = functions.of({ functionName: "(program)" });
    this.#unknown = functions.of({ functionName: "UNKNOWN" });
    this.#root = functions.of({ functionName: "(root)" });
    this.#nodes = new Int32Array(length).fill(NONE);
    this.#depths = new Uint16Array(length);
    this.tree = new CallTreeBuilder(Math.max(1024, length));
  }

  /** Returns the tree's node of a node, -1 for an unknown one, at a line and a column. */
  nodeAt(node: number, line: number, column: number): number {
    if (node < 0) return this.tree.child(ROOT, this.#unknown);
    const frame = this.#frames.at(node);
    const parent = this.#parents.at(node);
    if (parent === NONE)
      return this.tree.child(
        ROOT,
        frame === this.#root ? this.#program : this.#functions.atLine(frame, line, column),
      );
    this.#resolve(parent);
    return this.tree.child(this.#below(parent), this.#functions.atLine(frame, line, column));
  }

  stateOf(node: number): VmState {
    return node < 0 ? UNKNOWN_STATE : stateOfFrame(this.#functions.frames[this.#frames.at(node)]!);
  }

  /** Returns whether a node is what V8 calls all that is not JavaScript. */
  isProgram(node: number): boolean {
    return node >= 0 && this.#frames.at(node) === this.#program;
  }

  /** Puts a node and its callers into the tree. */
  #resolve(node: number): void {
    const open: number[] = [];
    let caller = node;
    while (caller !== NONE && this.#nodes[caller] === NONE) {
      this.#nodes[caller] = OPEN;
      open.push(caller);
      caller = this.#parents.at(caller);
    }
    if (open.length === 0) return;
    if (caller !== NONE && this.#nodes[caller] === OPEN) {
      this.#diagnostics.add("node-cycle", 1);
      caller = NONE;
    }
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      const above = this.#below(caller);
      const isRoot = caller === NONE && this.#frames.at(one) === this.#root;
      this.#nodes[one] = isRoot ? ROOT : this.tree.child(above, this.#frames.at(one));
      this.#depths[one] = above === ROOT ? 0 : this.#depths[caller]! + 1;
      caller = one;
    }
  }

  /** Returns the tree's node that callees of a node are put below: that of the node, unless its stack is too deep. */
  #below(node: number): number {
    if (node === NONE) return ROOT;
    if (this.#depths[node]! < STACK_DEPTH) return this.#nodes[node]!;
    this.#diagnostics.add("deep-stack", 1);
    return ROOT;
  }
}

/** Returns the state that a sample with this leaf is in. */
export function stateOfFrame(frame: Frame): VmState {
  if (frame.kind === "js" || frame.kind === "code") return JS;
  if (frame.kind === "unknown") return UNKNOWN_STATE;
  return (frame.library === "" && STATE_OF.get(frame.symbol ?? "")) || EXTERNAL;
}

const JS = vmState("js");

/** Returns what is known of the sampler of a profile: a sample stands for the mean time of all. */
export function samplingOf({
  hasTimes,
  ticks,
  time,
  pauses,
}: {
  readonly hasTimes: boolean;
  readonly ticks: number;
  readonly time: Micros;
  readonly pauses?: Pauses | undefined;
}): Sampling {
  const got = ticks > 0 ? time / ticks : undefined;
  const { count = 0, time: gapTime = 0, longest = 0, usual = got, limit = time } = pauses ?? {};
  return {
    ...{ hasTimes, asked: undefined, usual, got, span: time + gapTime },
    ...{ longestStep: limit, gaps: count, gapTime, longestGap: longest },
    ...{ bunched: 0, overflows: 0, withoutStack: 0 },
  };
}

/** A range of time, in µs from the start. */
interface MicrosRange {
  readonly from: Micros;
  readonly to: Micros;
}

function rangeOf({ range: { from, to } = {} }: ReadInputOptions): MicrosRange | undefined {
  if (from === undefined && to === undefined) return undefined;
  return { from: (from ?? Number.NEGATIVE_INFINITY) * 1000, to: (to ?? Number.POSITIVE_INFINITY) * 1000 };
}

/** Returns the error for a range of time of a profile whose samples have none. */
export function untimed(name: string): TicksError {
  return new TicksError(
    "BAD_OPTION",
    `${name}: its samples have no times, so it cannot be cut by time`,
    "Leave out --from and --to.",
  );
}

/** Returns the error for labels of a file that has none. */
export function unlabelled(name: string): TicksError {
  return new TicksError(
    "BAD_OPTION",
    `${name}: its samples have no labels, so --tagfocus and --tagignore do not work`,
    "Only pprof profiles have labels.",
  );
}

function countOf(value: unknown): number {
  return typeof value === "number" && value > 0 && value <= Number.MAX_SAFE_INTEGER ? Math.round(value) : 0;
}
