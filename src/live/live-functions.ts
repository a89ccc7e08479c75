import type { Frame, Tier } from "../profile/frame.js";
import { type FrameKey, functionKeys } from "../profile/frame-keys.js";
import { categoryIndex, categoryOf } from "../views/breakdown.js";
import { originsOf } from "../views/origin.js";
import { type NativeWork, nativeWorkOf } from "../views/profiler-work.js";

/** What the counting of ticks must know about a function. */
export interface LiveFunction {
  /** A frame of it. */
  readonly frame: Frame;
  /** The category of its code, an index into `CATEGORIES`. */
  readonly category: number;
  /** Whether it is JavaScript of the program or of a package. */
  readonly isProgram: boolean;
  /** Whether it is Node's own JavaScript. */
  readonly isNode: boolean;
  /** What it does, if it is native. */
  readonly work: NativeWork | undefined;
  /** The tier of its last self tick. */
  tier: Tier;
}

/** The functions of several logs, in all tiers, by number. */
export class LiveFunctions {
  readonly #functions: LiveFunction[] = [];
  readonly #ids = new Map<FrameKey, number>();
  readonly #keyOf = functionKeys();
  /** A function of Node itself: whether there is one decides whose scripts with bare names are. */
  #ofNode: Frame | undefined;

  /** All numbers are below this. */
  get length(): number {
    return this.#functions.length;
  }

  /** Returns the function of a number. */
  get(id: number): LiveFunction {
    return this.#functions[id]!;
  }

  /** Returns the number of a frame's function. */
  idOf(frame: Frame): number {
    const key = this.#keyOf(frame);
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#add(frame);
      this.#ids.set(key, id);
    }
    return id;
  }

  #add(frame: Frame): number {
    const [origin] = originsOf(this.#ofNode === undefined ? [frame] : [frame, this.#ofNode]);
    const { kind } = origin!;
    const isNode = frame.kind === "js" && kind === "node";
    const id = this.#functions.push({
      frame,
      category: categoryIndex(categoryOf(frame, origin)),
      isProgram: frame.kind === "js" && (kind === "app" || kind === "deps"),
      isNode,
      work: nativeWorkOf(frame),
      tier: "",
    });
    if (isNode) this.#ofNode ??= frame;
    return id - 1;
  }
}
