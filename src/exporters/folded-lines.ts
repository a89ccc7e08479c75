import { type CallTree, ROOT } from "../profile/call-tree.js";
import { reaching } from "../profile/columns.js";

/** Bytes that are passed on together. */
const BLOCK_BYTES = 1 << 16;
/** Up to so many bytes are copied faster one by one. */
const FEW_BYTES = 32;

/**
 * Yields a line for each node with a count: `root;caller;leaf 12`, many at a time. The tree's frames are indexes into
 * `names`; `countOf` returns undefined for a node without one.
 */
export function* foldedLines(
  { parent, frame, length }: CallTree,
  names: readonly string[],
  countOf: (leaf: number) => string | undefined,
): Iterable<Uint8Array> {
  const callers = names.map((name) => Buffer.from(`${name};`));
  const leaves = new Map<number, Buffer>();
  const blocks = new Blocks();
  let stack = new Int32Array(256);
  for (let leaf = ROOT + 1; leaf < length; leaf++) {
    const count = countOf(leaf);
    if (count === undefined) continue;
    let depth = 0;
    for (let node = parent[leaf]!; node !== ROOT; node = parent[node]!) {
      stack = reaching(stack, depth);
      stack[depth++] = frame[node]!;
    }
    while (depth > 0) {
      blocks.put(callers[stack[--depth]!]!);
      if (blocks.hasFull) yield* blocks.full();
    }
    const name = frame[leaf]!;
    const leafName = leaves.get(name) ?? Buffer.from(withoutCount(names[name]!));
    leaves.set(name, leafName);
    blocks.put(leafName);
    blocks.put(Buffer.from(` ${count}\n`));
    if (blocks.hasFull) yield* blocks.full();
  }
  yield* blocks.rest();
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

/** Bytes in blocks, each of which is never written to again. */
class Blocks {
  #block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #used = 0;
  #full: Uint8Array[] = [];

  put(bytes: Uint8Array): void {
    const { length } = bytes;
    if (length <= FEW_BYTES && this.#used + length < BLOCK_BYTES) {
      for (let i = 0; i < length; i++) this.#block[this.#used++] = bytes[i]!;
      return;
    }
    for (let at = 0; at < length; ) {
      const part = bytes.subarray(at, at + BLOCK_BYTES - this.#used);
      this.#block.set(part, this.#used);
      this.#used += part.length;
      at += part.length;
      if (this.#used === BLOCK_BYTES) this.#close();
    }
  }

  /** Whether blocks are full. */
  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  /** Takes the blocks that are full. */
  full(): readonly Uint8Array[] {
    return this.#full.splice(0);
  }

  /** Returns what is left. */
  rest(): readonly Uint8Array[] {
    return this.#used === 0 ? [] : [this.#block.subarray(0, this.#used)];
  }

  #close(): void {
    this.#full.push(this.#block);
    this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#used = 0;
  }
}
