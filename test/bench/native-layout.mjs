import fs from "node:fs";

/**
 * An executable or shared object, placed in the address space of the profiled program.
 *
 * @typedef {object} NativeLibrary
 * @property {string} path
 * @property {number} start the mapping's start minus its file offset: the `start` of a shared-library row
 * @property {number[]} ends page-aligned ends of the executable mappings, ascending: one row each in Node 20-25
 * @property {{ start: number, size: number }} code the largest executable mapping, in the program's addresses
 */

/** Where a position-independent executable goes, as on Linux without randomization. */
const EXECUTABLE_BASE = 0x555555554000;
/** Where the first shared object goes; the others follow. */
const LIBRARY_BASE = 0x7f20c7800000;
/** Stands in for an executable that is not ELF: native ticks then have a library but no symbols. */
const UNREADABLE = { start: 0x400000, size: 0x2c00000 };

const PAGE = 0x1000;
const TYPE_EXEC = 2;
const SEGMENT_LOAD = 1;
const FLAG_EXECUTE = 1;

/**
 * The executable and the shared objects it has loaded, at addresses that are the same in every run: an
 * executable of ELF type EXEC at its link address, everything else at fixed bases.
 */
export function layOutLibraries(executable = process.execPath) {
  const libraries = [placeLibrary(executable, EXECUTABLE_BASE)];
  let base = LIBRARY_BASE;
  for (const path of loadedSharedObjects()) {
    const library = placeLibrary(path, base);
    libraries.push(library);
    base = alignUp(library.ends.at(-1) ?? base, 0x100000) + 0x100000;
  }
  return libraries;
}

/**
 * Shared objects mapped into this process, by path. Not the order of the system's own addresses, which
 * changes from run to run.
 */
function loadedSharedObjects() {
  if (process.platform !== "linux") return [];
  const maps = fs.readFileSync("/proc/self/maps", "latin1");
  const paths = [...maps.matchAll(/r-xp \S+ \S+ \d+ +(\/.*\.so[^/\n]*)$/gm)].map((match) => String(match[1]));
  return [...new Set(paths)].filter((path) => fs.existsSync(path)).sort();
}

/** `base` counts unless the file has to be at its link address. */
function placeLibrary(path, base) {
  const elf = readExecutableSegments(path);
  if (elf === undefined) {
    return { path, start: UNREADABLE.start, ends: [UNREADABLE.start + UNREADABLE.size], code: UNREADABLE };
  }
  const bias = elf.fixed ? 0 : base;
  const largest = elf.segments.reduce((a, b) => (b.size > a.size ? b : a));
  return {
    path,
    start: bias + elf.start,
    ends: elf.segments.map((segment) => bias + alignUp(segment.address + segment.size, PAGE)),
    code: { start: bias + largest.address, size: largest.size },
  };
}

/**
 * The executable PT_LOAD segments of a 64-bit little-endian ELF file, or undefined for any other file.
 *
 * Source: the ELF-64 object file format, program header table.
 */
function readExecutableSegments(path) {
  const file = fs.openSync(path, "r");
  try {
    const header = Buffer.alloc(64);
    fs.readSync(file, header, 0, 64, 0);
    if (header.readUInt32BE(0) !== 0x7f454c46 || header[4] !== 2 || header[5] !== 1) return undefined;
    const entrySize = header.readUInt16LE(54);
    const table = Buffer.alloc(entrySize * header.readUInt16LE(56));
    fs.readSync(file, table, 0, table.length, Number(header.readBigUInt64LE(32)));
    const segments = [];
    for (let at = 0; at < table.length; at += entrySize) {
      if (table.readUInt32LE(at) !== SEGMENT_LOAD || !(table.readUInt32LE(at + 4) & FLAG_EXECUTE)) continue;
      segments.push({
        offset: Number(table.readBigUInt64LE(at + 8)),
        address: Number(table.readBigUInt64LE(at + 16)),
        size: Number(table.readBigUInt64LE(at + 32)),
      });
    }
    const [first] = segments;
    if (first === undefined) return undefined;
    const start = alignDown(first.address) - alignDown(first.offset);
    return { fixed: header.readUInt16LE(16) === TYPE_EXEC, start, segments };
  } finally {
    fs.closeSync(file);
  }
}

function alignDown(address) {
  return address - (address % PAGE);
}

function alignUp(address, step) {
  return Math.ceil(address / step) * step;
}
