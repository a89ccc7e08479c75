import { SHOWN_NAME_LENGTH } from "../base/limits.js";
import { valueAt } from "../base/maps.js";
import { splitScriptName } from "./logged-name.js";

/** Splits a path; empty parts and `.` are left out. */
export function pathParts(path: string, separator: string | RegExp): string[] {
  return path.split(separator).filter((part) => part !== "" && part !== ".");
}

/** Decodes the percent escapes of a URL. */
export function decodedUrl(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch (error) {
    if (error instanceof URIError) return url; // A lone `%` stays.
    throw error;
  }
}

/** Returns a `file:` URL of a script or library as a path that can be opened; other names as they are. */
export function filePath(file: string): string {
  if (!file.startsWith("file:///")) return file;
  const path = decodedUrl(file.slice("file://".length)); // It may have a literal %.
  return /^\/[A-Za-z]:\//.test(path) ? path.slice(1) : path;
}

/**
 * What `ticks record` loads into a program, wherever it is installed. Its folders are part of the name: a program's own
 * `preload.cjs` is elsewhere.
 */
const RECORDER_FILE = /[\\/]dist[\\/]record[\\/](?:preload|descriptors|thread-profile|cpu-profile)\.cjs$/;

/** Returns whether a script is one that `ticks record` loads into a program. */
export function isRecorderFile(file: string): boolean {
  return RECORDER_FILE.test(file);
}

/** A script's name as a path. */
interface ScriptPath {
  /** `file` for paths and `file:` URLs, else the scheme of a URL, such as `webpack`. */
  readonly scheme: string;
  readonly parts: readonly string[];
}

const URL_SCHEME = /^([a-z][a-z0-9+.-]+):\/\//i;
const WINDOWS = /^(?:[A-Za-z]:[\\/]|\\\\)/;
const PACKAGES = "node_modules";

/**
 * Returns a function that names a script the same in every release, on every host: files of a package from
 * the package's name on (`express/lib/router.js`), others from the root of the program (`src/app.js`). The
 * root is the outermost folder with a `node_modules` from which packages were loaded and which contains all
 * the program's files; without one, the folder that contains them all. What `ticks record` loads is no file of the
 * program. Query strings and fragments of URLs are dropped. Names that are not paths, such as `node:fs`, stay as they are; modules of WebAssembly, which
 * are named after their contents, are all `wasm`.
 *
 * `files` are all scripts of the log, with and without ticks, as logged, so that the root does not depend on
 * which functions were hot.
 */
export function stableFiles(files: Iterable<string>): (file: string) => string {
  const own = Array.from(files).filter((file) => !isRecorderFile(file));
  const root = rootOf(own.map(pathOf).filter((path) => path?.scheme === "file"));
  const known = new Map<string, string>();
  return (file) => valueAt(known, file, () => stableFile(file, root));
}

/** As many hex digits of a text's hash stand for a script without a name. */
const HASH_DIGITS = 8;

/**
 * Names a script as `stableFile` does, without what only tells it from others of its log: a hash of its text is instead of the
 * number of one without a name. `hash` is undefined for a script that has its name as logged.
 */
export function stableScript(
  file: string,
  hash: string | undefined,
  stableFile: (file: string) => string,
): string {
  if (hash === undefined) return stableFile(file);
  const { base } = splitScriptName(file);
  return base === undefined ? `<eval ${hash.slice(0, HASH_DIGITS)}>` : stableFile(base);
}

function stableFile(file: string, root: readonly string[]): string {
  if (file.startsWith("wasm://")) return "wasm";
  const path = pathOf(file);
  if (path === undefined || path.parts.length === 0) return file;
  const { scheme, parts } = path;
  const inPackage = packageStart(parts);
  if (inPackage > 0) return parts.slice(inPackage).join("/");
  return parts.slice(scheme === "file" ? commonLength(parts.slice(0, -1), root) : 0).join("/");
}

/** Returns the folder of the program. */
function rootOf(paths: readonly (ScriptPath | undefined)[]): readonly string[] {
  const folders: (readonly string[])[] = [];
  const owners: (readonly string[])[] = [];
  for (const path of paths) {
    const parts = path?.parts ?? [];
    if (packageStart(parts) === 0) folders.push(parts.slice(0, -1));
    else owners.push(parts.slice(0, parts.indexOf(PACKAGES)));
  }
  const [first = [], ...others] = folders;
  const common = others.reduce(
    (length, folder) => Math.min(length, commonLength(first, folder)),
    first.length,
  );
  const shared = first.slice(0, common);
  const around = owners
    .filter((owner) => owner.length > 0 && commonLength(owner, shared) === owner.length)
    .sort((a, b) => a.length - b.length);
  return around[0] ?? shared;
}

/** Returns the index of the package's name in a path; 0 if the path is in no package. */
function packageStart(parts: readonly string[]): number {
  const at = parts.lastIndexOf(PACKAGES, -3) + 1;
  return at < parts.length - 1 ? at : 0;
}

/** Returns how many parts two paths share at their start. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  const limit = Math.min(a.length, b.length);
  for (let i = 0; i < limit; i++) if (a[i] !== b[i]) return i;
  return limit;
}

/** Splits a path of any platform, or a URL; returns undefined for another name, or one too long to be a path. */
function pathOf(file: string): ScriptPath | undefined {
  if (file.length > SHOWN_NAME_LENGTH) return undefined;
  const scheme = URL_SCHEME.exec(file)?.[1]?.toLowerCase();
  if (scheme !== undefined) {
    const path = file.slice(scheme.length + "://".length).replace(/[?#].*$/s, "");
    return { scheme, parts: pathParts(decodedUrl(path), "/") };
  }
  if (file.startsWith("/")) return { scheme: "file", parts: pathParts(file, "/") };
  return WINDOWS.test(file) ? { scheme: "file", parts: pathParts(file, /[\\/]/) } : undefined;
}
