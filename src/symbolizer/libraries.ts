import type { Address } from "../profile/units.js";
import type { Library } from "./native/symbol-source.js";

/** The files mapped into the process, by address. */
export class LibraryMap {
  /** In the order of the log; an index into it names a library. */
  readonly libraries: Library[] = [];
  /** Indices by ascending start. */
  #order: number[] = [];

  /**
   * Adds a row of the log. V8 writes a row for each executable part of a file, all with the start of the
   * first: they are one library, up to the largest end.
   */
  add(library: Library): void {
    const same = this.libraries.findIndex((l) => l.path === library.path && l.start === library.start);
    if (same >= 0) {
      const end = Math.max(this.libraries[same]!.end, library.end);
      this.libraries[same] = { ...library, end };
      return;
    }
    this.libraries.push(library);
    this.#order.push(this.libraries.length - 1);
    this.#order.sort((a, b) => this.libraries[a]!.start - this.libraries[b]!.start || a - b);
  }

  /** The index of the library over an address; -1 outside all of them. */
  find(address: Address): number {
    for (let i = this.#order.length - 1; i >= 0; i--) {
      const index = this.#order[i]!;
      const library = this.libraries[index]!;
      if (address >= library.start && address < library.end) return index;
    }
    return -1;
  }
}
