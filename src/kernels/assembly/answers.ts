// What is at an address: answers of the host, cached until the code there changes.

import { ANSWER_KINDS, FOR_ADDRESS, FOR_RETURN, GRAIN_BITS, REGION_BITS, REGIONS } from "../layout";
import { roomBelowNodes } from "./tree";

/** Slots for one kind of answer, powers of two: at first, which hold the addresses of most programs, and at most. */
const FIRST_SLOTS: u32 = 1 << 16;
const MOST_SLOTS: u32 = 1 << 20;
/** There are four times as many slots once this part of them has lost answers that still held to other addresses. */
const LOST_SHIFT: u32 = 2;
/** A slot: an address in 8 bytes, its answer in 4, the stamp of its region in 4. */
const SLOT_SHIFT: usize = 4;
/** The answers of a page: one of 4 bytes for each grain of a region, plus 1; 0 for none. */
const PAGE_SHIFT: usize = REGION_BITS - GRAIN_BITS + 2;
const PAGE_BYTES: usize = 1 << PAGE_SHIFT;
/**
 * Pages, powers of two: at first, for 8 MiB of code with ticks, and at most, for 128 MiB. When so many are in use, all answers
 * of grains are forgotten.
 */
const FIRST_PAGES: u32 = 1 << 13;
const PAGE_BITS: i32 = 17;
const MOST_PAGES: u32 = 1 << PAGE_BITS;
/** When all pages are in use, there are this many times as many. */
const MORE_PAGES: u32 = 4;
/** By kind of answer: where its slots are, their number less 1, and how many answers they lost. */
const caches: usize = memory.data(ANSWER_KINDS << 4, 64);
const CACHE_SHIFT: usize = 4;
const CACHE_START: usize = 0;
const CACHE_MASK: usize = 4;
const CACHE_LOST: usize = 8;
const firstSlots: usize = memory.data(ANSWER_KINDS * (FIRST_SLOTS << 4), 64);
/** A stamp for each region. Answers for addresses with an older one are invalid; no stamp is 0. */
const stamps: usize = memory.data(REGIONS << 2, 16);
/** How many pages there is room for. */
let pageLimit: u32 = FIRST_PAGES;
/**
 * Where the page of a region is: a hash table of numbers, of which the low bits are the page and the others
 * the region. 0 is a free slot; at least half are. Page 0 belongs to no region and never has answers.
 */
let directory: usize = memory.data(FIRST_PAGES << 4, 64);
let pages: usize = memory.data(<i32>((<usize>FIRST_PAGES) << PAGE_SHIFT), 64);
/** The directory slot of each page in use. */
let pageSlots: usize = memory.data(<i32>(FIRST_PAGES << 2), 16);
/** Pages in use, including page 0. */
let pageCount: u32 = 1;
/** Whether return addresses have answers of their own. */
let inlines: bool = false;

for (let kind: u32 = 0; kind < <u32>ANSWER_KINDS; kind++) {
  const start = firstSlots + ((<usize>(kind * FIRST_SLOTS)) << SLOT_SHIFT);
  setSlots(caches + ((<usize>kind) << CACHE_SHIFT), start, FIRST_SLOTS);
}
for (let i: u32 = 0; i < <u32>REGIONS; i++) store<i32>(stamps + ((<usize>i) << 2), 1);

/** From here on, return addresses have answers of their own. */
export function useInlines(): void {
  inlines = true;
}

/** Caches the answer for one address. */
export function remember(kind: i32, address: f64, answer: i32): void {
  const key = <u64>address;
  const slot = slotOf(kind, key);
  if (isTaken(slot, key) && isTaken(besides(slot), key)) countLoss(kind);
  const made = freedSlot(kind, key);
  store<u64>(made, key);
  store<i32>(made, answer, 8);
  store<i32>(made, load<i32>(stampOf(key)), 12);
}

/** Returns the slot to look at first for an address. What is in it moves to the other one. */
function freedSlot(kind: i32, key: u64): usize {
  const slot = slotOf(kind, key);
  if (isTaken(slot, key)) memory.copy(besides(slot), slot, 1 << SLOT_SHIFT);
  return slot;
}

