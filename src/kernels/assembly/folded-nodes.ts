// Folds the stacks of a call tree: see src/views/folded-tree.ts. The folded nodes are pairs of caller and function.

import { entry, put } from "./columns";
import { pairOf, pairs } from "./pairs";

/**
 * Folds all nodes, and writes the folded node of each one's JavaScript to `callers`. `foldedFrames` has the function of each
 * pair; `functions` has the function of each frame, and `isJs` 1 for those of JavaScript; `isProgram` goes by function, of which
 * the last two, from `light` on, stand for all light functions of the program, and for all other light ones. `depth` and
 * `isInside` have room for all folded nodes, `at` for all depths, `calledAt`, all 0, for all functions, and `atBefore`,
 * `calledBefore` and `open` for all nodes, with anything in them.
 */
export function foldNodes(
  length: i32,
  parent: usize,
  frame: usize,
  nodes: usize,
  ends: usize,
  functions: usize,
  isJs: usize,
  isProgram: usize,
  light: i32,
  foldedFrames: usize,
  depth: usize,
  isInside: usize,
  at: usize,
  calledAt: usize,
  atBefore: usize,
  calledBefore: usize,
  open: usize,
  callers: usize,
): void {
  let opened = 0;
  put(depth, 0, 0);
  store<u8>(isInside, 0);
  put(at, 0, 0);
  put(callers, 0, 0);
  for (let position = 1; position < length; position++) {
    while (opened > 0 && entry(ends, entry(open, opened - 1)) <= position) {
      const node = entry(nodes, entry(open, --opened));
      const to = entry(callers, node);
      put(at, entry(depth, to), entry(atBefore, node));
      put(calledAt, entry(foldedFrames, to), entry(calledBefore, node));
    }
    const node = entry(nodes, position);
    const number = entry(frame, node);
    const caller = entry(callers, entry(parent, node));
    if (!load<u8>(isJs + number)) {
      put(callers, node, caller);
      continue;
    }
    const called = entry(functions, number);
    const to =
      entry(foldedFrames, caller) === called
        ? caller
        : foldedCall(caller, called, isProgram, light, foldedFrames, depth, isInside, at, calledAt);
    put(callers, node, to);
    if (to === caller) continue;
    const level = entry(depth, to);
    const folded = entry(foldedFrames, to);
    put(atBefore, node, entry(at, level));
    put(calledBefore, node, entry(calledAt, folded));
    put(at, level, to);
    put(calledAt, folded, to);
    put(open, opened++, position);
  }
}

function foldedCall(
  caller: i32,
  called: i32,
  isProgram: usize,
  light: i32,
  foldedFrames: usize,
  depth: usize,
  isInside: usize,
  at: usize,
  calledAt: usize,
): i32 {
  const wasInside = load<u8>(isInside + caller);
  const isMine = load<u8>(isProgram + called);
  if (isMine && !wasInside) return foldedChild(0, called, isMine, depth, isInside);
  if (!isMine && wasInside && !load<u8>(isProgram + entry(foldedFrames, caller))) return caller;
  const known = inStack(caller, called, depth, at, calledAt);
  if (known !== 0) return known;
  if (entry(foldedFrames, caller) < light) return foldedChild(caller, called, isMine, depth, isInside);
  const other = light + 1 - <i32>isMine;
  const last = inStack(caller, other, depth, at, calledAt);
  return last !== 0 ? last : foldedChild(caller, other, isMine, depth, isInside);
}

/** Returns the call of a function in the stack of its caller; 0 if there is none. */
function inStack(caller: i32, called: i32, depth: usize, at: usize, calledAt: usize): i32 {
  const last = entry(calledAt, called);
  const level = entry(depth, last);
  return level <= entry(depth, caller) && entry(at, level) === last ? last : 0;
}

function foldedChild(caller: i32, called: i32, isMine: u8, depth: usize, isInside: usize): i32 {
  const child = pairOf(caller, called);
  put(depth, child, entry(depth, caller) + 1);
  store<u8>(isInside + child, caller === 0 ? isMine : load<u8>(isInside + caller));
  return child;
}

/**
 * Writes the folded node of each sample over the samples' `nodes`: that of its JavaScript, if it is light or `called` is the same;
 * else what `called` has in it. Returns the number of folded nodes.
 */
export function foldRows(
  rows: i32,
  nodes: usize,
  called: usize,
  light: i32,
  foldedFrames: usize,
  callers: usize,
): i32 {
  for (let row = 0; row < rows; row++) {
    const caller = entry(callers, entry(nodes, row));
    const leaf = entry(called, row);
    const last = entry(foldedFrames, caller);
    put(nodes, row, last === leaf || last >= light ? caller : pairOf(caller, leaf));
  }
  return pairs;
}
