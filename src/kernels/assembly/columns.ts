// Columns of integers, given by where they begin.

export function entry(column: usize, index: i32): i32 {
  return load<i32>(column + ((<usize>index) << 2));
}

export function put(column: usize, index: i32, value: i32): void {
  store<i32>(column + ((<usize>index) << 2), value);
}

/** Returns 32 bits that differ in the low ones too, whichever of both integers differs. */
export function hashOf(first: i32, second: i32): i32 {
  const mixed = (first * 0x9e3779b1) ^ (second * 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
