import type { RecordSink } from "../parser/record-sink.js";
import type { CodeCreationRecord } from "../parser/rows/code-creation.js";
import type { CodeDeoptRecord } from "../parser/rows/code-deopt.js";
import type { LogRecord } from "../parser/rows/row-decoders.js";
import type { TickRecord } from "../parser/rows/tick.js";
import { type TickFields, TickReader } from "../parser/rows/tick-fields.js";
import { reaching } from "../profile/columns.js";
import type { Deopt } from "../profile/deopt.js";
import type { Frame } from "../profile/frame.js";
import type { ThreadKind } from "../profile/profile.js";
import type { Micros } from "../profile/units.js";
import type { V8Version } from "../profile/v8-version.js";
import { IDLE_INFERRED, VM_STATES } from "../profile/vm-state.js";
import { AddressCache } from "../recorder/address-cache.js";
import { EmbeddedBuiltins } from "../recorder/builtins.js";
import { LiveWaits } from "../recorder/inferred-waits.js";
import type { WholeLogFacts } from "../recorder/library-loader.js";
import type { LibraryMap } from "../recorder/library-map.js";
import { LogAge } from "../recorder/log-age.js";
import { Resolver } from "../recorder/resolver.js";
import { ThreadClues } from "../recorder/thread-kind.js";
import { categoryIndex } from "../views/breakdown.js";
import { STATE_CATEGORIES } from "../views/state-categories.js";
import { AddressNames, type NameSources } from "./address-names.js";
import { type HeldTick, HeldTicks } from "./held-ticks.js";
import type { LiveFunctions } from "./live-functions.js";
import { LogWriting } from "./log-writing.js";
import type { TickStack } from "./tick-counts.js";

/** What a {@link LiveRecorder} finds. */
export interface LiveListener {
  /** The stack is the same object for all ticks. */
  onTick(stack: TickStack, timestamp: Micros): void;
  onDeopt(deopt: Deopt): void;
}

/** What a frame is, beside its function. */
const HANDLER = 1;
const INTERPRETED = 2;
const FUNCTION = 4;

const UNKNOWN: Frame = { kind: "unknown", reason: "unmapped" };

const PROFILER = categoryIndex("profiler");
/** By VM state: its category; -1 if that depends on the code. */
const OF_STATE = Int32Array.from(VM_STATES, (state) => {
  const category = STATE_CATEGORIES[state];
  return category === undefined ? -1 : categoryIndex(category);
});

/**
 * Applies the records of one log, in order, to the live code, and finds the functions of each tick. Keeps no ticks and
 * no stacks, so its memory depends on the code of the program, not on how long it runs. An inlined function counts as
 * its caller.
 */
