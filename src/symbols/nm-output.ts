import { TicksError } from "../errors.js";
import type { BinaryFile } from "./binary.js";
import type { Segment } from "./elf/file.js";
import { isWindowsPath } from "./platform.js";
import { inOrder, linkedAt, type SavedFunction, type SavedFunctions, tableOf } from "./saved-functions.js";
import type { Library } from "./symbol-source.js";

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
      const end = segments.reduce((last, { linkAddress, size }) => Math.max(last, linkAddress + size), 0);
      return { table: tableOf(functions, end), segments, buildId: file?.buildId, isMangled: true };
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
