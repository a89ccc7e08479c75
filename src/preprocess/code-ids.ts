import { NO_CODE } from "./code-locations.js";
import { type LoggedCode, NO_FUNCTION } from "./logged-code.js";
import type { NamedLibrary } from "./named-libraries.js";
import type { PreprocessRecorder } from "./preprocess-recorder.js";

/** The ids of all code, and of the C++ functions that were on a stack: their indices in the JSON's list. */
export class CodeIds {
  /** By library: its own id. Those of its functions follow. */
  readonly ofLibrary: number[] = [];
  /** By library: its functions that were on a stack, in the order of their table, by index in it. */
  readonly functionsOf: readonly (readonly number[])[];
  /** By library: the place of each of these functions in the list, by index in the table. */
  readonly #placeOf: readonly ReadonlyMap<number, number>[];
  /** By code number. */
  readonly ofCode: Int32Array;
  /** The code that replaces C++ functions at the same address, by id; the last of several. */
  readonly replacements = new Map<number, LoggedCode>();
  readonly #recorder: PreprocessRecorder;
  readonly #libraries: readonly NamedLibrary[];

  constructor(recorder: PreprocessRecorder, libraries: readonly NamedLibrary[]) {
    this.#recorder = recorder;
    this.#libraries = libraries;
    this.functionsOf = this.#functionsOnStacks();
    this.#placeOf = this.functionsOf.map((symbols) => new Map(symbols.map((symbol, i) => [symbol, i])));
    this.ofCode = new Int32Array(recorder.codes.length);
    let next = 0;
    for (const code of recorder.codes) {
      while (this.ofLibrary.length < code.libraries) next = this.#addLibrary(next);
      const taken = code.function === NO_FUNCTION ? this.#functionAt(code) : undefined;
      if (taken !== undefined) this.replacements.set(taken, code);
      this.ofCode[code.number] = taken ?? next++;
    }
    while (this.ofLibrary.length < libraries.length) next = this.#addLibrary(next);
  }

  /**
   * Returns the code id and offset of a location of the recorder; -1 and the address if no code is known
   * there.
   */
  resolve(location: number): readonly [id: number, offset: number] {
    const { locations } = this.#recorder;
    const code = locations.code[location]!;
    const value = locations.value[location]!;
    if (code !== NO_CODE) return [this.ofCode[code]!, value];
    const index = locations.library[location]!;
    const id = this.ofLibrary[index];
    if (id === undefined) return [-1, value];
    const { symbols, library } = this.#libraries[index]!;
    const symbol = symbols?.find(value) ?? -1;
    const start = symbol < 0 ? undefined : symbols?.toAddress(symbols.table.starts[symbol]!);
    const place = this.#placeOf[index]?.get(symbol);
    return start === undefined || place === undefined
      ? [id, value - library.start]
      : [id + 1 + place, value - start];
  }

  #addLibrary(next: number): number {
    const index = this.ofLibrary.push(next) - 1;
    return next + 1 + this.functionsOf[index]!.length;
  }

  /** Returns the functions of each library at the addresses of stacks that no code covers. */
  #functionsOnStacks(): number[][] {
    const { locations } = this.#recorder;
    const found = this.#libraries.map(() => new Set<number>());
    for (let i = 0; i < locations.length; i++) {
      if (locations.code[i] !== NO_CODE) continue;
      const index = locations.library[i]!;
      const symbol = this.#libraries[index]?.symbols?.find(locations.value[i]!) ?? -1;
      if (symbol >= 0) found[index]!.add(symbol);
    }
    return found.map((symbols) => Array.from(symbols).sort((a, b) => a - b));
  }

  /**
   * Returns the id of the C++ function that was on a stack and starts where a code does, in a library that already
   * has an id.
   */
  #functionAt({ start: address, library: index }: LoggedCode): number | undefined {
    const id = this.ofLibrary[index];
    const symbols = this.#libraries[index]?.symbols;
    const symbol = symbols?.find(address) ?? -1;
    if (id === undefined || symbols === undefined || symbol < 0) return undefined;
    const place = this.#placeOf[index]!.get(symbol);
    if (place === undefined) return undefined;
    return symbols.toAddress(symbols.table.starts[symbol]!) === address ? id + 1 + place : undefined;
  }
}
