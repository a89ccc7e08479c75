import { columnOf, marksOf } from "../base/columns.js";
import { valueAt } from "../base/maps.js";
import { ROOT } from "../profile/call-tree.js";
import { type FunctionKind, sectionOf } from "../profile/categories.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { labelOf, oncePerLongLabel } from "./label.js";

/** Which code keeps its own rows. Ticks of other code go to its callers. */
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

/** Inline caches, by their type or, for builtins and stubs, by their name. */
const IC = /^(?:Handler|\w*IC): |^(?:Builtin|Stub): \w*(?:Call|Load|Store|LoadGlobal|StoreGlobal)IC/;
const BASELINE_BUILTIN = /^Builtin: .*Baseline/;

/** An index into the columns of {@link StackLabels}. */
type LabelId = number;

/** The label of code whose ticks go to its callers, and of unknown callers. */
const HIDDEN: LabelId = -1;

/**
 * A profile as `--prof-process` sees it, where a function is its label: rows with the same label are one row.
 * Frames are merged by name only here.
 */
export class StackLabels {
  readonly labels: string[] = [];
  readonly categories: FunctionKind[] = [];
  /** The first frame of each label. */
  readonly frames: Frame[] = [];
  readonly #ids = new Map<string, LabelId>();
  // The columns are there for loops over all nodes or samples: this code is cold, and calls take most of its time.
  /** By node: its label, even if hidden. The root has the label of the first frame. */
  readonly ofNode: Int32Array;
  /** By label: 1 if it is the label of unknown code. */
  readonly isUnknown: Uint8Array;
  /** By node: itself, or else its nearest caller that is not hidden; the root if there is none. */
  readonly #visible: Int32Array;
  /**
   * By node: the node that gets the ticks of its stack: itself, or else its nearest caller that is not hidden. A
   * stack of only hidden code keeps its leaf, so that no tick is lost.
   */
  readonly leaves: Int32Array;
  /** By node: its nearest caller that is not hidden; the root if there is none. */
  readonly callers: Int32Array;

  constructor({ frames, tree }: Profile, separate: SeparateOptions = {}) {
    const isHiddenLabel = hiddenLabels(separate);
    const idOf = oncePerLongLabel((frame) => {
      const label = labelOf(frame);
      return valueAt(this.#ids, label, () => {
        this.categories.push(sectionOf(frame));
        this.frames.push(frame);
        return this.labels.push(label) - 1;
      });
    });
    const ofFrame = columnOf(Int32Array, frames, idOf);
    const areHidden = this.labels.map(isHiddenLabel);
    const isHidden = marksOf(frames, ({ kind }, i) => kind === "unknown" || areHidden[ofFrame[i]!]!);
    this.isUnknown = marksOf(this.categories, (category) => category === "unknown");
    const { length, parent, frame } = tree;
    this.ofNode = new Int32Array(length);
    this.leaves = new Int32Array(length);
    this.#visible = new Int32Array(length);
    this.callers = new Int32Array(length);
    for (let node = ROOT + 1; node < length; node++) {
      const caller = this.#visible[parent[node]!]!;
      const number = frame[node]!;
      const label = ofFrame[number]!;
      const shown = isHidden[number] === 1 ? caller : node;
      this.ofNode[node] = label;
      this.#visible[node] = shown;
      this.leaves[node] = this.isUnknown[label] === 1 || shown === ROOT ? node : shown;
      this.callers[node] = caller;
    }
  }

  /** Returns the ID of a label. Some frame must have it. */
  idOf(label: string): LabelId {
    return this.#ids.get(label)!;
  }

  /** Returns the label of a node as a caller; -1 if it is hidden or unknown. */
  shown(node: number): LabelId {
    return this.#visible[node] === node ? this.ofNode[node]! : HIDDEN;
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
