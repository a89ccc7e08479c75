import { fieldReader } from "../elf/header.js";

/** The record of a symbol. Offsets are in the bytes of all records. */
export interface SymbolRecord {
  readonly kind: number;
  /** Where it starts, with its length. */
  readonly at: number;
  /** Where the next one starts. */
  readonly end: number;
}

/**
 * Passes on each record of symbols from an offset on; stops at one that is cut or has no kind.
 *
 * Source: LLVM, docs/PDB/CodeViewSymbols.rst.
 */
export function eachRecord(bytes: Buffer, from: number, take: (record: SymbolRecord) => void): void {
  const { u16 } = fieldReader(bytes, { is64: true, isBigEndian: false });
  for (let at = from; at + 4 <= bytes.length; ) {
    const length = u16(at);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) return;
    take({ kind: u16(at + 2), at, end });
    at = end;
  }
}
