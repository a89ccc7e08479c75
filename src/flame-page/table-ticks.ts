import { PairNumbers } from "../base/pair-numbers.js";
import { depthFirst, ROOT, visitOutermost } from "../profile/call-tree.js";
import type { Shown } from "./graph.js";
import type { Model } from "./model.js";
import { frameKind } from "./page-data.js";

/** Ticks of a package or line. */
export interface GroupTicks {
  /** Those that are credited to it: each tick to one. */
  readonly ticks: Float64Array;
  /** Those in its own code. */
  readonly self: Float64Array;
  /** With all that it calls. */
  readonly total: Float64Array;
}

/**
 * Returns the ticks of packages, by number of origin: each tick at the innermost package of its stack, as in `ticks top`. What a
 * package calls of Node, V8 and native code is its own.
 */
export function packageTicks(model: Model, shown: Shown): GroupTicks {
  const { frames, functions, data } = model;
  const none = data.origins.length;
  const isScript = (id: number) =>
    SCRIPTS.includes(functions.kind[id]!) && data.origins[functions.origin[id]!] !== "v8";
  const ofFrame = Int32Array.from(frames.function, (id) => (isScript(id) ? functions.origin[id]! : -1));
  const isNodes = data.origins.map((name) => RUNTIMES.includes(name));
  return groupTicks(model, shown, none + 1, {
    ofFrame,
    none,
    ownerOf: (own, above) => (own < 0 || (isNodes[own] === true && above !== none) ? above : own),
  });
}

const SCRIPTS = [frameKind("js"), frameKind("wasm")];
/** What is no code that a program's author can change. */
const RUNTIMES = ["node", "deno", "bun", "electron", "jsc"];
const NOT_PROGRAM = [...RUNTIMES, "v8", "ticks record", "unknown"];

/** The lines of the functions of a program and its packages. */
interface ProgramLines {
  readonly function: Int32Array;
  /** 0 if it is unknown. */
  readonly line: Int32Array;
  readonly ticks: GroupTicks;
}

/** Returns the ticks of lines, as `ticks lines` counts them: each at the line of the innermost function of the program. */
export function programLines(model: Model, shown: Shown): ProgramLines {
  const { frames, functions, data } = model;
  const isMine = Uint8Array.from(functions.origin, (origin, id) =>
    SCRIPTS.includes(functions.kind[id]!) && !NOT_PROGRAM.includes(data.origins[origin]!) ? 1 : 0,
  );
  const pairs = new PairNumbers();
  const ofFrame = Int32Array.from(frames.function, (id, frame) =>
    isMine[id] === 0 ? -1 : pairs.of(id, frames.line[frame]!),
  );
  const none = pairs.length;
  const ticks = groupTicks(model, shown, none + 1, {
    ofFrame,
    none,
    ownerOf: (own, above) => (own < 0 ? above : own),
  });
  return { function: pairs.firsts(), line: pairs.seconds(), ticks };
}

/** Counts the ticks of groups of frames. */
function groupTicks(
  { nodes }: Model,
  { self: own, total: under }: Pick<Shown, "self" | "total">,
  length: number,
  groups: {
    /** By frame; -1 for none. */
    readonly ofFrame: Int32Array;
    /** What ticks outside of all groups are credited to. */
    readonly none: number;
    /** Returns whose the ticks of a node are: of its own group, -1 for none, or of that which its caller's are of. */
    ownerOf(own: number, above: number): number;
  },
): GroupTicks {
  const [ticks, self, total] = [new Float64Array(length), new Float64Array(length), new Float64Array(length)];
  const owner = new Int32Array(nodes.length).fill(groups.none);
  const of = (node: number) => groups.ofFrame[nodes.frame[node]!]!;
  ticks[groups.none]! += own[ROOT]!;
  for (let node = ROOT + 1; node < nodes.length; node++) {
    const group = of(node);
    owner[node] = groups.ownerOf(group, owner[nodes.parent[node]!]!);
    ticks[owner[node]!]! += own[node]!;
    if (owner[node] === group) self[group]! += own[node]!;
  }
  visitOutermost(depthFirst(nodes), { count: length, of }, (node, group) => {
    total[group]! += under[node]!;
  });
  return { ticks, self, total };
}
