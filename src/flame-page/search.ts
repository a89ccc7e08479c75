import type { Graph } from "./graph.js";
import type { Model } from "./model.js";
import { outermost } from "./sandwich.js";

/** What a search found. */
export interface Matches {
  /** By function: 1 where it matches. */
  readonly functions: Uint8Array;
  /** How many functions match and have ticks. */
  readonly count: number;
  /** The ticks in stacks that have a matching function. */
  readonly ticks: number;
}

/** Of longer texts only so many letters count: a pattern can take time by the square of a text. */
const MATCHED_LENGTH = 2048;

/** The regular expression that a reader typed, not minding case; undefined for nothing. Throws a `SyntaxError`. */
export function searchPattern(text: string): RegExp | undefined {
  return text.trim() === "" ? undefined : new RegExp(text.trim(), "i");
}

/** Searches the titles of functions and their places, `file:line`. */
export function search({ functions, data }: Model, graph: Graph, pattern: RegExp): Matches {
  const matches = Uint8Array.from(functions.titles, (title, id) => {
    const file = data.files[functions.file[id]!];
    const place = file === undefined ? "" : `${file}:${functions.line[id]}`;
    const isMatch = [title, place].some((text) => pattern.test(text.slice(0, MATCHED_LENGTH)));
    return isMatch ? 1 : 0;
  });
  let ticks = 0;
  for (const node of outermost(graph, (id) => matches[id] === 1)) ticks += graph.total[node]!;
  const found = new Set<number>();
  for (let node = 1; node < graph.length; node++) {
    if (matches[graph.function[node]!] === 1) found.add(graph.function[node]!);
  }
  return { functions: matches, count: found.size, ticks };
}
