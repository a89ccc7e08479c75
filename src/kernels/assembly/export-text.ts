// Writes the samples of exports, of which a large profile has hundreds of megabytes. See call-trees.ts.

import { entry, hashOf, put } from "./columns";

/** The bytes that were written by the last call. */
export let written: i32 = 0;
/** The number of locations that have an id. */
export let located: i32 = 0;

const PAGE_BITS: usize = 16;

/** Makes room for bytes at the end of the memory. */
function reach(end: usize): void {
  const pages = <i32>((end + 0xffff) >> PAGE_BITS) - memory.size();
  if (pages > 0) memory.grow(pages);
}

/**
 * Merges samples of merged stacks that have one node and one set of labels into the first of them, over their columns. Ticks are
 * of 64 bits. `table` and `slots` are as in numberPairs(). Returns how many samples are left.
 */
export function mergeSamples(
  length: i32,
  nodeOf: usize,
  sets: usize,
  ticks: usize,
  wasMerged: usize,
  table: usize,
  slots: i32,
): i32 {
  const mask = slots - 1;
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const node = entry(nodeOf, i);
    const set = entry(sets, i);
    const own = load<f64>(ticks + ((<usize>i) << 3));
    if (load<u8>(wasMerged + node)) {
      let slot = hashOf(node, set) & mask;
      let row = entry(table, slot);
      while (row !== 0 && (entry(nodeOf, row - 1) !== node || entry(sets, row - 1) !== set)) {
        slot = (slot + 1) & mask;
        row = entry(table, slot);
      }
      if (row !== 0) {
        const sum = ticks + ((<usize>(row - 1)) << 3);
        store<f64>(sum, load<f64>(sum) + own);
        continue;
      }
      put(table, slot, kept + 1);
    }
    put(nodeOf, kept, node);
    put(sets, kept, set);
    store<f64>(ticks + ((<usize>kept) << 3), own);
    kept++;
  }
  return kept;
}

/** Writes ticks of 64 bits as such of 32 bits, without a sign. */
export function narrowTicks(length: i32, ticks: usize, narrow: usize): void {
  for (let i = 0; i < length; i++) put(narrow, i, <i32>(<u32>load<f64>(ticks + ((<usize>i) << 3))));
}

/**
 * Writes a number for what the labels of each sample say of its stack: the tier of its leaf, which `tiers` has by frame, `none` without
 * a frame; its VM state, and whether the stack is in `marks`.
 */
export function labelSamples(
  length: i32,
  nodes: usize,
  vmState: usize,
  frame: usize,
  tiers: usize,
  none: i32,
  marks: usize,
  labels: usize,
): void {
  for (let i = 0; i < length; i++) {
    const node = entry(nodes, i);
    const tier = node === 0 ? none : entry(tiers, entry(frame, node));
    put(labels, i, (((tier << 8) | load<u8>(vmState + i)) << 1) | load<u8>(marks + node));
  }
}

/**
 * Writes samples of a pprof message from `start` on, up to about `limit` bytes. `frame` has the location of each node; one that
 * is new gets the next of the `ids`, from 1, and is put to `order`. What follows the locations of a sample is one of the `tails`,
 * up to its end. `path` is room for the deepest stack. Returns the sample that comes next.
 */
export function writeSamples(
  start: i32,
  length: i32,
  nodeOf: usize,
  tailOf: usize,
  parent: usize,
  frame: usize,
  ids: usize,
  order: usize,
  path: usize,
  tails: usize,
  tailEnds: usize,
  to: usize,
  limit: i32,
): i32 {
  let at = to;
  let i = start;
  for (; i < length && <i32>(at - to) < limit; i++) {
    let depth = 0;
    let size = 0;
    for (let node = entry(nodeOf, i); node !== 0; node = entry(parent, node)) {
      const location = entry(frame, node);
      let id = entry(ids, location);
      if (id === 0) {
        put(order, located, location);
        id = ++located;
        put(ids, location, id);
      }
      put(path, depth++, id);
      size += sizeOf(id);
    }
    const number = entry(tailOf, i);
    const tail: usize = number === 0 ? 0 : entry(tailEnds, number - 1);
    const tailSize = <i32>(<usize>entry(tailEnds, number) - tail);
    const sizes = (depth === 0 ? 0 : 1 + sizeOf(size) + size) + tailSize;
    reach(at + sizes + 2 * FIELD_BYTES);
    store<u8>(at++, SAMPLE);
    at = putVarint(at, sizes);
    if (depth > 0) {
      store<u8>(at++, LOCATION_ID);
      at = putVarint(at, size);
      for (let d = 0; d < depth; d++) at = putVarint(at, entry(path, d));
    }
    memory.copy(at, tails + tail, tailSize);
    at += tailSize;
  }
  written = <i32>(at - to);
  return i;
}

