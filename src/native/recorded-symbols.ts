import { TicksError } from "../base/errors.js";
import { crc32 } from "../io/crc32.js";
import type { Segment } from "./binary-file.js";
import { type BuiltinFrames, type FramesByBuiltin, framesText, parseFrames } from "./builtin-frames.js";
import { endOfCode, type SymbolTable, SymbolTableBuilder } from "./symbol-table.js";

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

// Characters that a terminal could take for commands, an editor for the end of a line, or a reader for other
// text: control characters, marks of direction, characters without a width, unpaired surrogates, replacement
// characters, and the backslash itself.
const SPECIAL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal.
  /[\\\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffd\p{Surrogate}]/gu;
const NAMED: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r" };
const ESCAPE = /\\(?:([\\nr])|u\{([0-9a-f]{1,6})\})?/g;
const MEANINGS: Readonly<Record<string, string>> = { "\\": "\\", n: "\n", r: "\r" };
const LAST_CODE_POINT = 0x10ffff;

/** Returns text on one line that is safe to show: special characters become `\\`, `\n`, `\r` or `\u{HEX}`. */
export function escapeText(text: string): string {
  return text.replace(SPECIAL, (c) => NAMED[c] ?? `\\u{${c.codePointAt(0)!.toString(16)}}`);
}

/** Undoes {@link escapeText}. Returns undefined for text that it does not write. */
function unescapeText(escaped: string): string | undefined {
  if (!escaped.includes("\\")) return escaped;
  let isWhole = true;
  const text = escaped.replace(ESCAPE, (_, named: string | undefined, hex: string | undefined) => {
    const code = Number.parseInt(hex ?? "", 16);
    if (named !== undefined) return MEANINGS[named]!;
    if (code <= LAST_CODE_POINT) return String.fromCodePoint(code);
    isWhole = false;
    return "";
  });
  return isWhole ? text : undefined;
}

/** The saved symbols of one library. */
export interface RecordedLibrary {
  readonly path: string;
  /** Lower-case hex; undefined if the file had none. */
  readonly buildId: string | undefined;
  readonly segments: readonly Segment[];
  readonly table: SymbolTable;
  /** Where V8's builtins have no frame; undefined if the library has none that the log needs. */
  readonly builtins?: FramesByBuiltin | undefined;
}

/** Version of the format. In the first, a backslash means something else; only the third has builtins. */
type LineVersion = 1 | 2 | 3;

const LIBRARY = "library ";
const BUILD_ID = "build-id ";
const SEGMENT = "segment ";
const BUILTIN = "builtin ";
const SEGMENT_FIELDS = /^([0-9a-f]{1,16}) ([0-9a-f]{1,16}) ([0-9a-f]{1,16})$/;
const BUILTIN_FIELDS = /^(\S+ \S+ \S+) (.+)$/s;
const SYMBOL = /^([0-9a-f]{1,16}) ([0-9a-f]{1,16}) (.*)$/s;

/** Yields the lines of a library. The first one has its path. */
function* libraryLines({ path, buildId, segments, table, builtins }: RecordedLibrary): Iterable<string> {
  yield `${LIBRARY}${escapeText(path)}`;
  if (buildId !== undefined) yield `${BUILD_ID}${buildId}`;
  for (const { fileOffset, linkAddress, size } of segments) {
    yield `${SEGMENT}${fileOffset.toString(16)} ${linkAddress.toString(16)} ${size.toString(16)}`;
  }
  for (const [name, frames] of builtins ?? []) yield `${BUILTIN}${framesText(frames)} ${escapeText(name)}`;
  for (let i = 0; i < table.length; i++) {
    const start = table.starts[i]!;
    yield `${start.toString(16)} ${(table.ends[i]! - start).toString(16)} ${escapeText(table.name(i))}`;
  }
}

/** Returns the path in the first line of a library; undefined for any other line. */
function libraryPath(line: string, version: LineVersion): string | undefined {
  return line.startsWith(LIBRARY) ? unescaped(line.slice(LIBRARY.length), version) : undefined;
}

/**
 * Reads the lines of a library after the first one, in the order in which {@link libraryLines} writes them.
 */
class LibraryReader {
  readonly #path: string;
  readonly #version: LineVersion;
  #buildId: string | undefined;
  readonly #segments: Segment[] = [];
  readonly #builtins = new Map<string, BuiltinFrames>();
  readonly #builder = new SymbolTableBuilder();
  #last = -1;

  constructor(path: string, version: LineVersion) {
    this.#path = path;
    this.#version = version;
  }

  /** Returns false for an invalid line. */
  take(line: string): boolean {
    if (line.startsWith(BUILD_ID)) return this.#takeBuildId(line.slice(BUILD_ID.length));
    if (this.#version === 3 && line.startsWith(BUILTIN)) return this.#takeBuiltin(line.slice(BUILTIN.length));
    return line.startsWith(SEGMENT) ? this.#takeSegment(line) : this.#takeSymbol(line);
  }

  build(): RecordedLibrary {
    const table = this.#builder.build(endOfCode(this.#segments));
    const builtins = this.#builtins.size === 0 ? undefined : this.#builtins;
    return { path: this.#path, buildId: this.#buildId, segments: this.#segments, table, builtins };
  }

  #takeBuildId(id: string): boolean {
    const isFirst = this.#buildId === undefined && this.#segments.length === 0 && this.#last < 0;
    if (!isFirst || !/^[0-9a-f]*$/.test(id)) return false;
    this.#buildId = id;
    return true;
  }

  #takeSegment(line: string): boolean {
    const fields = SEGMENT_FIELDS.exec(line.slice(SEGMENT.length));
    if (fields === null || this.#last >= 0) return false;
    const [fileOffset, linkAddress, size] = fields.slice(1).map((hex) => Number.parseInt(hex, 16));
    this.#segments.push({ fileOffset: fileOffset!, linkAddress: linkAddress!, size: size! });
    return true;
  }

  #takeBuiltin(text: string): boolean {
    const [, about, escaped] = BUILTIN_FIELDS.exec(text) ?? [];
    const frames = about === undefined ? undefined : parseFrames(about);
    const name = escaped === undefined ? undefined : unescaped(escaped, this.#version);
    if (frames === undefined || name === undefined) return false;
    if (this.#last >= 0 || this.#builtins.has(name)) return false;
    this.#builtins.set(name, frames);
    return true;
  }

  #takeSymbol(line: string): boolean {
    const fields = SYMBOL.exec(line);
    const name = fields === null ? undefined : unescaped(fields[3]!, this.#version);
    if (fields === null || name === undefined) return false;
    const start = Number.parseInt(fields[1]!, 16);
    if (start <= this.#last) return false;
    this.#last = start;
    this.#builder.add(start, Number.parseInt(fields[2]!, 16), name);
    return true;
  }
}

function unescaped(text: string, version: LineVersion): string | undefined {
  if (version > 1) return unescapeText(text);
  return text.replace(/\\([\\nr])/g, (_, c: string) => ({ "\\": "\\", n: "\n", r: "\r" })[c]!);
}
