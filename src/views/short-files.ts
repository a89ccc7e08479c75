/** A script's or library's name taken apart. */
interface Path {
  readonly parts: readonly string[];
  /** How many of the last parts are shown at least; all of a package's. */
  readonly least: number;
  /** How many are shown at most, but for names that differ in nothing else: what is below the common folder. */
  most: number;
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
  const shown = new Map(Array.from(paths, ([file, { least }]) => [file, least]));
  const nameOf = (file: string) => lastParts(paths.get(file)!.parts, shown.get(file)!);
  for (;;) {
    const longer = collisions(paths.keys(), nameOf)
      .flat()
      .filter((file) => shown.get(file)! < paths.get(file)!.most);
    if (longer.length === 0) break;
    for (const file of longer) shown.set(file, lengthened(paths.get(file)!, shown.get(file)!));
  }
  const names = new Map(Array.from(paths.keys(), (file) => [file, nameOf(file)]));
  for (const file of collisions(paths.keys(), nameOf).flat()) names.set(file, file);
  return names;
}

/** The files that share a name with another. */
function collisions(files: Iterable<string>, nameOf: (file: string) => string): string[][] {
  const byName = new Map<string, string[]>();
  for (const file of files) {
    const name = nameOf(file);
    const same = byName.get(name);
    if (same === undefined) byName.set(name, [file]);
    else same.push(file);
  }
  return Array.from(byName.values()).filter(({ length }) => length > 1);
}

/** One folder more; in a package all from the package on that holds this one. */
function lengthened({ parts, least, most }: Path, shown: number): number {
  const isPackage = least > 1;
  const outer = isPackage ? parts.lastIndexOf("node_modules", parts.length - shown - 2) : -1;
  return Math.min(most, outer < 0 ? shown + 1 : parts.length - outer - 1);
}

function lastParts(parts: readonly string[], count: number): string {
  return parts.slice(-count).join("/");
}

const WINDOWS = /^(?:[A-Za-z]:[\\/]|\\\\)/;
const URL_WITH_PATH = /^(?!wasm:)[a-z][a-z0-9+.-]*:\/\//i;

function pathOf(file: string): Path {
  const parts = partsOf(file);
  if (parts === undefined || parts.length === 0) return { parts: [file], least: 1, most: 1 };
  const inPackage = parts.lastIndexOf("node_modules", -3) + 1;
  return { parts, least: inPackage === 0 ? 1 : parts.length - inPackage, most: parts.length };
}

/** The folders and the base name of a path of any platform or of a URL; undefined for a name that is no path. */
function partsOf(file: string): string[] | undefined {
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
