import { TicksError } from "../errors.js";
import { crc32 } from "./crc32.js";
import {
  LibraryReader,
  type LineVersion,
  libraryLines,
  libraryPath,
  type RecordedLibrary,
} from "./recorded-lines.js";

export type { RecordedLibrary } from "./recorded-lines.js";

/** Saved symbols by the path that the log has for the library. */
export type RecordedSymbols = ReadonlyMap<string, RecordedLibrary>;

const NAME = "ticks-symbols";
/** Goes up when this program as it is now would misread the file. */
const VERSION = 2;
/** What this program wrote before: nothing says whether it is whole. */
const UNCHECKED_HEAD = `${NAME} 1`;
/** UTF-16 units that no first line has. */
const HEAD_LIMIT = 100;
/** UTF-16 units that are encoded at once for the checksum. */
const BLOCK = 1 << 16;

/**
 * The text of saved symbols, line by line. The first one has the version of the format, and how many lines follow, with the
 * CRC-32 of their bytes. Numbers are hexadecimal but for that of the lines, addresses are link addresses; a symbol is its
 * start, its size and its name to the end of the line. Paths and names are escaped, so that each is on one line and safe to show:
 *
 *     ticks-symbols 2 lines 4 crc-32 1c291ca3
 *     library /usr/bin/node
 *     build-id 4f1c…
 *     segment FILE-OFFSET LINK-ADDRESS SIZE
 *     10d0a00 42 node::Start(int, char**)
 *
 * Version 1 has only `ticks-symbols 1` there, and no `\u{…}`.
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
  yield headOf(count, crc32(Buffer.from(block), checksum));
  yield* allLines(all);
}

function* allLines(libraries: readonly RecordedLibrary[]): Iterable<string> {
  for (const library of libraries) yield* libraryLines(library);
}

function headOf(lines: number, checksum: number): string {
  return `${NAME} ${VERSION} lines ${lines} crc-32 ${checksum.toString(16).padStart(8, "0")}`;
}

/** Whether a text says that it is one of saved symbols. */
export function isRecordedSymbols(text: string): boolean {
  return text.startsWith(`${NAME} `);
}

/**
 * Reads saved symbols; `name` is what errors call the file. Throws a {@link TicksError} for any other text, and for one that
 * was cut or changed; of version 1, as far as its lines can tell.
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
      throw new TicksError("BAD_SYMBOLS", `${name}:${number}: not a line of saved symbols`, MAKE_AGAIN);
    }
  }
  finish();
  return libraries;
}

/** The version of saved symbols that are whole, as far as it can tell. Throws a {@link TicksError} for all others. */
function versionOf(text: string, name: string): LineVersion {
  if (!isRecordedSymbols(text)) {
    throw new TicksError("BAD_SYMBOLS", `${name}: not a file of saved symbols`, HINT);
  }
  const damaged = (what: string) => new TicksError("BAD_SYMBOLS", `${name} is damaged: ${what}`, MAKE_AGAIN);
  // A file without an end of a line ends inside of its first one.
  const head = text.slice(0, HEAD_LIMIT).split("\n", 1)[0]!;
  if (!text.endsWith("\n")) throw damaged("it ends inside a line");
  if (head === UNCHECKED_HEAD) return 1;
  const [, version, lines] = /^\S+ (\d+)(?: lines (\d+) crc-32 [0-9a-f]{8})?$/.exec(head) ?? [];
  if (version !== undefined && Number(version) > VERSION) {
    throw new TicksError(
      "BAD_SYMBOLS",
      `${name}: saved symbols of version ${version}, this program reads up to ${VERSION}`,
      "Use a newer ticks, or make them again with this one: ticks symbols LOG",
    );
  }
  if (version !== String(VERSION) || lines === undefined) throw damaged("its first line is wrong");
  const body = measure(text, head.length + 1);
  if (String(body.lines) !== lines) throw damaged(`it has ${body.lines} of ${lines} lines`);
  if (headOf(body.lines, body.checksum) !== head) throw damaged("it is not as it was written");
  return VERSION;
}

/** Counts the lines from `start` on, and makes the checksum of their bytes. */
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

/** The lines from `start` on, of which each has an end. */
function* linesAfter(text: string, start: number): Iterable<string> {
  for (let at = start; at < text.length; ) {
    const end = text.indexOf("\n", at);
    yield text.slice(at, end);
    at = end + 1;
  }
}

const HINT =
  "Write one with: ticks symbols LOG -o LOG.symbols (of nm or a linker: --symbols LIB=FILE, for the library LIB)";
const MAKE_AGAIN = "Make it again where the binaries of the log are: ticks symbols LOG";
