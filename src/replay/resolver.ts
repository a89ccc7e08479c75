import type { Address } from "../base/units.js";
import type { CodeCreationRecord, CodeDeoptRecord, CodeSourceInfoRecord } from "../log/rows/code.js";
import type { BuiltinFrames, FramesByBuiltin } from "../native/builtin-frames.js";
import type { MappedSymbols } from "../native/load-library.js";
import { type Frame, frameKey, type UnknownReason } from "../profile/frame.js";
import { FrameTable } from "../profile/frame-keys.js";
import type { EmbeddedBuiltins } from "./builtins.js";
import type { CodeOffset } from "./ic-rows.js";
import { leafPlace, leafRange } from "./leaf-places.js";
import type { AddressRange, LibraryMap, WholeLogFacts } from "./libraries.js";
import { type LoggedFunction, LoggedFunctions } from "./logged-functions.js";
import {
  type Code,
  newCode,
  offsetFrame,
  type PendingFrame,
  PlaceFrames,
  type ReplayedFrame,
  tierOf,
  wholeFrame,
} from "./replayed-frame.js";

/** A run of neighbouring entries, kept short so that an insertion shifts little. */
interface Chunk<Code> {
  length: number;
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly codes: Code[];
}

const CHUNK_CAPACITY = 256;

/** A piece of code, or the free addresses between two of them. */
interface Piece<Code> {
  readonly code: Code | undefined;
  readonly start: Address;
  /** The first address past it; infinite after the last piece of code. */
  readonly end: Address;
}

/**
 * The live code at each address. Ranges never overlap: new code evicts what it covers, because V8 reuses
 * addresses without always logging that the old code was freed.
 *
 * A list of sorted chunks: a look-up takes two binary searches, and an insertion moves at most one chunk's
 * entries.
 */
export class CodeMap<Code> {
  /** Counts changes. Look-ups stay valid as long as this number does not change. */
  generation = 0;
  readonly #chunks: Chunk<Code>[] = [];
  /** By chunk: where its first entry starts. Side by side they are found sooner than in the chunks. */
  readonly #firsts: Address[] = [];
  #foundAt: Address = 0;
  readonly #onChange: (start: Address, end: Address) => void;

  /** `onChange` is called for every range in which look-ups may now find other code, or none. */
  constructor(onChange: (start: Address, end: Address) => void = () => {}) {
    this.#onChange = onChange;
  }

