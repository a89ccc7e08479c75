import { assertNever } from "../base/errors.js";
import type { Address, Micros, Ticks } from "../base/units.js";
import { HAS_STACK } from "../kernels/layout.js";
import type { CodeCreationRecord } from "../log/rows/code.js";
import type { LogRecord, RecordSink } from "../log/rows/row-decoders.js";
import { type TickFields, TickReader, type TickRecord } from "../log/rows/tick.js";
import { platformOf } from "../native/platform.js";
import type { Diagnostics } from "../profile/diagnostics.js";
import type { ThreadKind } from "../profile/profile.js";
import { SampleTableBuilder } from "../profile/sample-table.js";
import { TimelineBuilder } from "../profile/timeline.js";
import type { V8Version } from "../profile/v8-version.js";
import { VM_STATES } from "../profile/vm-state.js";
import { EmbeddedBuiltins } from "./builtins.js";
import { DeoptCosts } from "./deopt-costs.js";
import { IcRows } from "./ic-rows.js";
import type { TimeFault } from "./joined-runs.js";
import { type LibraryLoader, LibraryMap, type LogFacts } from "./libraries.js";
import type { PendingFrame, ReplayedFrame } from "./replayed-frame.js";
import type { ReplayedLog, ReplayOptions, ReplayVisitor } from "./replayed-log.js";
import type { ManyPlaces, Resolver } from "./resolver.js";
import { SamplingClock } from "./sampling-clock.js";
import { Scripts } from "./scripts.js";
import { StackBuilder, TICK_NODE } from "./stack-builder.js";
import { StartupRows } from "./startup-rows.js";
import { TickRange } from "./tick-range.js";

/** Applies the records of one log, in order, to the live code and the call tree. */
export class Replay implements RecordSink {
  readonly #options: ReplayOptions;
  readonly #diagnostics: Diagnostics;
  readonly #line: () => number;
  readonly #range: TickRange;
  readonly #libraries: LibraryMap;
  readonly #builtins = new EmbeddedBuiltins();
  readonly #scripts = new Scripts();
  readonly #stacks: StackBuilder;
  readonly #resolver: Resolver;
  readonly #tickReader = new TickReader((tick) => this.#applyTick(tick));
  #samples = new SampleTableBuilder();
  #timeline: TimelineBuilder | undefined;
  #deopts: DeoptCosts | undefined;
  readonly #startup: StartupRows | undefined;
  readonly #ics: IcRows | undefined;
  /** Whether inline caches are of no use without rows. */
  readonly #isIcsOptional: boolean;
  #ticksByState = noTicks();
  #v8: V8Version | undefined;
  /** The system that V8 says it runs on. */
  #system: string | undefined;
  readonly #clock = new SamplingClock();
  readonly #clues = new ThreadClues();
  /** Whether the log has code, and code with a time: that of V8 up to 5.x has none, and up to 3.28 it states no version either. */
  #hasCode = false;
  #hasTimedCode = false;
  /** Whether a tick had a time, and how many came before it, for ranges. */
  #hasTimes = false;
  #untimed = 0;
  /** The time of the last tick. */
  #now: Micros = 0;
  /** The time of the first tick in range. */
  #start: Micros | undefined;
  #excluded = 0;
  readonly #visitor: ReplayVisitor | undefined;