/** Whether a slot has an answer that holds, for another address. */
function isTaken(slot: usize, key: u64): bool {
  const other = load<u64>(slot);
  return other !== key && load<i32>(slot, 12) === load<i32>(stampOf(other));
}

/** Returns the other slot that an address can have. */
function besides(slot: usize): usize {
  return slot ^ (1 << SLOT_SHIFT);
}

/** Counts an answer that is lost to another address, and makes more slots if that were many. */
function countLoss(kind: i32): void {
  const cache = caches + ((<usize>kind) << CACHE_SHIFT);
  const mask = load<u32>(cache, CACHE_MASK);
  const lost = load<u32>(cache, CACHE_LOST) + 1;
  store<u32>(cache, lost, CACHE_LOST);
  if (mask + 1 === MOST_SLOTS || lost <= mask >> LOST_SHIFT) return;
  const before = load<usize>(cache, CACHE_START);
  const slots = (mask + 1) << 2;
  setSlots(cache, roomBelowNodes((<usize>slots) << SLOT_SHIFT), slots);
  for (let i: usize = 0; i <= <usize>mask; i++) {
    const slot = before + (i << SLOT_SHIFT);
    const key = load<u64>(slot);
    if (load<i32>(slot, 12) === load<i32>(stampOf(key))) {
      memory.copy(freedSlot(kind, key), slot, 1 << SLOT_SHIFT);
    }
  }
}

/** Gives a kind of answer other slots, in which there is nothing. */
function setSlots(cache: usize, start: usize, slots: u32): void {
  store<usize>(cache, start, CACHE_START);
  store<u32>(cache, slots - 1, CACHE_MASK);
  store<u32>(cache, 0, CACHE_LOST);
}

/** Caches the answer for all addresses in `[start, end)`: whole grains of one region. */
export function rememberGrains(start: f64, end: f64, answer: i32): void {
  const first = <u64>start;
  const from = grainOf(newPage(first >> REGION_BITS), first);
  const to = from + ((<usize>((<u64>end - first) >> GRAIN_BITS)) << 2);
  for (let grain = from; grain < to; grain += 4) store<i32>(grain, answer + 1);
}

/** Invalidates the answers about `[start, end)`, and some others. */
export function forget(start: f64, end: f64): void {
  const first = <u64>start;
  const last = <u64>end;
  for (let region = first >> REGION_BITS; region <= last >> REGION_BITS; region++) {
    const stamp = stampOf(region << REGION_BITS);
    store<i32>(stamp, load<i32>(stamp) + 1);
    const page = pageOf(region);
    if (page === pages) continue;
    const lowest = region << REGION_BITS;
    const from = grainOf(page, max(first, lowest));
    const to = grainOf(page, min(last, lowest + ((1 << REGION_BITS) - 1)));
    memory.fill(from, 0, to + 4 - from);
  }
}

/** Invalidates all answers. */
export function forgetAll(): void {
  for (let region: u32 = 0; region < <u32>REGIONS; region++) {
    const stamp = stamps + ((<usize>region) << 2);
    store<i32>(stamp, load<i32>(stamp) + 1);
  }
  forgetPages();
}

/** Returns the cached answer for an address; -1 if there is none. */
export function cachedAnswer(address: f64, isReturn: bool): i32 {
  const key = <u64>address;
  const kind = isReturn && inlines ? FOR_RETURN : FOR_ADDRESS;
  if (kind === FOR_ADDRESS) {
    const answer = load<i32>(grainOf(pageOf(key >> REGION_BITS), key));
    if (answer !== 0) return answer - 1;
  }
  const slot = slotOf(kind, key);
  const answer = answerIn(slot, key);
  return answer < 0 ? answerIn(besides(slot), key) : answer;
}

/** Returns the answer in a slot; -1 if it is another address's, or does not hold any more. */
function answerIn(slot: usize, key: u64): i32 {
  const holds = load<u64>(slot) === key && load<i32>(slot, 12) === load<i32>(stampOf(key));
  return holds ? load<i32>(slot, 8) : -1;
}

