// Columns of doubles, given by where they begin.

export function double(column: usize, index: i32): f64 {
  return load<f64>(column + ((<usize>index) << 3));
}

export function add(column: usize, index: i32, value: f64): void {
  const at = column + ((<usize>index) << 3);
  store<f64>(at, load<f64>(at) + value);
}