  /** `line` returns the line of the record that is being applied. */
  constructor(diagnostics: Diagnostics, line: () => number, options: ReplayOptions) {
    const { range, timeline, inlines, inferred, identities, startup, ics, visitor, inPieces } = options;
    this.#diagnostics = diagnostics;
    this.#line = line;
    this.#range = new TickRange(range);
    this.#libraries = new LibraryMap(options.mapped);
    this.#timeline = timeline ? new TimelineBuilder() : undefined;
    this.#stacks = new StackBuilder(this.#libraries, this.#builtins, {
      inlines,
      builtinOffsets: inferred || Boolean(ics),
      identities,
      hasKernel: visitor === undefined && !inPieces,
    });
    this.#resolver = this.#stacks.resolver;
    this.#ics = ics ? new IcRows() : undefined;
    this.#isIcsOptional = ics === "if-logged";
    this.#options = options;
    this.#deopts = this.#newDeopts();
    this.#startup = startup ? new StartupRows() : undefined;
    this.#visitor = visitor;
    const run = { resolver: this.#resolver, libraries: this.#libraries, builtins: this.#builtins };
    visitor?.beginRun(run);
  }

  /** Applies a batch of ticks. */
  takeTicks(fields: TickFields): void {
    if (fields.length === 0) return;
    const nodes =
      this.#range.isWhole && this.#visitor === undefined ? this.#stacks.nodesOf(fields) : undefined;
    if (nodes === undefined) {
      this.#tickReader.read(fields);
      return;
    }
    const { integers, numbers, length } = nodes;
    for (let tick = 0; tick < length; tick++) {
      const at = tick * TICK_NODE.integers;
      const state = integers[at + TICK_NODE.state]!;
      const timestamp = numbers[tick * TICK_NODE.numbers + TICK_NODE.timestamp]!;
      this.#now = timestamp;
      this.#clock.tick(timestamp, state >= HAS_STACK);
      this.#countOrHold(integers[at + TICK_NODE.node]!, state % HAS_STACK, timestamp);
    }
  }

  takeRecord(record: LogRecord): void {
    switch (record.type) {
      case "tick":
        this.#applyTick(record);
        break;
      case "code-creation":
        this.#applyCodeCreation(record);
        break;
      case "code-move":
        if (!this.#resolver.move(record.from, record.to)) this.#report("unknown-code-move");
        break;
      case "code-delete":
        if (!this.#resolver.delete(record.address)) this.#report("unknown-code-delete");
        break;
      case "shared-library":
        this.#libraries.add(record);
        this.#resolver.forget();
        break;
      case "new":
        if (record.name === "CodeRange") this.#useCodeRange(record.address);
        break;
      case "v8-version":
        this.#v8 ??= record;
        break;
      case "v8-platform":
        this.#system ??= record.system;
        break;
      case "profiler":
        this.#clock.asked ??= record.interval;
        break;
      case "current-time":
        this.#range.mark((node, state, timestamp) => this.#count(node, state, timestamp));
        break;
      case "active-runtime-timer":
        this.#range.switchTimer(record.name);
        break;
      case "timer-event":
        this.#range.advance();
        break;
      case "sfi-move":
        this.#resolver.moveFunction(record.from, record.to);
        break;
      case "code-deopt":
        this.#resolver.deopt(record);
        this.#deopts?.deopt(record, this.#resolver.codeAt(record.details?.address ?? 0)?.code);
        break;
      case "ic":
        this.#ics?.add(record, this.#resolver.codeAt(record.pc), this.#now);
        break;
      case "code-source-info":
        this.#resolver.describe(record);
        break;
      case "script-source":
        this.#scripts.add(record, this.#line());
        break;
      case "function":
      case "script":
      case "script-details":
      case "compilation-cache":
        this.#startup?.add(record);
        break;
      default:
        assertNever(record);
    }
    if (record.type !== "tick") this.#visitor?.record(record);
  }

  get #facts(): LogFacts {
    const isUnversioned = !this.#v8 && this.#hasCode && !this.#hasTimedCode;
    return { libraries: this.#libraries, v8: this.#v8, isUnversioned };
  }

  /** Loads the functions of the libraries that got their first frames since the last call. */
  async loadFunctions(loader: LibraryLoader): Promise<void> {
    for (const index of this.#resolver.librariesToLoad) {
      this.#resolver.useFunctions(index, (await loader.load(index, this.#facts)).symbols);
    }
  }

  /** Undefined unless many places in builtins are told apart. */
  get manyPlaces(): ManyPlaces | undefined {
    const { builtinPlaces: places, frames } = this.#resolver;
    const isReady = this.#ics === undefined && this.#libraries.areAddressesKnown;
    return isReady ? places?.many({ ...this.#facts, builtins: this.#builtins, frames }) : undefined;
  }

  /** Undefined if the log does not tell. */
  get threadKind(): ThreadKind | undefined {
    return this.#clues.kind;
  }

  /** Whether it has no tick and no deoptimization. */
  get isEmpty(): boolean {
    return (this.#deopts?.isEmpty ?? true) && this.#ticksByState.every((ticks) => ticks === 0);
  }

  /**
   * Returns the log so far, and forgets its ticks, stacks and deoptimizations: the next one has those that come. Only with the
   * option `inPieces`.
   */
  take(): ReplayedLog {
    const { areAddressesKnown } = this.#libraries;
    const replayed = this.finish();
    if (this.#libraries.areAddressesKnown !== areAddressesKnown) this.#resolver.forget();
    this.#stacks.clear();
    this.#samples = new SampleTableBuilder();
    this.#timeline = this.#options.timeline ? new TimelineBuilder() : undefined;
    this.#ticksByState = noTicks();
    this.#deopts = this.#newDeopts();
    return replayed;
  }

  /** Returns the replayed log. Call it after the last record; `fault` is what the times of its ticks say against it. */
  finish(fault?: TimeFault): ReplayedLog {
    this.#visitor?.endRun();
    this.#clock.fault = fault;
    this.#range.finish((node, state, timestamp) => this.#count(node, state, timestamp));
    this.#clock.platform = platformOf(this.#libraries.libraries, this.#system);
    const { sampling } = this.#clock;
    if (!sampling.hasTimes) this.#timeline?.space(this.#start ?? 0, this.#clock.interval);
    const tree = this.#stacks.tree();
    this.#deopts?.useTree(tree);
    const samples = this.#samples.finish();
    const { frames, builtinPlaces: places } = this.#resolver;
    const ticks = this.#ticksByState.reduce((sum, some) => sum + some, 0);
    const found = { ...this.#facts, tree, builtins: this.#builtins, builtinPlaces: places?.finish() };
    return {
      ...found,
      samples,
      frames:
        this.#libraries.areAddressesKnown || ticks === 0
          ? frames
          : locateFrames({ ...found, frames, samples }),
      timeline: this.#timeline?.finish(),
      scripts: this.#scripts,
      functions: this.#resolver.functions,
      compiledFunctions: this.#resolver.compiledFunctions,
      deopts: this.#deopts,
      startup: this.#startup?.finish(),
      ics: this.#isIcsOptional && this.#ics?.rows === 0 ? undefined : this.#ics,
      platform: this.#clock.platform,
      threadKind: this.#clues.kind,
      threadNumber: this.#clues.number,
      sampling,
      rangeRows: this.#range.rows,
      ticks,
      excluded: this.#excluded,
      ticksByState: this.#ticksByState,
    };
  }

  #newDeopts(): DeoptCosts | undefined {
    const { deopts } = this.#options;
    if (!deopts) return undefined;
    const [{ frames }, scripts] = [this.#resolver, this.#scripts];
    return new DeoptCosts(this.#stacks, frames, { scripts, isFree: deopts === "events" });
  }

  #applyCodeCreation(record: CodeCreationRecord): void {
    this.#hasCode = true;
    this.#hasTimedCode ||= record.timestamp !== 0;
    if (record.codeType === "Builtin" || record.codeType === "BytecodeHandler") this.#builtins.add(record);
    if (record.function !== undefined) this.#clues.see(record.name);
    if (!this.#resolver.create(record)) this.#report("unknown-tier");
    if (this.#deopts !== undefined)
      this.#deopts.create(record, this.#resolver.codeAt(record.address)?.code.function);
    this.#startup?.create(record);
  }

  /** Sets the start of the code range: addresses in it may from now on be in a copy of the builtins. */
  #useCodeRange(start: Address): void {
    if (this.#builtins.codeRange === start) return;
    this.#builtins.codeRange = start;
    this.#resolver.forget();
  }

  #applyTick(tick: TickRecord): void {
    const time = this.#spacedTime(tick.timestamp);
    this.#now = tick.timestamp;
    if (!this.#range.includes(time)) return;
    this.#start ??= time;
    this.#clock.tick(tick.timestamp, tick.depth > 0);
    if (tick.hasOverflow) this.#clock.overflows++;
    if (this.#visitor !== undefined) this.#visitor.tick(tick);
    else this.#countOrHold(this.#stacks.nodeOf(tick), tick.vmState, tick.timestamp);
  }

  /** Returns the time of a tick for the range; as long as none had one, ticks are spaced evenly. */
  #spacedTime(timestamp: Micros): Micros {
    if (timestamp !== 0) this.#hasTimes = true;
    return this.#hasTimes || this.#range.isWhole ? timestamp : this.#untimed++ * this.#clock.interval;
  }

  #countOrHold(node: number, state: number, timestamp: Micros): void {
    if (this.#range.isOpen) this.#count(node, state, timestamp);
    else this.#range.hold(node, state, timestamp);
  }

  #count(node: number, state: number, timestamp: Micros): void {
    this.#ticksByState[state]!++;
    if (!this.#range.matchesRuntimeTimer) {
      this.#excluded++;
      return;
    }
    const sample = this.#samples.add(node, state);
    this.#timeline?.add(sample, timestamp);
    this.#deopts?.tick(node, sample);
  }

  #report(code: "unknown-code-move" | "unknown-code-delete" | "unknown-tier"): void {
    this.#diagnostics.add(code, this.#line());
  }
}

/** Returns a count for each VM state. */
function noTicks(): Ticks[] {
  return new Array(VM_STATES.length).fill(0);
}

/**
 * Decides by the ticks where the libraries of a log are, and returns the frames with their libraries. Call it
 * after the last record. Does nothing if the addresses of the libraries are certain. Frames keep their
 * numbers.
 */
function locateFrames({
  frames,
  tree,
  samples,
  libraries,
  builtins,
}: Pick<ReplayedLog, "frames" | "tree" | "samples" | "libraries" | "builtins">): readonly ReplayedFrame[] {
  if (libraries.areAddressesKnown) return frames;
  const ticks = new Map<Address, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    const frame = frames[tree.frame[samples.node[i]!]!]!;
    if (frame.kind !== "pending") continue;
    ticks.set(frame.address, (ticks.get(frame.address) ?? 0) + samples.ticks[i]!);
  }
  libraries.chooseSlides(ticks);
  const located = (frame: PendingFrame): ReplayedFrame => {
    const library = libraries.find(frame.address);
    const mayCopy = frame.reason === "unmapped" && builtins.mayCopy(frame.address);
    return library >= 0 || mayCopy ? { ...frame, library } : { kind: "unknown", reason: frame.reason };
  };
  return frames.map((frame) => (frame.kind === "pending" ? located(frame) : frame));
}

// The script that Node starts an isolate with, as V8 logs its code: one of `internal/main/` for each way to
// start a process. Only workers have `worker_thread`.
//
//      node:internal/main/run_main_module:1:1         Node 16 and later
//      internal/main/worker_thread.js:1:1             Node 12 and 14
//      internal/process/main_thread_only.js:1:1       Node 10, and worker_thread_only
//      bootstrap_node.js:1:1, node.js:1:1             up to Node 8, which has no workers;
//                                                     V8 up to 5.8 logs no position
//
// Source: Node, src/node.cc `StartExecution`, src/node_worker.cc; Node 10, lib/internal/bootstrap/node.js.
const START =
  /^ ?(?:node:)?internal\/(?:main\/([a-z_/]+)|process\/(?:(worker)|main)_thread_only)(?:\.js)?:1:1$/;
/** The script by which `ticks record` says which worker of its process a log is of. */
const NUMBER = /^ ?ticks-thread:(\d{1,9}):1:1$/;
const OLD_START = /^ ?(?:bootstrap_node|node)\.js(?::1:1)?$/;
/** Most names of other code are longer. */
const OLD_LIMIT = 22;

/** Determines what kind of isolate wrote a log from the first scripts that Node ran in it. */
export class ThreadClues {
  #isMain = false;
  #isWorker = false;
  #number: number | undefined;

  /** Adds the name of a function or script. */
  see(name: string): void {
    if (name.endsWith(":1:1")) {
      const match = START.exec(name);
      if (match !== null) this.#mark(match[1] === "worker_thread" || match[2] !== undefined);
      const number = NUMBER.exec(name)?.[1];
      if (number !== undefined) this.#number = Number(number);
    }
    if (name.length <= OLD_LIMIT && OLD_START.test(name)) this.#mark(false);
  }

  /** Undefined if no start was seen, or starts of both kinds: then several isolates share the log. */
  get kind(): ThreadKind | undefined {
    if (this.#isMain === this.#isWorker) return undefined;
    return this.#isMain ? "main" : "worker";
  }

  /** Which worker of its process it is, as Node counts them; undefined if `ticks record` did not say so in the log. */
  get number(): number | undefined {
    return this.#number;
  }

  #mark(isWorker: boolean): void {
    if (isWorker) this.#isWorker = true;
    else this.#isMain = true;
  }
}
