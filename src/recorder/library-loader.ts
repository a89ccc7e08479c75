import type { LogPlatform } from "../profile/library-problem.js";
import { type V8Version, versionText } from "../profile/v8-version.js";
import { buildProblem } from "../symbols/binary-trust.js";
import { type LoadedLibrary, type LoadOptions, loadLibrary } from "../symbols/load-library.js";
import { platformOf } from "../symbols/platform.js";
import type { EmbeddedBuiltins } from "./builtins.js";
import type { LibraryMap } from "./library-map.js";

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
    let loaded = this.#loaded.get(key);
    if (loaded === undefined) {
      loaded = loadLibrary(library, { v8, isUnversioned, platform, ...this.#options });
      this.#loaded.set(key, loaded);
    }
    return loaded;
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
