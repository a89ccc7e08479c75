import type { Diagnostics } from "./diagnostics.js";
import { assertNever } from "./errors.js";
import type { CodeCreationRecord } from "./parser/rows/code-creation.js";
import type { LogRecord } from "./parser/rows/index.js";
import type { TickRecord } from "./parser/rows/tick.js";
import { CallTreeBuilder, ROOT } from "./profile/call-tree.js";
import type { V8Version } from "./profile/profile.js";
import { SampleTableBuilder } from "./profile/sample-table.js";
import { SamplingClock } from "./profile/sampling.js";
import { VM_STATES } from "./profile/vm-state.js";
import { EmbeddedBuiltins } from "./symbolizer/builtins.js";
import { LibraryMap } from "./symbolizer/libraries.js";
import type { Recording } from "./symbolizer/recording.js";
import { Resolver } from "./symbolizer/resolver.js";
import { TickRange, type TickRangeOptions } from "./tick-range.js";

/** Applies the records of one log, in their order, to the code that is alive and to the stacks seen. */
export class Recorder {
  readonly #diagnostics: Diagnostics;
  readonly #line: () => number;
  readonly #range: TickRange;
  readonly #libraries = new LibraryMap();
  readonly #builtins = new EmbeddedBuiltins();
  readonly #resolver: Resolver;
  readonly #tree = new CallTreeBuilder();
  readonly #samples = new SampleTableBuilder();
  readonly #ticksByState: number[] = new Array(VM_STATES.length).fill(0);
  #stack = new Int32Array(258);
  #v8: V8Version | undefined;
  readonly #clock = new SamplingClock();
  #excluded = 0;

  /** `line` tells the line of the record that is being applied. */
  constructor(diagnostics: Diagnostics, line: () => number, options: TickRangeOptions) {
    this.#diagnostics = diagnostics;
    this.#line = line;
    this.#range = new TickRange(options);
    this.#resolver = new Resolver(this.#libraries, this.#builtins);
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
        this.#range.mark((node, state) => this.#count(node, state));
        break;
      case "active-runtime-timer":
        this.#range.runtimeTimer = record.name;
        break;
      case "timer-event":
        this.#range.advance();
        break;
      case "sfi-move":
        break; // A function keeps the name that its code was logged with.
      case "code-deopt":
      case "code-source-info":
      case "script-source":
        break; // No report uses them yet.
      default:
        assertNever(record);
    }
  }

  /** All that was recorded. Call it after the last record. */
  finish(): Recording {
    this.#range.finish((node, state) => this.#count(node, state));
    return {
      frames: this.#resolver.frames,
      tree: this.#tree,
      samples: this.#samples,
      libraries: this.#libraries,
      builtins: this.#builtins,
      v8: this.#v8,
      sampling: this.#clock.sampling,
      ticks: this.#ticksByState.reduce((sum, ticks) => sum + ticks, 0),
      excluded: this.#excluded,
      ticksByState: this.#ticksByState,
    };
  }

  #applyCodeCreation(record: CodeCreationRecord): void {
    if (record.codeType === "Builtin" || record.codeType === "BytecodeHandler") this.#builtins.add(record);
    if (!this.#resolver.create(record)) this.#report("unknown-tier");
  }

  #applyTick(tick: TickRecord): void {
    if (!this.#range.includes(tick.timestamp)) return;
    this.#clock.tick(tick.timestamp, tick.depth);
    if (tick.hasOverflow) this.#clock.overflows++;
    const node = this.#record(tick);
    if (this.#range.isOpen) this.#count(node, tick.vmState);
    else this.#range.hold(node, tick.vmState);
  }

  #count(node: number, state: number): void {
    this.#ticksByState[state]!++;
    if (this.#range.matchesRuntimeTimer) this.#samples.add(node, state);
    else this.#excluded++;
  }

  /**
   * The node of a tick's stack: where the processor was (or, inside a C++ callback, the callback itself), the
   * top of the stack if it points into a function (it was called, but has no frame yet), and the callers.
   *
   * Source: V8, tools/tickprocessor.mjs, `TickProcessor.processTick`.
   */
  #record(tick: TickRecord): number {
    const resolver = this.#resolver;
    if (this.#stack.length < tick.depth + 2) this.#stack = new Int32Array(tick.depth * 2);
    const stack = this.#stack;
    // The top of the stack is looked up first: code is numbered in the order of look-ups.
    let top = -1;
    if (!tick.isExternal && tick.tos !== 0) {
      top = resolver.resolve(tick.tos);
      if (resolver.frames[top]!.kind !== "js") top = -1;
    }
    let depth = 0;
    stack[depth++] = resolver.resolve(tick.isExternal ? tick.tos : tick.pc);
    if (top >= 0) stack[depth++] = top;
    for (let i = 0; i < tick.depth; i++) stack[depth++] = resolver.resolve(tick.frames[i]!);
    let node = ROOT;
    while (depth > 0) node = this.#tree.child(node, stack[--depth]!);
    return node;
  }

  #report(code: "unknown-code-move" | "unknown-code-delete" | "unknown-tier"): void {
    this.#diagnostics.add(code, this.#line());
  }
}
