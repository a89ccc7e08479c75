// The call tree: nodes as ../layout.ts lays them out, then a hash table of those with siblings, by parent and
// frame (as one number). Both are at the end of the memory and grow.

import { NODE_BYTES, NODE_CHILD, NODE_FRAME, NODE_PARENT, ONLY_CHILD } from "../layout";

export let nodes: usize = (__heap_base + 63) & ~63;
export let length: i32 = 1;
let capacity: i32 = 1 << 12;
/** The bits of a node's number: a power of two, less 1, not below `capacity` - 1. */
let numbers: u32 = (1 << 12) - 1;

/**
 * A slot of the table: a node in the bits of `numbers`, and above them bits of the hash of its key, which
 * spare most looks at other nodes. 0 is a free slot: the root is nobody's child.
 */
const SLOT_SHIFT: usize = 2;
let table: usize = 0;
/** Slots of the table, a power of two. At most 5 of 8 are in use. */
let slots: u32 = 1 << 12;
let used: u32 = 0;

table = entryOf(capacity);
makeRoom();
store<i64>(nodes + NODE_PARENT, -1);

/** Returns where so many bytes are free now, all 0: the nodes and the table move behind them. */
export function roomBelowNodes(bytes: usize): usize {
  const room = nodes;
  const taken = table + ((<usize>slots) << SLOT_SHIFT) - nodes;
  nodes += bytes;
  table += bytes;
  makeRoom();
  memory.copy(nodes, room, taken);
  memory.fill(room, 0, bytes);
  return room;
}

/** Returns the node for `frame` called from `parent`; creates it if it is new. */
export function child(parent: i32, frame: i32): i32 {
  const key = ((<u64>(<u32>frame)) << (NODE_FRAME << 3)) | ((<u64>(<u32>parent)) << (NODE_PARENT << 3));
  const last = load<u32>(entryOf(parent), NODE_CHILD);
  const node = <i32>(last & ~ONLY_CHILD);
  // The root is not a child of any node.
  return load<u64>(entryOf(node)) === key ? node : otherChild(parent, key, last);
}

/** Returns the node with this key, which is not the one looked up last. */
function otherChild(parent: i32, key: u64, last: u32): i32 {
  let node: i32;
  if (last === 0) {
    node = newNode(key);
    store<u32>(entryOf(parent), <u32>node | ONLY_CHILD, NODE_CHILD);
    return node;
  }
  if (last & ONLY_CHILD) {
    const first = <i32>(last & ~ONLY_CHILD);
    store<i32>(entryOf(parent), first, NODE_CHILD);
    addToTable(first);
  }
  node = hashedChild(key);
  store<i32>(entryOf(parent), node, NODE_CHILD);
  return node;
}

function hashedChild(key: u64): i32 {
  const hash = hashOf(key);
  let at = slotOf(hash);
  let slot = load<u32>(at);
  while (slot !== 0) {
    const node = <i32>(slot & numbers);
    if ((slot ^ hash) <= numbers && load<u64>(entryOf(node)) === key) return node;
    at = slotAfter(at);
    slot = load<u32>(at);
  }
  const node = newNode(key);
  addToTable(node);
  return node;
}

function newNode(key: u64): i32 {
  if (length === capacity) growNodes();
  const entry = entryOf(length);
  store<u64>(entry, key);
  store<u32>(entry, 0, NODE_CHILD);
  return length++;
}

/** Returns the offset of a node. */
export function entryOf(node: i32): usize {
  return nodes + <usize>node * NODE_BYTES;
}

function hashOf(key: u64): u32 {
  const mixed = (<u32>key * 0x9e3779b1) ^ (<u32>(key >> 32) * 0x85ebca6b);
  return mixed ^ (mixed >> 15);
}

function slotOf(hash: u32): usize {
  return table + ((<usize>(hash & (slots - 1))) << SLOT_SHIFT);
}

function slotAfter(at: usize): usize {
  const next = at + (1 << SLOT_SHIFT);
  return next === table + ((<usize>slots) << SLOT_SHIFT) ? table : next;
}

/** Adds a node whose parent says that it is not the only child. */
function addToTable(node: i32): void {
  used++;
  if (used > (slots >> 3) * 5) growTable();
  else putIntoTable(node);
}

function putIntoTable(node: i32): void {
  const hash = hashOf(load<u64>(entryOf(node)));
  let at = slotOf(hash);
  while (load<u32>(at) !== 0) at = slotAfter(at);
  store<u32>(at, (hash & ~numbers) | <u32>node);
}

/**
 * Makes room for more nodes, in small steps: what the table leaves behind is memory in use. They stay where they are,
 * and the table moves. Its slots give a bit of the hash to the number of the node when that needs it.
 */
function growNodes(): void {
  const before = table;
  capacity += capacity >> 2;
  table = entryOf(capacity);
  makeRoom();
  const bytes = (<usize>slots) << SLOT_SHIFT;
  memory.copy(table, before, bytes);
  if (<u32>capacity <= numbers + 1) return;
  const kept = ~(numbers + 1);
  numbers = (numbers << 1) | 1;
  for (let at = table; at < table + bytes; at += 1 << SLOT_SHIFT) store<u32>(at, load<u32>(at) & kept);
}

/** Makes the table twice as large. */
function growTable(): void {
  slots <<= 1;
  makeRoom();
  memory.fill(table, 0, (<usize>slots) << SLOT_SHIFT);
  for (let node = 1; node < length; node++) {
    const last = load<u32>(entryOf(load<i32>(entryOf(node), NODE_PARENT)), NODE_CHILD);
    if ((last & ONLY_CHILD) === 0) putIntoTable(node);
  }
}

/** Makes the memory large enough for the table. */
function makeRoom(): void {
  const end = table + ((<usize>slots) << SLOT_SHIFT);
  const missing = <i32>((end + 0xffff) >> 16) - memory.size();
  if (missing > 0 && memory.grow(missing) < 0) unreachable();
}
