import type { FileBytes } from "../../io/regular-file.js";
import { fieldReader } from "../elf/header.js";
import type { NamedFunctions } from "../table/named-functions.js";
import { type PeFile, readImage, toFileOffset } from "./file.js";

const HEAD_SIZE = 40;

/**
 * Reads the functions that a PE file exports by name: what addons call, which of Node is most of V8's API.
 * Returns undefined if it exports none.
 *
 * Source: Microsoft, "PE Format", "The .edata Section".
 */
export function readExports(file: FileBytes, binary: PeFile): NamedFunctions | undefined {
  const { exports, sections, imageBase } = binary;
  const names = readImage(file, sections, exports);
  const offset = toFileOffset(sections, exports);
  if (names === undefined || offset === undefined || names.length < HEAD_SIZE) return undefined;
  const { u16, u32 } = fieldReader(names, { is64: true, isBigEndian: false });
  const functions = u32(20);
  const [addressesAt, namesAt, numbersAt] = [u32(28), u32(32), u32(36)].map((at) => at - exports.address);
  // Linkers put all that belongs to exports into one range.
  const room = (at: number, size: number) => (at < 0 ? 0 : Math.floor((names.length - at) / size));
  const count = Math.min(u32(24), room(namesAt!, 4), room(numbersAt!, 2));
  const known = Math.min(functions, room(addressesAt!, 4));
  const starts = new Float64Array(Math.max(0, count));
  const nameOffsets = new Uint32Array(starts.length);
  let length = 0;
  for (let i = 0; i < count; i++) {
    const number = u16(numbersAt! + i * 2);
    const name = u32(namesAt! + i * 4) - exports.address;
    if (number >= known || name < 0 || name >= names.length) continue;
    const address = u32(addressesAt! + number * 4);
    // An address among the names is a function of another file: its text names that.
    const isForwarded = address >= exports.address && address < exports.address + exports.size;
    if (isForwarded || !isCode(binary, address)) continue;
    starts[length] = imageBase + address;
    nameOffsets[length++] = name;
  }
  const strings = { offset, size: names.length };
  return {
    starts: starts.subarray(0, length),
    nameOffsets: nameOffsets.subarray(0, length),
    names,
    debugFile: undefined,
    place: (at) => ({ strings, offset: at, suffix: "" }),
  };
}

/** Returns whether an address of the image lies in an executable section. */
function isCode({ sections }: PeFile, address: number): boolean {
  return sections.some((one) => one.isCode && address >= one.address && address - one.address < one.size);
}