  /** Adds code at `[start, start + size)`. */
  insert(start: Address, size: number, code: Code): void {
    this.generation++;
    const least = start + Math.max(size, 1);
    // Past 2^53 not every address is a number: the range ends at the next one that is.
    const end = least > start ? least : start * (1 + Number.EPSILON);
    this.#evict(start, end);
    let index = this.#chunkAt(start);
    if (index < 0) {
      if (this.#chunks.length === 0) this.#addChunk(0, newChunk());
      index = 0;
    }
    const chunk = this.#chunks[index]!;
    if (chunk.length === CHUNK_CAPACITY) {
      this.#split(index);
      this.generation--;
      this.insert(start, size, code);
      return;
    }
    const at = upperBound(chunk, start);
    chunk.starts.copyWithin(at + 1, at, chunk.length);
    chunk.ends.copyWithin(at + 1, at, chunk.length);
    chunk.starts[at] = start;
    chunk.ends[at] = start + size;
    chunk.codes.splice(at, 0, code);
    chunk.length++;
    this.#firsts[index] = chunk.starts[0]!;
    this.#onChange(start, end);
  }

  /** Moves the code that starts at `from`. Returns false if none does. */
  move(from: Address, to: Address): boolean {
    const index = this.#chunkAt(from);
    const chunk = this.#chunks[index];
    if (chunk === undefined) return false;
    const at = upperBound(chunk, from) - 1;
    if (chunk.starts[at] !== from) return false;
    const code = chunk.codes[at]!;
    const size = chunk.ends[at]! - from;
    this.#remove(index, at);
    this.insert(to, size, code);
    return true;
  }

  /** Removes the code that starts at `start`. Returns false if none does. */
  delete(start: Address): boolean {
    const index = this.#chunkAt(start);
    const chunk = this.#chunks[index];
    if (chunk === undefined) return false;
    const at = upperBound(chunk, start) - 1;
    if (chunk.starts[at] !== start) return false;
    this.#remove(index, at);
    this.generation++;
    return true;
  }

  /** Returns the code at an address; undefined if there is none. See {@link foundAt}. */
  find(address: Address): Code | undefined {
    const chunk = this.#chunks[this.#chunkAt(address)];
    if (chunk === undefined) return undefined;
    const at = upperBound(chunk, address) - 1;
    this.#foundAt = chunk.starts[at]!;
    return address < chunk.ends[at]! ? chunk.codes[at] : undefined;
  }

  /** The start of the code that the last {@link find} returned. */
  get foundAt(): Address {
    return this.#foundAt;
  }

  /** Returns the code at exactly `[start, start + size)`; undefined if there is none. */
  findExact(start: Address, size: number): Code | undefined {
    const chunk = this.#chunks[this.#chunkAt(start)];
    if (chunk === undefined) return undefined;
    const at = upperBound(chunk, start) - 1;
    return chunk.starts[at] === start && chunk.ends[at] === start + size ? chunk.codes[at] : undefined;
  }

  /** Returns the code at an address and where it is; without code, the free addresses around it. */
  pieceAt(address: Address): Piece<Code> {
    const index = this.#chunkAt(address);
    const chunk = this.#chunks[index];
    const at = chunk === undefined ? 0 : upperBound(chunk, address);
    const before = at === 0 ? 0 : chunk!.ends[at - 1]!;
    if (address < before) return { code: chunk!.codes[at - 1]!, start: chunk!.starts[at - 1]!, end: before };
    const isLast = chunk === undefined || at === chunk.length;
    const after = isLast ? this.#firsts[index + 1] : chunk.starts[at];
    return { code: undefined, start: before, end: after ?? Number.POSITIVE_INFINITY };
  }

  /** Returns the size of the code that starts at `start`; 0 if none does. */
  sizeAt(start: Address): number {
    const chunk = this.#chunks[this.#chunkAt(start)];
    if (chunk === undefined) return 0;
    const at = upperBound(chunk, start) - 1;
    return chunk.starts[at] === start ? chunk.ends[at]! - start : 0;
  }

  /** Returns the last chunk that starts at or below an address; -1 if all start above it. */
  #chunkAt(address: Address): number {
    let low = 0;
    let high = this.#firsts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#firsts[middle]! <= address) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #evict(start: Address, end: Address): void {
    let emptied = 0;
    let index = Math.max(0, this.#chunkAt(start));
    for (; index < this.#chunks.length; index++) {
      const chunk = this.#chunks[index]!;
      if (chunk.starts[0]! >= end) break;
      let from = upperBound(chunk, start);
      if (from > 0 && chunk.ends[from - 1]! > start) from--;
      else if (from > 0 && chunk.starts[from - 1] === start) from--;
      let to = from;
      while (to < chunk.length && chunk.starts[to]! < end) to++;
      this.#removeFrom(index, from, to);
      if (chunk.length === 0) emptied++;
      else if (emptied > 0) break;
    }
    // Emptied chunks are neighbours.
    if (emptied > 0) this.#removeChunks(index - emptied, emptied);
  }

  /** Removes an entry of the chunk at `index`, and the chunk with its last entry. */
  #remove(index: number, at: number): void {
    this.#removeFrom(index, at, at + 1);
    if (this.#chunks[index]!.length === 0) this.#removeChunks(index, 1);
  }

  #addChunk(index: number, chunk: Chunk<Code>): void {
    this.#chunks.splice(index, 0, chunk);
    this.#firsts.splice(index, 0, chunk.starts[0]!);
  }

