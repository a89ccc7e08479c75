import { upperBound } from "../profile/sorted.js";
import type { Address } from "../profile/units.js";

/** A range of addresses. */
export interface AddressRange {
  readonly start: Address;
  /** The first address past it. */
  readonly end: Address;
}

/** A range of addresses and its owner. */
export interface OwnedRange extends AddressRange {
  readonly owner: number;
}

/** No range. */
const NONE = -1;

/**
 * Finds the owner of an address among ranges that may overlap in any way: the range with the highest start
 * counts, of several the one with the highest owner. Ranges may be added and looked up in any order; n of
 * each take n log² n steps.
 *
 * The ranges are in groups, each at most half as large as the one before, whose ranges no longer overlap.
 */
export class RangeMap {
  readonly #groups: Group[] = [];
  #fresh: OwnedRange[] = [];

  add(range: OwnedRange): void {
    this.#fresh.push(range);
  }

  /** Returns the range that counts at an address; undefined if there is none. */
  find(address: Address): OwnedRange | undefined {
    let found: OwnedRange | undefined;
    for (const group of this.#settled()) {
      const range = group.find(address);
      if (range !== undefined && (found === undefined || compare(range, found) > 0)) found = range;
    }
    return found;
  }

  /** Returns true only if {@link find} returns the same for all of `[start, end)`. */
  isUniform(start: Address, end: Address): boolean {
    return this.#settled().every((group) => group.isUniform(start, end));
  }

  #settled(): readonly Group[] {
    if (this.#fresh.length === 0) return this.#groups;
    let ranges = this.#fresh;
    this.#fresh = [];
    for (let last = this.#groups.at(-1); last !== undefined; last = this.#groups.at(-1)) {
      if (last.ranges.length > 2 * ranges.length) break;
      ranges = last.ranges.concat(ranges);
      this.#groups.pop();
    }
    this.#groups.push(new Group(ranges));
    return this.#groups;
  }
}

class Group {
  /** Sorted by start, then by owner. */
  readonly ranges: OwnedRange[];
  /** Ascending addresses from which another range, or none, counts; `#indices` has its index. */
  readonly #edges: Address[] = [];
  readonly #indices: number[] = [];

  constructor(ranges: OwnedRange[]) {
    this.ranges = ranges.sort(compare);
    /** The open ranges; the one that counts is last. */
    const open: number[] = [];
    for (const [index, { start }] of ranges.entries()) {
      this.#closeUntil(start, open);
      open.push(index);
      this.#addEdge(start, index);
    }
    this.#closeUntil(Number.POSITIVE_INFINITY, open);
  }

  find(address: Address): OwnedRange | undefined {
    const index = this.#indices[upperBound(this.#edges, address) - 1] ?? NONE;
    return this.ranges[index];
  }

  isUniform(start: Address, end: Address): boolean {
    const next = this.#edges[upperBound(this.#edges, start)];
    return next === undefined || next >= end;
  }

  /** Closes the ranges that end at or below an address. */
  #closeUntil(address: Address, open: number[]): void {
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      const { end } = this.ranges[last]!;
      if (end > address) return;
      open.pop();
      // Ranges that began earlier may have ended too.
      while (open.length > 0 && this.ranges[open.at(-1)!]!.end <= end) open.pop();
      this.#addEdge(end, open.at(-1) ?? NONE);
    }
  }

  #addEdge(edge: Address, index: number): void {
    if (this.#edges.at(-1) === edge) {
      this.#indices[this.#indices.length - 1] = index;
      return;
    }
    this.#edges.push(edge);
    this.#indices.push(index);
  }
}

function compare(a: OwnedRange, b: OwnedRange): number {
  return a.start - b.start || a.owner - b.owner;
}
