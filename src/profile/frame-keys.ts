import { columnOf } from "../base/columns.js";
import { Numbers, valueAt } from "../base/maps.js";
import { PairNumbers } from "../base/pair-numbers.js";
import { type Frame, frameKey, type JsFrame, jsMarks, TIERS } from "./frame.js";
import { isLong, NameKeys } from "./long-names.js";

/** What stands for a frame, or for a function: a number for JavaScript, of which there is most. */
export type FrameKey = string | number;

/**
 * Returns a function like {@link frameKey} for all frames of a profile. A long name costs as little in each key as a short one.
 */
export function frameTexts(): (frame: Frame) => string {
  const names = new NameKeys();
  return (frame) => {
    switch (frame.kind) {
      case "js":
      case "code":
        return isLong(frame.name)
          ? `L${frameKey({ ...frame, name: names.of(frame.name) })}`
          : frameKey(frame);
      case "native": {
        const { kind, library, symbol = "" } = frame;
        if (!isLong(library) && !isLong(symbol)) return frameKey(frame);
        const known = frame.symbol === undefined ? undefined : names.of(symbol);
        return `L${frameKey({ kind, library: names.of(library), symbol: known })}`;
      }
      case "unknown":
        return frameKey(frame);
    }
  };
}

/**
 * Returns a function that returns a key for each frame of a profile. The keys of two frames are equal exactly if they are the
 * same frame.
 */
export function frameKeys(): (frame: Frame) => FrameKey {
  const textOf = frameTexts();
  const js = new JsFrameKeys();
  return (frame) => (frame.kind === "js" ? js.of(frame) : textOf(frame));
}

/**
 * Returns a function that returns a key for each frame of a profile. The keys of two frames are equal exactly if both are
 * frames of the same function.
 */
export function functionKeys(): (frame: Frame) => FrameKey {
  const names = new NameKeys();
  const numbers = new Numbers();
  return (frame) => {
    switch (frame.kind) {
      case "js":
        return numbers.of(frame.name);
      case "code":
        return `c\0${frame.type}\0${names.of(frame.name)}`;
      case "native":
        return `n\0${names.of(frame.library)}\0${frame.symbol === undefined ? "" : names.of(frame.symbol)}`;
      case "unknown":
        return "u";
    }
  };
}

/** The keys of JavaScript, which are made without a text for each frame. */
class JsFrameKeys {
  readonly #names = new Numbers();
  readonly #types = new Numbers();
  readonly #lines = new PairNumbers();
  readonly #kinds = new PairNumbers();
  readonly #frames = new PairNumbers();

  of(frame: JsFrame): FrameKey {
    const { name, line, type, tier, loop, column } = frame;
    const number = this.#names.of(name);
    // Few frames have the first two. No log has other lines, but a profile can be made otherwise.
    if (loop !== undefined || column !== undefined || (line | 0) !== line)
      return frameKey({ ...frame, name: String(number) });
    const marks = TIERS.indexOf(tier) * 32 + jsMarks(frame);
    return this.#frames.of(this.#lines.of(number, line), this.#kinds.of(this.#types.of(type), marks));
  }
}

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
    return valueAt(this.#numbers, key, () => this.append(frame));
  }

  /** Returns the number of each frame. The key of an object that is there many times is made once. */
  internAll(frames: readonly Keyed[]): Int32Array {
    const known = new Map<Keyed, number>();
    return columnOf(Int32Array, frames, (frame) => valueAt(known, frame, () => this.intern(frame)));
  }

  /** Adds a new frame without a key and returns its number. {@link intern} never finds it. */
  append(frame: Frame): number {
    return this.frames.push(frame) - 1;
  }
}
