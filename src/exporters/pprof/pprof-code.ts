import type { FunctionInput, LocationInput, MappingInput, StringTable } from "pprof-format";
import { ROOT } from "../../profile/call-tree.js";
import type { Frame } from "../../profile/frame.js";
import type { LibraryInfo, Profile } from "../../profile/profile.js";
import { soundPosition } from "../../profile/sound-numbers.js";
import { FunctionTable } from "../../views/function-table.js";
import { printable } from "../../views/label.js";
import { filePath, placedName } from "../placed-name.js";

/** The mapping of what V8 made: pprof's tools show a name in brackets as memory without a file. */
const JIT = "[jit]";
/** What is no program, by its path: `libc.so.6`, `ntdll.dll`, `libobjc.A.dylib`, `[vdso]`. */
const LOADED = /\.(?:so|dll|dylib)$|\.so[._]\d|^\[/i;

/** A place in code as pprof has it: a function, and those inlined into it. */
interface Place {
  /** The place in which this one is inlined; undefined for code of its own. */
  readonly outer: Place | undefined;
  /** An index into the functions of the profile. */
  readonly function: number;
  /** From 1; 0 where it is not known. */
  readonly line: number;
  readonly frame: Frame;
}

/**
 * The code of a profile in the tables of a pprof profile. Only the mappings, functions and locations that were asked for are
 * in them, in the order in which they were; ids count from 1, since 0 stands for none.
 */
export class PprofCode {
  readonly functions: FunctionInput[] = [];
  readonly locations: LocationInput[] = [];
  /** By node: the place that its stack ends in, an index into `#places`. */
  readonly placeOf: Int32Array;
  readonly #places: Place[] = [];
  readonly #strings: StringTable;
  readonly #table: FunctionTable;
  readonly #mappings: Mappings;
  /** By function, and by place: the id in the tables, 0 while it has none. */
  readonly #functionIds: Int32Array;
  readonly #locationIds: Int32Array;

  constructor({ frames, tree, info }: Profile, strings: StringTable) {
    this.#strings = strings;
    this.#table = new FunctionTable(frames);
    this.#mappings = new Mappings(info.libraries, strings);
    this.#functionIds = new Int32Array(this.#table.functions.length);
    this.placeOf = new Int32Array(tree.length);
    const numbers = new Map<string, number>();
    for (let node = ROOT + 1; node < tree.length; node++) {
      const frame = frames[tree.frame[node]!]!;
      const outer = isInlined(frame, tree.parent[node]!) ? this.placeOf[tree.parent[node]!]! : -1;
      const line = frame.kind === "js" ? soundPosition(frame.line) : 0;
      const id = this.#table.ofFrame[tree.frame[node]!]!;
      const key = `${outer} ${id} ${line}`;
      let number = numbers.get(key);
      if (number === undefined) {
        number = this.#places.push({ outer: this.#places[outer], function: id, line, frame }) - 1;
        numbers.set(key, number);
      }
      this.placeOf[node] = number;
    }
    this.#locationIds = new Int32Array(this.#places.length);
  }

  /** The program before what it loaded: pprof takes the first mapping for the main binary. */
  get mappings(): MappingInput[] {
    return this.#mappings.inputs();
  }

  /** The id of the location of a place, its lines innermost first. */
  locationId(number: number): number {
    const known = this.#locationIds[number]!;
    if (known !== 0) return known;
    const line = [];
    for (let place = this.#places[number]; place !== undefined; place = place.outer) {
      line.push({ functionId: this.#functionId(place.function), line: place.line });
    }
    const id = this.locations.length + 1;
    this.locations.push({ id, mappingId: this.#mappings.idOf(this.#places[number]!.frame), line });
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
      name: this.#strings.dedup(placedName(profiled)),
      // Not the name again: pprof would take that for one to demangle, and cut what stands in <> and ().
      systemName: this.#strings.dedup(""),
      filename: this.#strings.dedup(printable(filePath(profiled.file ?? ""))),
      startLine: profiled.line ?? 0,
    });
    this.#functionIds[index] = id;
    return id;
  }
}

/** Whether the code of a node's frame is inside that of its caller. */
export function isInlined(frame: Frame, parent: number): boolean {
  return frame.kind === "js" && frame.inlined && parent !== ROOT;
}

/** The mappings of a profile: one a library with frames, and one for the code that V8 made. */
class Mappings {
  readonly #inputs: { readonly rank: number; readonly input: MappingInput }[] = [];
  readonly #libraries: ReadonlyMap<string, LibraryInfo>;
  readonly #strings: StringTable;
  readonly #ids = new Map<string, number>();

  constructor(libraries: readonly LibraryInfo[], strings: StringTable) {
    this.#libraries = new Map(libraries.map((library) => [library.path, library]));
    this.#strings = strings;
  }

  /** The id of the mapping that a frame's code is in; 0 for code of nobody. */
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
      filename: this.#strings.dedup(printable(path)),
      buildId: this.#strings.dedup(library?.buildId ?? ""),
      hasFunctions: library?.source !== undefined,
    };
  }
}
