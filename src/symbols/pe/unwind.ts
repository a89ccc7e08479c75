import type { FileBytes } from "../../io/regular-file.js";
import { fieldReader } from "../elf/header.js";
import { MACHINE, type PeFile, readImage } from "./file.js";

const LAYOUT = { is64: true, isBigEndian: false };
const X64_ENTRY = 12;
const ARM64_ENTRY = 8;
/** Bytes of the table. A browser's library has some ten million. */
const TABLE_LIMIT = 1 << 26;
/** The entry continues the function of another entry. */
const IS_CHAINED = 4;
const PACKED_FRAGMENT = 2;
/**
 * Compilers start functions for x64 at multiples of this. Entries elsewhere are for parts of functions: catch
 * blocks, and OpenSSL's assembly behind the instructions that bring arguments to where it wants them.
 */
const ALIGNMENT = 16;

/**
 * Returns the addresses at which functions start or end, named or not, in ascending order, as far as the
 * table for exceptions states them. Functions that call nothing and need no stack are not in it.
 *
 * Source: Microsoft, "x64 exception handling" and "ARM64 exception handling".
 */
export function readFunctionBounds(file: FileBytes, binary: PeFile): Float64Array {
  const { machine, sections, exceptions } = binary;
  const entrySize = machine === MACHINE.x64 ? X64_ENTRY : machine === MACHINE.arm64 ? ARM64_ENTRY : 0;
  if (entrySize === 0) return new Float64Array();
  const usable = Math.min(exceptions.size, TABLE_LIMIT);
  const size = usable - (usable % entrySize);
  const table = readImage(file, sections, { ...exceptions, size });
  if (table === undefined) return new Float64Array();
  const bounds = machine === MACHINE.x64 ? x64Bounds(file, binary, table) : arm64Bounds(table);
  return bounds.map((address) => binary.imageBase + address).sort();
}

function x64Bounds(file: FileBytes, binary: PeFile, table: Buffer): Float64Array {
  const { u32 } = fieldReader(table, LAYOUT);
  const isChained = chainTest(file, binary, table);
  const bounds = new Float64Array((table.length / X64_ENTRY) * 2);
  let length = 0;
  for (let at = 0, before = -1; at < table.length; at += X64_ENTRY) {
    const [begin, end] = [u32(at), u32(at + 4)];
    const isInside = begin % ALIGNMENT !== 0;
    // A part that directly follows its function is no new one, nor is the end before it one.
    if (begin === before && (isInside || isChained(u32(at + 8)))) length--;
    else if (!isInside) bounds[length++] = begin;
    bounds[length++] = end;
    before = end;
  }
  return bounds.slice(0, length);
}

/** Returns a test, by the address of its unwind information, of whether an entry continues another one. */
function chainTest(file: FileBytes, { sections }: PeFile, table: Buffer): (unwind: number) => boolean {
  const { u32 } = fieldReader(table, LAYOUT);
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (let at = 8; at < table.length; at += X64_ENTRY) {
    low = Math.min(low, u32(at));
    high = Math.max(high, u32(at));
  }
  const infos = readImage(file, sections, { address: low, size: high - low + 1 });
  // An odd address is that of another entry of the table, which is a kind of chain.
  return (unwind) => unwind % 2 === 1 || (((infos?.[unwind - low] ?? 0) >> 3) & IS_CHAINED) !== 0;
}

function arm64Bounds(table: Buffer): Float64Array {
  const { u32 } = fieldReader(table, LAYOUT);
  const bounds = new Float64Array(table.length / ARM64_ENTRY);
  let length = 0;
  for (let at = 0; at < table.length; at += ARM64_ENTRY) {
    if ((u32(at + 4) & 3) !== PACKED_FRAGMENT) bounds[length++] = u32(at);
  }
  return bounds.slice(0, length);
}
