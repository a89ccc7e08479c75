// Finds the functions in the symbol table of a 64-bit little-endian ELF file and sorts them by address. A
// Node binary has 180,000 symbols that are read once, which would take longer in JavaScript that V8 has not
// yet optimized. Addresses of 4 GB and more are left to the host. Compiled to WebAssembly by AssemblyScript;
// the host is src/symbols/elf/kernel.ts.

import {
  COMMON_SECTION,
  ENTRY_BYTES,
  FUNCTION_ANYWHERE,
  LATER_SECTION,
  NO_FUNCTION,
  RESERVED_SECTIONS,
  UNDEFINED_SECTION,
} from "../layout";

// Offsets of the fields of an entry.
const INFO: usize = 4;
const SECTION: usize = 6;
const VALUE: usize = 8;
const SIZE: usize = 16;

/** Memory per entry for the results: its number, the columns for sorting, and its fields. */
const SYMBOL_BYTES: usize = 4 + 16 + 20;

/** Returned if the host must do the work. */
const FOR_HOST: i32 = -1;

/** Few enough counters to stay in the processor's cache. */
const DIGIT_BITS: u32 = 11;
const DIGIT_MASK: u32 = (1 << 11) - 1;
const COUNT_BYTES: i32 = 1 << 13;
/** Whether a symbol is a function, by the byte of its binding and type. Set by the host. */
export const kinds: usize = memory.data(256);
/** Whether a section has code, by section number. Set by the host. */
export const isCode: usize = memory.data(RESERVED_SECTIONS);
/** By value of a digit. */
const counts: usize = memory.data(COUNT_BYTES, 16);

/** Where the host puts the entries. */
export const input: usize = (__heap_base + 63) & ~63;
/** The first free byte. */
let top: usize = input;

/** The entry numbers of the functions. */
export let numbers: usize = 0;
export let starts: usize = 0;
export let sizes: usize = 0;
export let nameOffsets: usize = 0;
/** Ranges of {@link numbers} whose functions share an address: start and end of each. */
export let ties: usize = 0;

let keys: usize = 0;
let otherKeys: usize = 0;
let order: usize = 0;
let otherOrder: usize = 0;

/** Reserves memory for `count` entries and the results. Returns whether there was enough. */
export function begin(count: i32): bool {
  top = input + <usize>count * ENTRY_BYTES;
  const end = top + <usize>count * SYMBOL_BYTES + 64;
  const pages = <i32>((end + 0xffff) >> 16) - memory.size();
  return pages <= 0 || memory.grow(pages) >= 0;
}

/** Finds the functions among `count` entries, by ascending entry number. Returns how many there are. */
export function find(count: i32): i32 {
  numbers = take((<usize>count) << 2);
  let to = numbers;
  for (let entry = 1; entry < count; entry++) {
    const at = input + <usize>entry * ENTRY_BYTES;
    const kind: u32 = load<u8>(kinds + load<u8>(at, INFO));
    if (kind === NO_FUNCTION) continue;
    const section: u32 = load<u16>(at, SECTION);
    if (kind === FUNCTION_ANYWHERE) {
      if (section === UNDEFINED_SECTION || section === COMMON_SECTION) continue;
    } else if (section >= <u32>RESERVED_SECTIONS) {
      if (section === LATER_SECTION) return FOR_HOST;
      continue;
    } else if (!load<u8>(isCode + section)) {
      continue;
    }
    store<u32>(to, entry);
    to += 4;
  }
  return <i32>((to - numbers) >> 2);
}

/** Sorts `count` {@link numbers} by address. Returns how many {@link ties} there are. */
export function sort(count: i32): i32 {
  takeColumns(count);
  let bits: u64 = 0;
  for (let i = 0; i < count; i++) {
    const number = load<u32>(numbers + at4(i));
    const value = load<u64>(input + <usize>number * ENTRY_BYTES, VALUE);
    bits |= value;
    store<u32>(keys + at4(i), <u32>value);
    store<u32>(order + at4(i), number);
  }
  if (bits >> 32 !== 0) return FOR_HOST;
  sortByKeys(count, <u32>bits);
  numbers = order;
  ties = otherKeys;
  let length = 0;
  let from = 0;
  for (let i = 1; i <= count; i++) {
    if (i < count && load<u32>(keys + at4(i)) === load<u32>(keys + at4(from))) continue;
    if (i - from > 1) {
      store<u32>(ties + at4(2 * length), from);
      store<u32>(ties + at4(2 * length + 1), i);
      length++;
    }
    from = i;
  }
  return length;
}

/** Copies the fields of `count` {@link numbers}, in their order. */
export function gather(count: i32): void {
  starts = take((<usize>count) << 3);
  sizes = take((<usize>count) << 3);
  nameOffsets = take((<usize>count) << 2);
  for (let i = 0; i < count; i++) {
    const at = input + <usize>load<u32>(numbers + at4(i)) * ENTRY_BYTES;
    store<f64>(starts + at8(i), <f64>load<u32>(at, VALUE));
    store<f64>(sizes + at8(i), <f64>load<u64>(at, SIZE));
    store<u32>(nameOffsets + at4(i), load<u32>(at));
  }
}

/** Sorts `count` {@link keys}, none above `highest`, and their {@link order}. The sort is stable. */
function sortByKeys(count: i32, highest: u32): void {
  for (let shift: u32 = 0; shift < 32 && highest >> shift !== 0; shift += DIGIT_BITS) {
    memory.fill(counts, 0, COUNT_BYTES);
    for (let i = 0; i < count; i++) {
      const counter = counterOf(load<u32>(keys + at4(i)) >> shift);
      store<u32>(counter, load<u32>(counter) + 1);
    }
    let sum: u32 = 0;
    for (let value: u32 = 0; value <= DIGIT_MASK; value++) {
      const counter = counterOf(value);
      const found = load<u32>(counter);
      store<u32>(counter, sum);
      sum += found;
    }
    for (let i = 0; i < count; i++) {
      const key = load<u32>(keys + at4(i));
      const counter = counterOf(key >> shift);
      const to = <i32>load<u32>(counter);
      store<u32>(counter, to + 1);
      store<u32>(otherKeys + at4(to), key);
      store<u32>(otherOrder + at4(to), load<u32>(order + at4(i)));
    }
    const sortedKeys = otherKeys;
    otherKeys = keys;
    keys = sortedKeys;
    const sorted = otherOrder;
    otherOrder = order;
    order = sorted;
  }
}

/** Returns the counter of the lowest digit of a number. */
function counterOf(value: u32): usize {
  return counts + ((<usize>(value & DIGIT_MASK)) << 2);
}

function takeColumns(count: i32): void {
  keys = take((<usize>count) << 2);
  otherKeys = take((<usize>count) << 2);
  order = take((<usize>count) << 2);
  otherOrder = take((<usize>count) << 2);
}

/** Takes memory from what {@link begin} reserved, at a multiple of eight. */
function take(bytes: usize): usize {
  const from = top;
  top = (top + bytes + 7) & ~7;
  return from;
}

function at4(index: i32): usize {
  return (<usize>index) << 2;
}

function at8(index: i32): usize {
  return (<usize>index) << 3;
}