// The tags of fields: a number times 8, plus 2 for what has a length. Source: pprof, proto/profile.proto.
const SAMPLE: u8 = 0x12;
const LOCATION_ID: u8 = 0x0a;
/** The most bytes of a tag and of the length of a field. */
const FIELD_BYTES = 6;

/** Returns how many bytes a positive integer of 31 bits takes as a varint. */
function sizeOf(value: i32): i32 {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
}

/** Writes a positive integer of 31 bits. Returns where the next byte goes. */
function putVarint(start: usize, value: i32): usize {
  let at = start;
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) store<u8>(at++, rest | 0x80);
  store<u8>(at++, rest);
  return at;
}

/** How many names are in the callers' part of the last line. */
let depth: i32 = 0;

/**
 * Writes lines `root;caller;leaf 12` for nodes with `ticks`, which are of 64 bits, from the node `start` on, up to about `limit`
 * bytes. The names of frames are in `names` up to their `ends`, each with a `;`; those of leaves from `leafStarts` to `leafEnds`.
 * `line` has room for `lineBytes` of callers, `nodes` and `lineEnds` for those of the deepest stack, and so has `path`. Returns
 * the node that comes next; ~node for one with too many bytes of callers.
 */
export function writeFolded(
  start: i32,
  length: i32,
  parent: usize,
  frame: usize,
  ticks: usize,
  names: usize,
  ends: usize,
  leafStarts: usize,
  leafEnds: usize,
  line: usize,
  lineBytes: i32,
  nodes: usize,
  lineEnds: usize,
  path: usize,
  to: usize,
  limit: i32,
): i32 {
  let at = to;
  let leaf = start;
  for (; leaf < length && <i32>(at - to) < limit; leaf++) {
    const own = load<f64>(ticks + ((<usize>leaf) << 3));
    if (own === 0) continue;
    // A node comes after its caller: drop what is not above this one.
    let missing = 0;
    for (let node = entry(parent, leaf); ; node = entry(parent, node)) {
      while (depth > 0 && entry(nodes, depth - 1) > node) depth--;
      if (node === 0 || (depth > 0 && entry(nodes, depth - 1) === node)) break;
      put(path, missing++, node);
    }
    let end = depth === 0 ? 0 : entry(lineEnds, depth - 1);
    while (missing > 0) {
      const node = entry(path, --missing);
      const name = entry(frame, node);
      const first = name === 0 ? 0 : entry(ends, name - 1);
      const size = entry(ends, name) - first;
      if (end + size > lineBytes) {
        written = <i32>(at - to);
        return ~leaf;
      }
      memory.copy(line + end, names + first, size);
      end += size;
      put(nodes, depth, node);
      put(lineEnds, depth++, end);
    }
    const name = entry(frame, leaf);
    const first = entry(leafStarts, name);
    const size = entry(leafEnds, name) - first;
    reach(at + end + size + NUMBER_BYTES);
    memory.copy(at, line, end);
    at += end;
    memory.copy(at, names + first, size);
    at = putNumber(at + size, <u64>own);
  }
  written = <i32>(at - to);
  return leaf;
}

/** The most bytes of a number, with a space before it and a newline. */
const NUMBER_BYTES = 24;

/** Writes a space, a number and a newline. Returns where the next byte goes. */
function putNumber(start: usize, value: u64): usize {
  let digits = 1;
  for (let rest = value / 10; rest > 0; rest /= 10) digits++;
  store<u8>(start, 0x20);
  let at = start + 1 + digits;
  store<u8>(at, 0x0a);
  for (let rest = value, left = digits; left > 0; left--) {
    store<u8>(--at, 0x30 + <u8>(rest % 10));
    rest /= 10;
  }
  return start + digits + 2;
}
