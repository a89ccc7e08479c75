// Loops that make a tree of functions from a call tree. Columns are as in the kernel's other loops; `keys` has, by frame, the
// number of its function.

import { entry, put } from "./columns";
import { add, double } from "./doubles";

/**
 * Writes, by node, the outermost node of the direct recursion that ends there, its depth, and whether all of the stack is
 * native, as `isNative` says of a frame. `isBare` is all 0.
 */
export function markRecursion(
  length: i32,
  parent: usize,
  frame: usize,
  keys: usize,
  isNative: usize,
  entries: usize,
  runs: usize,
  isBare: usize,
): void {
  for (let node = 1; node < length; node++) {
    const caller = entry(parent, node);
    const number = entry(frame, node);
    const isAgain = caller !== 0 && entry(keys, entry(frame, caller)) === entry(keys, number);
    put(entries, node, isAgain ? entry(entries, caller) : node);
    put(runs, node, isAgain ? entry(runs, caller) + 1 : 1);
    if (load<u8>(isNative + number) && (caller === 0 || load<u8>(isBare + caller)))
      store<u8>(isBare + node, 1);
  }
}

/**
 * Writes the key of each node; `none` where its caller's node has its ticks too: where the function calls itself, and where
 * the stack is native so far. Marks in `isUsed`, all 0, the nodes of stacks with ticks. `under` has the ticks of the stacks
 * that end at each node, and gets those of all below it.
 */
export function joinRecursion(
  length: i32,
  parent: usize,
  frame: usize,
  keys: usize,
  runs: usize,
  isBare: usize,
  none: i32,
  joined: usize,
  isUsed: usize,
  under: usize,
): void {
  for (let node = length - 1; node > 0; node--) {
    const isJoined = entry(runs, node) > 1 || load<u8>(isBare + node);
    put(joined, node, isJoined ? none : entry(keys, entry(frame, node)));
    const ticks = double(under, node);
    if (ticks === 0) continue;
    store<u8>(isUsed + node, 1);
    add(under, entry(parent, node), ticks);
  }
}

/**
 * Adds the ticks of the nodes' stacks to the nodes of another tree, whose `numbers` are given: those that end there, and of
 * frames that are inlined and inferred, those that pass it. `depths` are the greatest depths of recursion. `own` has the
 * ticks of each node, and `under` these and those below it.
 */
export function addToTree(
  length: i32,
  frame: usize,
  numbers: usize,
  runs: usize,
  isInlined: usize,
  isInferred: usize,
  own: usize,
  under: usize,
  self: usize,
  inlined: usize,
  inferred: usize,
  depths: usize,
): void {
  for (let node = 1; node < length; node++) {
    const ticks = double(under, node);
    if (ticks === 0) continue;
    const to = entry(numbers, node);
    add(self, to, double(own, node));
    const run = entry(runs, node);
    if (run > entry(depths, to)) put(depths, to, run);
    if (run > 1) continue;
    const number = entry(frame, node);
    if (load<u8>(isInlined + number)) add(inlined, to, ticks);
    if (load<u8>(isInferred + number)) add(inferred, to, ticks);
  }
}
