import type { LogPlatform } from "../profile/library-problem.js";
import { type V8Version, versionText } from "../profile/v8-version.js";
import { buildProblem } from "../symbols/binary-trust.js";
import { type LoadedLibrary, type LoadOptions, loadLibrary } from "../symbols/load-library.js";
import { platformOf } from "../symbols/platform.js";
import type { EmbeddedBuiltins } from "./builtins.js";
import type { LibraryMap } from "./library-map.js";

/** What is known of a log so far. */
export interface LogFacts {
  readonly libraries: LibraryMap;
  readonly v8: V8Version | undefined;
}

/** What is known of a log that was read to its end. */
export interface WholeLogFacts extends LogFacts {
  readonly builtins: EmbeddedBuiltins;
}

/**
 * Loads the functions of one log's libraries, each once, while the log is read or after: knowing early where functions begin
 * makes all addresses in one function one frame, which keeps the call tree small.
 */
export class LibraryLoader {
  readonly #options: LoadOptions;
  /**
   * By index and end, since a library that grew is another one, and by what is known of the log: rows that come later can
   * say more, and what is said at the end must not depend on where the log was cut into chunks.
   */
  readonly #loaded = new Map<string, Promise<LoadedLibrary>>();

  /** The system of the log, as so many libraries tell it. */
  #platform: { readonly libraries: number; readonly name: LogPlatform } | undefined;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** The functions of the library at an index of the log's libraries. */
  load(index: number, { libraries, v8 }: LogFacts): Promise<LoadedLibrary> {
    const library = libraries.libraries[index]!;
    const platform = this.#platformOf(libraries);
    const key = `${index} ${library.end} ${platform} ${v8 === undefined ? "" : versionText(v8)}`;
    let loaded = this.#loaded.get(key);
    if (loaded === undefined) {
      loaded = loadLibrary(library, { v8, platform, ...this.#options });
      this.#loaded.set(key, loaded);
    }
    return loaded;
  }

  /** The same for a log that was read to its end: without functions where its rows prove that they are of another build. */
  async loadTrusted(index: number, facts: WholeLogFacts): Promise<LoadedLibrary> {
    const library = await this.load(index, facts);
    const { info, symbols } = library;
    if (symbols === undefined || info.source === "recorded") return library;
    const problem = buildProblem(symbols, facts.builtins, this.#options);
    return problem === undefined
      ? library
      : { info: { ...info, source: undefined, symbols: 0, problem }, symbols: undefined };
  }

  /** The system of the log: looked for again only when there are more libraries. */
  #platformOf({ libraries }: LibraryMap): LogPlatform {
    if (this.#platform?.libraries !== libraries.length) {
      this.#platform = { libraries: libraries.length, name: platformOf(libraries) };
    }
    return this.#platform.name;
  }
}
