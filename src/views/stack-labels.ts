import { type CallTree, ROOT } from "../profile/call-tree.js";
import { columnOf } from "../profile/columns.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { type FunctionKind, kindOf, labelOf, oncePerLongLabel } from "./label.js";

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
    const ofFrame = new Int32Array(frames.length);
    const isHidden = new Uint8Array(frames.length);
    const hiddenLabel: boolean[] = [];
    const idOf = oncePerLongLabel((frame) => {
      const label = labelOf(frame);
      let id = this.#ids.get(label);
      if (id === undefined) {
        id = this.labels.push(label) - 1;
        this.categories.push(kindOf(frame));
        this.frames.push(frame);
        this.#ids.set(label, id);
        hiddenLabel.push(isHiddenLabel(label));
      }
      return id;
    });
    for (let i = 0; i < frames.length; i++) {
      const frame = frames[i]!;
      const id = idOf(frame);
      ofFrame[i] = id;
      isHidden[i] = frame.kind === "unknown" || hiddenLabel[id] ? 1 : 0;
    }
    const isUnknown = columnOf(Uint8Array, this.categories, (category) => (category === "unknown" ? 1 : 0));
    const marks = { ofFrame, isHidden, isUnknown };
    const { ofNode, visible, leaves, callers } = labelNodes(tree, marks);
    this.isUnknown = isUnknown;
    this.leaves = leaves;
    this.ofNode = ofNode;
    this.#visible = visible;
    this.callers = callers;
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

/** What {@link labelNodes} goes by. */
interface LabelMarks {
  /** By frame: its label. */
  readonly ofFrame: Int32Array;
  /** By frame: 1 if it is hidden. */
  readonly isHidden: Uint8Array;
  /** By label: 1 if it is that of unknown code. */
  readonly isUnknown: Uint8Array;
}

/** The columns of {@link StackLabels}. */
interface LabeledNodes {
  readonly ofNode: Int32Array;
  readonly visible: Int32Array;
  readonly leaves: Int32Array;
  readonly callers: Int32Array;
}

function labelNodes(
  { length, parent, frame }: CallTree,
  { ofFrame, isHidden, isUnknown }: LabelMarks,
): LabeledNodes {
  const ofNode = new Int32Array(length);
  const leaves = new Int32Array(length);
  const visible = new Int32Array(length);
  const callers = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++) {
    const number = frame[node]!;
    const caller = visible[parent[node]!]!;
    const label = ofFrame[number]!;
    const shown = isHidden[number] === 1 ? caller : node;
    ofNode[node] = label;
    visible[node] = shown;
    leaves[node] = isUnknown[label] === 1 || shown === ROOT ? node : shown;
    callers[node] = caller;
  }
  return { ofNode, visible, leaves, callers };
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
