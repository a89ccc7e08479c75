import { SHOWN_NAME_LENGTH } from "../base/limits.js";
import { addTo } from "../base/maps.js";
import { decodedUrl, pathParts } from "../profile/stable-files.js";

/** A script's or library's name, split into its parts. */
interface Path {
  readonly parts: readonly string[];
  /** The minimum number of last parts to show: all inside a package, else 1. */
  readonly least: number;
  /** The maximum number of last parts to show: those below the folder that all files share. */
  most: number;
  /** How many last parts are shown. */
  shown: number;
  /** Whether no other package contains the parts that are shown. */
  isOutermost: boolean;
  /** The ending made of the {@link shown} parts. */
  ending: Ending;
}

/** A node in a tree of last parts. Paths at one ending are shown alike. */
interface Ending {
  readonly before: Map<string, Ending>;
  /** The number of paths at this ending. */
  count: number;
  /** Those of them that can show more parts. */
  movable: Path[];
}

/**
 * Returns a short name for each file, by its logged name: the base name, with as many folders as make it
 * distinct. A file of a package starts with the package's name (`express/lib/router.js`). Names that are not
 * paths, such as `node:fs`, stay as they are. No two files get the same name. Parts are joined by `/` on
 * every platform. Control characters are not escaped yet.
 */
export function shortFiles(files: Iterable<string>): ReadonlyMap<string, string> {
  const paths = new Map<string, Path>();
  for (const file of files) if (!paths.has(file)) paths.set(file, pathOf(file));
  boundByFolder(Array.from(paths.values()));
  makeDistinct(Array.from(paths.values()));
  const names = new Map(Array.from(paths, ([file, { parts, shown }]) => [file, lastParts(parts, shown)]));
  const users = new Map<string, number>();
  for (const name of names.values()) addTo(users, name, 1);
  for (const [file, name] of names) if (users.get(name)! > 1) names.set(file, file);
  return names;
}

/** Lengthens all paths that are shown alike, again and again, until they are distinct or cannot grow. */
function makeDistinct(paths: readonly Path[]): void {
  let changed = new Set<Ending>();
  const root: Ending = newEnding();
  for (const path of paths) {
    path.ending = root;
    changed.add(enter(path, 0));
  }
  while (changed.size > 0) {
    const moving = Array.from(changed).flatMap((ending) => {
      if (ending.count < 2) return [];
      const { movable } = ending;
      ending.count -= movable.length;
      ending.movable = [];
      return movable;
    });
    changed = new Set();
    for (const path of moving) {
      const before = path.shown;
      path.shown = lengthened(path);
      changed.add(enter(path, before));
    }
  }
}

/** Moves a path from the ending of its last `before` parts to that of the parts shown. */
function enter(path: Path, before: number): Ending {
  const { parts, shown, most } = path;
  for (let count = before; count < shown; count++) {
    path.ending = step(path.ending, parts[parts.length - 1 - count]!);
  }
  path.ending.count++;
  if (shown < most) path.ending.movable.push(path);
  return path.ending;
}

/** Returns the ending one part further. A name that is not a path is one part, but may contain `/`. */
function step(ending: Ending, part: string): Ending {
  return part
    .split("/")
    .reverse()
    .reduce((at, word) => {
      const known = at.before.get(word);
      if (known !== undefined) return known;
      const made = newEnding();
      at.before.set(word, made);
      return made;
    }, ending);
}

function newEnding(): Ending {
  return { before: new Map(), count: 0, movable: [] };
}

/**
 * Returns the next number of parts to show: one folder more or, in a package, up to the package around it.
 */
function lengthened(path: Path): number {
  const { parts, least, most, shown } = path;
  const last = parts.length - shown - 2;
  const isInPackage = least > 1 && last >= 0 && !path.isOutermost;
  const outer = isInPackage ? parts.lastIndexOf("node_modules", last) : -1;
  if (outer < 0) path.isOutermost = true;
  return Math.min(most, outer < 0 ? shown + 1 : parts.length - outer - 1);
}

function lastParts(parts: readonly string[], count: number): string {
  return parts.slice(-count).join("/");
}

const WINDOWS = /^(?:[A-Za-z]:[\\/]|\\\\)/;
const URL_WITH_PATH = /^(?!wasm:)[a-z][a-z0-9+.-]*:\/\//i;

function pathOf(file: string): Path {
  const parts = partsOf(file);
  if (parts === undefined || parts.length === 0) return shownAs([file], 1, 1);
  const inPackage = parts.lastIndexOf("node_modules", -3) + 1;
  return shownAs(parts, inPackage === 0 ? 1 : parts.length - inPackage, parts.length);
}

function shownAs(parts: readonly string[], least: number, most: number): Path {
  return { parts, least, most, shown: least, isOutermost: false, ending: newEnding() };
}

/**
 * Splits a path of any platform, or a URL. Returns undefined for a name that is not a path or is too long.
 */
function partsOf(file: string): string[] | undefined {
  if (file.length > SHOWN_NAME_LENGTH) return undefined;
  const scheme = URL_WITH_PATH.exec(file)?.[0];
  if (scheme !== undefined) return pathParts(decodedUrl(file.slice(scheme.length)), /\//);
  if (file.startsWith("/")) return pathParts(file, /\//);
  return WINDOWS.test(file) ? pathParts(file, /[\\/]/) : undefined;
}

/** Limits `most` to the parts below the folder that all files share. */
function boundByFolder(paths: readonly Path[]): void {
  const [first, ...others] = paths.filter(({ parts }) => parts.length > 1);
  if (first === undefined) return;
  let common = first.parts.length - 1;
  for (const { parts } of others) {
    const differs = first.parts.findIndex((part, i) => i >= parts.length - 1 || part !== parts[i]);
    if (differs >= 0 && differs < common) common = differs;
  }
  for (const path of [first, ...others]) path.most = Math.max(path.least, path.parts.length - common);
}
