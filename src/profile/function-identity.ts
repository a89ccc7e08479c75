import { valueAt } from "../base/maps.js";

/** What a function is called in every log of its program, wherever a release puts it. */
export interface FunctionIdentity {
  /** The file, from the package's name on or from the root of the program: `express/lib/router.js`. */
  readonly file: string;
  /** Empty if the function is anonymous. */
  readonly name: string;
  /**
   * Which function of this name in this file it is, from 1, in order of position. All functions of the log
   * count, not only those with ticks.
   */
  readonly ordinal: number;
  /**
   * A hash of the function's own source text without its white space, in lower-case hex; undefined if the log
   * does not have the text. It is the same wherever the function is, and if only its name has changed.
   */
  readonly sourceHash: string | undefined;
  /** The lines of its source, as the log has them; left out where the log does not have the text. */
  readonly text?: string | undefined;
}

/** The functions of a profile by the name of their frames: `name script:line:column`. */
export type FunctionIdentities = ReadonlyMap<string, FunctionIdentity>;

/** A function to be numbered. */
export interface Numbered {
  /** As {@link FunctionIdentity.file}. */
  readonly file: string;
  /** The file as logged. */
  readonly path: string;
  readonly name: string;
  readonly line: number;
  readonly column: number;
}

/** Returns the ordinal of each function: see {@link FunctionIdentity.ordinal}. */
export function ordinalsOf<One extends Numbered>(functions: Iterable<One>): Map<One, number> {
  const groups = new Map<string, Map<string, One[]>>();
  for (const one of functions) {
    const names = valueAt(groups, one.file, () => new Map());
    valueAt(names, one.name, () => []).push(one);
  }
  const ordinals = new Map<One, number>();
  for (const names of groups.values()) {
    for (const group of names.values()) {
      group.sort(byPosition);
      for (const [index, one] of group.entries()) ordinals.set(one, index + 1);
    }
  }
  return ordinals;
}

function byPosition(a: Numbered, b: Numbered): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
