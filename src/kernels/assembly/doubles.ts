// Columns of doubles, given by where they begin.

import { entry } from "./columns";

export function double(column: usize, index: i32): f64 {
  return load<f64>(column + ((<usize>index) << 3));
}

export function add(column: usize, index: i32, value: f64): void {
  const at = column + ((<usize>index) << 3);
  store<f64>(at, load<f64>(at) + value);
}

export function putDouble(column: usize, index: i32, value: f64): void {
  store<f64>(column + ((<usize>index) << 3), value);
}

/** Returns the ticks of a row: they are doubles, or integers of 32 bits without a sign. */
export function ticksAt(ticks: usize, isDouble: bool, row: i32): f64 {
  return isDouble ? double(ticks, row) : <f64>(<u32>entry(ticks, row));
}
