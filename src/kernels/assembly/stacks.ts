// Turns ticks into nodes of a call tree: caches what is at each address and builds the tree. The host
// resolves other addresses: src/recorder/stacks-kernel.ts. Compiled to WebAssembly by AssemblyScript.

import {
  ANSWER_KINDS,
  COUNT_SHIFT,
  FOR_ADDRESS,
  FOR_GRAIN,
  FOR_RETURN,
  FRESH_SHIFT,
  GRAIN_BITS,
  HAS_TOS,
  IS_EXTERNAL,
  MAX_DEPTH,
  NODE_CHILD,
  NODE_COUNTED,
  NODE_FRAME,
  NODE_PARENT,
  NODE_SHIFT,
  REGION_BITS,
  REGIONS,
  RESULT_BYTES,
  RESULT_NODE,
  RESULT_STATE,
  RESULT_TIME,
  STATE_MASK,
  STATE_SHIFT,
  TICK_BUFFER_BYTES,
  TICK_PC,
  TICK_SHARED,
  TICK_TIME,
  TICK_TOS,
  TIMES_BYTES,
  TIMES_FIRST,
  TIMES_FIRST_STACK,
  TIMES_LAST,
  TIMES_LAST_STACK,
  TIMES_LONGEST,
  TIMES_WITHOUT_STACK,
} from "../layout";
import { addStep } from "./step-histogram";

export { steps } from "./step-histogram";

/** Resolves an address to its frame times 2, plus 1 for a function. The host may call `remember` first. */
declare function resolve(address: f64, isReturn: bool): i32;

/** A power of two. 16,384 slots hold the functions of every program tried; with a frame for each place, it takes more. */
const SLOTS: u32 = 1 << 16;
/** A slot: the first address of a grain in 8 bytes, its answer in 4, the stamp of its region in 4. */
const SLOT_SHIFT: usize = 4;
/** The bits of NODE_COUNTED that are not the count. */
const COUNTED_STATE: u32 = (1 << COUNT_SHIFT) - 1;
/** From here on, counting another tick would overflow. */
const MOST_COUNTED: u32 = u32.MAX_VALUE - (1 << COUNT_SHIFT);

/** Ticks as rows/tick-fields.ts lays them out. Their results are written over them. */
export const fields: usize = memory.data(TICK_BUFFER_BYTES, 16);
const answers: usize = memory.data(ANSWER_KINDS * (SLOTS << 4), 64);
/** A stamp for each region. Answers with an older one are invalid; no stamp is 0. */
const stamps: usize = memory.data(REGIONS << 2, 16);
/** The node of each frame of the last tick, root first. */
const path: usize = memory.data(MAX_DEPTH << 2, 16);
/** The address of each frame of the last tick, root first. */
const addresses: usize = memory.data(MAX_DEPTH << 3, 16);
/** Frames of the path that are valid, from the root on. */
let pathDepth: i32 = 0;

// The tree, at the end of the memory: nodes, then a hash table of them by parent and frame (as one number),
// with twice as many slots as nodes. 0 is a free slot: the root is nobody's child.
export const nodes: usize = (__heap_base + 63) & ~63;
export let length: i32 = 1;
let capacity: i32 = 1 << 12;
let table: usize = 0;
let mask: u32 = 0;

/** Whether return addresses have answers of their own. */
let inlines: bool = false;

/** Statistics of the times of the ticks in the last {@link nodesOf}. */
export const times: usize = memory.data(TIMES_BYTES, 16);

layOut();
store<i64>(nodes + NODE_PARENT, -1);
for (let i: u32 = 0; i < <u32>REGIONS; i++) store<i32>(stamps + ((<usize>i) << 2), 1);

/** From here on, return addresses have answers of their own. */
export function useInlines(): void {
  inlines = true;
}

/** Caches the answer for an address. */
export function remember(kind: i32, address: f64, frame: i32): void {
  const key = <u64>address;
  const slot = slotOf(kind, key);
  store<u64>(slot, firstOf(kind, key));
  store<i32>(slot, frame, 8);
  store<i32>(slot, load<i32>(stampOf(key)), 12);
}

