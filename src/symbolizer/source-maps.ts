import type { Scripts } from "../recorder/scripts.js";
import { besideScript, dataText, mapUrl } from "./map-url.js";
import { SourceMap } from "./source-map.js";

/**
 * Reads a file by its path or `file:` URL: its text; undefined where there is none, null where it may not be read.
 * `isNamed` says whether a script of the program asks for it, so that it is missed where it is not read.
 */
export type ReadMapFile = (path: string, isNamed: boolean) => Promise<string | null | undefined>;

/** What can be wrong with the source map of a script. */
export type SourceMapFault = "broken-source-map" | "missing-source-map";

/** The source map of a script. */
export interface ScriptMap {
  readonly map: SourceMap;
  /** The path or URL of the file that it was read from; undefined where the script holds it itself. */
  readonly file: string | undefined;
}

/** The source maps of the scripts that have one, by the script's id. */
export type SourceMaps = ReadonlyMap<number, ScriptMap>;

export interface SourceMapsOptions {
  readonly read: ReadMapFile;
  /** Told of each script whose map is named and cannot be used; not of maps that may not be read. */
  readonly onFault: (fault: SourceMapFault, script: number) => void;
}

/**
 * Loads the source maps of some scripts: those inside of them, those they name, and those beside them that are called as
 * they are, with `.map` behind.
 */
export async function loadSourceMaps(
  scripts: Scripts,
  ids: Iterable<number>,
  { read, onFault }: SourceMapsOptions,
): Promise<SourceMaps> {
  const maps = new Map<number, ScriptMap>();
  const files = new MapFiles(read);
  for (const id of ids) {
    const script = scripts.get(id);
    if (script === undefined || script.url === "" || script.url.startsWith("node:")) continue;
    try {
      const found = await findMap(script.url, mapUrl(script.source), files);
      if (typeof found === "object") maps.set(id, found);
      // Packages are often published without the maps that they name.
      else if (found === "missing" && !isOfPackage(script.url)) onFault("missing-source-map", id);
    } catch {
      onFault("broken-source-map", id);
    }
  }
  return maps;
}

function isOfPackage(url: string): boolean {
  return /[\\/]node_modules[\\/]/.test(url);
}

/** The map of a script; undefined where it has none. Throws an `Error` where what it has is no map. */
async function findMap(
  script: string,
  named: string | undefined,
  files: MapFiles,
): Promise<ScriptMap | "missing" | "forbidden" | undefined> {
  if (named?.startsWith("data:")) return { map: new SourceMap(dataText(named), script), file: undefined };
  const file = named === undefined ? `${script}.map` : besideScript(script, named);
  const map = await files.get(file, named !== undefined && !isOfPackage(script));
  if (map instanceof SourceMap) return { map, file };
  return named === undefined ? undefined : map;
}

/** The maps in files, each read once: many scripts can name one. */
class MapFiles {
  readonly #read: ReadMapFile;
  readonly #maps = new Map<string, Promise<SourceMap | "missing" | "forbidden">>();

  constructor(read: ReadMapFile) {
    this.#read = read;
  }

  get(file: string, isNamed: boolean): Promise<SourceMap | "missing" | "forbidden"> {
    let map = this.#maps.get(file);
    if (map === undefined) {
      map = this.#load(file, isNamed);
      this.#maps.set(file, map);
    }
    return map;
  }

  async #load(file: string, isNamed: boolean): Promise<SourceMap | "missing" | "forbidden"> {
    const text = await this.#read(file, isNamed);
    if (text === null) {
      this.#maps.delete(file); // Another script may miss it more.
      return "forbidden";
    }
    return text === undefined ? "missing" : new SourceMap(text, file);
  }
}
