import type { SourceProblem } from "../profile/library-problem.js";
import type { Address } from "../profile/units.js";
import type { ElfFile } from "./elf/file.js";
import type { SymbolTable } from "./table/symbol-table.js";

/** A file that the profiled process had mapped, as its log says. */
export interface Library {
  /** As the log has it. */
  readonly path: string;
  /** Where file offset 0 is mapped, or would be; to Node 8, where the executable segment is. */
  readonly start: Address;
  readonly end: Address;
  /** What macOS added to every address of the file; 0 elsewhere. */
  readonly slide: number;
}

/** A library that has been found on this machine. */
export interface LibraryFile extends Library {
  /** Where it is on this machine. */
  readonly file: string;
  /** Where file offset 0 is mapped, or would be. */
  readonly base: Address;
  readonly elf: ElfFile;
}

/** What a source has of a library: its functions, or why there are none. */
export type LoadedFunctions = SymbolTable | SourceProblem;

/** One way to learn the functions of a library. */
export interface SymbolSource {
  /** One word, for reports: `elf`, `nm`, … */
  readonly name: string;
  /** Whether the names it gives are as the linker has them. */
  readonly isMangled: boolean;
  /** The functions, in link addresses; or why there are none. */
  load(library: LibraryFile): Promise<LoadedFunctions>;
  /**
   * What the answer of `load` depends on besides the file of the library: while this text and the file stay the same,
   * a table that was given before may be used again. Undefined where it may not. Default: it may not.
   */
  fingerprint?(library: LibraryFile): string | undefined;
}
