import { type CallTree, ROOT } from "../profile/call-tree.js";
import { CallerNames } from "./caller-names.js";
import { copyBytes, PackedNames } from "./packed-names.js";

/** Bytes that are passed on together. */
const BLOCK_BYTES = 1 << 16;

/**
 * Yields a line for each node with a count: `root;caller;leaf 12`, many at a time. The tree's frames are indexes into
 * `names`; `countOf` returns undefined for a node without one.
 */
export function* foldedLines(
  tree: CallTree,
  names: readonly string[],
  countOf: (leaf: number) => string | undefined,
): Iterable<Uint8Array> {
  const { parent, frame, length } = tree;
  const named = new PackedNames(names);
  const blocks = new Blocks();
  const callers = new CallerNames(tree, named);
  for (let leaf = ROOT + 1; leaf < length; leaf++) {
    const count = countOf(leaf);
    if (count === undefined) continue;
    const rest = callers.moveTo(parent[leaf]!);
    blocks.put(callers.bytes, 0, callers.length);
    for (const node of rest) {
      const name = frame[node]!;
      blocks.put(named.bytes, named.start(name), named.end(name));
      yield* blocks.full();
    }
    const name = frame[leaf]!;
    const leafName = named.leaves.get(name);
    if (leafName === undefined) blocks.put(named.bytes, named.start(name), named.end(name) - 1);
    else blocks.put(leafName, 0, leafName.length);
    blocks.text(` ${count}\n`);
    yield* blocks.full();
  }
  yield* blocks.rest();
}

/** Bytes in blocks, each of which is never written to again. */
class Blocks {
  #block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #used = 0;
  #full: Uint8Array[] = [];

  put(from: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end; ) {
      const next = Math.min(end, at + BLOCK_BYTES - this.#used);
      copyBytes(from, at, next, this.#block, this.#used);
      this.#used += next - at;
      at = next;
      if (this.#used === BLOCK_BYTES) this.#close();
    }
  }

  /** Adds a short text in ASCII. */
  text(text: string): void {
    for (let i = 0; i < text.length; i++) {
      this.#block[this.#used++] = text.charCodeAt(i);
      if (this.#used === BLOCK_BYTES) this.#close();
    }
  }

  /** Returns the blocks that are full by now. */
  full(): readonly Uint8Array[] {
    if (this.#full.length === 0) return NO_BLOCKS;
    const full = this.#full;
    this.#full = [];
    return full;
  }

  /** Returns what is left. */
  rest(): readonly Uint8Array[] {
    return this.#used === 0 ? NO_BLOCKS : [this.#block.subarray(0, this.#used)];
  }

  #close(): void {
    this.#full.push(this.#block);
    this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#used = 0;
  }
}

const NO_BLOCKS: readonly Uint8Array[] = [];
