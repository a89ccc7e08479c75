import type { MappingInput, StringTable } from "pprof-format";
import { columnOf, reaching } from "../../profile/columns.js";
import type { Frame } from "../../profile/frame.js";
import { PairNumbers } from "../../profile/pair-numbers.js";
import type { LibraryInfo, Profile } from "../../profile/profile.js";
import { soundPosition } from "../../profile/sound-numbers.js";
import type { FunctionTable } from "../../views/function-table.js";
import { printable } from "../../views/label.js";
import { fileName } from "../../views/origin.js";
import { filePath } from "../file-url.js";
import { Bytes } from "../growing-bytes.js";
import { pprofNames } from "./pprof-names.js";

/** The mapping for code that V8 made. pprof's tools show a name in brackets as memory without a file. */
const JIT = "[jit]";
/** Paths that are not programs: `libc.so.6`, `ntdll.dll`, `libobjc.A.dylib`, `[vdso]`. */
const LOADED = /\.(?:so|dll|dylib)$|\.so[._]\d|^\[/i;

/**
 * The code of a profile as pprof tables. They have only the mappings, functions and locations that were asked
 * for, in that order. Ids count from 1; 0 means none.
 */
export class PprofCode {
  /** The fields of the message that have the locations and the functions. */
  readonly locations = new PprofRows(LOCATION);
  readonly functions = new PprofRows(FUNCTION);
  /** The lines of functions: numbers below that of {@link lineCount}. */
  readonly #lines = new PairNumbers();
  /** The lines that are inlined at lines, whose numbers follow: that of the outer line, and the line. */
  readonly #pairs = new PairNumbers();
  /** By frame: the number of its line. */
  readonly lineOfFrame: Int32Array;
  readonly #strings: StringTable;
  readonly #table: FunctionTable;
  readonly #names: readonly string[];
  readonly #mappings: Mappings;
  /** By function and by line: the id in the tables; 0 until it has one. */
  readonly #functionIds: Int32Array;
  #locationIds = new Int32Array(64);
  /** A line, and the lines of a location. */
  readonly #line = new Bytes(LINE_BYTES);
  readonly #inner = new Bytes(LINE_BYTES);

  constructor(profile: Profile, strings: StringTable) {
    const { frames, info } = profile;
    const { table, names } = pprofNames(profile);
    this.#strings = strings;
    this.#table = table;
    this.#names = names;
    this.#mappings = new Mappings(info.libraries, strings);
    this.#functionIds = new Int32Array(this.#table.functions.length);
    this.lineOfFrame = columnOf(Int32Array, frames, (frame, i) =>
      this.#lines.of(table.ofFrame[i]!, frame.kind === "js" ? soundPosition(frame.line) : 0),
    );
  }

  /** The number of lines that are not inlined. */
  get lineCount(): number {
    return this.#lines.length;
  }

  /** Returns the number of a frame's line. `outer` is that of the line that the frame is inlined at; -1 if it is not inlined. */
  lineOf(frame: number, outer: number): number {
    const line = this.lineOfFrame[frame]!;
    return outer < 0 ? line : this.lineCount + this.#pairs.of(outer, line);
  }

  /** The mappings, with the program first: pprof takes the first one for the main binary. */
  get mappings(): MappingInput[] {
    return this.#mappings.inputs();
  }

  /** Returns the id of the location of a line, which has the inlined lines innermost first. */
  locationId(number: number): number {
    this.#locationIds = reaching(this.#locationIds, number);
    const known = this.#locationIds[number]!;
    if (known !== 0) return known;
    const count = this.lineCount;
    const own = number < count ? number : this.#pairs.secondOf(number - count);
    const { frame } = this.#table.functions[this.#lines.firstOf(own)]!;
    const lines = this.#inner;
    lines.clear();
    for (let at = number; at >= 0; at = at < count ? -1 : this.#pairs.firstOf(at - count)) {
      const line = at < count ? at : this.#pairs.secondOf(at - count);
      putFields(this.#line, [this.#functionId(this.#lines.firstOf(line)), this.#lines.secondOf(line)]);
      lines.byte(LOCATION_LINE);
      lines.varint(this.#line.length);
      lines.bytes(this.#line.written);
    }
    const id = this.locations.add([this.locations.length + 1, this.#mappings.idOf(frame)], lines);
    this.#locationIds[number] = id;
    return id;
  }

  #functionId(index: number): number {
    const known = this.#functionIds[index]!;
    if (known !== 0) return known;
    const profiled = this.#table.functions[index]!;
    const id = this.functions.add([
      this.functions.length + 1,
      this.#strings.dedup(this.#names[index]!),
      // Not the name again: pprof would take it for a mangled name, and cut what is in <> and ().
      this.#strings.dedup(""),
      this.#strings.dedup(printable(filePath(profiled.file ?? ""))),
      profiled.line ?? 0,
    ]);
    this.#functionIds[index] = id;
    return id;
  }
}

/** Rows of one kind in a message, without an object for each. */
class PprofRows {
  length = 0;
  readonly bytes = new Bytes();
  readonly #tag: number;
  readonly #row = new Bytes(LINE_BYTES);

  constructor(tag: number) {
    this.#tag = tag;
  }

  /** Adds a row with its first fields, of which 0 is the default, and others that are written already. Returns its id. */
  add(fields: readonly number[], others?: Bytes): number {
    const row = this.#row;
    putFields(row, fields);
    if (others !== undefined) row.bytes(others.written);
    this.bytes.byte(this.#tag);
    this.bytes.varint(row.length);
    this.bytes.bytes(row.written);
    return ++this.length;
  }
}

/** Overwrites bytes with fields that are numbers: those with the numbers from 1 on. */
function putFields(bytes: Bytes, fields: readonly number[]): void {
  bytes.clear();
  for (const [i, field] of fields.entries()) {
    if (field === 0) continue;
    bytes.byte((i + 1) << 3);
    bytes.varint(field);
  }
}

// The tags of fields: a number times 8, plus 2 for what has a length. Source: pprof, proto/profile.proto.
const [LOCATION, LOCATION_LINE, FUNCTION] = [0x22, 0x22, 0x2a];
/** Enough for most rows. */
const LINE_BYTES = 64;

/** Returns 1 for each frame that is inlined into its caller's code, if it has a caller. */
export function inlinedFrames(frames: readonly Frame[]): Uint8Array {
  return columnOf(Uint8Array, frames, (frame) => (frame.kind === "js" && frame.inlined ? 1 : 0));
}

/** The mappings of a profile: one for each library with frames, and one for the code that V8 made. */
class Mappings {
  readonly #inputs: { readonly rank: number; readonly input: MappingInput }[] = [];
  readonly #libraries: ReadonlyMap<string, LibraryInfo>;
  readonly #strings: StringTable;
  readonly #ids = new Map<string, number>();

  constructor(libraries: readonly LibraryInfo[], strings: StringTable) {
    this.#libraries = new Map(libraries.map((library) => [library.path, library]));
    this.#strings = strings;
  }

  /** Returns the id of the mapping of a frame's code; 0 if the code is unknown. */
  idOf(frame: Frame): number {
    if (frame.kind === "unknown") return 0;
    const path = frame.kind === "native" ? frame.library : JIT;
    let id = this.#ids.get(path);
    if (id === undefined) {
      id = this.#inputs.length + 1;
      this.#ids.set(path, id);
      const input = path === JIT ? this.#jit(id) : this.#library(id, path);
      this.#inputs.push({ rank: path === JIT ? 1 : LOADED.test(path) ? 2 : 0, input });
    }
    return id;
  }

  inputs(): MappingInput[] {
    return this.#inputs.toSorted((a, b) => a.rank - b.rank).map(({ input }) => input);
  }

  #jit(id: number): MappingInput {
    const has = { hasFunctions: true, hasFilenames: true, hasLineNumbers: true, hasInlineFrames: true };
    return { id, filename: this.#strings.dedup(JIT), ...has };
  }

  #library(id: number, path: string): MappingInput {
    const library = this.#libraries.get(path);
    return {
      id,
      filename: this.#strings.dedup(printable(fileName(path))),
      buildId: this.#strings.dedup(library?.buildId ?? ""),
      hasFunctions: library?.source !== undefined,
    };
  }
}