  #removeChunks(index: number, count: number): void {
    this.#chunks.splice(index, count);
    this.#firsts.splice(index, count);
  }

  /** Removes the entries in `[from, to)` of the chunk at `index`. */
  #removeFrom(index: number, from: number, to: number): void {
    if (from === to) return;
    const chunk = this.#chunks[index]!;
    for (let at = from; at < to; at++) this.#onChange(chunk.starts[at]!, chunk.ends[at]!);
    chunk.starts.copyWithin(from, to, chunk.length);
    chunk.ends.copyWithin(from, to, chunk.length);
    chunk.codes.splice(from, to - from);
    chunk.length -= to - from;
    this.#firsts[index] = chunk.starts[0]!;
  }

  #split(index: number): void {
    const chunk = this.#chunks[index]!;
    const half = chunk.length >>> 1;
    const upper = newChunk<Code>();
    upper.starts.set(chunk.starts.subarray(half, chunk.length));
    upper.ends.set(chunk.ends.subarray(half, chunk.length));
    upper.codes.push(...chunk.codes.splice(half));
    upper.length = chunk.length - half;
    chunk.length = half;
    this.#addChunk(index + 1, upper);
  }
}

function newChunk<Code>(): Chunk<Code> {
  return {
    length: 0,
    starts: new Float64Array(CHUNK_CAPACITY),
    ends: new Float64Array(CHUNK_CAPACITY),
    codes: [],
  };
}

/**
 * Returns the index past the last entry that starts at or below an address: `upperBound` of src/base/sorted.ts, which
 * arrays of several kinds share. A log of 100,000 functions took 9 % more time with that.
 */
function upperBound(chunk: Chunk<unknown>, address: Address): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (chunk.starts[middle]! <= address) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What says which places in builtins need to be told apart, once there are many of them. */
export interface ManyPlaces extends WholeLogFacts {
  /** The builtins that are to be looked up, by name. */
  readonly wanted: ReadonlySet<string>;
  readonly frames: readonly ReplayedFrame[];
  /** Takes what is known of them: of the others, no place is told apart from now on. */
  use(found: FramesByBuiltin): void;
}

/** From this number of places on, those that need not be told apart are worth finding. */
const MANY = 1 << 12;

/**
 * The places in builtins at the top of stacks. It only matters whether the builtin has a frame there: once that is
 * known, all places where it has one are one frame, and all others are another.
 */
export class BuiltinPlaces {
  /** The builtins whose places are told apart by offset. */
  readonly #open = new Set<Code>();
  readonly #known = new Map<string, BuiltinFrames | undefined>();
  #onChange: () => void;
  #places = 0;

  /** `onChange` is called when places get other frames than before. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Takes note of one more place in a builtin. */
  add(code: Code): void {
    if (code.frameless !== undefined) return;
    this.#open.add(code);
    this.#places++;
  }

