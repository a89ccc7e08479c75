import type { LibraryProblem } from "../profile/library-problem.js";
import type { Address } from "../profile/units.js";
import { type V8Version, versionText } from "../profile/v8-version.js";
import type { SymbolCache } from "./cache/symbol-cache.js";
import type { LibraryFile, SymbolSource } from "./symbol-source.js";
import type { SymbolTable } from "./table/symbol-table.js";
import { ANOTHER_VERSION, foreignV8, hasOtherBuiltins, holdsV8 } from "./v8-identity.js";

// Whether a library on this machine is the one that the profiled process had: another Node may be at its path by now. That is
// told by the V8 in it, as soon as its functions are read, and by its builtins, once all rows of the log are.

export interface BinaryTrustOptions {
  /** The V8 that wrote the log; a binary that holds another one is not trusted for names. Default: not asked. */
  readonly v8?: V8Version | undefined;
  /** Whether names are taken from any binary, also from one that seems not to have written the log. Default: false. */
  readonly forceSymbols?: boolean | undefined;
  /** What was learned from binaries before. Default: nothing, all is read again. */
  readonly cache?: SymbolCache | undefined;
}

/** Functions that were read from the file of a library. */
interface ReadFunctions {
  readonly table: SymbolTable;
  readonly source: SymbolSource;
}

/** Functions of a library by their addresses in the process. */
interface MappedFunctions {
  readonly table: SymbolTable;
  readonly buildId: string | undefined;
  find(address: Address): number;
  overlaps(start: Address, end: Address): boolean;
}

/** The builtins of V8 as a log has them: all of them are in `[start, end)`. */
interface LoggedBuiltins {
  readonly start: Address;
  readonly end: Address;
  named(): Iterable<{ readonly start: Address; readonly name: string }>;
}

/** Why functions that were read from a file are not used: it holds another V8 than the log's. Undefined where they are. */
export function versionProblem(
  library: LibraryFile,
  { table, source }: ReadFunctions,
  { v8, forceSymbols, cache }: BinaryTrustOptions,
): LibraryProblem | undefined {
  if (v8 === undefined || forceSymbols) return undefined;
  const logged = versionText(v8);
  const find = () => (holdsV8(table) ? foreignV8(library.file, v8) : undefined);
  const question = `another V8 than ${logged}, by ${source.name}`;
  const found = cache === undefined ? find() : cache.ask(library, question, find);
  if (found === undefined) return undefined;
  return { kind: "other-v8", found: found === ANOTHER_VERSION ? undefined : found, logged };
}

/** Why functions are not used: the builtins among them are not where the log has them. Undefined where they are. */
export function buildProblem(
  functions: MappedFunctions,
  builtins: LoggedBuiltins,
  { forceSymbols }: BinaryTrustOptions,
): LibraryProblem | undefined {
  if (forceSymbols || !functions.overlaps(builtins.start, builtins.end)) return undefined;
  const nameAt = (address: Address) => {
    const index = functions.find(address);
    return index < 0 ? undefined : functions.table.name(index);
  };
  if (!hasOtherBuiltins({ builtins: Array.from(builtins.named()), nameAt })) return undefined;
  return { kind: "other-build", buildId: functions.buildId };
}
