import { SHOWN_NAME_LENGTH } from "../limits.js";

/** A script's or library's name taken apart. */
interface Path {
  readonly parts: readonly string[];
  /** How many of the last parts are shown at least; all of a package's. */
  readonly least: number;
  /** How many are shown at most, but for names that differ in nothing else: what is below the common folder. */
  most: number;
  /** How many are shown. */
  shown: number;
  /** Whether a package that holds the one shown was looked for in vain. */
  isOutermost: boolean;
  /** Where {@link shown} parts lead to. */
  ending: Ending;
}

/** The last parts of paths, with those before them: where two paths have one, what is shown of them is equal. */
interface Ending {
  readonly before: Map<string, Ending>;
  /** The paths that are shown up to here. */
  count: number;
  /** Those of them that can be shown with more. */
  movable: Path[];
}

/**
 * What each file is called for short, by its name as logged: the base name, with as many folders before it as tell it
 * from the others; for a file of a package all from the package's name on (`express/lib/router.js`); `node:fs` and
 * other names that are no paths as they are. No two files get one name. Parts are joined by `/` on every platform.
 * Control characters of the log are still in it.
 */
export function shortFiles(files: Iterable<string>): ReadonlyMap<string, string> {
  const paths = new Map<string, Path>();
  for (const file of files) if (!paths.has(file)) paths.set(file, pathOf(file));
  boundByFolder(Array.from(paths.values()));
  makeDistinct(Array.from(paths.values()));
  const names = new Map(Array.from(paths, ([file, { parts, shown }]) => [file, lastParts(parts, shown)]));
  const users = new Map<string, number>();
  for (const name of names.values()) users.set(name, (users.get(name) ?? 0) + 1);
  for (const [file, name] of names) if (users.get(name)! > 1) names.set(file, file);
  return names;
}

/** Shows more of paths that are shown alike, all of them at a time, until none are or there is no more of them. */
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

/** Takes a path from where its last `before` parts lead to where those shown do. */
function enter(path: Path, before: number): Ending {
  const { parts, shown, most } = path;
  for (let count = before; count < shown; count++) {
    path.ending = step(path.ending, parts[parts.length - 1 - count]!);
  }
  path.ending.count++;
  if (shown < most) path.ending.movable.push(path);
  return path.ending;
}

/** A name that is no path is one part, though it can have the `/` that parts are joined by. */
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

/** One folder more; in a package all from the package on that holds this one. */
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

/** The folders and the base name of a path of any platform or of a URL; undefined for a name that is no path, or has no end. */
function partsOf(file: string): string[] | undefined {
  if (file.length > SHOWN_NAME_LENGTH) return undefined;
  const scheme = URL_WITH_PATH.exec(file)?.[0];
  if (scheme !== undefined) return split(decoded(file.slice(scheme.length)), /\//);
  if (file.startsWith("/")) return split(file, /\//);
  return WINDOWS.test(file) ? split(file, /[\\/]/) : undefined;
}

function split(path: string, separator: RegExp): string[] {
  return path.split(separator).filter((part) => part !== "" && part !== ".");
}

/** URLs write other than plain letters as `%20`. */
function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch (error) {
    if (error instanceof URIError) return url; // A lone `%` is itself.
    throw error;
  }
}

/** Sets `most` of the files that lie in folders to what is below the folder that they all lie in. */
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
