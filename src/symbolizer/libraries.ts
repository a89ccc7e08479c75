import type { Address, Ticks } from "../profile/units.js";
import { isWindowsPath } from "./native/platform.js";
import type { Library } from "./native/symbol-source.js";

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
  /** Indices by ascending start; made when it is needed. */
  #order: number[] | undefined;
  /** By place in that order: the largest end so far. */
  #ends = new Float64Array(0);
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
    this.#order = undefined;
    const key = `${library.start} ${library.path}`;
    const same = this.#known.get(key);
    if (same === undefined) this.#known.set(key, this.libraries.push(library) - 1);
    else this.libraries[same] = { ...library, end: Math.max(this.libraries[same]!.end, library.end) };
  }

  /** The index of the library over an address, the one that starts last of several; -1 outside all of them. */
  find(address: Address): number {
    const order = this.#order ?? this.#sort();
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.libraries[order[middle]!]!.start <= address) low = middle + 1;
      else high = middle;
    }
    for (let i = low - 1; i >= 0 && this.#ends[i]! > address; i--) {
      if (address < this.libraries[order[i]!]!.end) return order[i]!;
    }
    return -1;
  }

  /** Whether {@link find} answers the same for all of `[start, end)`, which no edge of a library lies inside. */
  isUniform(start: Address, end: Address): boolean {
    const isInside = (edge: Address) => edge > start && edge < end;
    return !this.libraries.some((library) => isInside(library.start) || isInside(library.end));
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
      lower.libraries.push({ path, start: start - slide, end: end - slide, slide });
    }
    if (lower.#ticksIn(ticks) <= this.#ticksIn(ticks)) return;
    for (const [i, library] of lower.libraries.entries()) this.libraries[i] = library;
    this.#order = undefined;
  }

  #ticksIn(ticks: ReadonlyMap<Address, Ticks>): Ticks {
    let sum = 0;
    for (const [address, count] of ticks) if (this.find(address) >= 0) sum += count;
    return sum;
  }

  #sort(): number[] {
    const libraries = this.libraries;
    const order = Array.from(libraries.keys()).sort(
      (a, b) => libraries[a]!.start - libraries[b]!.start || a - b,
    );
    let end = 0;
    this.#ends = Float64Array.from(order, (index) => {
      end = Math.max(end, libraries[index]!.end);
      return end;
    });
    this.#order = order;
    return order;
  }
}
