// Columns of integers in the memory of a kernel, given by their offsets.

/** Returns an entry of a column. */
export function entry(column: usize, index: i32): i32 {
  return load<i32>(column + ((<usize>index) << 2));
}

/** Sets an entry of a column. */
export function put(column: usize, index: i32, value: i32): void {
  store<i32>(column + ((<usize>index) << 2), value);
}

/** Returns 32 bits that differ in the low ones too, whichever of both integers differs. */
export function hashOf(caller: i32, frame: i32): i32 {
  const mixed = (caller * 0x9e3779b1) ^ (frame * 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