/** Returns the slot of an address for one kind of answer: the one to look at first. */
function slotOf(kind: i32, address: u64): usize {
  const cache = caches + ((<usize>kind) << CACHE_SHIFT);
  const mask = load<u32>(cache, CACHE_MASK);
  const low = <u32>address;
  // Addresses of one page stay close to each other, until that wastes slots: many are multiples of 16.
  const slot = mask === FIRST_SLOTS - 1 ? low ^ (low >> 16) : mixed(low);
  return load<usize>(cache, CACHE_START) + ((<usize>(slot & mask)) << SLOT_SHIFT);
}

/** Returns a hash whose bits all depend on all bits of the number. */
function mixed(number: u32): u32 {
  let hash = number * 0x9e3779b1;
  hash = (hash ^ (hash >> 15)) * 0x85ebca6b;
  return hash ^ (hash >> 15);
}

/** Returns the page of a region; page 0 if it has none. */
function pageOf(region: u64): usize {
  const entry = load<u64>(directorySlot(region));
  return pages + ((<usize>(<u32>entry & (MOST_PAGES - 1))) << PAGE_SHIFT);
}

/** Returns the page of a region, a new one if it has none. */
function newPage(region: u64): usize {
  let slot = directorySlot(region);
  if (load<u64>(slot) === 0) {
    if (pageCount === pageLimit) {
      if (pageLimit === MOST_PAGES) forgetPages();
      else makePages();
      slot = directorySlot(region);
    }
    store<u32>(pageSlots + ((<usize>pageCount) << 2), <u32>slot);
    store<u64>(slot, (region << PAGE_BITS) | pageCount++);
  }
  return pageOf(region);
}

/** Makes room for more pages, with those in use. */
function makePages(): void {
  const pagesBefore = pages;
  const slotsBefore = pageSlots;
  const usedBytes = (<usize>pageLimit) << PAGE_SHIFT;
  pageLimit *= MORE_PAGES;
  const directoryBytes = (<usize>pageLimit) << 4;
  const slotBytes = (<usize>pageLimit) << 2;
  directory = roomBelowNodes(directoryBytes + slotBytes + ((<usize>pageLimit) << PAGE_SHIFT));
  pageSlots = directory + directoryBytes;
  pages = pageSlots + slotBytes;
  memory.copy(pages, pagesBefore, usedBytes);
  for (let page: u32 = 1; page < pageCount; page++) {
    const entry = load<u64>(load<u32>(slotsBefore + ((<usize>page) << 2)));
    const slot = directorySlot(entry >> PAGE_BITS);
    store<u64>(slot, entry);
    store<u32>(pageSlots + ((<usize>page) << 2), slot);
  }
}

/** Returns the slot of a region in the directory; a free one if it is not there. */
function directorySlot(region: u64): usize {
  const mask = (pageLimit << 1) - 1;
  let slot = (<u32>region ^ (<u32>region >> PAGE_BITS)) & mask;
  let entry = load<u64>(directory + ((<usize>slot) << 3));
  while (entry !== 0 && entry >> PAGE_BITS !== region) {
    slot = (slot + 1) & mask;
    entry = load<u64>(directory + ((<usize>slot) << 3));
  }
  return directory + ((<usize>slot) << 3);
}

/** Returns the offset of the answer for an address's grain in the page of its region. */
function grainOf(page: usize, address: u64): usize {
  return page + (((<usize>(address >> GRAIN_BITS)) << 2) & (PAGE_BYTES - 1));
}

/** Takes all pages from their regions. Costs no more than giving them did. */
function forgetPages(): void {
  for (let page: u32 = 1; page < pageCount; page++) {
    store<u64>(load<u32>(pageSlots + ((<usize>page) << 2)), 0);
  }
  memory.fill(pages + PAGE_BYTES, 0, (<usize>(pageCount - 1)) << PAGE_SHIFT);
  pageCount = 1;
}

/** Returns the offset of the stamp of an address's region. */
function stampOf(address: u64): usize {
  return stamps + ((<usize>(<u32>(address >> REGION_BITS) & (REGIONS - 1))) << 2);
}
