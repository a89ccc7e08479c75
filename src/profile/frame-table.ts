import { columnOf } from "./columns.js";
import type { FrameKey } from "./frame-keys.js";

/**
 * Numbers frames from 0; the numbers index `frames`. Frames of type `Keyed` are interned: frames with one key
 * get one number. Other frames are appended, and their user knows that they are new.
 */
export class FrameTable<Frame, Keyed extends Frame = Frame> {
  readonly frames: Frame[] = [];
  readonly #keyOf: (frame: Keyed) => FrameKey;
  readonly #numbers = new Map<FrameKey, number>();

  constructor(keyOf: (frame: Keyed) => FrameKey) {
    this.#keyOf = keyOf;
  }

  /** Returns the number of the frame, a new one if no equal frame was seen. */
  intern(frame: Keyed): number {
    const key = this.#keyOf(frame);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.append(frame);
      this.#numbers.set(key, number);
    }
    return number;
  }

  /** Returns the number of each frame. The key of an object that is there many times is made once. */
  internAll(frames: readonly Keyed[]): Int32Array {
    const known = new Map<Keyed, number>();
    return columnOf(Int32Array, frames, (frame) => {
      let number = known.get(frame);
      if (number === undefined) {
        number = this.intern(frame);
        known.set(frame, number);
      }
      return number;
    });
  }

  /** Adds a new frame without a key and returns its number. {@link intern} never finds it. */
  append(frame: Frame): number {
    return this.frames.push(frame) - 1;
  }
}
