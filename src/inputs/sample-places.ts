import { valueAt } from "../base/maps.js";
import { upperBound } from "../base/sorted.js";
import type { Micros } from "../base/units.js";
import { NONE } from "./node-stacks.js";
import type { NumberList } from "./number-list.js";

/** Where a sample was in its function; 0 if that is unknown. */
export interface SamplePlace {
  readonly line: number;
  readonly column?: number;
}

/** Where samples can be, numbered: in which node, -1 for an unknown one, and at which line. */
interface SamplePlaces {
  readonly length: number;
  /** Returns the number of the place of the next sample of a node. */
  next(node: number, sample: number): number;
  nodeOf(place: number): number;
  at(place: number): SamplePlace;
}

/**
 * Gives the samples of a node its lines by turns: a profile has how many are at each line, not which ones. After the places at lines
 * come those of nodes without one, the last of which is the unknown node.
 */
export class LineTurns implements SamplePlaces {
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

  nodeOf(place: number): number {
    const nodes = this.#starts.length - 1;
    if (place >= this.#used.length) {
      const node = place - this.#used.length;
      return node < nodes ? node : NONE;
    }
    return upperBound(this.#starts, place, 1) - 1; // The last node that begins at the line or before.
  }

  at(place: number): SamplePlace {
    return { line: place < this.#used.length ? this.#lines.at(2 * place) : 0 };
  }
}

/** The places of a profile that says for each sample where it was. */
export class GivenPlaces implements SamplePlaces {
  readonly #sampleLines: NumberList;
  readonly #sampleColumns: NumberList;
  readonly #places: { readonly node: number; readonly line: number; readonly column: number }[] = [];
  readonly #numbers = new Map<string, number>();
  /** By node, after the unknown one: the place of its last sample. */
  readonly #last: Int32Array;

  constructor(nodes: number, lines: NumberList, columns: NumberList) {
    this.#sampleLines = lines;
    this.#sampleColumns = columns;
    this.#last = new Int32Array(nodes + 1).fill(NONE);
  }

  get length(): number {
    return this.#places.length;
  }

  next(node: number, sample: number): number {
    const [line, column] = [this.#sampleLines.at(sample), this.#sampleColumns.at(sample)];
    const last = this.#last[node + 1]!;
    const known = this.#places[last];
    if (known !== undefined && known.line === line && known.column === column) return last;
    const key = `${node} ${line}:${column}`;
    const place = valueAt(this.#numbers, key, () => this.#places.push({ node, line, column }) - 1);
    this.#last[node + 1] = place;
    return place;
  }

  nodeOf(place: number): number {
    return this.#places[place]!.node;
  }

  at(place: number): SamplePlace {
    return this.#places[place]!;
  }
}

/** Shares the time of a node among its lines by how many samples each has: which ones is not known. */
export function shareByHits(places: SamplePlaces, hits: Float64Array, times: Float64Array): void {
  const sums = new Map<number, { hits: number; time: Micros }>();
  for (let place = 0; place < places.length; place++) {
    if (hits[place] === 0) continue;
    const sum = valueAt(sums, places.nodeOf(place), () => ({ hits: 0, time: 0 }));
    sum.hits += hits[place]!;
    sum.time += times[place]!;
  }
  for (let place = 0; place < places.length; place++) {
    const sum = sums.get(places.nodeOf(place));
    if (sum !== undefined) times[place] = (sum.time * hits[place]!) / sum.hits;
  }
}
