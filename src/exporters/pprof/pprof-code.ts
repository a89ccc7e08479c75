import type { FunctionInput, LocationInput, MappingInput, StringTable } from "pprof-format";
import { ROOT } from "../../profile/call-tree.js";
import { reaching } from "../../profile/columns.js";
import type { Frame } from "../../profile/frame.js";
import { PairNumbers } from "../../profile/pair-numbers.js";
import type { LibraryInfo, Profile } from "../../profile/profile.js";
import { soundPosition } from "../../profile/sound-numbers.js";
import type { FunctionTable } from "../../views/function-table.js";
import { printable } from "../../views/label.js";
import { fileName } from "../../views/origin.js";
import { filePath } from "../file-url.js";
import { pprofNames } from "./pprof-names.js";

/** The mapping for code that V8 made. pprof's tools show a name in brackets as memory without a file. */
const JIT = "[jit]";
/** Paths that are not programs: `libc.so.6`, `ntdll.dll`, `libobjc.A.dylib`, `[vdso]`. */
const LOADED = /\.(?:so|dll|dylib)$|\.so[._]\d|^\[/i;

/** A line of a function, and the line that it is inlined at. */
interface CodeLine {
  /** The line that this one is inlined at; undefined if it is not inlined. */
  readonly outer: CodeLine | undefined;
  /** An index into the functions of the profile. */
  readonly function: number;
  /** From 1; 0 if unknown. */
  readonly line: number;
  readonly frame: Frame;
}

/**
 * The code of a profile as pprof tables. They have only the mappings, functions and locations that were asked
 * for, in that order. Ids count from 1; 0 means none.
 */
export class PprofCode {
  readonly functions: FunctionInput[] = [];
  readonly locations: LocationInput[] = [];
  /** By number: the distinct lines of functions. */
  readonly #lines: CodeLine[] = [];
  readonly #inFunctions = new PairNumbers();
  readonly #lineNumbers = new PairNumbers();
  readonly #frames: readonly Frame[];
  readonly #strings: StringTable;
  readonly #table: FunctionTable;
  readonly #names: readonly string[];
  readonly #mappings: Mappings;
  /** By function and by line: the id in the tables; 0 until it has one. */
  readonly #functionIds: Int32Array;
  #locationIds = new Int32Array(64);

  constructor(profile: Profile, strings: StringTable) {
    const { frames, info } = profile;
    const { table, names } = pprofNames(profile);
    this.#frames = frames;
    this.#strings = strings;
    this.#table = table;
    this.#names = names;
    this.#mappings = new Mappings(info.libraries, strings);
    this.#functionIds = new Int32Array(this.#table.functions.length);
  }

  /** Returns the number of a frame's line. `outer` is that of the line that the frame is inlined at; -1 if it is not inlined. */
  lineOf(frame: number, outer: number): number {
    const found = this.#frames[frame]!;
    const line = found.kind === "js" ? soundPosition(found.line) : 0;
    const id = this.#table.ofFrame[frame]!;
    const number = this.#lineNumbers.of(this.#inFunctions.of(outer, id), line);
    if (number === this.#lines.length) {
      this.#lines.push({ outer: this.#lines[outer], function: id, line, frame: found });
    }
    return number;
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
    const line = [];
    for (let at = this.#lines[number]; at !== undefined; at = at.outer) {
      line.push({ functionId: this.#functionId(at.function), line: at.line });
    }
    const id = this.locations.length + 1;
    this.locations.push({ id, mappingId: this.#mappings.idOf(this.#lines[number]!.frame), line });
    this.#locationIds[number] = id;
    return id;
  }

  #functionId(index: number): number {
    const known = this.#functionIds[index]!;
    if (known !== 0) return known;
    const profiled = this.#table.functions[index]!;
    const id = this.functions.length + 1;
    this.functions.push({
      id,
      name: this.#strings.dedup(this.#names[index]!),
      // Not the name again: pprof would take it for a mangled name, and cut what is in <> and ().
      systemName: this.#strings.dedup(""),
      filename: this.#strings.dedup(printable(filePath(profiled.file ?? ""))),
      startLine: profiled.line ?? 0,
    });
    this.#functionIds[index] = id;
    return id;
  }
}

/** Returns whether a node's frame is inlined into its caller's code. */
export function isInlined(frame: Frame, parent: number): boolean {
  return frame.kind === "js" && frame.inlined && parent !== ROOT;
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
