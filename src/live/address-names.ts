import type { Frame } from "../profile/frame.js";
import type { Address } from "../profile/units.js";
import type { BuiltinCopy, EmbeddedBuiltins } from "../recorder/builtins.js";
import type { LibraryLoader, WholeLogFacts } from "../recorder/library-loader.js";
import type { LibraryMap } from "../recorder/library-map.js";
import type { PendingFrame } from "../recorder/recorded-frame.js";
import type { MappedSymbols } from "../symbols/load-library.js";
import type { LibraryFunction } from "../symbols/readable-names.js";

/** Where the names of native code come from. */
export interface NameSources {
  /** Loads the functions of the log's libraries. */
  readonly loader: LibraryLoader;
  /** Returns the readable names of functions, one for each. */
  readonly readNames: (functions: readonly LibraryFunction[]) => Promise<readonly string[]>;
}

/** A frame that was only an address, and what is there. */
export interface NamedAddress {
  /** The number of the frame. */
  readonly frame: number;
  readonly found: Frame;
}

/** An address of a log, by the number of its frame. */
interface OpenAddress {
  readonly frame: number;
  readonly address: Address;
}

const UNKNOWN: Frame = { kind: "unknown", reason: "unmapped" };

/** Finds out what is at the addresses of a log that are in libraries or in V8's copy of the builtins, while it grows. */
export class AddressNames {
  readonly #libraries: LibraryMap;
  readonly #builtins: EmbeddedBuiltins;
  /** By library: its functions; undefined if it has none. */
  readonly #loaded = new Map<number, MappedSymbols | undefined>();
  /** The addresses since the last names. */
  #fresh: (OpenAddress & Pick<PendingFrame, "library">)[] = [];
  /** Those that were outside everything while the copy of the builtins was not found. */
  #outside: OpenAddress[] = [];
  #copy: BuiltinCopy | undefined;

  constructor(libraries: LibraryMap, builtins: EmbeddedBuiltins) {
    this.#libraries = libraries;
    this.#builtins = builtins;
  }

  /** Adds an address that needs a name. */
  add(frame: number, { library, address }: PendingFrame): void {
    this.#fresh.push({ frame, library, address });
  }

  /** Returns the functions of a library, which are read once. */
  async load(
    library: number,
    loader: LibraryLoader,
    facts: WholeLogFacts,
  ): Promise<MappedSymbols | undefined> {
    if (!this.#loaded.has(library)) {
      this.#loaded.set(library, (await loader.loadTrusted(library, facts)).symbols);
    }
    return this.#loaded.get(library);
  }

  /** Returns what is at the addresses that were added since the last call. */
  async name({ loader, readNames }: NameSources, facts: WholeLogFacts): Promise<NamedAddress[]> {
    const fresh = this.#fresh;
    if (fresh.length === 0) return [];
    this.#fresh = [];
    const named: NamedAddress[] = [];
    const native: { readonly frame: number; readonly path: string; readonly at: LibraryFunction }[] = [];
    const outside: OpenAddress[] = [];
    for (const open of fresh) {
      // While the slides of libraries are uncertain, they are taken to be where the log says.
      const library = open.library >= 0 ? open.library : this.#libraries.find(open.address);
      if (library < 0) {
        outside.push(open);
        continue;
      }
      const { path } = this.#libraries.libraries[library]!;
      const symbols = await this.load(library, loader, facts);
      const index = symbols?.find(open.address) ?? -1;
      if (symbols !== undefined && index >= 0)
        native.push({ frame: open.frame, path, at: { symbols, index } });
      else named.push(nativeFrame(open.frame, path, undefined));
    }
    const names = await readNames(native.map(({ at }) => at));
    for (const [i, { frame, path }] of native.entries()) named.push(nativeFrame(frame, path, names[i]));
    return [...named, ...this.#inCopy(outside)];
  }

  /** Returns what is at addresses outside all libraries, and at former ones once the copy of the builtins is found. */
  #inCopy(outside: readonly OpenAddress[]): NamedAddress[] {
    if (outside.length === 0) return [];
    const isNew = this.#copy === undefined && this.#findCopy(outside);
    const copy = this.#copy;
    const again = isNew ? this.#outside : [];
    this.#outside = copy === undefined ? [...this.#outside, ...outside] : [];
    const frameOf = ({ address }: OpenAddress) => copy?.find(address) ?? UNKNOWN;
    return [...outside, ...again].map((open) => ({ frame: open.frame, found: frameOf(open) }));
  }

  #findCopy(outside: readonly OpenAddress[]): boolean {
    const addresses = new Map(outside.map(({ address }) => [address, 1]));
    const found = this.#builtins.locateCopy(addresses, (address) => this.#libraries.find(address) >= 0);
    this.#copy = found === "refuted" ? undefined : found;
    return this.#copy !== undefined;
  }
}

function nativeFrame(frame: number, library: string, symbol: string | undefined): NamedAddress {
  return { frame, found: { kind: "native", library, symbol } };
}
