import { entry, put } from "./columns";
import { putDouble, ticksAt } from "./doubles";

/**
 * Counts callers: see `sumsOnPaths` in src/symbolizer/caller-count.ts. `isOutside`, `isNative`, `isHandler` and `isLost` have
 * a byte of each frame. `ticks` has doubles, or else unsigned integers. `depth` and `found` have room for an integer by
 * node, `hasLost` for a byte, with anything in them; `sums` gets doubles.
 */
export function countCallers(
  length: i32,
  parent: usize,
  frame: usize,
  isOutside: usize,
  isNative: usize,
  isHandler: usize,
  isLost: usize,
  rows: i32,
  nodes: usize,
  ticks: usize,
  isDouble: bool,
  depth: usize,
  found: usize,
  hasLost: usize,
  sums: usize,
): void {
  put(depth, 0, 0);
  put(found, 0, 0);
  store<u8>(hasLost, 0);
  for (let node = 1; node < length; node++) {
    const caller = entry(parent, node);
    const number = entry(frame, node);
    put(depth, node, entry(depth, caller) + 1);
    put(found, node, entry(found, caller) + <i32>load<u8>(isOutside + number));
    store<u8>(hasLost + node, load<u8>(hasLost + caller) | load<u8>(isLost + number));
  }
  let callers = 0.0;
  let missing = 0.0;
  let incomplete = 0.0;
  let interpreted = 0.0;
  let lost = 0.0;
  for (let row = 0; row < rows; row++) {
    const node = entry(nodes, row);
    if (node === 0) continue;
    const count = ticksAt(ticks, isDouble, row);
    const caller = entry(parent, node);
    callers += <f64>entry(depth, caller) * count;
    if (load<u8>(hasLost + node)) lost += count;
    let lacking = entry(found, caller);
    if (lacking === 0) continue;
    if (load<u8>(isOutside + entry(frame, caller))) {
      const leaf = entry(frame, node);
      lacking -= <i32>load<u8>(isNative + leaf);
      if (load<u8>(isHandler + leaf)) interpreted += count;
    }
    missing += <f64>lacking * count;
    if (lacking > 0) incomplete += count;
  }
  putDouble(sums, 0, callers);
  putDouble(sums, 1, missing);
  putDouble(sums, 2, incomplete);
  putDouble(sums, 3, interpreted);
  putDouble(sums, 4, lost);
}