/** Invalidates the answers for `count` regions from `address` on, and for others that share their stamps. */
export function forget(address: f64, count: i32): void {
  let region = <u32>(<u64>address >> REGION_BITS);
  for (let i = 0; i < count; i++) {
    const stamp = stamps + ((<usize>(region++ & (REGIONS - 1))) << 2);
    store<i32>(stamp, load<i32>(stamp) + 1);
  }
}

/** Makes the path of the last tick invalid. */
export function breakPath(): void {
  pathDepth = 0;
}

/**
 * Turns the ticks in the first `bytes` of `fields` into nodes. Returns how many it did not count; their
 * results are then in `fields`. Steps from tick to tick are counted in `unit`s.
 * With `counts`, it counts the ticks in the VM state of the first tick of their stack, except for that one.
 */
export function nodesOf(bytes: i32, counts: bool, unit: f64): i32 {
  const end = fields + <usize>bytes;
  let at = fields;
  let out = fields;
  let left = 0;
  let last: f64 = NaN;
  let hadStack = false;
  let isFirst = true;
  memory.fill(times, 0, TIMES_BYTES);
  while (at < end) {
    const head = load<u32>(at);
    const shared = load<i32>(at, TICK_SHARED);
    const isExternal = (head & IS_EXTERNAL) !== 0;
    const hasTop = (head & HAS_TOS) !== 0;
    const fresh = <i32>(head >> FRESH_SHIFT);
    const depth = shared + fresh;
    const pc = load<f64>(at, TICK_PC);
    const time = load<f64>(at, TICK_TIME);
    at += TICK_TOS;
    const top = hasTop ? load<f64>(at) : 0;
    if (hasTop) at += 8;

    // Code is numbered in the order of look-ups: top of the stack, leaf, callers from leaf to root.
    const called = hasTop && !isExternal ? find(top, true) : 0;
    const leaf = find(isExternal ? top : pc, false) >> 1;
    memory.copy(addresses + ((<usize>shared) << 3), at, (<usize>fresh) << 3);
    at += (<usize>fresh) << 3;
    const known = min(shared, pathDepth);
    for (let i = depth - 1; i >= known; i--) {
      store<i32>(path + ((<usize>i) << 2), find(load<f64>(addresses + ((<usize>i) << 3)), true) >> 1);
    }
    let node = known === 0 ? 0 : load<i32>(path + ((<usize>(known - 1)) << 2));
    for (let i = known; i < depth; i++) {
      const step = path + ((<usize>i) << 2);
      node = child(node, load<i32>(step));
      store<i32>(step, node);
    }
    pathDepth = depth;
    if (called & 1) node = child(node, called >> 1);
    node = child(node, leaf);

    const step = time - last;
    const hasStack = depth > 0;
    if (step >= 0) {
      addStep(step, unit, hadStack && hasStack);
      if (step > load<f64>(times, TIMES_LONGEST)) store<f64>(times, step, TIMES_LONGEST);
    } else if (isFirst) {
      store<f64>(times, time, TIMES_FIRST);
      store<f64>(times, <f64>hasStack, TIMES_FIRST_STACK);
    }
    isFirst = false;
    last = time;
    hadStack = hasStack;
    if (!hasStack) store<f64>(times, load<f64>(times, TIMES_WITHOUT_STACK) + 1, TIMES_WITHOUT_STACK);

    const state = (head >> STATE_SHIFT) & STATE_MASK;
    if (counts && count(node, state + 1)) continue;
    store<i32>(out, node, RESULT_NODE);
    store<i32>(out, state, RESULT_STATE);
    store<f64>(out, time, RESULT_TIME);
    out += RESULT_BYTES;
    left++;
  }
  store<f64>(times, last, TIMES_LAST);
  store<f64>(times, <f64>hadStack, TIMES_LAST_STACK);
  return left;
}

/** Returns the node for `frame` called from `parent`; creates it if it is new. */
export function child(parent: i32, frame: i32): i32 {
  const key = ((<u64>(<u32>frame)) << (NODE_FRAME << 3)) | ((<u64>(<u32>parent)) << (NODE_PARENT << 3));
  const entry = entryOf(parent);
  let node = load<i32>(entry, NODE_CHILD);
  // The root is not a child of any node.
  if (load<u64>(entryOf(node)) === key) return node;
  node = hashedChild(key);
  store<i32>(entry, node, NODE_CHILD);
  return node;
}

