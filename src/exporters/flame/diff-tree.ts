import type { Diff, DiffRow } from "../../compare/diff-model.js";
import { type CallTree, CallTreeBuilder } from "../../profile/call-tree.js";
import { reaching } from "../../profile/columns.js";
import type { FrameRow, PageFunction } from "./page-frames.js";
import type { RunStacks } from "./run-stacks.js";

/** The runs of one side: their stacks in the order of the comparison. */
export type SideStacks = readonly RunStacks[];

/** A function of either side or both. */
export interface DiffFunction {
  /** As it is after; as it was before if it is gone. */
  readonly shown: PageFunction;
  /** As it was before and as it is after; undefined where no stack has it. */
  readonly sides: readonly [PageFunction | undefined, PageFunction | undefined];
  /** The row of the comparison; undefined if there is none. */
  readonly row: DiffRow | undefined;
}

/** The lines of a script, and its share of the ticks. */
export interface ScriptTicks {
  readonly lines: Set<number>;
  share: number;
}

/** The stacks of two sides as one tree. */
export interface DiffTree {
  readonly functions: readonly DiffFunction[];
  readonly frames: readonly FrameRow[];
  /** Its frame numbers are indices into `frames`. */
  readonly tree: CallTree;
  /** Before and after, by node: the share of ticks in the node itself, in the mean of the runs. */
  readonly self: readonly [Float64Array, Float64Array];
  /** Before and after, by file: the lines of its frames. */
  readonly scripts: readonly [ReadonlyMap<string, ScriptTicks>, ReadonlyMap<string, ScriptTicks>];
}

/**
 * Merges the stacks of two sides. Each run of a side counts the same, however many ticks it has, as in the
 * comparison. Functions are those of the rows of the comparison; `categories` has the rows of garbage
 * collection and idle time.
 */
export function diffTree(diff: Diff, categories: Diff, sides: readonly [SideStacks, SideStacks]): DiffTree {
  const merger = new DiffTreeMerger(diff, categories);
  // Functions are called as they are after.
  for (const side of [1, 0] as const) {
    const names = side === 0 ? "before" : "after";
    for (const [run, stacks] of sides[side].entries())
      merger.add(stacks, { side, names, run, weight: 1 / sides[side].length });
  }
  return merger.finish();
}

/** Where stacks are from, and what they count. */
interface Origin {
  readonly side: 0 | 1;
  readonly names: "before" | "after";
  /** The number of the run on its side. */
  readonly run: number;
  readonly weight: number;
}

class DiffTreeMerger {
  readonly #builder = new CallTreeBuilder();
  readonly #self: [Float64Array, Float64Array] = [new Float64Array(1024), new Float64Array(1024)];
  readonly #functions: {
    shown: PageFunction;
    sides: [PageFunction | undefined, PageFunction | undefined];
    row: DiffRow | undefined;
  }[] = [];
  readonly #frames: FrameRow[] = [];
  readonly #frameNumbers = new Map<string, number>();
  readonly #ofRow = new Map<DiffRow | string, number>();
  readonly #scripts = [new Map<string, ScriptTicks>(), new Map<string, ScriptTicks>()] as const;
  readonly #rows: ReadonlyMap<string, DiffRow>;
  /** By side and run: the rows by the keys that the run has for them. */
  readonly #rowsOfRun: Record<"before" | "after", readonly Map<string, DiffRow>[]>;

  constructor(diff: Diff, categories: Diff) {
    this.#rows = new Map(categories.rows.map((row) => [row.name.key, row]));
    this.#rowsOfRun = { before: rowsByRun(diff, "before"), after: rowsByRun(diff, "after") };
  }

  add(stacks: RunStacks, origin: Origin): void {
    const { tree, ticks, total } = stacks;
    const factor = total > 0 ? origin.weight / total : 0;
    const functions = stacks.functions.map((fn) => this.#function(fn, origin));
    const frames = stacks.frames.map((frame) =>
      this.#frame({ ...frame, function: functions[frame.function]! }),
    );
    const builder = this.#builder;
    const nodes = new Int32Array(tree.length);
    const inFrame = new Float64Array(stacks.frames.length);
    for (let node = 0; node < tree.length; node++) {
      if (node > 0) nodes[node] = builder.child(nodes[tree.parent[node]!]!, frames[tree.frame[node]!]!);
      if (nodes[node]! >= this.#self[0].length) {
        this.#self[0] = reaching(this.#self[0], nodes[node]!);
        this.#self[1] = reaching(this.#self[1], nodes[node]!);
      }
      const share = ticks[node]! * factor;
      this.#self[origin.side][nodes[node]!]! += share;
      if (node > 0) inFrame[tree.frame[node]!]! += share;
    }
    for (const [i, { function: id, line }] of stacks.frames.entries()) {
      const fn = stacks.functions[id]!;
      if (fn.file !== undefined && (line > 0 || fn.line > 0))
        this.#addLine(fn.file, origin.side, [line, fn.line], inFrame[i]!);
    }
  }

  finish(): DiffTree {
    const tree = this.#builder.finish();
    const [before, after] = this.#self.map((column) => column.slice(0, tree.length));
    return {
      functions: this.#functions,
      frames: this.#frames,
      tree,
      self: [before!, after!],
      scripts: this.#scripts,
    };
  }

  #function({ key, ...shown }: RunStacks["functions"][number], { side, names, run }: Origin): number {
    const row = key === undefined ? this.#rows.get(shown.kind) : this.#rowsOfRun[names][run]?.get(key);
    // No key of a function begins so.
    const name = row ?? (key === undefined ? `\0${shown.kind}` : key);
    const known = this.#ofRow.get(name);
    if (known !== undefined) {
      const { sides } = this.#functions[known]!;
      sides[side] ??= shown;
      return known;
    }
    const id = this.#functions.push({ shown, sides: [undefined, undefined], row }) - 1;
    this.#functions[id]!.sides[side] = shown;
    this.#ofRow.set(name, id);
    return id;
  }

  #frame(frame: FrameRow): number {
    const { function: id, kind, line, inlined, inferred } = frame;
    const key = `${id} ${kind} ${line} ${inlined} ${inferred}`;
    let number = this.#frameNumbers.get(key);
    if (number === undefined) {
      number = this.#frames.push(frame) - 1;
      this.#frameNumbers.set(key, number);
    }
    return number;
  }

  #addLine(file: string, side: 0 | 1, lines: readonly number[], share: number): void {
    const scripts = this.#scripts[side];
    const own: ScriptTicks = scripts.get(file) ?? { lines: new Set<number>(), share: 0 };
    scripts.set(file, own);
    for (const line of lines) if (line > 0) own.lines.add(line);
    own.share += share;
  }
}

/** Returns, by run of a side, the rows by their keys in that run: they may have been renamed since. */
function rowsByRun(diff: Diff, side: "before" | "after"): Map<string, DiffRow>[] {
  const found = diff[side].map(() => new Map<string, DiffRow>());
  for (const row of diff.rows) {
    for (const [run, one] of row.runs[side].entries()) if (one !== undefined) found[run]!.set(one.key, row);
  }
  return found;
}
