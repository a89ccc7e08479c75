import { type CallTree, ROOT } from "../profile/call-tree.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { type Category, categoryOf, labelOf } from "./label.js";

/** Which code keeps its own rows; the ticks of what does not go to its callers. */
export interface SeparateOptions {
  /** Inline caches. Default: true. */
  readonly ic?: boolean | undefined;
  /** The interpreter's bytecode handlers. Default: false. */
  readonly bytecodes?: boolean | undefined;
  /** Builtins. Default: true. */
  readonly builtins?: boolean | undefined;
  /** Stubs. Default: true. */
  readonly stubs?: boolean | undefined;
  /** The builtins that baseline code calls. Default: true. */
  readonly sparkplugHandlers?: boolean | undefined;
}

/** Code that is an inline cache, by its type or, for builtins and stubs, by its name; no function or pattern is. */
const IC = /^(?:Handler|\w*IC): |^(?:Builtin|Stub): \w*(?:Call|Load|Store|LoadGlobal|StoreGlobal)IC/;
const BASELINE_BUILTIN = /^Builtin: .*Baseline/;

/** The number of a label, an index into the columns of {@link StackLabels}. */
export type LabelId = number;

/** Stands for code whose ticks go to its callers, and for callers that nobody knows. */
const HIDDEN: LabelId = -1;

/**
 * A profile seen as `--prof-process` sees it, where a function is its label: rows that share a label are one
 * row. This is the one place where frames merge by name.
 */
export class StackLabels {
  readonly labels: string[] = [];
  readonly categories: Category[] = [];
  /** The first frame of each label. */
  readonly frames: Frame[] = [];
  readonly #tree: CallTree;
  /** By frame number: its label. */
  readonly #all: Int32Array;
  /** By frame number: its label, or `HIDDEN`. */
  readonly #shown: Int32Array;
  /** By node: itself, or its nearest caller that is not hidden; the root where there is none. */
  readonly #visible: Int32Array;

  constructor({ frames, tree }: Profile, separate: SeparateOptions = {}) {
    const ids = new Map<string, LabelId>();
    const isHidden = hiddenLabels(separate);
    this.#tree = tree;
    this.#all = new Int32Array(frames.length);
    this.#shown = new Int32Array(frames.length);
    for (const [i, frame] of frames.entries()) {
      const label = labelOf(frame);
      let id = ids.get(label);
      if (id === undefined) {
        id = this.labels.push(label) - 1;
        this.categories.push(categoryOf(frame));
        this.frames.push(frame);
        ids.set(label, id);
      }
      this.#all[i] = id;
      this.#shown[i] = frame.kind === "unknown" || isHidden(label) ? HIDDEN : id;
    }
    this.#visible = new Int32Array(tree.length);
    for (let node = ROOT + 1; node < tree.length; node++) {
      this.#visible[node] = this.shown(node) === HIDDEN ? this.#visible[tree.parent[node]!]! : node;
    }
  }

  /** The label of a node where it stands among callers; -1 where it is hidden or unknown. */
  shown(node: number): LabelId {
    return this.#shown[this.#tree.frame[node]!]!;
  }

  /** The label of a node where it stands at the leaf. */
  labelAt(node: number): LabelId {
    return this.#all[this.#tree.frame[node]!]!;
  }

  /** Whether nobody knows what the leaf of a stack was. */
  isUnaccounted(node: number): boolean {
    return this.categories[this.labelAt(node)] === "unknown";
  }

  /**
   * The node of a stack that its ticks are counted at: the leaf, or the first caller of it that is not hidden. A stack of
   * nothing but hidden code keeps its leaf, so that no tick is lost.
   */
  leafOf(node: number): number {
    return this.isUnaccounted(node) ? node : this.#visible[node]! || node;
  }

  /** The first caller of a node that is not hidden; the root when there is none. */
  callerOf(node: number): number {
    return this.#visible[this.#tree.parent[node]!]!;
  }
}

function hiddenLabels(separate: SeparateOptions): (label: string) => boolean {
  const { ic = true, bytecodes = false, builtins = true, stubs = true, sparkplugHandlers = true } = separate;
  return (label) =>
    (!bytecodes && label.startsWith("BytecodeHandler: ")) ||
    (!builtins && label.startsWith("Builtin: ")) ||
    (!stubs && label.startsWith("Stub: ")) ||
    (!ic && IC.test(label)) ||
    (!sparkplugHandlers && BASELINE_BUILTIN.test(label));
}
