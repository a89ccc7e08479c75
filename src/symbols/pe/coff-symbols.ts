import type { FileBytes } from "../../io/regular-file.js";
import { fieldReader } from "../elf/header.js";
import type { NamedFunctions } from "../table/named-functions.js";
import { MACHINE, type PeFile } from "./file.js";

const ENTRY_SIZE = 18;
/** No linker writes more entries. A browser's program has some million. */
const COUNT_LIMIT = 1 << 22;
const SHORT_NAME = 8;
const EXTERNAL = 2;
const STATIC = 3;
const WEAK_EXTERNAL = 105;
const UNDERSCORE = 0x5f;

/**
 * Reads the functions in the COFF symbol table of a PE file, which MinGW's and, if asked, LLVM's linker
 * writes. Returns undefined if the file does not contain one.
 *
 * Source: Microsoft, "PE Format", "COFF Symbol Table".
 */
export function readCoffSymbols(file: FileBytes, binary: PeFile): NamedFunctions | undefined {
  const { symbols, sections, imageBase, machine } = binary;
  if (symbols.offset === 0 || symbols.count === 0 || symbols.count > COUNT_LIMIT) return undefined;
  const table = file.read(symbols.offset, symbols.count * ENTRY_SIZE);
  const longNames = table && readStrings(file, symbols.offset + table.length);
  if (table === undefined || longNames === undefined) return undefined;
  const { u16, u32 } = fieldReader(table, { is64: true, isBigEndian: false });
  const starts = new Float64Array(symbols.count);
  const nameOffsets = new Uint32Array(symbols.count);
  // Names of up to eight bytes are in the entries. They go behind the others, each with a NUL.
  const shortNames = Buffer.alloc(symbols.count * (SHORT_NAME + 1));
  let length = 0;
  for (let entry = 0; entry < symbols.count; entry++) {
    const at = entry * ENTRY_SIZE;
    const kind = table[at + 16]!;
    const helpers = table[at + 17]!;
    const isSection = kind === STATIC && helpers > 0 && u32(at + 8) === 0;
    const section = sections[u16(at + 12) - 1];
    const short = entry;
    entry += helpers;
    if ((kind !== EXTERNAL && kind !== STATIC && kind !== WEAK_EXTERNAL) || isSection) continue;
    if (!section?.isCode || u32(at + 8) >= section.size) continue;
    starts[length] = imageBase + section.address + u32(at + 8);
    if (u32(at) === 0) {
      if (u32(at + 4) >= longNames.length) continue;
      nameOffsets[length++] = u32(at + 4);
    } else {
      table.copy(shortNames, short * (SHORT_NAME + 1), at, at + SHORT_NAME);
      nameOffsets[length++] = longNames.length + short * (SHORT_NAME + 1);
    }
  }
  const names = Buffer.concat([longNames, shortNames]);
  const strings = { offset: symbols.offset + table.length, size: longNames.length };
  return {
    starts: starts.subarray(0, length),
    nameOffsets: nameOffsets.subarray(0, length),
    names,
    skip: machine === MACHINE.x86 ? (at) => (names[at] === UNDERSCORE ? 1 : 0) : undefined,
    debugFile: undefined,
    place(at) {
      if (at < longNames.length) return { strings, offset: at, suffix: "" };
      const [short, into] = divided(at - longNames.length, SHORT_NAME + 1);
      const offset = symbols.offset + short * ENTRY_SIZE + into;
      return { strings: { offset, size: SHORT_NAME - into }, offset: 0, suffix: "" };
    },
  };
}

/** Reads the strings behind the entries, which start with their own size. */
function readStrings(file: FileBytes, offset: number): Buffer | undefined {
  const size = file.read(offset, 4)?.readUInt32LE(0);
  return size === undefined || size < 4 ? Buffer.alloc(4) : file.read(offset, size);
}

function divided(number: number, by: number): [quotient: number, rest: number] {
  return [Math.floor(number / by), number % by];
}
