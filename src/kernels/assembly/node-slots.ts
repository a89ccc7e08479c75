// Hash tables of nodes, whose keys stay in the columns of their tree. 0 is a free slot, since the root is nobody's child.

import { entry, hashOf, put } from "./columns";

/** Returns the slot of the node for a frame called from `caller`, or the one that it would have. */
export function nodeSlot(
  caller: i32,
  number: i32,
  parent: usize,
  frame: usize,
  table: usize,
  mask: i32,
): i32 {
  let slot = hashOf(caller, number) & mask;
  let equal = entry(table, slot);
  while (equal !== 0 && (entry(frame, equal) !== number || entry(parent, equal) !== caller)) {
    slot = (slot + 1) & mask;
    equal = entry(table, slot);
  }
  return slot;
}

/**
 * Writes the new number of a node that is to be called from `caller`, with the frame `number`: that of an equal node before it
 * if it `mayMerge` with one, and 1 to `wasMerged` for that; else the next one, `kept`, where its columns then are. Returns the
 * number of nodes from then on.
 */
export function keepNode(
  node: i32,
  caller: i32,
  number: i32,
  kept: i32,
  mayMerge: usize,
  parent: usize,
  frame: usize,
  numbers: usize,
  wasMerged: usize,
  table: usize,
  mask: i32,
): i32 {
  if (load<u8>(mayMerge + node)) {
    const slot = nodeSlot(caller, number, parent, frame, table, mask);
    const equal = entry(table, slot);
    if (equal !== 0) {
      put(numbers, node, equal);
      store<u8>(wasMerged + equal, 1);
      return kept;
    }
    put(table, slot, kept);
  }
  put(parent, kept, caller);
  put(frame, kept, number);
  put(numbers, node, kept);
  return kept + 1;
}
