import { TicksError } from "../errors.js";
import type { ElfFile, Segment } from "./elf/file.js";
import { isWindowsPath } from "./platform.js";
import { inOrder, linkedAt, type SavedFunction, type SavedFunctions, tableOf } from "./saved-functions.js";
import type { Library } from "./symbol-source.js";

// 0000000000a1b2c0 0000000000000042 T v8::internal::Heap::CollectGarbage(…)
// vvvvvvvvvvvvvvvv vvvvvvvvvvvvvvvv v vvvvv
const FUNCTION = /^([0-9a-fA-F]{8,16}) (?:([0-9a-fA-F]{8,16}) )?[tTwW] (.*)$/;
/** `libnode.a(node.o):`, `node (for architecture arm64):`: what nm writes above each of several files. */
const HEADING = /^(?![0-9a-fA-F]{8,16} )\S.*:$/;
/**
 * What nm prints like functions and is none: the marks that assemblers of ARM put where code starts, and what
 * compilers and linkers put at the ends of data.
 */
const NO_FUNCTION =
  /^(?:\$[adtx](?:\..*)?|data_start|__(?:preinit|init|fini)_array_(?:start|end)|__\w+_array_entry)$/;

/** A name of C, or as a linker has it. */
const PLAIN_NAME = /^[\w$.]+$/;
/** An underscore before a name; GNU tools write one only before mangled names. */
const EXTRA_UNDERSCORE = /^_(?![ZR][A-Z\d])/;
/** From this share of plain names with an extra underscore on all have one: they are of macOS. */
const MOST = 0.9;
/** Where a Mach-O file begins, which its linker makes a symbol of the code. */
const MACH_HEADER = /^__mh_\w+_header$/;

/** How many functions of a thousand may lie outside the code of their file: tools list some that are none. */
const STRAY = 0.001;
const PAGE = 4096;
/** Windows maps images at multiples of this. */
const IMAGE_STEP = 1 << 16;

/** A line of `nm` as a function; undefined for any other line. The line has no newline. */
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
 * Reads what `nm` printed for one library: GNU's, LLVM's or that of macOS, in any order, with sizes or without, names
 * mangled or not. Undefined for a text without a function of it; `name` is what errors call the file. Throws a
 * {@link TicksError} for the output of several files.
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
      `${name}: output of nm for several files or architectures`,
      "Run nm for one of them, as in: nm -n -arch arm64 FILE",
    );
  }
  return {
    source: "nm-output",
    mapTo(library, elf) {
      const file = matchingFile(functions, elf);
      const segments = file?.segments ?? segmentsOf(library, functions, isMac);
      const end = segments.reduce((last, { linkAddress, size }) => Math.max(last, linkAddress + size), 0);
      return { table: tableOf(functions, end), segments, buildId: file?.buildId, isMangled: true };
    },
  };
}

/** Whether the names are of macOS: C names have an underscore there, mangled ones one more than elsewhere. */
function hasMacNames(functions: readonly SavedFunction[]): boolean {
  let plain = 0;
  let marked = 0;
  for (const { size, name } of functions) {
    if (size > 0) return false; // Mach-O files do not say sizes.
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

/** The file, if it is relocatable and the functions lie in its code: another file would misplace them. */
function matchingFile(functions: readonly SavedFunction[], elf: ElfFile | undefined): ElfFile | undefined {
  if (elf === undefined || elf.isFixed) return undefined;
  const isInside = ({ start }: SavedFunction) =>
    elf.segments.some(({ linkAddress, size }) => start >= linkAddress && start <= linkAddress + size);
  const inside = functions.filter(isInside).length;
  return inside >= functions.length * (1 - STRAY) ? elf : undefined;
}

/**
 * Where the code of a library is that is not at hand, by what the systems do. Windows maps an image, linked for a
 * base of its own, whole and wherever it likes. macOS adds a slide to all addresses, and logs where the code starts;
 * to Node 8 without the slide. Elsewhere an executable linked to a fixed address is there. Any other library is
 * logged from its start, or by old versions from its code; in it addresses are offsets from its start, or some pages
 * more, as LLVM's linker has them: of all that, the least that makes the functions fit into the library.
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

/** Bytes, rounded up to whole pages. */
function pagesUp(bytes: number): number {
  return Math.ceil(bytes / PAGE) * PAGE;
}
