import type { Graph } from "./graph.js";
import type { Model } from "./model.js";
import { outermost } from "./sandwich.js";

/** The result of a search. */
export interface Matches {
  /** By function: 1 if it matches. */
  readonly functions: Uint8Array;
  /** The number of functions that match and have ticks. */
  readonly count: number;
  /** The ticks in stacks with a matching function. */
  readonly ticks: number;
  /** The same before and after; undefined if the page has one side. */
  readonly sides: readonly [number, number] | undefined;
}

/** Longer texts are cut: a pattern can take quadratic time. */
const MATCHED_LENGTH = 2048;

/**
 * Returns the regular expression that a reader typed, ignoring case; undefined if empty. Throws a
 * `SyntaxError`.
 */
export function searchPattern(text: string): RegExp | undefined {
  return text.trim() === "" ? undefined : new RegExp(text.trim(), "i");
}

/** Searches the titles of functions and their positions, `file:line`. */
export function search({ functions, data }: Model, graph: Graph, pattern: RegExp): Matches {
  const matches = Uint8Array.from(functions.titles, (title, id) => {
    const file = data.files[functions.file[id]!];
    const position = file === undefined ? "" : `${file}:${functions.line[id]}`;
    const isMatch = [title, position].some((text) => pattern.test(text.slice(0, MATCHED_LENGTH)));
    return isMatch ? 1 : 0;
  });
  let ticks = 0;
  const sides: [number, number] = [0, 0];
  for (const node of outermost(graph, (id) => matches[id] === 1)) {
    ticks += graph.total[node]!;
    for (const side of [0, 1] as const) sides[side] += graph.sides?.total[side][node] ?? 0;
  }
  const found = new Set<number>();
  for (let node = 1; node < graph.length; node++) {
    if (matches[graph.function[node]!] === 1) found.add(graph.function[node]!);
  }
  return { functions: matches, count: found.size, ticks, sides: graph.sides && sides };
}
