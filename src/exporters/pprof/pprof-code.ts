import type { FunctionInput, LocationInput, MappingInput, StringTable } from "pprof-format";
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

/**
 * The code of a profile as pprof tables. They have only the mappings, functions and locations that were asked
 * for, in that order. Ids count from 1; 0 means none.
 */
export class PprofCode {
  readonly functions: FunctionInput[] = [];
  readonly locations: LocationInput[] = [];
  /** The lines of functions: numbers below that of {@link lineCount}. */
  readonly #lines = new PairNumbers();
  /** The lines that are inlined at lines, whose numbers follow: that of the outer line, and the line. */
  readonly #pairs = new PairNumbers();
  #inlined: { readonly first: Int32Array; readonly second: Int32Array } = this.#pairs;
  /** By frame: the number of its line. */
  readonly lineOfFrame: Int32Array;
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
    this.#strings = strings;
    this.#table = table;
    this.#names = names;
    this.#mappings = new Mappings(info.libraries, strings);
    this.#functionIds = new Int32Array(this.#table.functions.length);
    this.lineOfFrame = Int32Array.from(frames, (frame, i) =>
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

  /** Takes the lines that are inlined at lines in place of {@link lineOf}: pairs of that line and one that is not inlined. */
  setInlined(outers: Int32Array, lines: Int32Array): void {
    this.#inlined = { first: outers, second: lines };
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
    const count = this.lineCount;
    const { first, second } = this.#lines;
    for (let at = number; at >= 0; at = at < count ? -1 : this.#inlined.first[at - count]!) {
      const own = at < count ? at : this.#inlined.second[at - count]!;
      line.push({ functionId: this.#functionId(first[own]!), line: second[own]! });
    }
    const own = number < count ? number : this.#inlined.second[number - count]!;
    const id = this.locations.length + 1;
    const { frame } = this.#table.functions[first[own]!]!;
    this.locations.push({ id, mappingId: this.#mappings.idOf(frame), line });
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

/** Returns 1 for each frame that is inlined into its caller's code, if it has a caller. */
export function inlinedFrames(frames: readonly Frame[]): Uint8Array {
  return Uint8Array.from(frames, (frame) => (frame.kind === "js" && frame.inlined ? 1 : 0));
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
