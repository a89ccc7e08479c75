import type { Diagnostics } from "../diagnostics.js";
import { assertNever } from "../errors.js";
import type { RecordSink } from "../parser/record-sink.js";
import type { CodeCreationRecord } from "../parser/rows/code-creation.js";
import type { LogRecord } from "../parser/rows/row-decoders.js";
import type { TickRecord } from "../parser/rows/tick.js";
import { type TickFields, TickReader } from "../parser/rows/tick-fields.js";
import { SampleTableBuilder } from "../profile/sample-table.js";
import { SamplingClock } from "../profile/sampling.js";
import { TimelineBuilder } from "../profile/timeline.js";
import type { Address, Micros } from "../profile/units.js";
import type { V8Version } from "../profile/v8-version.js";
import { VM_STATES } from "../profile/vm-state.js";
import { EmbeddedBuiltins } from "./builtins.js";
import { DeoptCosts } from "./deopt-costs.js";
import type { LibraryLoader } from "./library-loader.js";
import { LibraryMap } from "./library-map.js";
import { placeFrames } from "./placement.js";
import type { Recording } from "./recording.js";
import type { Resolver } from "./resolver.js";
import { Scripts } from "./scripts.js";
import { StackBuilder } from "./stack-builder.js";
import { PLACED } from "./stacks-kernel.js";
import { ThreadClues } from "./thread-kind.js";
import { TickRange, type TickRangeOptions } from "./tick-range.js";

export interface RecorderOptions {
  /** Which ticks count. */
  readonly range: TickRangeOptions;
  /** Whether each tick is kept with its time. Default: false. */
  readonly timeline?: boolean | undefined;
  /** Whether the frames of functions are places in their code. Default: false, they are the functions. */
  readonly inlines?: boolean | undefined;
  /** Whether deoptimizations and their costs are kept. Default: false. */
  readonly deopts?: boolean | undefined;
}

/** Applies the records of one log, in their order, to the code that is alive and to the stacks seen. */
export class Recorder implements RecordSink {
  readonly #diagnostics: Diagnostics;
  readonly #line: () => number;
  readonly #range: TickRange;
  readonly #libraries = new LibraryMap();
  readonly #builtins = new EmbeddedBuiltins();
  readonly #scripts = new Scripts();
  readonly #stacks: StackBuilder;
  readonly #resolver: Resolver;
  readonly #tickReader = new TickReader((tick) => this.#applyTick(tick));
  readonly #samples = new SampleTableBuilder();
  readonly #timeline: TimelineBuilder | undefined;
  readonly #deopts: DeoptCosts | undefined;
  readonly #ticksByState: number[] = new Array(VM_STATES.length).fill(0);
  #v8: V8Version | undefined;
  readonly #clock = new SamplingClock();
  readonly #clues = new ThreadClues();
  #excluded = 0;
  /** Whether a tick is no more than counted: nobody is told of it, and nothing but its stack says whether it counts. */
  readonly #isOnlyCounted: boolean;

  /** `line` tells the line of the record that is being applied. */
  constructor(diagnostics: Diagnostics, line: () => number, options: RecorderOptions) {
    const { range, timeline, inlines, deopts } = options;
    this.#diagnostics = diagnostics;
    this.#line = line;
    this.#range = new TickRange(range);
    this.#isOnlyCounted = !timeline && !deopts && this.#range.isOpen && this.#range.isEveryTimer;
    this.#timeline = timeline ? new TimelineBuilder() : undefined;
    this.#stacks = new StackBuilder(this.#libraries, this.#builtins, { inlines });
    this.#resolver = this.#stacks.resolver;
    this.#deopts = deopts ? new DeoptCosts(this.#stacks, this.#resolver.frames) : undefined;
  }

  /** Applies many ticks. */
  takeTicks(fields: TickFields): void {
    if (fields.length === 0) return;
    const { longestStep } = this.#clock;
    const placed = this.#range.isWhole
      ? this.#stacks.place(fields, this.#isOnlyCounted, longestStep)
      : undefined;
    if (placed === undefined) {
      this.#tickReader.read(fields);
      return;
    }
    const { times, integers, numbers, length } = placed;
    this.#clock.ticks(times);
    for (let tick = 0; tick < length; tick++) {
      const at = tick * PLACED.integers;
      const timestamp = numbers[tick * PLACED.numbers + PLACED.timestamp]!;
      this.#place(integers[at + PLACED.node]!, integers[at + PLACED.state]!, timestamp);
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
    this.#stacks.tellCounted((node, state, ticks) => {
      this.#ticksByState[state]! += ticks;
      this.#samples.add(node, state, ticks);
    });
    const stacks = {
      frames: this.#resolver.frames,
      tree: this.#stacks.tree(),
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

  /** From here on, addresses in a range may be in a copy of the builtins. */
  #useCodeRange(start: Address): void {
    if (this.#builtins.codeRange === start) return;
    this.#builtins.codeRange = start;
    this.#resolver.forget();
  }

  #applyTick(tick: TickRecord): void {
    if (!this.#range.includes(tick.timestamp)) return;
    this.#clock.tick(tick.timestamp, tick.depth > 0);
    if (tick.hasOverflow) this.#clock.overflows++;
    this.#place(this.#stacks.nodeOf(tick), tick.vmState, tick.timestamp);
  }

  #place(node: number, state: number, timestamp: Micros): void {
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
