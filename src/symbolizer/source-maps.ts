import { posix, win32 } from "node:path";
import type { Scripts } from "./scripts.js";
import { SourceMap } from "./source-map.js";

/** Reads a file by its path or `file:` URL; undefined where there is none. */
export type ReadMapFile = (path: string) => Promise<string | undefined>;

/** What can be wrong with the source map of a script. */
export type SourceMapFault = "broken-source-map" | "missing-source-map";

/** The source maps of the scripts that have one, by the script's id. */
export type SourceMaps = ReadonlyMap<number, SourceMap>;

export interface SourceMapsOptions {
  readonly read: ReadMapFile;
  /** Told of each script whose map is named and cannot be used. */
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
  const maps = new Map<number, SourceMap>();
  for (const id of ids) {
    const script = scripts.get(id);
    if (script === undefined || script.url === "" || script.url.startsWith("node:")) continue;
    const found = await findMap(script.url, mapUrl(script.source), read);
    if (found === undefined) continue;
    if (found === "missing") {
      // Packages are often published without the maps that they name.
      if (!/[\\/]node_modules[\\/]/.test(script.url)) onFault("missing-source-map", id);
      continue;
    }
    try {
      maps.set(id, new SourceMap(found.text, found.url));
    } catch {
      onFault("broken-source-map", id);
    }
  }
  return maps;
}

interface MapText {
  readonly text: string;
  readonly url: string;
}

async function findMap(
  script: string,
  named: string | undefined,
  read: ReadMapFile,
): Promise<MapText | "missing" | undefined> {
  if (named?.startsWith("data:")) return { text: dataText(named), url: script };
  const url = named === undefined ? `${script}.map` : besideScript(script, named);
  const text = await read(url);
  if (text !== undefined) return { text, url };
  return named === undefined ? undefined : "missing";
}

const MAP_COMMENT = /(?:\/\/|\/\*)[#@][ \t]*sourceMappingURL=([^\s'"]+)[ \t]*(?:\*\/)?\s*$/;

/** What the last line of a script that is not empty says. */
function mapUrl(source: string): string | undefined {
  const at = source.lastIndexOf("sourceMappingURL=");
  return at < 0 ? undefined : MAP_COMMENT.exec(source.slice(Math.max(0, at - 10)))?.[1]?.replace(/\*\/$/, "");
}

const DATA_URL = /^data:[^,]*?(;base64)?,(.*)$/s;

/** The text of a data URL; empty for one that cannot be read. */
function dataText(url: string): string {
  const [, base64, data = ""] = DATA_URL.exec(url) ?? [];
  if (base64 !== undefined) return Buffer.from(data, "base64").toString("utf8");
  try {
    return decodeURIComponent(data);
  } catch {
    return "";
  }
}

/** The path or URL that a script names, relative to itself. */
function besideScript(script: string, named: string): string {
  if (/^[a-z][a-z0-9+.-]+:/i.test(named)) return named;
  if (script.startsWith("file:")) return new URL(named, script).href;
  const path = /^[A-Za-z]:[\\/]|^\\\\/.test(script) ? win32 : posix;
  return path.resolve(path.dirname(script), decodeURI(named));
}