export class LiveRecorder implements RecordSink {
  /** When the last tick was. */
  time: Micros = 0;
  /** Whether the profiler has ended, and no tick came since. */
  isEnded = false;
  v8: V8Version | undefined;
  readonly #functions: LiveFunctions;
  readonly #listener: LiveListener;
  readonly #libraries: LibraryMap;
  readonly #builtins = new EmbeddedBuiltins();
  readonly #cache = new AddressCache();
  readonly #resolver: Resolver;
  readonly #names: AddressNames;
  readonly #clues = new ThreadClues();
  readonly #age = new LogAge();
  readonly #reader = new TickReader((tick) => this.#applyTick(tick));
  /** By frame number: the function plus 1; 0 if it was not looked up yet. */
  #ids = new Int32Array(1024);
  /** By frame number. */
  #flags = new Uint8Array(1024);
  /** By function: the last tick that it was in, to count it once. */
  #lastTick = new Int32Array(1024);
  #tick = 0;
  /** Whether the stack has a function of the program so far. */
  #hasProgram = false;
  readonly #held = new HeldTicks();
  readonly #writing = new LogWriting();
  readonly #waits: LiveWaits;
  readonly #stack: TickStack = {
    ids: new Int32Array(256),
    length: 0,
    above: 0,
    leaf: 0,
    category: 0,
  };
  /** The program counter of a tick, where the cache can look at it. */
  readonly #leaf = new Float64Array(2);

  /** `libraries` are those known before the log is read. */
  constructor(functions: LiveFunctions, libraries: LibraryMap, listener: LiveListener) {
    this.#libraries = libraries;
    this.#waits = new LiveWaits(libraries);
    this.#resolver = new Resolver(libraries, this.#builtins, {
      onChange: (start, end) => this.#cache.forget(start, end),
    });
    this.#functions = functions;
    this.#listener = listener;
    this.#names = new AddressNames(this.#libraries, this.#builtins);
  }

  /** Undefined if the log does not tell. */
  get kind(): ThreadKind | undefined {
    return this.#clues.kind;
  }

  takeTicks(fields: TickFields): void {
    this.#reader.read(fields);
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
        this.#resolver.move(record.from, record.to);
        break;
      case "code-delete":
        this.#resolver.delete(record.address);
        break;
      case "code-deopt":
        this.#applyDeopt(record);
        break;
      case "shared-library":
        this.#libraries.add(record);
        this.#resolver.forget();
        break;
      case "new":
        if (record.name !== "CodeRange" || this.#builtins.codeRange === record.address) break;
        this.#builtins.codeRange = record.address;
        this.#resolver.forget();
        break;
      case "v8-version":
        this.v8 ??= record;
        break;
      case "profiler":
        this.isEnded = record.event === "end";
        break;
      default: // Lines and ranges are for reports of the whole log.
    }
  }

  /**
   * Counts the ticks since the last call. First finds out what is at their addresses, and loads the libraries that they
   * are in, each once.
   */
  async countTicks(sources: NameSources): Promise<void> {
    const facts: WholeLogFacts = {
      libraries: this.#libraries,
      v8: this.v8,
      isUnversioned: this.v8 === undefined && this.#age.isOld,
      builtins: this.#builtins,
    };
    for (const library of this.#resolver.librariesToLoad) {
      this.#resolver.useFunctions(library, await this.#names.load(library, sources.loader, facts));
      // Addresses in one function are one frame from now on.
      this.#cache.forget(0, Number.POSITIVE_INFINITY);
    }
    for (const { frame, found } of await this.#names.name(sources, facts)) {
      this.#ids[frame] = this.#functions.idOf(found) + 1;
    }
    this.#held.take((tick) => this.#count(tick));
  }

  #applyCodeCreation(record: CodeCreationRecord): void {
    this.#age.see(record);
    if (record.codeType === "Builtin" || record.codeType === "BytecodeHandler") this.#builtins.add(record);
    if (record.function !== undefined) this.#clues.see(record.name);
    this.#resolver.create(record);
  }

  #applyDeopt({ timestamp, details }: CodeDeoptRecord): void {
    const { code } = this.#resolver.codeAt(details?.address ?? 0) ?? {};
    this.#listener.onDeopt({
      thread: 0,
      function: code?.name,
      tier: code?.tier ?? "",
      kind: details?.kind.replace(/^deopt-/, "") ?? "",
      reason: details?.reason ?? "",
      position: details?.position ?? "",
      count: 1,
      times: [timestamp],
      isOpen: false,
    });
  }

  /** Finds the frames of a tick, which are other ones later, as `StackBuilder.nodeOf` does. */
  #applyTick({ pc, tos, isExternal, frames, depth, timestamp, vmState }: TickRecord): void {
    this.isEnded = false;
    this.time = Math.max(this.time, timestamp);
    const held = this.#held;
    held.begin(vmState, timestamp);
    for (let i = 0; i < depth; i++) held.add(this.#frameAt(frames, i));
    this.#leaf[0] = tos;
    this.#leaf[1] = isExternal ? tos : pc;
    if (!isExternal && tos !== 0) {
      const top = this.#frameAt(this.#leaf, 0);
      if ((this.#flags[top]! & FUNCTION) !== 0) held.add(top);
    }
    held.add(this.#frameAt(this.#leaf, 1));
    held.end();
  }

  /** Counts a tick with its stack as `shownStacks` shows it. */
  #count({ frames, depth, state: logged, timestamp }: HeldTick): void {
    const stack = this.#stack;
    if (depth > stack.ids.length) stack.ids = reaching(stack.ids, depth);
    stack.length = 0;
    stack.above = 0;
    this.#hasProgram = false;
    this.#writing.enter(undefined);
    this.#tick = (this.#tick + 1) | 0;
    for (let i = 0; i < depth - 1; i++) this.#enter(frames[i]!);
    const caller = depth > 1 ? frames[depth - 2]! : -1;
    let leaf = frames[depth - 1]!;
    const hasWaited = this.#waits.tick(logged, depth, {
      number: leaf,
      frame: this.#resolver.frames[leaf]!,
    });
    const state = hasWaited ? IDLE_INFERRED : logged;
    // A bytecode handler runs for the function that it interprets.
    const isHandler = (this.#flags[leaf]! & HANDLER) !== 0 && caller >= 0;
    const isOwned = isHandler && (this.#flags[caller]! & INTERPRETED) !== 0;
    if (isOwned) leaf = caller;
    else this.#push(leaf);
    stack.leaf = this.#ids[leaf]! - 1;
    const running = this.#functions.get(stack.leaf);
    const isLog = !isOwned && this.#writing.isProfilers(running.work, state);
    const ofState = isLog ? PROFILER : OF_STATE[state]!;
    stack.category = ofState < 0 ? running.category : ofState;
    const found = this.#resolver.frames[leaf]!;
    if (found.kind === "js") running.tier = found.tier;
    this.#listener.onTick(stack, timestamp);
  }

  /** Adds a caller to the stack; unknown addresses are none. */
  #enter(frame: number): void {
    const { frame: found, work } = this.#functions.get(this.#ids[frame]! - 1);
    if (found.kind === "unknown") return;
    this.#push(frame);
    this.#writing.enter(work);
  }

  /** Adds the function of a frame to the stack, once. */
  #push(frame: number): void {
    const id = this.#ids[frame]! - 1;
    if (id >= this.#lastTick.length) this.#lastTick = reaching(this.#lastTick, id);
    if (this.#lastTick[id] === this.#tick) return;
    this.#lastTick[id] = this.#tick;
    const stack = this.#stack;
    if (!this.#hasProgram && this.#functions.get(id).isProgram) {
      this.#hasProgram = true;
      stack.above = stack.length;
    }
    stack.ids[stack.length++] = id;
  }

  /** Returns the frame at `addresses[index]`, and looks up its function if it is new. */
  #frameAt(addresses: Float64Array, index: number): number {
    const known = this.#cache.get(addresses, index);
    if (known >= 0) return known;
    const frame = this.#resolver.resolve(addresses[index]!);
    if (frame >= this.#ids.length) {
      this.#ids = reaching(this.#ids, frame);
      this.#flags = reaching(this.#flags, frame);
    }
    if (this.#ids[frame] === 0) this.#lookUp(frame);
    this.#cache.set(addresses[index]!, frame);
    return frame;
  }

  #lookUp(frame: number): void {
    const found = this.#resolver.frames[frame]!;
    switch (found.kind) {
      case "js":
        this.#flags[frame] = FUNCTION | (found.tier === "~" ? INTERPRETED : 0);
        this.#ids[frame] = this.#functions.idOf(found) + 1;
        break;
      case "code":
        this.#flags[frame] = found.type === "BytecodeHandler" ? HANDLER : 0;
        this.#ids[frame] = this.#functions.idOf(found) + 1;
        break;
      case "pending":
        this.#names.add(frame, found);
        // Unless it turns out to be known, before its ticks are counted.
        this.#ids[frame] = this.#functions.idOf(UNKNOWN) + 1;
        break;
      default: // Without inlined functions, these are all.
        this.#ids[frame] = this.#functions.idOf(UNKNOWN) + 1;
    }
  }
}
