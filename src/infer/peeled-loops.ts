import { valueAt } from "../base/maps.js";
import { partitionPoint } from "../base/sorted.js";
import type { InlinedCalls, PositionTable, SourcePosition } from "../replay/logged-functions.js";

/** A loop that was not peeled has fewer positions of its head, unless it is large. */
const LEAST_COPY = 8;
/** The positions of a loop's body are at most this many times those of its copy. */
const MOST_BODY = 4;
/** Of so many positions for each of the copy, some are the body's, and the others of functions inlined in it. */
const REACH = 64;

/** What is known about positions in the functions of a piece of code. */
interface PositionFacts {
  /** Returns whether a loop begins at a position. */
  isLoop(position: SourcePosition): boolean;
  /** Returns the line of a position; 0 if unknown. */
  line(position: SourcePosition): number;
}

/** The copy of a loop's body. */
interface Copy {
  readonly head: SourcePosition;
  /** The index of the first position that it has in the table. */
  readonly first: number;
  /** The calls inlined in it. */
  readonly calls: number[];
  /** The calls inlined in the first round. */
  readonly firstCalls: number[];
}

/**
 * The loops that Maglev peeled in a piece of code. It compiles their first round apart. All that follows of
 * the loop has the position of the jump at the end of that round, which is the loop's head.
 *
 * Source: V8, src/maglev/maglev-graph-builder.cc, `MaglevGraphBuilder::PeelLoop`. In logs of Node 24 and 26,
 * loops have 1 to 13 positions of their head with `--no-maglev-loop-peeling`, but those with 8 or more have
 * longer bodies; without that option the same loops have 10 to 161 and inlined calls there.
 */
export class PeeledLoops {
  readonly #facts: PositionFacts;
  readonly #copies: Copies;
  /** By inlined call in a copy: its line in the first round. */
  readonly #lines = new Map<number, number>();

  constructor(table: PositionTable, calls: InlinedCalls, facts: PositionFacts) {
    this.#facts = facts;
    this.#copies = findCopies(table, calls, facts);
    if (this.#copies.size === 0) return;
    const firstOf = firstEntries(table, calls.length);
    addFirstCalls(this.#copies, calls, firstOf);
    for (const inFunction of this.#copies.values()) {
      for (const copy of inFunction.values()) this.#match(copy, calls, firstOf);
    }
  }

  /** Returns whether all that is known of a position is the loop that it is in: the one that begins there. */
  isCopy({ offset, inlining }: SourcePosition): boolean {
    return this.#copies.get(inlining)?.has(offset) ?? false;
  }

  /** Returns the line of an inlined call at such a position; 0 if it is not sure. */
  lineOfCall(inlining: number): number {
    return this.#lines.get(inlining) ?? 0;
  }

  /** Finds the lines of the calls in a copy: it has the same calls as the first round, in the same order. */
  #match({ calls: copied, firstCalls }: Copy, calls: InlinedCalls, firstOf: Int32Array): void {
    const originals = byFunction(firstCalls, calls);
    for (const [callee, copies] of byFunction(copied, calls)) {
      const models = originals.get(callee) ?? [];
      if (models.length < copies.length) continue;
      const lines = models.map((call) => this.#facts.line(calls.position(call)));
      const isOneLine = lines.every((line) => line === lines[0]);
      const isSameOrder =
        models.length === copies.length && isAscending(models, firstOf) && isAscending(copies, firstOf);
      if (!isOneLine && !isSameOrder) continue;
      for (const [i, call] of copies.entries()) this.#lines.set(call, lines[i]!);
    }
  }
}

/** Copies by the inlined call of the function that the loop is in, or -1, and by the offset of their head. */
type Copies = Map<number, Map<number, Copy>>;

function findCopies(table: PositionTable, calls: InlinedCalls, facts: PositionFacts): Copies {
  const copies: Copies = new Map();
  const counts = new Map<number, Map<number, { count: number; readonly first: number }>>();
  for (let i = 0; i < table.length; i++) {
    const { offset, inlining } = table.position(i);
    const ofFunction = valueAt(counts, inlining, () => new Map());
    const known = ofFunction.get(offset);
    if (known === undefined) ofFunction.set(offset, { count: 1, first: i });
    else known.count++;
  }
  const callsAt = new Map<number, Map<number, number[]>>();
  for (let call = 0; call < calls.length; call++) {
    const { offset, inlining } = calls.position(call);
    const ofFunction = valueAt(callsAt, inlining, () => new Map());
    valueAt(ofFunction, offset, () => []).push(call);
  }
  for (const [inlining, ofFunction] of counts) {
    for (const [offset, { count, first }] of ofFunction) {
      const inside = callsAt.get(inlining)?.get(offset) ?? [];
      const head = { offset, inlining };
      // A loop's head calls nothing, but conversions and iterators: which V8 does not inline there.
      if (inside.length === 0 && (count < LEAST_COPY || hasLongBody(table, head, { count, first }))) continue;
      if (!facts.isLoop(head)) continue;
      valueAt(copies, inlining, () => new Map()).set(offset, { head, first, calls: inside, firstCalls: [] });
    }
  }
  return copies;
}

/** Returns whether a loop has too many positions for what would be its copy. */
function hasLongBody(
  table: PositionTable,
  { offset, inlining }: SourcePosition,
  { count, first }: { readonly count: number; readonly first: number },
): boolean {
  let body = 0;
  for (let i = first - 1; i >= Math.max(0, first - count * REACH); i--) {
    const position = table.position(i);
    if (position.inlining === inlining && position.offset > offset) body++;
    if (body > count * MOST_BODY) return true;
  }
  return false;
}

/** Returns for each inlined call the first position in it; -1 if there is none. */
function firstEntries(table: PositionTable, count: number): Int32Array {
  const first = new Int32Array(count).fill(-1);
  for (let i = table.length - 1; i >= 0; i--) {
    const { inlining } = table.position(i);
    if (inlining >= 0 && inlining < count) first[inlining] = i;
  }
  return first;
}

/** Adds to each copy the calls inlined in the first round: behind the loop's head, and before the copy. */
function addFirstCalls(copies: Copies, calls: InlinedCalls, firstOf: Int32Array): void {
  const sorted = new Map(
    Array.from(copies, ([inlining, inFunction]) => [
      inlining,
      Array.from(inFunction.values()).sort((a, b) => a.head.offset - b.head.offset),
    ]),
  );
  for (let call = 0; call < calls.length; call++) {
    const { offset, inlining } = calls.position(call);
    const heads = sorted.get(inlining) ?? [];
    const next = partitionPoint(heads.length, (i) => heads[i]!.head.offset < offset);
    // Only innermost loops are peeled, so they are not in each other.
    const copy = heads[next - 1];
    const first = firstOf[call]!;
    if (copy !== undefined && first >= 0 && first < copy.first) copy.firstCalls.push(call);
  }
}

function byFunction(numbers: readonly number[], calls: InlinedCalls): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const call of numbers) {
    const callee = calls.functionOf(call);
    valueAt(groups, callee, () => []).push(call);
  }
  return groups;
}

/** Returns whether the code of calls is in their order. */
function isAscending(calls: readonly number[], firstOf: Int32Array): boolean {
  return calls.every(
    (call, i) => firstOf[call]! >= 0 && (i === 0 || firstOf[calls[i - 1]!]! < firstOf[call]!),
  );
}
