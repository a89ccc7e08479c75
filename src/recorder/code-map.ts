import type { Address } from "../profile/units.js";

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
 * Returns the index past the last entry that starts at or below an address: `upperBound` of src/profile/sorted.ts, which
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
