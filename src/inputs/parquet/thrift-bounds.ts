import { DamagedTable } from "./damaged-table.js";

/** Bytes of the longest number: 64 bits in groups of 7. */
const LONGEST_NUMBER = 10;
/** Structures of Parquet are not nested deeper. */
const DEEPEST = 12;

/** The types of Thrift's compact protocol. */
const TYPE = { yes: 1, no: 2, byte: 3, short: 4, int: 5, long: 6, double: 7, binary: 8, list: 9, struct: 12 };

/**
 * Returns where a structure of Thrift's compact protocol ends. Throws a {@link DamagedTable} for one that is cut
 * short, too deep, or claims more than its bytes can hold: whoever reads it afterwards takes no more time and
 * memory than it has bytes.
 *
 * Source: Apache Thrift, doc/specs/thrift-compact-protocol.md.
 */
export function structEnd(bytes: Uint8Array, start = 0): number {
  let at = start;

  function byte(): number {
    const value = bytes[at++];
    if (value === undefined) throw new DamagedTable("a header is cut short");
    return value;
  }

  function skip(count: number): void {
    at += count;
    if (at > bytes.length) throw new DamagedTable("a header is cut short");
  }

  function number(): number {
    let value = 0;
    for (let i = 0; i < LONGEST_NUMBER; i++) {
      const part = byte();
      value += (part & 0x7f) * 2 ** (7 * i);
      if (part < 0x80) return value;
    }
    throw new DamagedTable("a header has a number of more than 64 bits");
  }

  function element(type: number, depth: number): void {
    switch (type) {
      case TYPE.byte:
        skip(1);
        break;
      case TYPE.short:
      case TYPE.int:
      case TYPE.long:
        number();
        break;
      case TYPE.double:
        skip(8);
        break;
      case TYPE.binary:
        skip(number());
        break;
      case TYPE.list:
        list(depth);
        break;
      case TYPE.struct:
        struct(depth + 1);
        break;
      default:
        throw new DamagedTable(`a header has a value of the unknown type ${type}`);
    }
  }

  function list(depth: number): void {
    const head = byte();
    const short = head >> 4;
    const length = short === 15 ? number() : short;
    if (length > bytes.length - at) throw new DamagedTable("a header has a list longer than itself");
    const type = head & 15;
    // In a list, yes and no take a byte.
    for (let i = 0; i < length; i++) element(type === TYPE.yes || type === TYPE.no ? TYPE.byte : type, depth);
  }

  function struct(depth: number): void {
    if (depth > DEEPEST) throw new DamagedTable("a header is nested too deeply");
    for (;;) {
      const head = byte();
      const type = head & 15;
      if (type === 0) return;
      if (head >> 4 === 0) number();
      if (type !== TYPE.yes && type !== TYPE.no) element(type, depth);
    }
  }

  struct(0);
  return at;
}
