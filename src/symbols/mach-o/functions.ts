import type { FileBytes } from "../../io/regular-file.js";
import type { LinkAddress } from "../../profile/units.js";
import { fieldReader } from "../elf/header.js";
import type { NamedFunctions } from "../table/named-functions.js";
import type { MachOFile } from "./file.js";

const N_STAB = 0xe0;
const N_TYPE = 0x0e;
const N_SECT = 0x0e;
const UNDERSCORE = 0x5f;
/** Bytes of the table of function starts. A browser's has some two million. */
const STARTS_LIMIT = 1 << 24;

/**
 * Reads the functions in the symbol table of a Mach-O file: those that `nm` prints as t or T, if they lie in
 * the section of code, without the underscore that compilers put before each name. Returns undefined if the
 * file does not contain the table. `debugFile` is the path of the file if it is not that of the library.
 *
 * Source: Apple, mach-o/nlist.h.
 */
export function readMachOFunctions(
  file: FileBytes,
  { symbols, segments: [code] }: MachOFile,
  debugFile?: string,
): NamedFunctions | undefined {
  if (symbols === undefined) return undefined;
  const { offset, count, strings, codeSection, is64 } = symbols;
  const entrySize = is64 ? 16 : 12;
  const table = file.read(offset, count * entrySize);
  const names = file.read(strings.offset, strings.size);
  if (table === undefined || names === undefined) return undefined;
  const { u32, word } = fieldReader(table, symbols);
  const starts = new Float64Array(count);
  const nameOffsets = new Uint32Array(count);
  const end = code.linkAddress + code.size;
  let length = 0;
  for (let at = 0; at < table.length; at += entrySize) {
    const type = table[at + 4]!;
    if ((type & N_STAB) !== 0 || (type & N_TYPE) !== N_SECT || table[at + 5] !== codeSection) continue;
    const address = word(at + 8);
    const name = u32(at);
    // The symbol of the file's header counts as code too.
    if (address < code.linkAddress || address >= end || name >= names.length) continue;
    starts[length] = address;
    nameOffsets[length++] = name;
  }
  return {
    starts: starts.subarray(0, length),
    nameOffsets: nameOffsets.subarray(0, length),
    names,
    skip: (at) => (names[at] === UNDERSCORE ? 1 : 0),
    debugFile,
    place: (at) => ({ strings, offset: at, suffix: "" }),
  };
}

/**
 * Reads the addresses at which functions start, named or not, in ascending order; none if the file does not
 * have the table. It is what is left when `strip` removed the names.
 *
 * Source: Apple, mach-o/loader.h, `LC_FUNCTION_STARTS`: distances as ULEB128 numbers, up to a zero.
 */
export function readFunctionStarts(
  file: FileBytes,
  { functionStarts, textAddress }: MachOFile,
): Float64Array {
  const { offset, size } = functionStarts ?? { offset: 0, size: 0 };
  const bytes = size > STARTS_LIMIT ? undefined : file.read(offset, size);
  if (bytes === undefined) return new Float64Array();
  const starts = new Float64Array(bytes.length);
  let length = 0;
  let address: LinkAddress = textAddress;
  let distance = 0;
  let scale = 1;
  for (const byte of bytes) {
    distance += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte >= 0x80) continue;
    if (distance === 0) break;
    address += distance;
    if (!(address < Number.MAX_SAFE_INTEGER)) break;
    starts[length++] = address;
    [distance, scale] = [0, 1];
  }
  return starts.subarray(0, length);
}
