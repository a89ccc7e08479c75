import type { LinkAddress } from "../profile/units.js";
import type { BinaryFile } from "./binary.js";
import type { Segment } from "./elf/file.js";
import type { Library } from "./symbol-source.js";
import { type SymbolTable, SymbolTableBuilder } from "./table/symbol-table.js";

/** A function in the output of a tool. */
export interface SavedFunction {
  readonly start: LinkAddress;
  /** Bytes; 0 if the tool does not say. */
  readonly size: number;
  readonly name: string;
}

/** A symbol table, and how its addresses map to the file in memory. */
export interface MappedTable {
  readonly table: SymbolTable;
  readonly segments: readonly Segment[];
  /** Lower-case hex; undefined if unknown. */
  readonly buildId: string | undefined;
  /** Whether some names are mangled. */
  readonly isMangled: boolean;
}

/** The functions of one library, from a file that does not say where the library is mapped. */
export interface SavedFunctions {
  /** The kind of file, in one word for reports. */
  readonly source: string;
  /** Maps the functions to a library of a log. `binary` is its file, if that is on this machine. */
  mapTo(library: Library, binary: BinaryFile | undefined): MappedTable;
}

/** Sorts functions by start. The sort is stable. */
export function inOrder<F extends SavedFunction>(functions: readonly F[]): F[] {
  return [...functions].sort((a, b) => a.start - b.start);
}

/**
 * Builds the table of sorted functions. `end` is where the code of the library ends. Of several functions at
 * one address, the first with a size is used, else the first.
 */
export function tableOf(functions: readonly SavedFunction[], end: LinkAddress): SymbolTable {
  const builder = new SymbolTableBuilder();
  let last = -1;
  for (const { start, size, name } of functions) {
    if (size > 0 || start !== last) builder.add(start, size, name);
    last = start;
  }
  return builder.build(end);
}

/** Returns a whole library as one segment, linked at `linkAddress`. */
export function linkedAt(linkAddress: LinkAddress, { start, end }: Library): Segment[] {
  return [{ fileOffset: 0, linkAddress, size: end - start }];
}
