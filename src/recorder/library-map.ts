import type { Address, Ticks } from "../profile/units.js";
import { isWindowsPath } from "../symbols/platform.js";
import type { Library } from "../symbols/symbol-source.js";
import { RangeMap } from "./range-map.js";

/** Node 0.10 to 4.5 on Windows logged the addresses of libraries modulo this. */
const CUT = 2 ** 32;

/** The files mapped into the process, by address. */
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
  #hasWindowsPath = false;
  #end: Address = 0;

  /**
   * Adds a row of the log. V8 writes a row for each executable segment of a file, all with the start of the
   * first: they are one library, up to the highest end.
   */
  add(library: Library): void {
    if (library.slide !== 0) this.areAddressesKnown = false;
    this.#hasWindowsPath ||= isWindowsPath(library.path);
    this.#end = Math.max(this.#end, library.end);
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
    return this.#ranges.find(address)?.owner ?? -1;
  }

  /** Returns true only if {@link find} returns the same for all of `[start, end)`. */
  isUniform(start: Address, end: Address): boolean {
    return this.#ranges.isUniform(start, end);
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
