import type { Address, Ticks } from "../profile/units.js";
import { isWindowsPath } from "../symbols/platform.js";
import type { Library } from "../symbols/symbol-source.js";
import { RangeMap } from "./range-map.js";

/** What Node 0.10 to 4.5 on Windows took the addresses of libraries modulo. */
const CUT = 2 ** 32;

/** The files mapped into the process, by address. */
export class LibraryMap {
  /** In the order of the log; an index into it names a library. */
  readonly libraries: Library[] = [];
  /**
   * Whether it is known where they are. It is not while any has a slide: V8 12.1 on arm64 added it to the addresses
   * twice, and only the ticks tell.
   */
  arePlaced = true;
  /** Indices by path and start. */
  readonly #known = new Map<string, number>();
  #ranges = new RangeMap();
  #hasWindowsPath = false;
  #end: Address = 0;

  /**
   * Adds a row of the log. V8 writes a row for each executable part of a file, all with the start of the
   * first: they are one library, up to the largest end.
   */
  add(library: Library): void {
    if (library.slide !== 0) this.arePlaced = false;
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

  /** The index of the library over an address, the one that starts last of several; -1 outside all of them. */
  find(address: Address): number {
    return this.#ranges.find(address)?.owner ?? -1;
  }

  /** Whether {@link find} surely answers the same for all of `[start, end)`. */
  isUniform(start: Address, end: Address): boolean {
    return this.#ranges.isUniform(start, end);
  }

  /**
   * The place of an address among libraries whose addresses the log has cut to 32 bits, as Node 0.10 to 4.5 did on
   * Windows, but not to those of ticks. The address itself where the log does not look so.
   */
  cut(address: Address): Address {
    const isCut = this.#hasWindowsPath && this.#end <= CUT && address >= CUT;
    return isCut ? address - Math.floor(address / CUT) * CUT : address;
  }

  /**
   * Decides where the libraries are: where the log says, or lower by their slide, whichever covers more of the ticks,
   * here by address. Keeps their indices.
   */
  place(ticks: ReadonlyMap<Address, Ticks>): void {
    if (this.arePlaced) return;
    this.arePlaced = true;
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
