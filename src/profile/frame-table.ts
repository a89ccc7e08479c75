/** Interns frames: frames with one key get one number; numbers count up from 0 and index `frames`. */
export class FrameTable<Frame> {
  readonly frames: Frame[] = [];
  readonly #keyOf: (frame: Frame) => string;
  readonly #numbers = new Map<string, number>();

  constructor(keyOf: (frame: Frame) => string) {
    this.#keyOf = keyOf;
  }

  /** The number of the frame; a new one when no equal frame was seen. */
  intern(frame: Frame): number {
    const key = this.#keyOf(frame);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.frames.push(frame) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }
}
