/** Up to so many bytes are copied faster one by one. */
const FEW_BYTES = 32;

/** Names in UTF-8, each with a `;` at its end. */
export class PackedNames {
  readonly bytes: Uint8Array;
  /** By name: where it ends. */
  readonly #ends: Float64Array;
  /** Names that are others at the end of a stack. */
  readonly leaves = new Map<number, Uint8Array>();

  constructor(names: readonly string[]) {
    this.#ends = new Float64Array(names.length);
    let length = 0;
    for (const [i, name] of names.entries()) {
      length += Buffer.byteLength(name) + 1;
      this.#ends[i] = length;
      const leaf = withoutCount(name);
      if (leaf !== name) this.leaves.set(i, Buffer.from(leaf));
    }
    const bytes = Buffer.allocUnsafeSlow(length);
    for (const [i, name] of names.entries()) bytes.write(`${name};`, this.start(i));
    this.bytes = bytes;
  }

  start(name: number): number {
    return name === 0 ? 0 : this.#ends[name - 1]!;
  }

  end(name: number): number {
    return this.#ends[name]!;
  }
}

/** Copies the bytes from `start` up to `end` to another place. */
export function copyBytes(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  if (end - start > FEW_BYTES) to.set(from.subarray(start, end), at);
  else for (let i = start, j = at; i < end; i++, j++) to[j] = from[i]!;
}

/**
 * Joins a number at the end of a leaf's name to the name. Readers would take it for ticks: two numbers are
 * the two sides of a difference.
 */
function withoutCount(name: string): string {
  let start = name.length;
  while (start > 0 && !SPACE.test(name[start - 1]!)) start--;
  const last = name.slice(start);
  return start > 0 && COUNT.test(last) ? `${name.slice(0, start).trimEnd()}_${last}` : name;
}

const SPACE = /\s/;
const COUNT = /^\d+(?:\.\d*)?$/;
