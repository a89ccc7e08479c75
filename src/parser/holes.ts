/** Bytes of zeros that no name has: a sector of a disk, the least that a file system loses. */
const LEAST_HOLE = 512;
/** How many bytes are searched at once, since lines are short. */
const AHEAD_BYTES = 1 << 12;
const CODE_CREATION = Buffer.from("code-creation,");

/**
 * Finds the zero bytes that a file system leaves where a part of a file was never written. Only a function's
 * name can contain zeros, and few of them.
 */
export class HoleFinder {
  #bytes: Buffer | undefined;
  /** From the last offset asked for in `#bytes` up to here there is no zero. */
  #clearTo = 0;

  /** Forgets what is known of the bytes, whose memory may have others now. */
  forget(): void {
    this.#bytes = undefined;
  }

  /**
   * Returns the offset after the last hole in the line `bytes[start..end)`; -1 if it has none. `isName` is
   * whether the line continues a function's name. Most calls cost one comparison.
   */
  endOf(bytes: Buffer, start: number, end: number, isName: boolean): number {
    if (this.#bytes === bytes && end <= this.#clearTo) return -1;
    const ahead = Math.max(end, Math.min(start + AHEAD_BYTES, bytes.length));
    const zero = bytes.subarray(start, ahead).indexOf(0);
    this.#bytes = bytes;
    this.#clearTo = zero < 0 ? ahead : start + zero;
    if (end <= this.#clearTo) return -1;
    const line = bytes.subarray(start, end);
    const mayBeName = isName || line.subarray(0, CODE_CREATION.length).equals(CODE_CREATION);
    if (!mayBeName) return start + line.lastIndexOf(0) + 1;
    const last = lastRun(line);
    return last < 0 ? -1 : start + last;
  }
}

/** Returns the offset after the last run of zeros that is long enough for a hole; -1 if there is none. */
function lastRun(line: Buffer): number {
  let run = 0;
  for (let at = line.length - 1; at >= 0; at--) {
    run = line[at] === 0 ? run + 1 : 0;
    if (run === LEAST_HOLE) return at + LEAST_HOLE;
  }
  return -1;
}
