import { defaultCacheFolder } from "../io/cache-folder.js";
import { SymbolCache } from "../symbols/symbol-cache.js";

/**
 * Opens the cache of what was learned from binaries, which makes the next log of the same binary faster. Await
 * its `settled()` at the end. Default: the folder of the command line, or memory only on a machine without one.
 */
export function openSymbolCache(folder: string | undefined = defaultCacheFolder("symbols")): SymbolCache {
  return new SymbolCache(folder);
}
