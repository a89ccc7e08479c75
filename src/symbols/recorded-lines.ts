import type { Segment } from "./binary-file.js";
import { type BuiltinFrames, type FramesByBuiltin, framesText, parseFrames } from "./builtin-frames.js";
import { endOfCode, type SymbolTable, SymbolTableBuilder } from "./symbol-table.js";

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
export type LineVersion = 1 | 2 | 3;

const LIBRARY = "library ";
const BUILD_ID = "build-id ";
const SEGMENT = "segment ";
const BUILTIN = "builtin ";
const SEGMENT_FIELDS = /^([0-9a-f]{1,16}) ([0-9a-f]{1,16}) ([0-9a-f]{1,16})$/;
const BUILTIN_FIELDS = /^(\S+ \S+ \S+) (.+)$/s;
const SYMBOL = /^([0-9a-f]{1,16}) ([0-9a-f]{1,16}) (.*)$/s;

/** Yields the lines of a library. The first one has its path. */
export function* libraryLines({
  path,
  buildId,
  segments,
  table,
  builtins,
}: RecordedLibrary): Iterable<string> {
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
export function libraryPath(line: string, version: LineVersion): string | undefined {
  return line.startsWith(LIBRARY) ? unescaped(line.slice(LIBRARY.length), version) : undefined;
}

/**
 * Reads the lines of a library after the first one, in the order in which {@link libraryLines} writes them.
 */
export class LibraryReader {
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
