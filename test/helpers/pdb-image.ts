import { numberWriter } from "./mach-o-image.ts";

/** A function of a {@link PdbSpec}: its place in a section, of which 1 is the code. */
export interface PdbFunction {
  readonly name: string;
  readonly section?: number;
  readonly offset: number;
  /** Bytes, of functions of modules. */
  readonly size?: number;
}

/** What a PDB file should have. */
export interface PdbSpec {
  /** Hexadecimal, as it is in the file. */
  readonly guid: string;
  readonly age: number;
  readonly publics?: readonly PdbFunction[];
  /** The functions of each module. */
  readonly modules?: readonly (readonly PdbFunction[])[];
  /** Whether code was moved after linking. */
  readonly isMoved?: boolean;
  /** Default: 512. */
  readonly blockSize?: number;
  /** Whether the blocks of streams are in reverse order, so that hardly any two are neighbours. */
  readonly isScattered?: boolean;
}

const number = numberWriter(false);
const u16 = (value: number) => number(value, 2);
const u32 = (value: number) => number(value, 4);
const NO_STREAM = 0xffff;

/** The bytes of a PDB file: an MSF container with the streams that name functions. */
export function pdbImage(spec: PdbSpec): Buffer {
  const { guid, age, publics = [], modules = [], isMoved = false } = spec;
  const info = Buffer.concat([u32(20000404), u32(1), u32(1), Buffer.from(guid, "hex")]);
  const records = Buffer.concat([
    record(0x1125, Buffer.alloc(20)), // Of another kind.
    record(0x0006, Buffer.alloc(0)), // Of a kind that has nothing else.
    ...publics.map(({ name, section = 1, offset }) =>
      record(0x110e, Buffer.concat([u32(2), u32(offset), u16(section), Buffer.from(`${name}\0`)])),
    ),
  ]);
  const moduleStreams = modules.map((functions, m) =>
    Buffer.concat([
      u32(4),
      ...functions.map(({ name, section = 1, offset, size = 0 }) =>
        record(
          m % 2 === 0 ? 0x1110 : 0x110f,
          Buffer.concat([
            ...[0, 0, 0, size, 0, 0, 0, offset].map(u32),
            u16(section),
            Buffer.of(0),
            Buffer.from(`${name}\0`),
          ]),
        ),
      ),
    ]),
  );
  const moduleList = Buffer.concat(
    moduleStreams.map((stream, i) => {
      const head = Buffer.alloc(64);
      head.writeUInt16LE(5 + i, 34);
      head.writeUInt32LE(stream.length, 36);
      return padded(Buffer.concat([head, Buffer.from(`m${i}.obj\0m${i}.obj\0`)]));
    }),
  );
  const debugStreams = Buffer.concat(
    Array.from({ length: 11 }, (_, i) => u16(isMoved && i === 4 ? 1 : NO_STREAM)),
  );
  const dbi = Buffer.concat([
    ...[0xffffffff, 19990903, age].map(u32),
    ...[NO_STREAM, 0, NO_STREAM, 0, 4, 0].map(u16),
    ...[moduleList.length, 0, 0, 0, 0, 0, debugStreams.length, 0].map(u32),
    Buffer.alloc(8),
    moduleList,
    debugStreams,
  ]);
  return msfImage([Buffer.alloc(0), info, Buffer.alloc(0), dbi, records, ...moduleStreams], spec);
}

/** A record of a symbol, as long as a multiple of four. */
function record(kind: number, content: Buffer): Buffer {
  const bytes = padded(Buffer.concat([u16(0), u16(kind), content]));
  bytes.writeUInt16LE(bytes.length - 2, 0);
  return bytes;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes], Math.ceil(bytes.length / 4) * 4);
}

function msfImage(streams: readonly Buffer[], { blockSize = 512, isScattered = false }: PdbSpec): Buffer {
  const blocks: Buffer[] = [];
  // The first block is the head; two that say which are free would follow.
  const first = 3;
  const total = streams.reduce((sum, { length }) => sum + Math.ceil(length / blockSize), 0);
  const place = (index: number) => first + (isScattered ? total - 1 - index : index);
  const numbers = streams.map((stream) => {
    const own: number[] = [];
    for (let at = 0; at < stream.length; at += blockSize) {
      own.push(place(blocks.push(Buffer.concat([stream.subarray(at, at + blockSize)], blockSize)) - 1));
    }
    return own;
  });
  if (isScattered) blocks.reverse();
  const directory = Buffer.concat(
    [streams.length, ...streams.map(({ length }) => length), ...numbers.flat()].map(u32),
  );
  const directoryBlocks = Math.ceil(directory.length / blockSize);
  const directoryAt = first + total;
  const list = Array.from({ length: directoryBlocks }, (_, i) => u32(directoryAt + 1 + i));
  const magic = Buffer.from("Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0", "latin1");
  const fields = [blockSize, 1, directoryAt + 1 + directoryBlocks, directory.length, 0, directoryAt];
  return Buffer.concat([
    Buffer.concat([magic, ...fields.map(u32)], blockSize),
    Buffer.alloc(2 * blockSize),
    ...blocks,
    Buffer.concat(list, blockSize),
    Buffer.concat([directory], directoryBlocks * blockSize),
  ]);
}
