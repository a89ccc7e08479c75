import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { TicksError } from "../errors.js";
import { SOURCE_FILE_BYTES, SOURCE_MAP_BYTES } from "../limits.js";

/** A folder that source maps and sources may be read from. */
export interface SourceRoot {
  /** The folder. */
  readonly folder: string;
  /** What the log calls the folder, where that is another machine's: a path or the start of URLs. Default: its own path. */
  readonly logged?: string | undefined;
}

/** Reads the files that logs and source maps name, as far as that is allowed. */
export interface SourceFiles {
  /**
   * The text of a source map by its path or `file:` URL: undefined where there is none, null where it may not be read.
   * `isNamed` says whether somebody misses it then, so that it counts as refused.
   */
  readonly readMap: (file: string, isNamed: boolean) => Promise<string | null | undefined>;
  /** The text of a source, in the same way; one that may not be read is undefined, and counts as refused. */
  readonly readSource: (file: string) => string | undefined;
  /** The maps and sources that were asked for and may not be read, by their names as logged. */
  readonly refused: { readonly maps: ReadonlySet<string>; readonly sources: ReadonlySet<string> };
}

/**
 * A reader of the files that lie under some folders, links followed; of no files at all where there are none.
 *
 * A log can name any path, also one that is there to be leaked or to hang who reads it. So a path is not touched unless
 * it lies under a root as it is written; after links are followed it has to lie there still, and it has to be a regular
 * file of sane size. Throws a {@link TicksError} for a root that is no folder.
 */
export function sourceFilesUnder(roots: readonly (string | SourceRoot)[]): SourceFiles {
  const opened = roots.map((root) => openRoot(typeof root === "string" ? { folder: root } : root));
  const refused = { maps: new Set<string>(), sources: new Set<string>() };
  return {
    refused,
    async readMap(file, isNamed) {
      const text = readUnder(opened, file, SOURCE_MAP_BYTES);
      if (text === null && isNamed) refused.maps.add(file);
      return text;
    },
    readSource(file) {
      const text = readUnder(opened, file, SOURCE_FILE_BYTES);
      if (text === null) refused.sources.add(file);
      return text ?? undefined;
    },
  };
}

/** A root, with the links on the way to it followed. */
interface OpenedRoot {
  readonly path: string;
  readonly real: string;
  /** As names are compared: with `/` only, and none at the end. Undefined where logs call it as it is called here. */
  readonly logged: string | undefined;
}

function openRoot({ folder, logged }: SourceRoot): OpenedRoot {
  const path = resolve(folder);
  const real = realFolder(path);
  if (real === undefined) throw new TicksError("BAD_OPTION", `${folder}: no such folder`);
  const name = logged === undefined ? undefined : withSlashes(pathOf(logged) ?? logged);
  return { path, real, logged: name?.replace(/\/$/, "") };
}

/** Where a folder is, without links; undefined where there is none, or none that can be entered. */
function realFolder(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : undefined;
  } catch {
    return undefined; // Also a path through a file, and one that is too long.
  }
}

/** The text of a file; undefined where there is none, or none that can be read; null where it may not be read. */
function readUnder(roots: readonly OpenedRoot[], file: string, limit: number): string | null | undefined {
  const logged = pathOf(file) ?? file;
  if (logged.includes("\0") || isOfSystem(resolve(logged))) return undefined;
  let isRefused = isPath(logged);
  for (const root of roots) {
    const path = pathUnder(root, logged);
    const text = path === undefined ? null : readInside(root.real, path, limit);
    if (typeof text === "string") return text;
    if (text === undefined) isRefused = false;
  }
  return isRefused ? null : undefined;
}

/** Where a file is under a root, as its name has it; undefined where it is not. */
function pathUnder(root: OpenedRoot, logged: string): string | undefined {
  const name = root.logged === undefined ? undefined : restAfter(root.logged, withSlashes(logged));
  const path = name === undefined ? logged : resolve(root.path, `./${name}`);
  if (!isAbsolute(path) || isRemote(path)) return undefined;
  return [root.path, root.real].some((folder) => isInside(folder, resolve(path))) ? resolve(path) : undefined;
}

/** What follows a folder in a path, both with `/`; undefined where the path is not in it. */
function restAfter(folder: string, path: string): string | undefined {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

/**
 * The text of a file; undefined where it cannot be read, null where a link leads out of the folder. A file can become
 * another between two looks at its name: what is read is what is open, and it counts only if the name, looked at again,
 * still leads to it inside of the folder.
 */
function readInside(folder: string, path: string, limit: number): string | null | undefined {
  try {
    const real = realpathSync(path);
    if (!isInside(folder, real)) return null;
    if (isRemote(real) || isOfSystem(real) || !lstatSync(real).isFile()) return undefined;
    const file = openSync(real, READ_ONLY);
    try {
      const opened = fstatSync(file, { bigint: true });
      if (!opened.isFile() || opened.size > limit || realpathSync(path) !== real) return undefined;
      const named = lstatSync(real, { bigint: true });
      if (named.dev !== opened.dev || named.ino !== opened.ino) return undefined;
      return readText(file, Number(opened.size));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined; // Who asked says what that means.
  }
}

/** Opens no link, and does not wait for a pipe or a device; Windows has neither. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** What is in them is made as it is read, and can be secret, endless or never come. */
const SYSTEM_FOLDERS = ["/proc", "/sys", "/dev"];

function isOfSystem(path: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => isInside(folder, path));
}

/** Reads so many bytes of a file; fewer where it ends before. */
function readText(file: number, size: number): string {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const read = readSync(file, bytes, length, size - length, length);
    if (read === 0) break;
    length += read;
  }
  return bytes.toString("utf8", 0, length);
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The path of a `file:` URL, of this or another system; undefined for what is none, or is on another machine. */
function pathOf(file: string): string | undefined {
  if (!file.startsWith("file:")) return undefined;
  try {
    const url = new URL(file);
    // `file:///C:/app.js`, read on a system without drives.
    const path = url.host === "" ? fileURLToPath(url) : undefined;
    return path !== undefined && /^\/[A-Za-z]:\//.test(path) ? path.slice(1) : path;
  } catch {
    return undefined;
  }
}

/** Whether a name can be that of a file on some machine's disk: `node:fs` is on none. */
function isPath(name: string): boolean {
  return isAbsolute(name) || /^[A-Za-z]:[\\/]/.test(name);
}

/** Whether a path is that of a share of another machine, or of a device of Windows. */
function isRemote(path: string): boolean {
  return sep === "\\" && withSlashes(path).startsWith("//");
}

function withSlashes(path: string): string {
  return path.replaceAll("\\", "/");
}
