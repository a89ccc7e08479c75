import { TicksError } from "../base/errors.js";
import type { LinkAddress } from "../base/units.js";
import type { BinaryFile, Segment } from "./binary-file.js";
import { isWindowsPath } from "./platform.js";
import { escapeText, isRecordedSymbols, readRecordedSymbols } from "./recorded-symbols.js";
import type { Library } from "./symbol-source.js";
import { endOfCode, type SymbolTable, SymbolTableBuilder } from "./symbol-table.js";

/** A function in the output of a tool. */
interface SavedFunction {
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
function inOrder<F extends SavedFunction>(functions: readonly F[]): F[] {
  return [...functions].sort((a, b) => a.start - b.start);
}

/**
 * Builds the table of sorted functions. `end` is where the code of the library ends. Of several functions at
 * one address, the first with a size is used, else the first.
 */
function tableOf(functions: readonly SavedFunction[], end: LinkAddress): SymbolTable {
  const builder = new SymbolTableBuilder();
  let last = -1;
  for (const { start, size, name } of functions) {
    if (size > 0 || start !== last) builder.add(start, size, name);
    last = start;
  }
  return builder.build(end);
}

/** Returns a whole library as one segment, linked at `linkAddress`. */
function linkedAt(linkAddress: LinkAddress, { start, end }: Library): Segment[] {
  return [{ fileOffset: 0, linkAddress, size: end - start }];
}

//  Preferred load address is 0000000140000000
//
//  Start         Length     Name                   Class
//  0001:00000000 0101e1a0H .text                   CODE
//
//   Address         Publics by Value              Rva+Base               Lib:Object
//
//  0000:00000000       __ImageBase                0000000140000000     <linker-defined>
//  0001:00001000       ?Lookup@JSObject@internal@v8@@QEAAXXZ 0000000140002000 f   v8:objects.obj
const BASE = /^[ \t]*Preferred load address is ([0-9a-fA-F]{8,16})[ \t\r]*$/m;
const IMAGE_BASE = /^[ \t]*0000:[0-9a-fA-F]{8,16}[ \t]+_{2,3}ImageBase[ \t]+([0-9a-fA-F]{8,16})\s/m;
const SECTION = /^\s*([0-9a-fA-F]{4}):([0-9a-fA-F]{8,16})\s+([0-9a-fA-F]+)H\s+\S+\s+CODE\s*$/;
const SYMBOL = /^\s*([0-9a-fA-F]{4}):([0-9a-fA-F]{8,16})\s+(\S+)\s+([0-9a-fA-F]{8,16})(?:\s|$)/;

/** The section of code in a map that does not say: `.text` comes first. */
const FIRST_SECTION = "0001";

/**
 * Reads the map that a Windows linker wrote for one image: Microsoft's or LLVM's, 32 or 64 bits. Returns
 * undefined if the text is not such a map; `name` is what error messages call the file. Throws a {@link
 * TicksError} if it has no functions.
 */
export function readWindowsMap(text: string, name: string): SavedFunctions | undefined {
  const stated = (BASE.exec(text) ?? IMAGE_BASE.exec(text))?.[1];
  if (stated === undefined) return undefined;
  const base: LinkAddress = Number.parseInt(stated, 16);
  const { functions, end } = readFunctions(text, stated.length === 8);
  if (functions.length === 0) {
    throw new TicksError("BAD_SYMBOLS", `${name}: linker map without functions`, "Link with /MAP.");
  }
  return {
    source: "map",
    mapTo(library) {
      const segments = linkedAt(base, library);
      const table = tableOf(functions, end ?? base + library.end - library.start);
      return { table, segments, buildId: undefined, isMangled: true };
    },
  };
}

/** A symbol of a map, with its offset in its section. */
interface MapSymbol extends SavedFunction {
  readonly section: string;
  readonly offset: number;
}

interface MapFunctions {
  readonly functions: readonly SavedFunction[];
  /** Where the last section of code ends; undefined if the map does not say. */
  readonly end: LinkAddress | undefined;
}

function readFunctions(text: string, is32Bit: boolean): MapFunctions {
  /** Length of the code of each section, from the start of the section. */
  const lengths = new Map<string, number>();
  const symbols: MapSymbol[] = [];
  for (const line of text.split("\n")) {
    const [, section, offset = "", third = "", address = ""] = SYMBOL.exec(line) ?? SECTION.exec(line) ?? [];
    if (section === undefined) continue;
    const from = Number.parseInt(offset, 16);
    if (address === "") {
      lengths.set(section, Math.max(lengths.get(section) ?? 0, from + Number.parseInt(third, 16)));
    } else {
      const name = readableName(third, is32Bit);
      symbols.push({ section, offset: from, start: Number.parseInt(address, 16), size: 0, name });
    }
  }
  if (lengths.size === 0) lengths.set(FIRST_SECTION, 0);
  const functions = inOrder(symbols.filter(({ section }) => lengths.has(section)));
  const last = functions.at(-1);
  const length = lengths.get(last?.section ?? "") ?? 0;
  const end = last !== undefined && length > 0 ? last.start - last.offset + length : undefined;
  return { functions, end };
}

/**
 * `?`, then `?0` for a constructor or `?1` for a destructor, the names from the inside out, `@`, and the
 * type.
 */
const SIMPLE_NAME = /^\?(\?[01])?((?:[A-Za-z_$][\w$]*@)+)@/;
/** How 32-bit code marks C calling conventions. */
const C_NAME = /^(?:_(\w+?)(?:@\d+)?|@(\w+)@\d+)$/;

/**
 * Returns the function of a name of Microsoft's compilers, without its type:
 * `v8::internal::JSObject::Lookup`. Keeps names with templates or operators as they are, for a demangler.
 */
export function readableName(name: string, is32Bit = false): string {
  const [, special, path] = SIMPLE_NAME.exec(name) ?? [];
  if (path !== undefined) {
    const names = path.slice(0, -1).split("@").reverse();
    if (special !== undefined) names.push(`${special === "?1" ? "~" : ""}${names.at(-1)}`);
    return names.join("::");
  }
  const plain = is32Bit ? C_NAME.exec(name) : null;
  return plain?.[1] ?? plain?.[2] ?? name;
}

// 0000000000a1b2c0 0000000000000042 T v8::internal::Heap::CollectGarbage(…)
// vvvvvvvvvvvvvvvv vvvvvvvvvvvvvvvv v vvvvv
const FUNCTION = /^([0-9a-fA-F]{8,16}) (?:([0-9a-fA-F]{8,16}) )?[tTwW] (.*)$/;
/**
 * `libnode.a(node.o):` or `node (for architecture arm64):`, the heading of nm above each of several files.
 */
const HEADING = /^(?![0-9a-fA-F]{8,16} )\S.*:$/;
/**
 * What nm lists like functions although it is not: marks that ARM assemblers put at the start of code, and
 * what compilers and linkers put at the ends of data.
 */
const NO_FUNCTION =
  /^(?:\$[adtx](?:\..*)?|data_start|__(?:preinit|init|fini)_array_(?:start|end)|__\w+_array_entry)$/;

/** A C name, or a mangled one. */
const PLAIN_NAME = /^[\w$.]+$/;
/** An underscore before a name. GNU tools write one only before mangled names. */
const EXTRA_UNDERSCORE = /^_(?![ZR][A-Z\d])/;
/** If at least this share of plain names has an extra underscore, all names do: they are from macOS. */
const MOST = 0.9;
/** The symbol of the start of a Mach-O file, which its linker counts as code. */
const MACH_HEADER = /^__mh_\w+_header$/;

/**
 * Share of functions that may lie outside the code of their file, since tools list some symbols that are not
 * functions.
 */
const STRAY = 0.001;
const PAGE = 4096;
/** Windows maps images at multiples of this. */
const IMAGE_STEP = 1 << 16;

/** Parses a line of `nm`, without its newline. Returns undefined if it is not a function. */
export function parseNmLine(line: string): SavedFunction | undefined {
  const match = FUNCTION.exec(line);
  if (match === null) return undefined;
  return {
    start: Number.parseInt(match[1]!, 16),
    size: Number.parseInt(match[2] ?? "0", 16),
    name: match[3]!,
  };
}

/**
 * Reads the output of `nm` for one library: GNU's, LLVM's or that of macOS, in any order, with or without
 * sizes, names mangled or not. Returns undefined if it has no functions; `name` is what error messages call
 * the file. Throws a {@link TicksError} for the output of several files.
 */
export function readNmOutput(text: string, name: string): SavedFunctions | undefined {
  const all: SavedFunction[] = [];
  let headings = 0;
  for (const line of text.split("\n")) {
    const entry = line.endsWith("\r") ? line.slice(0, -1) : line;
    const found = parseNmLine(entry);
    if (found === undefined) headings += HEADING.test(entry) ? 1 : 0;
    else if (!NO_FUNCTION.test(found.name)) all.push(found);
  }
  const isMac = hasMacNames(all);
  const functions = inOrder(isMac ? withoutUnderscores(all) : all);
  if (functions.length === 0) return undefined;
  if (headings > 1) {
    throw new TicksError(
      "BAD_SYMBOLS",
      `${name}: nm output of several files or architectures`,
      "Run nm on one of them, for example: nm -n -arch arm64 FILE",
    );
  }
  return {
    source: "nm-output",
    mapTo(library, binary) {
      const file = matchingFile(functions, binary);
      const segments = file?.segments ?? segmentsOf(library, functions, isMac);
      return {
        table: tableOf(functions, endOfCode(segments)),
        segments,
        buildId: file?.buildId,
        isMangled: true,
      };
    },
  };
}

/**
 * Returns whether the names are from macOS, where C names have an underscore and mangled names one more than
 * elsewhere.
 */
function hasMacNames(functions: readonly SavedFunction[]): boolean {
  let plain = 0;
  let marked = 0;
  for (const { size, name } of functions) {
    if (size > 0) return false; // Mach-O files have no sizes.
    if (!PLAIN_NAME.test(name)) continue;
    plain++;
    if (EXTRA_UNDERSCORE.test(name)) marked++;
  }
  return marked > 0 && marked >= plain * MOST;
}

function withoutUnderscores(functions: readonly SavedFunction[]): SavedFunction[] {
  return functions
    .filter(({ name }) => !MACH_HEADER.test(name))
    .map(({ start, size, name }) => ({ start, size, name: name.replace(/^_/, "") }));
}

/**
 * Returns the file if it is relocatable and the functions lie in its code. Another file would put them at
 * wrong addresses.
 */
function matchingFile(
  functions: readonly SavedFunction[],
  binary: BinaryFile | undefined,
): BinaryFile | undefined {
  if (binary === undefined || binary.isFixed) return undefined;
  const isInside = ({ start }: SavedFunction) =>
    binary.segments.some(({ linkAddress, size }) => start >= linkAddress && start <= linkAddress + size);
  const inside = functions.filter(isInside).length;
  return inside >= functions.length * (1 - STRAY) ? binary : undefined;
}

/**
 * Returns where the code of a library is mapped if its file is not on this machine. Windows maps an image as
 * a whole, wherever it likes; it is linked for a base of its own. macOS adds a slide to all addresses and
 * logs where the code starts, up to Node 8 without the slide. On other systems, an executable linked to a
 * fixed address is mapped there. Any other library is logged from its start, or by old versions from its
 * code; its addresses are offsets from its start, or some pages more with LLVM's linker. The smallest such
 * offset that makes the functions fit into the library is used.
 */
function segmentsOf(library: Library, functions: readonly SavedFunction[], isMac: boolean): Segment[] {
  const { path, start, end, slide } = library;
  const first = functions[0]!.start;
  if (isWindowsPath(path)) return linkedAt(Math.floor(first / IMAGE_STEP) * IMAGE_STEP, library);
  if (slide !== 0) return linkedAt(start - slide, library);
  if (isMac) return linkedAt(start - Math.max(0, pagesUp(start - first)), library);
  if (functions[functions.length >> 1]!.start >= start) return linkedAt(start, library);
  const last = functions.reduce((most, f) => Math.max(most, f.start + f.size), 0);
  const link = Math.max(0, pagesUp(last - (end - start)));
  return link <= first ? linkedAt(link, library) : [];
}

/** Rounds bytes up to whole pages. */
function pagesUp(bytes: number): number {
  return Math.ceil(bytes / PAGE) * PAGE;
}

/** A library of the log that the user named: its path there, or just its file name. */
export interface AssignedLibrary {
  readonly library: string;
}

/** Symbols that the user gave for a library of the log: its functions, or the path of its binary. */
export type AssignedSymbols =
  | (AssignedLibrary & { readonly functions: SavedFunctions })
  | (AssignedLibrary & { readonly binary: string });

interface SavedSymbolsOptions {
  /** What error messages call the file. */
  readonly name: string;
  /** The requested library, since a file can have several. */
  readonly library: string;
}

const HINT =
  "Use the output of `nm -n -S LIB`, a linker's .map (link with /MAP), LIB's binary, or a file written by ticks symbols.";

/**
 * Reads the symbols of one library in any supported format: saved symbols, the map of a Windows linker, or
 * the output of `nm`. Throws a {@link TicksError} for any other text.
 */
export function readSavedSymbols(text: string, { name, library }: SavedSymbolsOptions): SavedFunctions {
  const content = text.replace(/^\ufeff/, "");
  const functions = isRecordedSymbols(content)
    ? readOneRecorded(content, { name, library })
    : (readWindowsMap(content, name) ?? readNmOutput(content, name));
  if (functions === undefined) throw new TicksError("BAD_SYMBOLS", `${name}: unknown symbol format`, HINT);
  return functions;
}

/**
 * Returns the symbols given for the library at a path of the log; undefined if there are none. A whole path
 * takes precedence over a file name, and later ones over earlier ones.
 */
export function findAssigned<T extends AssignedLibrary>(assigned: readonly T[], path: string): T | undefined {
  return (
    assigned.findLast(({ library }) => folded(library, path) === folded(path, path)) ??
    assigned.findLast(({ library }) => folded(library, path) === fileName(folded(path, path)))
  );
}

function readOneRecorded(text: string, { name, library }: SavedSymbolsOptions): SavedFunctions {
  const all = readRecordedSymbols(text, name);
  const libraries = Array.from(all.values(), (recorded) => ({
    library: recorded.path,
    functions: { source: "recorded", mapTo: () => ({ ...recorded, isMangled: false }) },
  }));
  // Either may be just a name: the file may be from a machine where the library is elsewhere.
  const found =
    findAssigned(libraries, library) ??
    libraries.find(({ library: path }) => fileName(folded(path, path)) === fileName(folded(library, path)));
  if (found !== undefined) return found.functions;
  throw new TicksError(
    "BAD_SYMBOLS",
    `${name}: no symbols for ${escapeText(library)}`,
    `It has symbols for: ${libraries.map(({ library: path }) => escapeText(path)).join(", ")}`,
  );
}

/**
 * Returns text as it is compared with the path of a library. Paths of Windows ignore case and allow both
 * slashes.
 */
function folded(text: string, path: string): string {
  return isWindowsPath(path) ? text.replaceAll("/", "\\").toLowerCase() : text;
}

function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
