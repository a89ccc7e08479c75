import { TicksError } from "../../errors.js";
import type { Segment } from "./elf-file.js";
import { type SymbolTable, SymbolTableBuilder } from "./symbol-table.js";

/** The symbols of one library as they were saved. */
export interface RecordedLibrary {
  readonly path: string;
  /** In lower-case hex; undefined when the file had none. */
  readonly buildId: string | undefined;
  readonly segments: readonly Segment[];
  readonly table: SymbolTable;
}

/** Saved symbols by the path that the log has for the library. */
export type RecordedSymbols = ReadonlyMap<string, RecordedLibrary>;

const HEAD = "ticks-symbols 1";

/**
 * The text of saved symbols, line by line. Numbers are hexadecimal, addresses are link addresses; a symbol is its
 * start, its size and its name to the end of the line:
 *
 *     ticks-symbols 1
 *     library /usr/bin/node
 *     build-id 4f1c…
 *     segment FILE-OFFSET LINK-ADDRESS SIZE
 *     10d0a00 42 node::Start(int, char**)
 */
export function* writeRecordedSymbols(libraries: Iterable<RecordedLibrary>): Iterable<string> {
  yield HEAD;
  for (const { path, buildId, segments, table } of libraries) {
    yield `library ${escapeLine(path)}`;
    if (buildId !== undefined) yield `build-id ${buildId}`;
    for (const { fileOffset, linkAddress, size } of segments) {
      yield `segment ${fileOffset.toString(16)} ${linkAddress.toString(16)} ${size.toString(16)}`;
    }
    for (let i = 0; i < table.length; i++) {
      const start = table.starts[i]!;
      yield `${start.toString(16)} ${(table.ends[i]! - start).toString(16)} ${escapeLine(table.name(i))}`;
    }
  }
}

/** Whether a text says that it is one of saved symbols. */
export function isRecordedSymbols(text: string): boolean {
  return text.startsWith(HEAD);
}

/** Reads saved symbols; `name` is what errors call the file. Throws a {@link TicksError} for any other text. */
export function readRecordedSymbols(text: string, name: string): RecordedSymbols {
  const lines = text.split("\n");
  if (lines[0] !== HEAD) throw new TicksError("BAD_SYMBOLS", `${name}: not a file of saved symbols`, HINT);
  const libraries = new Map<string, RecordedLibrary>();
  let library: LibraryReader | undefined;
  const finish = () => library !== undefined && libraries.set(library.path, library.build());
  for (const [i, line] of lines.entries()) {
    if (i === 0 || line === "") continue;
    if (line.startsWith("library ")) {
      finish();
      library = new LibraryReader(unescapeLine(line.slice("library ".length)));
    } else if (!library?.take(line)) {
      throw new TicksError("BAD_SYMBOLS", `${name}:${i + 1}: not a line of saved symbols`, HINT);
    }
  }
  finish();
  return libraries;
}

const HINT =
  "Write one with: ticks symbols LOG -o LOG.symbols (of nm or a linker: --symbols LIB=FILE, for the library LIB)";

class LibraryReader {
  readonly path: string;
  #buildId: string | undefined;
  readonly #segments: Segment[] = [];
  readonly #builder = new SymbolTableBuilder();

  constructor(path: string) {
    this.path = path;
  }

  /** False for a line that is none of a library's. */
  take(line: string): boolean {
    if (line.startsWith("build-id ")) {
      this.#buildId = line.slice("build-id ".length);
      return true;
    }
    const [word = "", second = "", ...rest] = line.split(" ");
    if (word === "segment") {
      const [fileOffset, linkAddress, size] = [second, ...rest].map(hex);
      if (fileOffset === undefined || linkAddress === undefined || size === undefined) return false;
      this.#segments.push({ fileOffset, linkAddress, size });
      return true;
    }
    const [start, size] = [hex(word), hex(second)];
    if (start === undefined || size === undefined || rest.length === 0) return false;
    this.#builder.add(start, size, unescapeLine(rest.join(" ")));
    return true;
  }

  build(): RecordedLibrary {
    const table = this.#builder.build(Number.POSITIVE_INFINITY);
    return { path: this.path, buildId: this.#buildId, segments: this.#segments, table };
  }
}

function hex(text: string): number | undefined {
  return /^[0-9a-f]{1,16}$/.test(text) ? Number.parseInt(text, 16) : undefined;
}

function escapeLine(text: string): string {
  return text.replace(/[\\\n\r]/g, (c) => ({ "\\": "\\\\", "\n": "\\n", "\r": "\\r" })[c]!);
}

function unescapeLine(text: string): string {
  return text.replace(/\\([\\nr])/g, (_, c: string) => ({ "\\": "\\", n: "\n", r: "\r" })[c]!);
}
