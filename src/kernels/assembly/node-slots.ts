// Hash tables of nodes, whose keys stay in the columns of their tree. 0 is a free slot, since the root is nobody's child.

import { entry, hashOf } from "./columns";

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
