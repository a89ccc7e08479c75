import type { Diagnostics } from "./diagnostics.js";
import { assertNever } from "./errors.js";
import type { CodeCreationRecord } from "./parser/rows/code-creation.js";
import type { LogRecord } from "./parser/rows/index.js";
import type { TickRecord } from "./parser/rows/tick.js";
import { CallTreeBuilder, ROOT } from "./profile/call-tree.js";
import { SampleTableBuilder } from "./profile/sample-table.js";
import { SamplingClock } from "./profile/sampling.js";
import { TimelineBuilder } from "./profile/timeline.js";
import type { Micros } from "./profile/units.js";
import type { V8Version } from "./profile/v8-version.js";
import { VM_STATES } from "./profile/vm-state.js";
import { EmbeddedBuiltins } from "./symbolizer/builtins.js";
import { DeoptLedger } from "./symbolizer/deopt-ledger.js";
import { LibraryMap } from "./symbolizer/libraries.js";
import type { LibraryLoader } from "./symbolizer/library-loader.js";
import { placeFrames } from "./symbolizer/placement.js";
import type { Recording } from "./symbolizer/recording.js";
import { Resolver } from "./symbolizer/resolver.js";
import { Scripts } from "./symbolizer/scripts.js";
import { ThreadClues } from "./symbolizer/thread-clues.js";
import { TickRange, type TickRangeOptions } from "./tick-range.js";

export interface RecorderOptions {
  /** Which ticks count. */
  readonly range: TickRangeOptions;
  /** Whether each tick is kept with its time. Default: false. */
  readonly timeline?: boolean | undefined;
  /** Whether the frames of functions are places in their code. Default: false, they are the functions. */
  readonly places?: boolean | undefined;
  /** Whether deoptimizations and their prices are kept. Default: false. */
  readonly deopts?: boolean | undefined;
}

/** Applies the records of one log, in their order, to the code that is alive and to the stacks seen. */
export class Recorder {
  readonly #diagnostics: Diagnostics;
  readonly #line: () => number;
  readonly #range: TickRange;
  readonly #libraries = new LibraryMap();
  readonly #builtins = new EmbeddedBuiltins();
  readonly #scripts = new Scripts();
  readonly #resolver: Resolver;
  readonly #tree = new CallTreeBuilder();
  readonly #samples = new SampleTableBuilder();
  readonly #timeline: TimelineBuilder | undefined;
  readonly #deopts: DeoptLedger | undefined;
  readonly #ticksByState: number[] = new Array(VM_STATES.length).fill(0);
  /** The node of each frame of the last tick, root first; only the first `#pathDepth` count. */
  #path = new Int32Array(256);
  #pathDepth = 0;
  /** What the resolver is asked about beside frames. */
  readonly #registers = new Float64Array(1);
  /** The state of the resolver for which `#path` holds. */
  #pathGeneration = -1;
  #v8: V8Version | undefined;
  readonly #clock = new SamplingClock();
  readonly #clues = new ThreadClues();
  #excluded = 0;

  /** `line` tells the line of the record that is being applied. */
  constructor(diagnostics: Diagnostics, line: () => number, options: RecorderOptions) {
    const { range, timeline, places, deopts } = options;
    this.#diagnostics = diagnostics;
    this.#line = line;
    this.#range = new TickRange(range);
    this.#timeline = timeline ? new TimelineBuilder() : undefined;
    this.#resolver = new Resolver(this.#libraries, this.#builtins, { places });
    this.#deopts = deopts ? new DeoptLedger(this.#tree, this.#resolver.frames) : undefined;
  }

