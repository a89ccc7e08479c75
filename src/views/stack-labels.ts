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

const IC = /^(?:LoadGlobalIC: |Handler: |CallIC|LoadIC|StoreIC|Builtin: (?:Keyed)?(?:Load|Store)IC_)/;
const BASELINE_BUILTIN = /^Builtin: .*Baseline/;

/** The number of a label, an index into the columns of {@link StackLabels}. */
export type LabelId = number;

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
  readonly tree: CallTree;
  /** By frame number: its label. */
  readonly #all: LabelId[];
  /** By frame number: its label, or `HIDDEN` where its ticks go to the caller. */
  readonly #shown: LabelId[];

  constructor(profile: Profile, separate: SeparateOptions = {}) {
    const ids = new Map<string, LabelId>();
    this.tree = profile.tree;
    this.#all = profile.frames.map((frame) => {
      const label = labelOf(frame);
      let id = ids.get(label);
      if (id === undefined) {
        id = this.labels.push(label) - 1;
        this.categories.push(categoryOf(frame));
        this.frames.push(frame);
        ids.set(label, id);
      }
      return id;
    });
    const isHidden = hiddenLabels(separate);
    this.#shown = profile.frames.map((frame, i) =>
      frame.kind === "unknown" || isHidden(this.labels[this.#all[i]!]!) ? HIDDEN : this.#all[i]!,
    );
  }

  /** The label of a node where it stands among callers; -1 where it is hidden or unknown. */
  shown(node: number): LabelId {
    return this.#shown[this.tree.frame[node]!]!;
  }

  /** Whether nobody knows what the leaf of a stack was. */
  isUnaccounted(node: number): boolean {
    return this.categories[this.#all[this.tree.frame[node]!]!] === "unknown";
  }

  /**
   * The first label of a stack and the node that has it: the leaf, or the first caller that is not hidden. A stack of
   * nothing but hidden code keeps its leaf, so that no tick is lost.
   */
  leaf(node: number): { label: LabelId; node: number } {
    const own = this.#all[this.tree.frame[node]!]!;
    if (this.categories[own] === "unknown") return { label: own, node };
    for (let n = node; n !== ROOT; n = this.tree.parent[n]!) {
      const label = this.shown(n);
      if (label !== HIDDEN) return { label, node: n };
    }
    return { label: own, node };
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