  /** Returns what is needed to merge places; undefined as long as there are few. */
  many(facts: Omit<ManyPlaces, "wanted" | "use">): ManyPlaces | undefined {
    if (this.#places < MANY) return undefined;
    const wanted = new Set(Array.from(this.#open, ({ name }) => name));
    return { ...facts, wanted, use: (found) => this.#use(found) };
  }

  /** Returns itself, without a hold on what it was made for: that can be freed. Call it after the last tick. */
  finish(): this {
    this.#onChange = () => {};
    return this;
  }

  #use(found: FramesByBuiltin): void {
    for (const code of this.#open) {
      if (!this.#known.has(code.name)) this.#known.set(code.name, found.get(code.name));
      code.frameless = this.#known.get(code.name)?.frameless ?? [];
    }
    this.#open.clear();
    this.#places = 0;
    this.#onChange();
  }

  /** Returns what is known of builtins, without those whose places were merged by something else. */
  agreeing(found: FramesByBuiltin): FramesByBuiltin {
    return new Map(
      Array.from(found).filter(
        ([name, { frameless }]) =>
          !this.#known.has(name) || `${frameless}` === `${this.#known.get(name)?.frameless}`,
      ),
    );
  }
}

const NO_FUNCTIONS: ReadonlySet<LoggedFunction> = new Set();

export interface ResolverOptions {
  /** Whether the frames of functions are offsets in their code. Default: false, each function is one frame. */
  readonly inlines?: boolean | undefined;
  /** Whether builtins at the top of stacks are offsets in their code. Default: false. */
  readonly builtinOffsets?: boolean | undefined;
  /** Whether to keep all functions of the log. Default: false. Only with `inlines`. */
  readonly identities?: boolean | undefined;
  /** Called when the frames of an address range may have changed. Default: none. */
  readonly onChange?: ((start: Address, end: Address) => void) | undefined;
}

/** The kinds of deoptimizations that wait until a call returns: `lazy`, from Node 16 on `deopt-lazy`. */
const LAZY = /^(?:deopt-)?lazy$/;

/** Returns what is at an address now, as frame numbers. */
export class Resolver {
  readonly #libraries: LibraryMap;
  readonly #builtins: EmbeddedBuiltins;
  readonly #onChange: (start: Address, end: Address) => void;
  readonly #codes = new CodeMap<Code>((start, end) => this.#onChange(start, end));
  /** Where code was before it moved or was freed. */
  readonly #gone = new CodeMap<true>((start, end) => this.#onChange(start, end));
  readonly #loggedFunctions: LoggedFunctions | undefined;
  /** Undefined without the option `builtinOffsets`. */
  readonly builtinPlaces: BuiltinPlaces | undefined;
  readonly #table = new FrameTable<ReplayedFrame, Frame>(frameKey);
  /** The frames of places in functions and builtins. */
  readonly #places = new PlaceFrames();
  /** The frames of functions in libraries, of addresses in the code range, and of those without a function. */
  readonly #pending = new Map<Address, number>();
  /** By library: its functions; undefined if it has none. */
  readonly #functions = new Map<number, MappedSymbols | undefined>();
  /** The libraries that own frames and still need {@link useFunctions}. */
  readonly librariesToLoad = new Set<number>();
  /** By name: how many pieces of code other than functions were on stacks. */
  readonly #seen = new Map<string, number>();
  #generation = 0;

  constructor(
    libraries: LibraryMap,
    builtins: EmbeddedBuiltins,
    { inlines, builtinOffsets, identities, onChange }: ResolverOptions = {},
  ) {
    this.builtinPlaces = builtinOffsets ? new BuiltinPlaces(() => this.#voidAnswers()) : undefined;
    this.#libraries = libraries;
    this.#builtins = builtins;
    this.#onChange = onChange ?? (() => {});
    this.#loggedFunctions = inlines ? new LoggedFunctions({ keepsAll: identities }) : undefined;
  }

  /** All frames that addresses were resolved to. */
  get frames(): readonly ReplayedFrame[] {
    return this.#table.frames;
  }

  /** All functions of the log; none without the option `identities`. */
  get functions(): Iterable<LoggedFunction> {
    return this.#loggedFunctions?.all ?? [];
  }

  /** The functions that V8 compiled; none without the option `inlines`. */
  get compiledFunctions(): ReadonlySet<LoggedFunction> {
    return this.#loggedFunctions?.compiled ?? NO_FUNCTIONS;
  }

  /** Changes whenever an address may resolve to another frame. */
  get generation(): number {
    return this.#codes.generation + this.#generation;
  }

  /** Voids all answers about static addresses: a library or V8's code range was added. */
  forget(): void {
    this.#voidAnswers();
    this.#pending.clear();
  }

  #voidAnswers(): void {
    this.#generation++;
    this.#onChange(0, Number.POSITIVE_INFINITY);
  }

  /** Sets the functions of a library: all addresses in one function are from now on one frame. */
  useFunctions(library: number, functions: MappedSymbols | undefined): void {
    this.librariesToLoad.delete(library);
    this.#functions.set(library, functions);
  }

  /** Adds code. Returns false if its tier mark is unknown; it then counts as code without a mark. */
  create(record: CodeCreationRecord): boolean {
    const { codeType: type, address, size, name } = record;
    const { tier, isKnown } = tierOf(record.function?.mark);
    // Node 6 and 8 log a builtin a second time as a function, often without a name: the first row is kept.
    if (type !== "Builtin" && this.#codes.findExact(address, size)?.type === "Builtin") return isKnown;
    const sfi = record.function?.sfi;
    const logged = sfi === undefined ? undefined : this.#loggedFunctions?.named(sfi, name);
    if (logged !== undefined) this.#loggedFunctions?.keepTier(logged, tier);
    const isBuiltin = this.builtinPlaces !== undefined && type === "Builtin" && tier === undefined;
    const lacksColumn = record.function?.lacksColumn;
    const made = newCode({ type, name, tier, lacksColumn, function: logged, isBuiltin });
    this.#codes.insert(address, size, made);
    return isKnown;
  }

  /** Records which source the code at an address was made from. */
  describe(record: CodeSourceInfoRecord): void {
    const code = this.#codes.sizeAt(record.address) > 0 ? this.#codes.find(record.address) : undefined;
    if (code?.function === undefined || this.#loggedFunctions === undefined) return;
    const { script, start, end, positions } = record;
    code.function = this.#loggedFunctions.inScript(code.function, script);
    Object.assign(code.function, { start, end });
    if (code.tier === "~") code.function.bytecodePositions = positions;
    if (code.source !== undefined) this.#forgetPlaces(code, record.address);
    code.frameAt = undefined;
    code.source = this.#loggedFunctions.source(record);
    this.#loggedFunctions.keepInlining(code.function, code.tier, record);
  }

  /** Records after which call code was left. Its callers get new frames, so that it is known which came before. */
  deopt({ details }: CodeDeoptRecord): void {
    if (details === undefined || !LAZY.test(details.kind)) return;
    const code = this.#codes.sizeAt(details.address) > 0 ? this.#codes.find(details.address) : undefined;
    if (!code?.hasPlaces || code.isBuiltin) return;
    code.lazyDeopts ??= [];
    code.lazyDeopts.push({ offset: details.scriptOffset, inlining: details.inliningId });
    this.#forgetPlaces(code, details.address);
  }

  /** Gives callers in code new frames from now on. */
  #forgetPlaces(code: Code, start: Address): void {
    code.callerAt = undefined;
    this.#generation++;
    this.#onChange(start, start + this.#codes.sizeAt(start));
  }

  /** Records that a SharedFunctionInfo was moved. */
  moveFunction(from: Address, to: Address): void {
    this.#loggedFunctions?.move(from, to);
  }

  /** Moves code. Returns false if no code is known at `from`. */
  move(from: Address, to: Address): boolean {
    const size = this.#codes.sizeAt(from);
    if (size > 0) this.#gone.insert(from, size, true);
    return this.#codes.move(from, to);
  }

  /** Removes code. Returns false if no code is known at `address`. */
  delete(address: Address): boolean {
    const size = this.#codes.sizeAt(address);
    if (size > 0) this.#gone.insert(address, size, true);
    return this.#codes.delete(address);
  }

  /** Returns the code at an address, and the offset there; undefined if there is none. */
  codeAt(address: Address): CodeOffset | undefined {
    const code = this.#codes.find(address);
    return code && { code, offset: address - this.#codes.foundAt };
  }

  /** Returns the code that starts at an address; undefined if none does. */
  codeFrom(address: Address): Code | undefined {
    const code = this.#codes.find(address);
    if (code === undefined) return this.#codes.findExact(address, 0);
    return this.#codes.foundAt === address ? code : undefined;
  }

  /** Returns the number of the frame at an address, an index into `frames`. */
  resolve(address: Address): number {
    return this.#frameAt(address, false);
  }

  /** Returns the number of the frame that a return address belongs to. */
  resolveCaller(address: Address): number {
    return this.#frameAt(address, true);
  }

  isFunction(frame: number): boolean {
    const { kind } = this.frames[frame]!;
    return kind === "js" || kind === "offset";
  }

  /** Returns the addresses that are one frame with an address if a tick is there; undefined if that is unknown. */
  rangeOf(address: Address): AddressRange | undefined {
    const { code, start, end } = this.#codes.pieceAt(address);
    if (code !== undefined) {
      const places = leafRange(code, address - start);
      return { start: start + places.start, end: Math.min(end, start + places.end) };
    }
    const library = this.#libraries.areAddressesKnown ? this.#libraries.find(address) : -1;
    const found = this.#functions.get(library)?.rangeOf(address);
    if (found === undefined) return undefined;
    const range = { start: Math.max(found.start, start), end: Math.min(found.end, end) };
    return this.#libraries.isUniform(range.start, range.end) ? range : undefined;
  }

  #frameAt(address: Address, isReturn: boolean): number {
    const code = this.#codes.find(address);
    if (code === undefined) return this.#resolveStatic(address);
    if (!code.hasPlaces || (code.isBuiltin && isReturn)) return this.#frameOf(code);
    const offset = address - this.#codes.foundAt;
    // A return address points after the call; in bytecode, at the call itself.
    const isAfter = isReturn && code.tier !== "~";
    if (isAfter) code.callerAt ??= this.#places.open();
    else code.frameAt ??= this.#places.open();
    const places = isAfter ? code.callerAt! : code.frameAt!;
    const place = isAfter ? offset : leafPlace(code, offset);
    const known = this.#places.find(places, place);
    if (known >= 0) return known;
    if (code.isBuiltin) this.builtinPlaces?.add(code);
    const frame = code.isBuiltin
      ? this.#table.append({ kind: "builtin", whole: this.#frameOf(code), name: code.name, offset })
      : this.#table.append(offsetFrame(code, offset, isAfter));
    this.#places.add(places, place, frame);
    return frame;
  }

  #frameOf(code: Code): number {
    if (code.frame < 0) {
      const { type, name, tier } = code;
      code.frame = this.#table.intern(
        tier === undefined
          ? { kind: "code", type, name, duplicate: this.#countName(name) }
          : wholeFrame(code, tier),
      );
    }
    return code.frame;
  }

  /** Returns 0 for the first code of a name, whatever its type, as V8 numbers them. */
  #countName(name: string): number {
    const count = this.#seen.get(name) ?? 0;
    this.#seen.set(name, count + 1);
    return count;
  }

  #resolveStatic(address: Address): number {
    const found = this.#pending.get(address);
    if (found !== undefined && !this.#isOutdated(found, address)) return found;
    const frame = this.#staticFrame(address);
    if (frame.kind !== "pending") return this.#table.intern(frame);
    // What was cached for the address itself is outdated here; for the start of its function it is not.
    const known = frame.address === address ? undefined : this.#pending.get(frame.address);
    const number = known ?? this.#table.append(frame);
    this.#pending.set(frame.address, number);
    return number;
  }

  /** Returns whether code was at an address and went away since the address was found to be in no library. */
  #isOutdated(number: number, address: Address): boolean {
    const frame = this.frames[number]!;
    const isOpen = frame.kind === "pending" && frame.library < 0 && frame.reason === "unmapped";
    return isOpen && this.#gone.find(address) !== undefined;
  }

  #staticFrame(address: Address): Frame | PendingFrame {
    const libraries = this.#libraries;
    const library = libraries.areAddressesKnown ? libraries.find(address) : -1;
    if (library >= 0) {
      return { kind: "pending", library, address: this.#functionStart(library, address), reason: "unmapped" };
    }
    const reason = this.#reason(address);
    const isOpen = libraries.areAddressesKnown
      ? reason === "unmapped" && this.#builtins.mayCopy(address)
      : reason !== "no-pc";
    if (isOpen) return { kind: "pending", library: -1, address, reason };
    const cut = reason === "unmapped" ? libraries.cut(address) : address;
    const found = cut === address ? -1 : libraries.find(cut);
    return found < 0
      ? { kind: "unknown", reason }
      : { kind: "pending", library: found, address: cut, reason };
  }

  /**
   * Returns the start of the function at an address of a library; the address itself while that is unknown.
   */
  #functionStart(library: number, address: Address): Address {
    const functions = this.#functions.get(library);
    if (functions !== undefined) return functions.startOf(address);
    if (!this.#functions.has(library)) this.librariesToLoad.add(library);
    return address;
  }

  #reason(address: Address): UnknownReason {
    if (address === 0) return "no-pc";
    return this.#gone.find(address) === undefined ? "unmapped" : "code-gone";
  }
}
