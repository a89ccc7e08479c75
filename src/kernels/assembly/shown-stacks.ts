// Loops that find what views leave out of stacks, for src/profile/shown-loops.ts.

import { entry, put } from "./columns";

/** Returns whether a marked frame calls something. */
export function hasCaller(length: i32, parent: usize, frame: usize, isMarked: usize): bool {
  for (let node = 1; node < length; node++) {
    const caller = entry(parent, node);
    if (caller !== 0 && load<u8>(isMarked + entry(frame, caller))) return true;
  }
  return false;
}

/** Writes the samples in marked frames that a frame that `isCaller` calls. Returns how many there are. */
export function calledRows(
  rows: i32,
  nodes: usize,
  parent: usize,
  frame: usize,
  isMarked: usize,
  isCaller: usize,
  found: usize,
): i32 {
  let count = 0;
  for (let row = 0; row < rows; row++) {
    const node = entry(nodes, row);
    if (node === 0 || !load<u8>(isMarked + entry(frame, node))) continue;
    const caller = entry(parent, node);
    if (caller !== 0 && load<u8>(isCaller + entry(frame, caller))) put(found, count++, row);
  }
  return count;
}

/**
 * Marks in `isUsed` the nodes of samples that are not `isOwned`, and the callers of marked nodes and of those that are
 * `isLineless`; and in `hasNode` the frames of marked nodes.
 */
export function markUsed(
  length: i32,
  parent: usize,
  frame: usize,
  rows: i32,
  nodes: usize,
  isOwned: usize,
  isLineless: usize,
  isUsed: usize,
  hasNode: usize,
): void {
  for (let row = 0; row < rows; row++) if (!load<u8>(isOwned + row)) store<u8>(isUsed + entry(nodes, row), 1);
  for (let node = length - 1; node > 0; node--) {
    const mark = load<u8>(isUsed + node);
    const caller = isUsed + entry(parent, node);
    store<u8>(caller, load<u8>(caller) | mark | load<u8>(isLineless + node));
    const number = hasNode + entry(frame, node);
    store<u8>(number, load<u8>(number) | mark);
  }
}
