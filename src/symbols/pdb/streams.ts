import { type FileBytes, READ_LIMIT } from "../../io/regular-file.js";
import { fieldReader } from "../elf/header.js";

/** A stream of an MSF file: bytes in blocks that can be anywhere in the file. */
export interface MsfStream extends FileBytes {
  /**
   * Returns where the byte at an offset is in the file, and how many bytes of the stream follow there without
   * a gap, itself included.
   */
  place(offset: number): { readonly fileOffset: number; readonly length: number };
}

const MAGIC = Buffer.from("Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0", "latin1");
const LAYOUT = { is64: true, isBigEndian: false };
/** Bytes of the directory: one for a file of 16 GB has as many. */
const DIRECTORY_LIMIT = 1 << 24;
const NO_STREAM = 0xffffffff;

/**
 * Opens the streams of an MSF file, the container of PDB files. Returns a function that returns one by its
 * number, undefined if there is none or its size or blocks are impossible; or undefined for any other file.
 *
 * Source: LLVM, docs/PDB/MsfFile.rst.
 */
export function openStreams(file: FileBytes): ((number: number) => MsfStream | undefined) | undefined {
  const head = file.read(0, MAGIC.length + 24);
  if (head === undefined || !head.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const { u32 } = fieldReader(head, LAYOUT);
  const blockSize = u32(32);
  const size = u32(44);
  const isSize = blockSize >= 512 && blockSize <= 2 ** 16 && Number.isInteger(Math.log2(blockSize));
  if (!isSize || size > DIRECTORY_LIMIT || size > file.size) return undefined;
  const blocks = { file, blockSize };
  const list = file.read(u32(52) * blockSize, Math.ceil(size / blockSize) * 4);
  const directory = list && streamOf(blocks, { size, numbers: list }).read(0, size);
  return directory && directory.length >= 4 ? streamsIn(blocks, directory) : undefined;
}

interface Blocks {
  readonly file: FileBytes;
  readonly blockSize: number;
}

function streamsIn(blocks: Blocks, directory: Buffer): (number: number) => MsfStream | undefined {
  const { u32 } = fieldReader(directory, LAYOUT);
  const count = Math.min(u32(0), Math.floor((directory.length - 4) / 4));
  const sizes = Uint32Array.from({ length: count }, (_, i) => u32(4 + i * 4));
  const starts = new Float64Array(count);
  let at = 4 + count * 4;
  for (let i = 0; i < count; i++) {
    starts[i] = at;
    if (sizes[i] !== NO_STREAM) at += Math.ceil(sizes[i]! / blocks.blockSize) * 4;
  }
  return (number) => {
    const size = sizes[number];
    // A stream cannot be larger than its file, however often it names a block.
    if (size === undefined || size === NO_STREAM || size > blocks.file.size) return undefined;
    const start = starts[number]!;
    const end = start + Math.ceil(size / blocks.blockSize) * 4;
    if (end > directory.length) return undefined;
    return streamOf(blocks, { size, numbers: directory.subarray(start, end) });
  };
}

function streamOf(
  { file, blockSize }: Blocks,
  { size, numbers }: { readonly size: number; readonly numbers: Buffer },
): MsfStream {
  const blockAt = (index: number) => numbers.readUInt32LE(index * 4);
  const place = (offset: number) => {
    const index = Math.floor(offset / blockSize);
    const into = offset - index * blockSize;
    return {
      fileOffset: blockAt(index) * blockSize + into,
      length: Math.min(blockSize - into, size - offset),
    };
  };
  const read = (offset: number, wanted: number) => {
    if (!(offset >= 0 && wanted >= 0 && offset + wanted <= size) || wanted > READ_LIMIT) return undefined;
    const bytes = Buffer.allocUnsafeSlow(wanted);
    for (let at = 0; at < wanted; ) {
      const { fileOffset, length } = place(offset + at);
      let run = Math.min(length, wanted - at);
      // Blocks that follow each other are read at once.
      while (at + run < wanted) {
        const next = place(offset + at + run);
        if (next.fileOffset !== fileOffset + run) break;
        run += Math.min(next.length, wanted - at - run);
      }
      const part = file.read(fileOffset, run);
      if (part === undefined) return undefined;
      bytes.set(part, at);
      at += run;
    }
    return bytes;
  };
  return { size, read, place };
}
