import type { LinkAddress } from "../profile/units.js";
import type { ElfFile, Segment } from "./elf/file.js";
import type { Library } from "./symbol-source.js";
import { type SymbolTable, SymbolTableBuilder } from "./table/symbol-table.js";

/** A function as the output of a tool has it. */
export interface SavedFunction {
  readonly start: LinkAddress;
  /** Bytes; 0 where the tool does not say. */
  readonly size: number;
  readonly name: string;
}

/** A symbol table, and where its addresses are in the file that is mapped. */
export interface MappedTable {
  readonly table: SymbolTable;
  readonly segments: readonly Segment[];
  /** In lower-case hex; undefined when it is not known. */
  readonly buildId: string | undefined;
  /** Whether some names are as the linker has them. */
  readonly isMangled: boolean;
}

/** The functions of one library, as a tool wrote them to a file that does not say where the library is mapped. */
export interface SavedFunctions {
  /** What kind of file it is, in one word, for reports. */
  readonly source: string;
  /** The functions for a library of a log. `elf` is its file, where that is on this machine. */
  mapTo(library: Library, elf: ElfFile | undefined): MappedTable;
}

/** Functions by ascending start; those at one address stay in their order. */
export function inOrder<F extends SavedFunction>(functions: readonly F[]): F[] {
  return [...functions].sort((a, b) => a.start - b.start);
}

/**
 * The table of functions that are in order. `end` is where the code of the library ends. Of several at one address
 * the first that has a size counts, else the first.
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

/** All of a library as one segment, for one that was linked to lie at `linkAddress`. */
export function linkedAt(linkAddress: LinkAddress, { start, end }: Library): Segment[] {
  return [{ fileOffset: 0, linkAddress, size: end - start }];
}
