import type { Address, Ticks } from "../profile/units.js";
import { isWindowsPath } from "../symbols/platform.js";
import type { MappedCode } from "../symbols/process-map.js";
import type { Library } from "../symbols/symbol-source.js";
import { RangeMap } from "./range-map.js";

/** Node 0.10 to 4.5 on Windows logged the addresses of libraries modulo this. */
const CUT = 2 ** 32;

/**
 * The files mapped into the process, by address: those of the log, and where it has none, those of a map that was saved of
 * the process. Such a map counts only if the log's libraries are where it has them: PIDs are used again.
 */
export class LibraryMap {
  /** In the order of the log. An index into it identifies a library. */
  readonly libraries: Library[] = [];
  /**
   * Whether the libraries' addresses are certain. They are not while any library has a slide: V8 12.1 on
   * arm64 added it twice, and only the ticks show whether it did.
   */
  areAddressesKnown = true;
  /** By path and start: the index of a library. */
  readonly #known = new Map<string, number>();
  #ranges = new RangeMap();
  readonly #mapped: readonly MappedCode[];
  readonly #mappedRanges = new RangeMap();
  /** By path: the starts of the libraries of the saved map. */
  readonly #mappedStarts = new Map<string, Set<Address>>();
  /** The indices of those libraries of the saved map that were found. */
  readonly #mappedIndices = new Map<Library, number>();
  /** The paths of the saved map that the log has too: of these the log tells all. */
  readonly #loggedPaths = new Set<string>();
  /** How many rows of the log are where the saved map has them, and how many are elsewhere. */
  #agreeing = 0;
  #contrary = 0;
  #hasWindowsPath = false;
  #end: Address = 0;

  /** `mapped` is a map that was saved of the process. */
  constructor(mapped: readonly MappedCode[] = []) {
    this.#mapped = mapped;
    for (let owner = 0; owner < mapped.length; owner++) {
      const { from, to, library } = mapped[owner]!;
      this.#mappedRanges.add({ start: from, end: to, owner });
      const starts = this.#mappedStarts.get(library.path) ?? new Set();
      this.#mappedStarts.set(library.path, starts.add(library.start));
    }
  }

  /**
   * Adds a row of the log. V8 writes a row for each executable segment of a file, all with the start of the
   * first: they are one library, up to the highest end.
   */
  add(library: Library): void {
    if (library.slide !== 0) this.areAddressesKnown = false;
    this.#hasWindowsPath ||= isWindowsPath(library.path);
    this.#end = Math.max(this.#end, library.end);
    const mapped = this.#mappedStarts.get(library.path);
    if (mapped !== undefined) this.#loggedPaths.add(library.path);
    if (mapped?.has(library.start)) this.#agreeing++;
    else if (mapped !== undefined) this.#contrary++;
    const key = `${library.start} ${library.path}`;
    let index = this.#known.get(key);
    if (index === undefined) {
      index = this.libraries.push(library) - 1;
      this.#known.set(key, index);
    } else {
      this.libraries[index] = { ...library, end: Math.max(this.libraries[index]!.end, library.end) };
    }
    this.#addRange(index);
  }

  /**
   * Returns the index of the library at an address, of several the one with the highest start; -1 if there is
   * none.
   */
  find(address: Address): number {
    return this.#ranges.find(address)?.owner ?? this.#findMapped(address);
  }

  /** Returns true only if {@link find} returns the same for all of `[start, end)`. */
  isUniform(start: Address, end: Address): boolean {
    return this.#ranges.isUniform(start, end) && this.#mappedRanges.isUniform(start, end);
  }

  /**
   * Returns an address cut to 32 bits if the log looks like one of Node 0.10 to 4.5 on Windows, where the
   * addresses of libraries were cut but those of ticks were not. Else returns the address itself.
   */
  cut(address: Address): Address {
    const isCut = this.#hasWindowsPath && this.#end <= CUT && address >= CUT;
    return isCut ? address - Math.floor(address / CUT) * CUT : address;
  }

  /**
   * Decides where the libraries are: where the log says, or lower by their slides, whichever covers more of
   * the ticks, which are given by address. Keeps the libraries' indices.
   */
  chooseSlides(ticks: ReadonlyMap<Address, Ticks>): void {
    if (this.areAddressesKnown) return;
    this.areAddressesKnown = true;
    const lower = new LibraryMap();
    for (const { path, start, end, slide } of this.libraries) {
      lower.#addRange(lower.libraries.push({ path, start: start - slide, end: end - slide, slide }) - 1);
    }
    if (lower.#ticksIn(ticks) <= this.#ticksIn(ticks)) return;
    for (const [i, library] of lower.libraries.entries()) this.libraries[i] = library;
    this.#ranges = lower.#ranges;
  }

  #findMapped(address: Address): number {
    if (this.#agreeing === 0 || this.#contrary > 0) return -1;
    const found = this.#mappedRanges.find(address)?.owner;
    if (found === undefined) return -1;
    const { library } = this.#mapped[found]!;
    if (this.#loggedPaths.has(library.path)) return -1; // V8 maps its builtins a second time, among its code.
    const index = this.#mappedIndices.get(library) ?? this.libraries.push(library) - 1;
    this.#mappedIndices.set(library, index);
    return index;
  }

  #ticksIn(ticks: ReadonlyMap<Address, Ticks>): Ticks {
    let sum = 0;
    for (const [address, count] of ticks) if (this.find(address) >= 0) sum += count;
    return sum;
  }

  #addRange(index: number): void {
    const { start, end } = this.libraries[index]!;
    if (start < end) this.#ranges.add({ start, end, owner: index });
  }
}
