// What the views find by what else is on a stack: categories of ticks, and calls of functions.

import { entry, put } from "./columns";
import { add, double } from "./doubles";
import { pairOf, pairs } from "./pairs";

/**
 * Writes what is known of the native code since the last JavaScript: 1 if a function of it writes V8's log, 2 if V8's own function
 * is the first. `kinds` has, by frame, 0 for other code, 1 for a native function, 2 for one of V8, 3 for one that writes the log, 4
 * for one that writes files.
 */
export function markNative(length: i32, parent: usize, frame: usize, kinds: usize, marks: usize): void {
  for (let node = 1; node < length; node++) {
    const kind = load<u8>(kinds + entry(frame, node));
    if (kind === 0) continue;
    const caller = entry(parent, node);
    const isFirst = caller === 0 || load<u8>(kinds + entry(frame, caller)) === 0;
    const isV8: u8 = kind === 2 || kind === 3 ? 2 : 0;
    const above = isFirst ? isV8 : load<u8>(marks + caller);
    store<u8>(marks + node, above | (kind === 3 ? 1 : 0));
  }
}

/**
 * Writes the category of each sample: `profiler` if the profiler's own work took it, else that of its VM state, else that of its
 * frame. `marks` and `kinds` are as in {@link markNative}. `ofState` has 255 for a state that has none; `hosts` has, by VM state, 1
 * if only V8's own code runs in it, 2 if only other code does.
 */
export function categorize(
  rows: i32,
  nodes: usize,
  vmState: usize,
  parent: usize,
  frame: usize,
  kinds: usize,
  marks: usize,
  hosts: usize,
  ofState: usize,
  ofFrame: usize,
  profiler: u8,
  categories: usize,
): void {
  for (let row = 0; row < rows; row++) {
    const state = load<u8>(vmState + row);
    const node = entry(nodes, row);
    let category = load<u8>(ofState + state);
    if (node !== 0) {
      const number = entry(frame, node);
      const host = load<u8>(hosts + state);
      const isCalled = host === 1 || (host !== 2 && (load<u8>(marks + entry(parent, node)) & 2) !== 0);
      if (load<u8>(marks + node) & 1 || (load<u8>(kinds + number) === 4 && isCalled)) category = profiler;
      else if (category === 255) category = load<u8>(ofFrame + number);
    } else if (category === 255) category = 0;
    store<u8>(categories + row, category);
  }
}

/**
 * Numbers the calls between functions that `mayRank` as pairs of callers and callees, after `openPairs`. Code of the program and
 * other code are apart: what lies between two functions of the program does not part them. `functions` has the function of each frame; the
 * other columns go by function. Adds to `ticks`, by pair, the ticks of the stacks with such a call; each counts once. Adds to
 * `depths` the depths where a function first is in a stack, by ticks.
 * All columns from `levels` on are all 0; `pairEnds` has the position behind the nodes below a pair's last call. Returns 1 + the
 * number of pairs.
 */
export function findCalls(
  length: i32,
  parent: usize,
  frame: usize,
  functions: usize,
  isProgram: usize,
  mayRank: usize,
  nodes: usize,
  ends: usize,
  under: usize,
  levels: usize,
  mine: usize,
  open: usize,
  depths: usize,
  pairEnds: usize,
  ticks: usize,
): i32 {
  for (let at = 1; at < length; at++) {
    const node = entry(nodes, at);
    const number = entry(functions, entry(frame, node));
    const caller = entry(parent, node);
    const level = entry(levels, caller) + 1;
    put(levels, node, level);
    const isMine = load<u8>(isProgram + number);
    put(mine, node, isMine ? node : entry(mine, caller));
    if (!load<u8>(mayRank + number)) continue;
    if (at >= entry(open, number)) {
      put(open, number, entry(ends, at));
      add(depths, number, double(under, node) * <f64>level);
    }
    const above = isMine ? entry(mine, caller) : caller;
    if (above === 0) continue;
    const other = entry(functions, entry(frame, above));
    if (other === number || load<u8>(isProgram + other) !== isMine || !load<u8>(mayRank + other)) continue;
    const pair = pairOf(other, number);
    if (at < entry(pairEnds, pair)) continue;
    put(pairEnds, pair, entry(ends, at));
    add(ticks, pair, double(under, node));
  }
  return pairs;
}
