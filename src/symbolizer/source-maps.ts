import type { Script } from "../recorder/script.js";
import type { Scripts } from "../recorder/scripts.js";
import { besideScript, commentValue, dataText, MAP_URL_COMMENT } from "./map-url.js";
import type { SourceMap } from "./source-map.js";

/**
 * Reads the text of a file by its path or `file:` URL: undefined if there is none, null if it may not be
 * read. `isNamed` is true if a script of the program names it, so that a missing file is reported.
 */
export type ReadMapFile = (path: string, isNamed: boolean) => Promise<string | null | undefined>;

/** The faults of a script's source map. */
export type SourceMapFault = "broken-source-map" | "missing-source-map";

/** The source map of a script. */
export interface ScriptMap {
  readonly map: SourceMap;
  /** The path or URL of its file; undefined if it is inline in the script. */
  readonly file: string | undefined;
}

/** Source maps by script id. */
export type SourceMaps = ReadonlyMap<number, ScriptMap>;

/** The options of {@link loadSourceMaps}. */
export interface SourceMapsOptions {
  readonly read: ReadMapFile;
  /** Called for each script whose named map cannot be used, except maps that may not be read. */
  readonly onFault: (fault: SourceMapFault, script: number) => void;
}

/**
 * Loads the source maps of some scripts: inline maps, maps that the scripts name, and maps beside them with
 * `.map` appended to the script's name.
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
      const found = await findMap(script.url, mapUrl(script), files);
      if (typeof found === "object") maps.set(id, found);
      // Packages are often published without the maps that they name.
      else if (found === "missing" && !isOfPackage(script.url)) onFault("missing-source-map", id);
    } catch {
      onFault("broken-source-map", id);
    }
  }
  return maps;
}

/** Returns the URL of the source map that a script names; undefined if it names none. */
export function mapUrl(script: Script): string | undefined {
  return commentValue(MAP_URL_COMMENT, script.occurrences(MAP_URL_COMMENT));
}

function isOfPackage(url: string): boolean {
  return /[\\/]node_modules[\\/]/.test(url);
}

/** Returns the map of a script; undefined if it has none. Throws an `Error` if the map is invalid. */
async function findMap(
  script: string,
  named: string | undefined,
  files: MapFiles,
): Promise<ScriptMap | "missing" | "forbidden" | undefined> {
  if (named?.startsWith("data:"))
    return { map: await readSourceMap(dataText(named), script), file: undefined };
  const file = named === undefined ? `${script}.map` : besideScript(script, named);
  const map = await files.get(file, named !== undefined && !isOfPackage(script));
  if (typeof map !== "string") return { map, file };
  return named === undefined ? undefined : map;
}

async function readSourceMap(text: string, file: string): Promise<SourceMap> {
  const { SourceMap } = await import("./source-map.js"); // Most programs have none.
  return new SourceMap(text, file);
}

/** Map files, each read once, because several scripts can name one. */
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
      this.#maps.delete(file); // Another script may name it.
      return "forbidden";
    }
    return text === undefined ? "missing" : readSourceMap(text, file);
  }
}
