import { valueAt } from "../base/maps.js";
import { upperBound } from "../base/sorted.js";
import type { Micros } from "../base/units.js";
import { NONE } from "./node-stacks.js";
import type { NumberList } from "./number-list.js";

/** Where a sample was in its function; 0 if that is unknown. */
export interface SamplePosition {
  readonly line: number;
  readonly column?: number;
}

/** Where samples can be, numbered: in which node, -1 for an unknown one, and at which line. */
interface SamplePositions {
  readonly length: number;
  /** Returns the number of the position of the next sample of a node. */
  next(node: number, sample: number): number;
  nodeOf(position: number): number;
  at(position: number): SamplePosition;
}

/**
 * Gives the samples of a node its lines by turns: a profile has how many are at each line, not which ones. After the positions at lines
 * come those of nodes without one, the last of which is the unknown node.
 */
export class LineTurns implements SamplePositions {
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

  nodeOf(position: number): number {
    const nodes = this.#starts.length - 1;
    if (position >= this.#used.length) {
      const node = position - this.#used.length;
      return node < nodes ? node : NONE;
    }
    return upperBound(this.#starts, position, 1) - 1; // The last node that begins at the line or before.
  }

  at(position: number): SamplePosition {
    return { line: position < this.#used.length ? this.#lines.at(2 * position) : 0 };
  }
}

/** The positions of a profile that says for each sample where it was. */
export class GivenPositions implements SamplePositions {
  readonly #sampleLines: NumberList;
  readonly #sampleColumns: NumberList;
  readonly #positions: { readonly node: number; readonly line: number; readonly column: number }[] = [];
  readonly #numbers = new Map<string, number>();
  /** By node, after the unknown one: the position of its last sample. */
  readonly #last: Int32Array;

  constructor(nodes: number, lines: NumberList, columns: NumberList) {
    this.#sampleLines = lines;
    this.#sampleColumns = columns;
    this.#last = new Int32Array(nodes + 1).fill(NONE);
  }

  get length(): number {
    return this.#positions.length;
  }

  next(node: number, sample: number): number {
    const [line, column] = [this.#sampleLines.at(sample), this.#sampleColumns.at(sample)];
    const last = this.#last[node + 1]!;
    const known = this.#positions[last];
    if (known !== undefined && known.line === line && known.column === column) return last;
    const key = `${node} ${line}:${column}`;
    const position = valueAt(this.#numbers, key, () => this.#positions.push({ node, line, column }) - 1);
    this.#last[node + 1] = position;
    return position;
  }

  nodeOf(position: number): number {
    return this.#positions[position]!.node;
  }

  at(position: number): SamplePosition {
    return this.#positions[position]!;
  }
}

/** Shares the time of a node among its lines by how many samples each has: which ones is not known. */
export function shareByHits(positions: SamplePositions, hits: Float64Array, times: Float64Array): void {
  const sums = new Map<number, { hits: number; time: Micros }>();
  for (let position = 0; position < positions.length; position++) {
    if (hits[position] === 0) continue;
    const sum = valueAt(sums, positions.nodeOf(position), () => ({ hits: 0, time: 0 }));
    sum.hits += hits[position]!;
    sum.time += times[position]!;
  }
  for (let position = 0; position < positions.length; position++) {
    const sum = sums.get(positions.nodeOf(position));
    if (sum !== undefined) times[position] = (sum.time * hits[position]!) / sum.hits;
  }
}
