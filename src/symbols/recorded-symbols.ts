import { TicksError } from "../errors.js";
import { crc32 } from "../io/crc32.js";
import {
  LibraryReader,
  type LineVersion,
  libraryLines,
  libraryPath,
  type RecordedLibrary,
} from "./recorded-lines.js";

export type { RecordedLibrary } from "./recorded-lines.js";

/** Saved symbols by the path of the library in the log. */
export type RecordedSymbols = ReadonlyMap<string, RecordedLibrary>;

const NAME = "ticks-symbols";
/** Incremented when the current program would misread the file. */
const VERSION = 3;
/** The version of files without builtins, so that older programs can read them. */
const PLAIN_VERSION = 2;
/** The first line of the previous version, which has no checksum. */
const UNCHECKED_HEAD = `${NAME} 1`;
/** Longer than any first line, in UTF-16 units. */
const HEAD_LIMIT = 100;
/** UTF-16 units that are encoded at once for the checksum. */
const BLOCK = 1 << 16;

/**
 * Yields the text of saved symbols, line by line. The first line has the version of the format, the number of
 * lines that follow, and the CRC-32 of their bytes. Except for the number of lines, numbers are hexadecimal,
 * and addresses are link addresses. A symbol has a start, a size, and a name up to the end of the line. Paths
 * and names are escaped, so that each is on one line and safe to show:
 *
 *     ticks-symbols 2 lines 4 crc-32 1c291ca3
 *     library /usr/bin/node
 *     build-id 4f1c…
 *     segment FILE-OFFSET LINK-ADDRESS SIZE
 *     builtin SIZE called 0-390,40b-414 LoadIC_Megamorphic
 *     10d0a00 42 node::Start(int, char**)
 *
 * A builtin of V8 has its size, whether other builtins call it (`alone` if not), the ranges in which it has no
 * frame, and its name in the log. Version 2 has no builtins, and is written if there are none. Version 1 has only `ticks-symbols 1` in the first line, and no `\u{…}`.
 */
export function* writeRecordedSymbols(libraries: Iterable<RecordedLibrary>): Iterable<string> {
  const all = Array.from(libraries);
  let count = 0;
  let checksum = 0;
  let block = "";
  for (const line of allLines(all)) {
    count++;
    block += `${line}\n`;
    if (block.length < BLOCK) continue;
    checksum = crc32(Buffer.from(block), checksum);
    block = "";
  }
  const version = all.some(({ builtins }) => builtins !== undefined) ? VERSION : PLAIN_VERSION;
  yield headOf(version, count, crc32(Buffer.from(block), checksum));
  yield* allLines(all);
}

function* allLines(libraries: readonly RecordedLibrary[]): Iterable<string> {
  for (const library of libraries) yield* libraryLines(library);
}

function headOf(version: number, lines: number, checksum: number): string {
  return `${NAME} ${version} lines ${lines} crc-32 ${checksum.toString(16).padStart(8, "0")}`;
}

/** Returns whether a text claims to be saved symbols. */
export function isRecordedSymbols(text: string): boolean {
  return text.startsWith(`${NAME} `);
}

/**
 * Reads saved symbols; `name` is what error messages call the file. Throws a {@link TicksError} for any other
 * text, and for a file that was cut or changed, as far as that shows in version 1.
 */
export function readRecordedSymbols(text: string, name: string): RecordedSymbols {
  const version = versionOf(text, name);
  const libraries = new Map<string, RecordedLibrary>();
  let library: LibraryReader | undefined;
  const finish = () => {
    const built = library?.build();
    if (built !== undefined) libraries.set(built.path, built);
  };
  let number = 1;
  for (const line of linesAfter(text, text.indexOf("\n") + 1)) {
    number++;
    const path = libraryPath(line, version);
    if (path !== undefined) {
      finish();
      library = new LibraryReader(path, version);
    } else if (!library?.take(line)) {
      throw new TicksError("BAD_SYMBOLS", `${name}:${number}: invalid line of saved symbols`, MAKE_AGAIN);
    }
  }
  finish();
  const hasBuiltins = Array.from(libraries.values()).some(({ builtins }) => builtins !== undefined);
  // A changed number of the version changes nothing else.
  if (version === VERSION && !hasBuiltins) throw damaged(name, "it has no builtins");
  return libraries;
}

/**
 * Checks that saved symbols are complete, as far as possible, and returns their version. Throws a {@link
 * TicksError} otherwise.
 */
function versionOf(text: string, name: string): LineVersion {
  if (!isRecordedSymbols(text)) {
    throw new TicksError("BAD_SYMBOLS", `${name}: not a symbols file`, HINT);
  }
  // A file without a newline ends inside its first line.
  const head = text.slice(0, HEAD_LIMIT).split("\n", 1)[0]!;
  if (!text.endsWith("\n")) throw damaged(name, "it ends inside a line");
  if (head === UNCHECKED_HEAD) return 1;
  const [, version, lines] = /^\S+ (\d+)(?: lines (\d+) crc-32 [0-9a-f]{8})?$/.exec(head) ?? [];
  if (version !== undefined && Number(version) > VERSION) {
    throw new TicksError(
      "BAD_SYMBOLS",
      `${name}: symbols file of version ${version}, but this program reads only up to ${VERSION}`,
      "Use a newer ticks, or write it again with this one: ticks symbols LOG",
    );
  }
  const known = ([VERSION, PLAIN_VERSION] as const).find((one) => String(one) === version);
  if (known === undefined || lines === undefined) throw damaged(name, "its first line is invalid");
  const body = measure(text, head.length + 1);
  if (String(body.lines) !== lines) throw damaged(name, `it has ${body.lines} of ${lines} lines`);
  if (headOf(known, body.lines, body.checksum) !== head) throw damaged(name, "its checksum does not match");
  return known;
}

function damaged(name: string, what: string): TicksError {
  return new TicksError("BAD_SYMBOLS", `${name} is damaged: ${what}`, MAKE_AGAIN);
}

/** Counts the lines from `start` on and computes the checksum of their bytes. */
function measure(text: string, start: number): { lines: number; checksum: number } {
  let [lines, checksum, done] = [0, 0, start];
  for (let end = start; end < text.length; ) {
    end = text.indexOf("\n", end) + 1;
    lines++;
    if (end - done < BLOCK && end < text.length) continue;
    checksum = crc32(Buffer.from(text.slice(done, end)), checksum);
    done = end;
  }
  return { lines, checksum };
}

/** Yields the lines from `start` on. Each must end in a newline. */
function* linesAfter(text: string, start: number): Iterable<string> {
  for (let at = start; at < text.length; ) {
    const end = text.indexOf("\n", at);
    yield text.slice(at, end);
    at = end + 1;
  }
}

const HINT =
  "Write one with: ticks symbols LOG -o LOG.symbols (for output of nm or a linker: --symbols LIB=FILE)";
const MAKE_AGAIN = "Write it again on the machine with the log's binaries: ticks symbols LOG";