function hashedChild(key: u64): i32 {
  let slot = hash(key) & mask;
  let node = load<i32>(table + ((<usize>slot) << 2));
  while (node !== 0) {
    if (load<u64>(entryOf(node)) === key) return node;
    slot = (slot + 1) & mask;
    node = load<i32>(table + ((<usize>slot) << 2));
  }
  if (length === capacity) {
    grow();
    slot = freeSlot(key);
  }
  node = length++;
  const entry = entryOf(node);
  store<u64>(entry, key);
  store<u64>(entry, 0, NODE_CHILD);
  store<i32>(table + ((<usize>slot) << 2), node);
  return node;
}

/** Returns the offset of a node. */
function entryOf(node: i32): usize {
  return nodes + ((<usize>node) << NODE_SHIFT);
}

/** Counts a tick if its state is that of its node. The first tick sets the state and is not counted. */
function count(node: i32, state: u32): bool {
  const entry = entryOf(node);
  const counted = load<u32>(entry, NODE_COUNTED);
  const own = counted & COUNTED_STATE;
  if (own === 0) store<u32>(entry, state, NODE_COUNTED);
  if (own !== state || counted > MOST_COUNTED) return false;
  store<u32>(entry, counted + (1 << COUNT_SHIFT), NODE_COUNTED);
  return true;
}

/** Returns what is at an address, as `resolve` does. */
function find(address: f64, isReturn: bool): i32 {
  const key = <u64>address;
  const stamp = load<i32>(stampOf(key));
  if (isReturn && inlines) {
    const slot = slotOf(FOR_RETURN, key);
    if (load<u64>(slot) === key && load<i32>(slot, 12) === stamp) return load<i32>(slot, 8);
  } else {
    const grain = slotOf(FOR_GRAIN, key);
    if (load<u64>(grain) === firstOf(FOR_GRAIN, key) && load<i32>(grain, 12) === stamp)
      return load<i32>(grain, 8);
    const slot = slotOf(FOR_ADDRESS, key);
    if (load<u64>(slot) === key && load<i32>(slot, 12) === stamp) return load<i32>(slot, 8);
  }
  return resolve(address, isReturn);
}

/** Returns the slot of an address for one kind of answer. */
function slotOf(kind: i32, address: u64): usize {
  const grain = <u32>address >> (kind === FOR_GRAIN ? GRAIN_BITS : 0);
  const slot = (grain ^ (grain >> 14)) & (SLOTS - 1);
  return answers + ((<usize>(<u32>kind * SLOTS + slot)) << SLOT_SHIFT);
}

/** Returns the first address that shares an answer of this kind. */
function firstOf(kind: i32, address: u64): u64 {
  return kind === FOR_GRAIN ? (address >> GRAIN_BITS) << GRAIN_BITS : address;
}

/** Returns the offset of the stamp of an address's region. */
function stampOf(address: u64): usize {
  return stamps + ((<usize>(<u32>(address >> REGION_BITS) & (REGIONS - 1))) << 2);
}

function hash(key: u64): u32 {
  const mixed = (<u32>key * 0x9e3779b1) ^ (<u32>(key >> 32) * 0x85ebca6b);
  return mixed ^ (mixed >> 15);
}

/** Makes room for twice as many nodes. They stay where they are; the hash table is rebuilt after them. */
function grow(): void {
  capacity <<= 1;
  layOut();
  for (let node = 1; node < length; node++) {
    const key = load<u64>(entryOf(node));
    store<i32>(table + ((<usize>freeSlot(key)) << 2), node);
  }
}

function freeSlot(key: u64): u32 {
  let slot = hash(key) & mask;
  while (load<i32>(table + ((<usize>slot) << 2)) !== 0) slot = (slot + 1) & mask;
  return slot;
}

/** Puts an empty table after the room for nodes. */
function layOut(): void {
  const tableBytes = (<usize>capacity) << 3;
  table = entryOf(capacity);
  mask = ((<u32>capacity) << 1) - 1;
  const pages = <i32>((table + tableBytes + 0xffff) >> 16) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) unreachable();
  memory.fill(table, 0, tableBytes);
}
