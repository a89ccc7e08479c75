/**
 * Numbers frames, from 0 up; the numbers index `frames`. Frames of the kind `Keyed` are interned: those with one key get one
 * number. What else a table holds, its user knows to be new.
 */
export class FrameTable<Frame, Keyed extends Frame = Frame> {
  readonly frames: Frame[] = [];
  readonly #keyOf: (frame: Keyed) => string;
  readonly #numbers = new Map<string, number>();

  constructor(keyOf: (frame: Keyed) => string) {
    this.#keyOf = keyOf;
  }

  /** The number of the frame; a new one when no equal frame was seen. */
  intern(frame: Keyed): number {
    const key = this.#keyOf(frame);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.append(frame);
      this.#numbers.set(key, number);
    }
    return number;
  }

  /** The number of a frame that is new, without a key: {@link intern} never finds it. */
  append(frame: Frame): number {
    return this.frames.push(frame) - 1;
  }
}
