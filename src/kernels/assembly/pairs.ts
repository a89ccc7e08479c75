// Numbers distinct pairs of integers from 1, in the order in which they come.

import { entry, hashOf, put } from "./columns";

/** 1 + the number of pairs. */
export let pairs: i32 = 1;
/** By number: the pair. */
let firsts: usize = 0;
let seconds: usize = 0;
/** A hash table of the numbers. */
let table: usize = 0;
let mask: i32 = 0;
/** Its most slots. */
let mostSlots: i32 = 0;

/** The slots of the hash table at first, if there is room: a power of two. */
const FIRST_SLOTS: i32 = 1 << 12;

/**
 * Begins with no pairs. The columns have room for all of them, and the hash table for `count` slots, with anything in them: a power
 * of two, and twice as many as pairs can be.
 */
export function openPairs(first: usize, second: usize, slots: usize, count: i32): void {
  firsts = first;
  seconds = second;
  table = slots;
  mostSlots = count;
  mask = min(FIRST_SLOTS, count) - 1;
  memory.fill(table, 0, (<usize>(mask + 1)) << 2);
  pairs = 1;
}

/** Returns the number of a pair, a new one if it was not seen: then `pairs` grows. */
export function pairOf(first: i32, second: i32): i32 {
  const slot = slotOf(first, second);
  const known = entry(table, slot);
  if (known !== 0) return known;
  const pair = pairs++;
  put(firsts, pair, first);
  put(seconds, pair, second);
  put(table, slot, pair);
  if (pairs * 2 > mask && mask + 1 < mostSlots) widen();
  return pair;
}

/** Returns the slot of a pair, or that to put it in. */
function slotOf(first: i32, second: i32): i32 {
  let slot = hashOf(first, second) & mask;
  for (let pair = entry(table, slot); pair !== 0; pair = entry(table, slot)) {
    if (entry(seconds, pair) === second && entry(firsts, pair) === first) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

/** Doubles the hash table, in place. */
function widen(): void {
  const slots = (mask + 1) * 2;
  mask = slots - 1;
  memory.fill(table, 0, (<usize>slots) << 2);
  for (let pair = 1; pair < pairs; pair++) {
    let slot = hashOf(entry(firsts, pair), entry(seconds, pair)) & mask;
    while (entry(table, slot) !== 0) slot = (slot + 1) & mask;
    put(table, slot, pair);
  }
}
