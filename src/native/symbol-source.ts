import type { Address } from "../base/units.js";
import type { SourceProblem } from "../profile/library-problem.js";
import type { BinaryFile } from "./binary-file.js";
import type { SymbolTable } from "./symbol-table.js";

/** A file that the profiled process had mapped, according to its log. */
export interface Library {
  /** As in the log. */
  readonly path: string;
  /**
   * Where file offset 0 is mapped, or would be; up to Node 8, where the executable segment is. On macOS, where
   * the section `__text` is; on Windows, where the image is.
   */
  readonly start: Address;
  readonly end: Address;
  /** What macOS added to every address of the file; 0 on other systems. */
  readonly slide: number;
}

/** A library that was found on this machine. */
export interface LibraryFile extends Library {
  /** Its path on this machine. */
  readonly file: string;
  /** Where offset 0 of the segments is mapped, or would be: of ELF files that is the start of the file. */
  readonly base: Address;
  readonly binary: BinaryFile;
}

/** The functions of a library, or why there are none. */
export type LoadedFunctions = SymbolTable | SourceProblem;

/** A way to get the functions of a library. */
export interface SymbolSource {
  /** One word for reports: `elf`, `mach-o`, `pe`, `nm`, … */
  readonly name: string;
  /** Whether its names are mangled. */
  readonly isMangled: boolean;
  /** Returns the functions, with link addresses, or why there are none. */
  load(library: LibraryFile): Promise<LoadedFunctions>;
  /**
   * Returns what the result of `load` depends on besides the library's file. While this text and the file
   * stay the same, an earlier table may be reused. Undefined, which is also the default, means that it may
   * not.
   */
  fingerprint?(library: LibraryFile): string | undefined | Promise<string | undefined>;
}
