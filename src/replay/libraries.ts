import { valueAt } from "../base/maps.js";
import { upperBound } from "../base/sorted.js";
import type { Address, Ticks } from "../base/units.js";
import { buildProblem } from "../native/binary-trust.js";
import { type LoadedLibrary, type LoadOptions, loadLibrary } from "../native/load-library.js";
import { isWindowsPath, platformOf } from "../native/platform.js";
import type { MappedCode } from "../native/process-map.js";
import type { Library } from "../native/symbol-source.js";
import type { LogPlatform } from "../profile/library-problem.js";
import { type V8Version, versionText } from "../profile/v8-version.js";
import type { EmbeddedBuiltins } from "./builtins.js";

/** A range of addresses. */
export interface AddressRange {
  readonly start: Address;
  /** The first address past it. */
  readonly end: Address;
}

/** A range of addresses and its owner. */
export interface OwnedRange extends AddressRange {
  readonly owner: number;
}

/** No range. */
const NONE = -1;

/**
 * Finds the owner of an address among ranges that may overlap in any way: the range with the highest start
 * counts, of several the one with the highest owner. Ranges may be added and looked up in any order; n of
 * each take n log² n steps.
 *
 * The ranges are in groups, each at most half as large as the one before, whose ranges no longer overlap.
 */
export class RangeMap {
  readonly #groups: Group[] = [];
  #fresh: OwnedRange[] = [];

  add(range: OwnedRange): void {
    this.#fresh.push(range);
  }

  /** Returns the range that counts at an address; undefined if there is none. */
  find(address: Address): OwnedRange | undefined {
    let found: OwnedRange | undefined;
    for (const group of this.#settled()) {
      const range = group.find(address);
      if (range !== undefined && (found === undefined || compare(range, found) > 0)) found = range;
    }
    return found;
  }

  /** Returns true only if {@link find} returns the same for all of `[start, end)`. */
  isUniform(start: Address, end: Address): boolean {
    return this.#settled().every((group) => group.isUniform(start, end));
  }

  #settled(): readonly Group[] {
    if (this.#fresh.length === 0) return this.#groups;
    let ranges = this.#fresh;
    this.#fresh = [];
    for (let last = this.#groups.at(-1); last !== undefined; last = this.#groups.at(-1)) {
      if (last.ranges.length > 2 * ranges.length) break;
      ranges = last.ranges.concat(ranges);
      this.#groups.pop();
    }
    this.#groups.push(new Group(ranges));
    return this.#groups;
  }
}

class Group {
  /** Sorted by start, then by owner. */
  readonly ranges: OwnedRange[];
  /** Ascending addresses from which another range, or none, counts; `#indices` has its index. */
  readonly #edges: Address[] = [];
  readonly #indices: number[] = [];

  constructor(ranges: OwnedRange[]) {
    this.ranges = ranges.sort(compare);
    /** The open ranges; the one that counts is last. */
    const open: number[] = [];
    for (const [index, { start }] of ranges.entries()) {
      this.#closeUntil(start, open);
      open.push(index);
      this.#addEdge(start, index);
    }
    this.#closeUntil(Number.POSITIVE_INFINITY, open);
  }

  find(address: Address): OwnedRange | undefined {
    const index = this.#indices[upperBound(this.#edges, address) - 1] ?? NONE;
    return this.ranges[index];
  }

  isUniform(start: Address, end: Address): boolean {
    const next = this.#edges[upperBound(this.#edges, start)];
    return next === undefined || next >= end;
  }

  /** Closes the ranges that end at or below an address. */
  #closeUntil(address: Address, open: number[]): void {
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      const { end } = this.ranges[last]!;
      if (end > address) return;
      open.pop();
      // Ranges that began earlier may have ended too.
      while (open.length > 0 && this.ranges[open.at(-1)!]!.end <= end) open.pop();
      this.#addEdge(end, open.at(-1) ?? NONE);
    }
  }

  #addEdge(edge: Address, index: number): void {
    if (this.#edges.at(-1) === edge) {
      this.#indices[this.#indices.length - 1] = index;
      return;
    }
    this.#edges.push(edge);
    this.#indices.push(index);
  }
}

function compare(a: OwnedRange, b: OwnedRange): number {
  return a.start - b.start || a.owner - b.owner;
}

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
      valueAt(this.#mappedStarts, library.path, () => new Set()).add(library.start);
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
    return valueAt(this.#mappedIndices, library, () => this.libraries.push(library) - 1);
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

/** What is known about a log so far. */
export interface LogFacts {
  readonly libraries: LibraryMap;
  readonly v8: V8Version | undefined;
  /** Whether it is from a V8 too old to state its version. */
  readonly isUnversioned: boolean;
}

/** What is known about a log after its last record. */
export interface WholeLogFacts extends LogFacts {
  readonly builtins: EmbeddedBuiltins;
}

/**
 * Loads the functions of one log's libraries, each once, during or after reading. Knowing early where
 * functions begin makes all addresses in a function one frame, which keeps the call tree small.
 */
export class LibraryLoader {
  readonly #options: LoadOptions;
  /**
   * By index, end and what is known about the log. A library that grew counts as another one, and later rows
   * can add facts: the final result must not depend on where the log was cut into chunks.
   */
  readonly #loaded = new Map<string, Promise<LoadedLibrary>>();

  /** What {@link loadTrusted} found, and of how many builtins: a log that grows asks again and again. */
  readonly #trusted = new Map<
    LoadedLibrary,
    { readonly builtins: number; readonly library: LoadedLibrary }
  >();

  /** The system of the log, judged by its first `libraries` libraries. */
  #platform: { readonly libraries: number; readonly name: LogPlatform } | undefined;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Loads the functions of the library at an index of the log's libraries. */
  load(index: number, { libraries, v8, isUnversioned }: LogFacts): Promise<LoadedLibrary> {
    const library = libraries.libraries[index]!;
    const platform = this.#platformOf(libraries);
    const key = `${index} ${library.end} ${platform} ${v8 === undefined ? isUnversioned : versionText(v8)}`;
    return valueAt(this.#loaded, key, () =>
      loadLibrary(library, { v8, isUnversioned, platform, ...this.#options }),
    );
  }

  /**
   * Loads like {@link load} after the last record, but without functions if the log's rows prove that they
   * are from another build.
   */
  async loadTrusted(index: number, facts: WholeLogFacts): Promise<LoadedLibrary> {
    const library = await this.load(index, facts);
    const { info, symbols } = library;
    if (symbols === undefined || info.source === "recorded") return library;
    const builtins = facts.builtins.length;
    const known = this.#trusted.get(library);
    if (known?.builtins === builtins) return known.library;
    const problem = buildProblem(symbols, facts.builtins, this.#options);
    const trusted =
      problem === undefined
        ? library
        : { info: { ...info, source: undefined, symbols: 0, problem }, symbols: undefined };
    this.#trusted.set(library, { builtins, library: trusted });
    return trusted;
  }

  /** Returns the system of the log; determined again only if there are more libraries. */
  #platformOf({ libraries }: LibraryMap): LogPlatform {
    if (this.#platform?.libraries !== libraries.length) {
      this.#platform = { libraries: libraries.length, name: platformOf(libraries) };
    }
    return this.#platform.name;
  }
}
