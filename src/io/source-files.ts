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
import { TicksError, tried } from "../base/errors.js";
import { SOURCE_FILE_BYTES, SOURCE_MAP_BYTES } from "../base/limits.js";

/** A folder from which source maps and sources may be read. */
export interface SourceRoot {
  /** Path of the folder. */
  readonly folder: string;
  /**
   * What the log calls the folder, if it is from another machine: a path or a URL prefix. Default: its own
   * path.
   */
  readonly logged?: string | undefined;
}

/** Reads the files that logs and source maps name, where that is allowed. */
export interface SourceFiles {
  /**
   * Returns the text of a source map by its path or `file:` URL; undefined if there is none, null if it may
   * not be read. With `isNamed`, one that may not be read counts as refused.
   */
  readonly readMap: (file: string, isNamed: boolean) => Promise<string | null | undefined>;
  /**
   * Returns the text of a source in the same way; undefined if it may not be read, which counts as refused.
   */
  readonly readSource: (file: string) => string | undefined;
  /** Requested maps and sources that may not be read, by the names in the log. */
  readonly refused: { readonly maps: ReadonlySet<string>; readonly sources: ReadonlySet<string> };
}

/**
 * Returns a reader of the files below some folders, after following links. Without folders it reads no files.
 *
 * A log can name any path, even one chosen to leak a file or to hang the reader. So a path is not touched
 * unless it is below a root as written. After following links it must still be there, and be a regular file
 * of a sane size. Throws a {@link TicksError} for a root that is not a folder.
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

/** A root and its path after following links. */
interface OpenedRoot {
  readonly path: string;
  readonly real: string;
  /** The name of the root in logs, with `/` only and none at the end; undefined if it is the same as here. */
  readonly logged: string | undefined;
}

function openRoot({ folder, logged }: SourceRoot): OpenedRoot {
  const path = resolve(folder);
  const real = realFolder(path);
  if (real === undefined) throw new TicksError("BAD_OPTION", `${folder}: no such folder`);
  const name = logged === undefined ? undefined : withSlashes(pathOf(logged) ?? logged);
  return { path, real, logged: name?.replace(/\/$/, "") };
}

/** Returns the path of a folder without links; undefined if there is none or it cannot be entered. */
function realFolder(path: string): string | undefined {
  // Also a path through a file, or one that is too long.
  return tried(() => (statSync(path).isDirectory() ? realpathSync(path) : undefined));
}

/**
 * Returns the text of a file; undefined if there is none or it cannot be read; null if it may not be read.
 */
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

/** Returns the path of a file below a root, by its name in the log; undefined if it is not below it. */
function pathUnder(root: OpenedRoot, logged: string): string | undefined {
  const name = root.logged === undefined ? undefined : restAfter(root.logged, withSlashes(logged));
  const path = name === undefined ? logged : resolve(root.path, `./${name}`);
  if (!isAbsolute(path) || isRemote(path)) return undefined;
  return [root.path, root.real].some((folder) => isInside(folder, resolve(path))) ? resolve(path) : undefined;
}

/** Returns the rest of a path after a folder, both with `/`; undefined if the path is not in the folder. */
function restAfter(folder: string, path: string): string | undefined {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

/**
 * Returns the text of a file; undefined if it cannot be read, null if a link leads out of the folder. The
 * file may be swapped between two checks of its name. So the open file is read, and it counts only if its
 * name, checked again, still leads to it inside the folder.
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
    return undefined; // The caller knows what that means.
  }
}

/** Follows no link and does not wait for a pipe or a device. Windows has neither flag. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Their files are generated when read, and can be secret, endless or never arrive. */
const SYSTEM_FOLDERS = ["/proc", "/sys", "/dev"];

function isOfSystem(path: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => isInside(folder, path));
}

/** Reads `size` bytes of a file; fewer if it ends earlier. */
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

/**
 * Returns the path of a `file:` URL of this or another system; undefined for any other text, or a URL on
 * another machine.
 */
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

/** Returns whether a name can be a file on some machine's disk; `node:fs` cannot. */
function isPath(name: string): boolean {
  return isAbsolute(name) || /^[A-Za-z]:[\\/]/.test(name);
}

/** Returns whether a path is a network share or a Windows device. */
function isRemote(path: string): boolean {
  return sep === "\\" && withSlashes(path).startsWith("//");
}

function withSlashes(path: string): string {
  return path.replaceAll("\\", "/");
}
