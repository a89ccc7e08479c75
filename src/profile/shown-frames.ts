import { columnOf } from "./columns.js";
import type { Frame, JsFrame } from "./frame.js";
import { type FrameKey, frameKeys } from "./frame-keys.js";

/** The frames of the shown stacks: those of the profile, without some, then functions without a line. */
export class ShownFrames {
  readonly list: Frame[] = [];
  readonly #frames: readonly Frame[];
  /** By frame of the profile: its number. */
  readonly #numbers: Int32Array;
  /** By frame of the profile that has a line: the same frame without. */
  readonly #lineless = new Map<number, number>();
  readonly #keyOf = frameKeys();
  /** By key: the frames of interpreted functions without a line. */
  #known: Map<FrameKey, number> | undefined;

  constructor(frames: readonly Frame[], left: ReadonlySet<number>) {
    this.#frames = frames;
    this.#numbers = columnOf(Int32Array, frames, (frame, i) =>
      left.has(i) ? -1 : this.list.push(frame) - 1,
    );
  }

  /** Returns the number of a frame of the profile. */
  numberOf(frame: number): number {
    return this.#numbers[frame]!;
  }

  /** Returns the number of an interpreted function without the line that its frame has. */
  withoutLine(frame: number): number {
    let number = this.#lineless.get(frame);
    if (number === undefined) {
      number = this.#intern(frame);
      this.#lineless.set(frame, number);
    }
    return number;
  }

  #intern(frame: number): number {
    const found = this.#frames[frame]!;
    if (!isInterpreted(found)) return this.numberOf(frame);
    this.#known ??= this.#knownLineless();
    const key = this.#keyOf({ ...found, line: 0 });
    let number = this.#known.get(key);
    if (number === undefined) {
      number = this.list.push({ ...found, line: 0 }) - 1;
      this.#known.set(key, number);
    }
    return number;
  }

  /** Returns the interpreted functions that have no line in the profile itself. */
  #knownLineless(): Map<FrameKey, number> {
    const known = new Map<FrameKey, number>();
    const frames = this.#frames;
    for (let i = 0; i < frames.length; i++) {
      const frame = frames[i]!;
      if (isInterpreted(frame) && frame.line === 0) known.set(this.#keyOf(frame), this.numberOf(i));
    }
    return known;
  }
}

/** Returns whether a frame is a function that the interpreter runs. */
export function isInterpreted(frame: Frame): frame is JsFrame {
  return frame.kind === "js" && frame.tier === "~";
}
