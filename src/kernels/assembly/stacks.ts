// Turns ticks into nodes of a call tree: answers.ts caches what is at each address, tree.ts builds
// the tree. The host is src/replay/stack-builder.ts. Compiled to WebAssembly by AssemblyScript.

import {
  FRESH_SHIFT,
  HAS_STACK,
  HAS_TOS,
  IS_EXTERNAL,
  MAX_DEPTH,
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
} from "../layout";
import { cachedAnswer } from "./answers";
import { child, entryOf } from "./tree";

export { forget, forgetAll, remember, rememberGrains, useInlines } from "./answers";
export { child, length, nodes } from "./tree";

/** Resolves an address to its frame times 2, plus 1 for a function. The host may call `remember` first. */
declare function resolve(address: f64, isReturn: bool): i32;

/** Ticks as rows/tick-fields.ts lays them out. Their results are written over them. */
export const fields: usize = memory.data(TICK_BUFFER_BYTES, 16);
/** The node of each frame of the last tick, root first. */
const path: usize = memory.data(MAX_DEPTH << 2, 16);
/** The address of each frame of the last tick, root first. */
const addresses: usize = memory.data(MAX_DEPTH << 3, 16);
/** Frames of the path that are valid, from the root on. */
let pathDepth: i32 = 0;

/** Makes the path of the last tick invalid. */
export function breakPath(): void {
  pathDepth = 0;
}

/**
 * Turns the ticks in the first `bytes` of `fields` into nodes. Returns how many there are; their results are then in
 * `fields`.
 */
export function nodesOf(bytes: i32): i32 {
  const end = fields + <usize>bytes;
  let at = fields;
  let out = fields;
  let ticks = 0;
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

    store<i32>(out, node, RESULT_NODE);
    store<i32>(out, ((head >> STATE_SHIFT) & STATE_MASK) | (depth > 0 ? HAS_STACK : 0), RESULT_STATE);
    store<f64>(out, time, RESULT_TIME);
    out += RESULT_BYTES;
    ticks++;
  }
  return ticks;
}

/** Puts one field of `length` nodes, one of the `NODE_…`, into `fields`, from the node `first` on. */
export function takeColumn(field: usize, first: i32, length: i32): void {
  for (let i = 0; i < length; i++) {
    store<i32>(fields + ((<usize>i) << 2), load<i32>(entryOf(first + i) + field));
  }
}

/** Returns what is at an address, as `resolve` does. */
function find(address: f64, isReturn: bool): i32 {
  const answer = cachedAnswer(address, isReturn);
  return answer < 0 ? resolve(address, isReturn) : answer;
}