  apply(record: LogRecord): void {
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
        if (record.name === "CodeRange") this.#builtins.codeRange = record.address;
        break;
      case "v8-version":
        this.#v8 ??= record;
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
        this.#deopts?.deopt(record, this.#resolver.functionAt(record.details?.address ?? 0));
        break;
      case "code-source-info":
        this.#resolver.describe(record);
        break;
      case "script-source":
        this.#scripts.add(record, this.#line());
        break;
      default:
        assertNever(record);
    }
  }

  /** Loads the functions of the libraries that came to own frames since it was called last. */
  async loadFunctions(loader: LibraryLoader): Promise<void> {
    const facts = { libraries: this.#libraries, v8: this.#v8 };
    for (const index of this.#resolver.wanted) {
      this.#resolver.useFunctions(index, (await loader.load(index, facts)).symbols);
    }
  }

  /** All that was recorded. Call it after the last record. */
  finish(): Recording {
    this.#range.finish((node, state, timestamp) => this.#count(node, state, timestamp));
    const stacks = {
      frames: this.#resolver.frames,
      tree: this.#tree.finish(),
      samples: this.#samples,
      timeline: this.#timeline,
      libraries: this.#libraries,
      builtins: this.#builtins,
      scripts: this.#scripts,
    };
    return {
      ...stacks,
      frames: placeFrames(stacks),
      deopts: this.#deopts,
      v8: this.#v8,
      threadKind: this.#clues.kind,
      sampling: this.#clock.sampling,
      rangeRows: this.#range.rows,
      ticks: this.#ticksByState.reduce((sum, ticks) => sum + ticks, 0),
      excluded: this.#excluded,
      ticksByState: this.#ticksByState,
    };
  }

  #applyCodeCreation(record: CodeCreationRecord): void {
    if (record.codeType === "Builtin" || record.codeType === "BytecodeHandler") this.#builtins.add(record);
    if (record.function !== undefined) this.#clues.see(record.name);
    if (!this.#resolver.create(record)) this.#report("unknown-tier");
    this.#deopts?.create(record);
  }

  #applyTick(tick: TickRecord): void {
    if (!this.#range.includes(tick.timestamp)) {
      this.#pathDepth = Math.min(this.#pathDepth, tick.shared);
      return;
    }
    this.#clock.tick(tick.timestamp, tick.depth);
    if (tick.hasOverflow) this.#clock.overflows++;
    const node = this.#nodeOf(tick);
    if (this.#range.isOpen) this.#count(node, tick.vmState, tick.timestamp);
    else this.#range.hold(node, tick.vmState, tick.timestamp);
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

  /**
   * The node of a tick's stack: where the processor was (or, inside a C++ callback, the callback itself), the
   * top of the stack if it points into a function (it was called, but has no frame yet), and the callers.
   *
   * Source: V8, tools/tickprocessor.mjs, `TickProcessor.processTick`.
   */
  #nodeOf(tick: TickRecord): number {
    const resolver = this.#resolver;
    const tree = this.#tree;
    const { depth, frames } = tick;
    const known = this.#knownDepth(tick);
    const path = this.#path;
    // Code is numbered in the order of look-ups: the top of the stack, then leaf first.
    const registers = this.#registers;
    let top = -1;
    if (!tick.isExternal && tick.tos !== 0) {
      registers[0] = tick.tos;
      top = resolver.resolveCaller(registers, 0);
      if (!resolver.isFunction(top)) top = -1;
    }
    registers[0] = tick.isExternal ? tick.tos : tick.pc;
    const leaf = resolver.resolve(registers, 0);
    for (let i = depth - 1; i >= known; i--) path[i] = resolver.resolveCaller(frames, i);
    let node = known === 0 ? ROOT : path[known - 1]!;
    for (let i = known; i < depth; i++) {
      node = tree.child(node, path[i]!);
      path[i] = node;
    }
    this.#pathDepth = depth;
    this.#pathGeneration = resolver.generation;
    if (top >= 0) node = tree.child(node, top);
    return tree.child(node, leaf);
  }

  /** How much of the last tick's path, from the root on, is also this tick's. */
  #knownDepth({ depth, shared }: TickRecord): number {
    if (this.#path.length < depth) {
      const path = new Int32Array(depth * 2);
      path.set(this.#path);
      this.#path = path;
    }
    return this.#pathGeneration === this.#resolver.generation ? Math.min(shared, this.#pathDepth) : 0;
  }

  #report(code: "unknown-code-move" | "unknown-code-delete" | "unknown-tier"): void {
    this.#diagnostics.add(code, this.#line());
  }
}
