import type { FileBytes } from "../../io/regular-file.js";

/** A Mach-O file inside of a universal file, in bytes. */
export interface Slice {
  readonly offset: number;
  readonly size: number;
}

const FAT_MAGIC = 0xcafebabe;
const FAT_MAGIC_64 = 0xcafebabf;
/** There are not as many architectures. Java's class files start with the same magic. */
const SLICES_LIMIT = 32;

/**
 * Returns the parts of a universal file, one for each architecture; any other file as one part. Parts that
 * the file does not contain are left out.
 *
 * Source: Apple, mach-o/fat.h.
 */
export function readSlices(file: FileBytes): Slice[] {
  const head = file.read(0, 8);
  const magic = head?.readUInt32BE(0);
  if (head === undefined || (magic !== FAT_MAGIC && magic !== FAT_MAGIC_64)) {
    return [{ offset: 0, size: file.size }];
  }
  const is64 = magic === FAT_MAGIC_64;
  const entrySize = is64 ? 32 : 20;
  const count = head.readUInt32BE(4);
  const table = count > SLICES_LIMIT ? undefined : file.read(8, count * entrySize);
  const slices: Slice[] = [];
  for (let at = 0; at < (table?.length ?? 0); at += entrySize) {
    // Processor type and subtype come first.
    const word = (from: number) =>
      is64 ? Number(table!.readBigUInt64BE(at + from)) : table!.readUInt32BE(at + from);
    const [offset, size] = [word(8), word(is64 ? 16 : 12)];
    if (offset + size <= file.size) slices.push({ offset, size });
  }
  return slices;
}
