import { existsSync, mkdirSync, readdirSync, statSync, unlinkSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { tried } from "../base/errors.js";
import { AtomicFile, TEMPORARY } from "./atomic-file.js";
import { crc32 } from "./crc32.js";
import { withRegularFile } from "./regular-file.js";

/** What is needed to know of the machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  home(): string;
}

/** What is cached, and the name of its folder. */
const FOLDERS = { symbols: "symbols-1", code: "code-1" } as const;

/**
 * Returns a folder for what is learned from binaries, or for the compiled code of the program, inside the user's cache folder;
 * undefined if the machine has none. It need not exist yet.
 *
 * Source: XDG Base Directory Specification, "Environment variables": relative paths are ignored.
 */
export function defaultCacheFolder(
  content: keyof typeof FOLDERS,
  machine: Machine = { platform: process.platform, env: process.env, home: homedir },
): string | undefined {
  const base = baseFolder(machine);
  return base !== undefined && isAbsolute(base) ? join(base, "ticks", FOLDERS[content]) : undefined;
}

function baseFolder({ platform, env, home }: Machine): string | undefined {
  if (platform === "win32") return env.LOCALAPPDATA;
  const stated = env.XDG_CACHE_HOME;
  if (platform !== "darwin" && stated !== undefined && isAbsolute(stated)) return stated;
  // A user unknown to the system has no home.
  return tried(() => (platform === "darwin" ? join(home(), "Library", "Caches") : join(home(), ".cache")));
}

// A cache file, in the byte order of the machine that wrote it:
//
//     0  u32  magic; also shows whether the byte order is another
//     4  u32  version of the format, and kind of content
//     8  u32  CRC-32 of the content
//    12  u32  bytes of the content
//    16       content
const HEAD = 16;
const MAGIC = 0x6b636974;
/** Incremented with every change to any kind of content. */
const VERSION = 2;

/** Kinds of content. */
export const CACHE_KIND = { functions: 0, texts: 1, names: 2 } as const;
type CacheKind = (typeof CACHE_KIND)[keyof typeof CACHE_KIND];

/** Most bytes in a cache folder. */
const FOLDER_LIMIT = 200 * 2 ** 20;
/** Most files in a cache folder, since each one takes time to look at. */
const FILES_LIMIT = 1000;
/** To how much of its limits a clean-up reduces a folder. */
const GOAL = 0.75;
/** Milliseconds after which a temporary file must be from a run that was stopped. */
const STALE = 3_600_000;

/**
 * Reads the content of a cache file, aligned to eight bytes in its buffer. Returns undefined if there is
 * none, or if it is cut, damaged, of another kind, or from another version of this program or another kind of
 * machine.
 *
 * The checksum is CRC-32: 10 MB take 2 ms with Node's own code, but 5 with SHA-1 or SHA-256 (plus 2 to 8 to
 * load node:crypto) and 12 with the best CRC in JavaScript. It detects damage, not malice: anyone who can
 * write here can do worse.
 */
export function readCacheFile(path: string, kind: CacheKind): Buffer | undefined {
  const bytes = withRegularFile(path, (file) => file.read(0, file.size));
  if (bytes === undefined || bytes.length < HEAD) return undefined;
  const [magic, format, checksum, length] = new Uint32Array(bytes.buffer, bytes.byteOffset, HEAD / 4);
  if (magic !== MAGIC || format !== formatOf(kind) || length !== bytes.length - HEAD) return undefined;
  const content = bytes.subarray(HEAD);
  return crc32(content) === checksum ? content : undefined;
}

/**
 * Writes a cache file; other runs see all of it or nothing. Does not wait for the disk, since the checksum
 * shows damage after a crash. Never throws: if the file cannot be written, for example on a full disk, the
 * next run is slower but not wrong. Blocks the thread: passing a dozen files to another one step by step
 * takes several times as long.
 */
export function writeCacheFile(
  folder: string,
  name: string,
  kind: CacheKind,
  parts: readonly Uint8Array[],
): void {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length >= 2 ** 32) return;
  const checksum = parts.reduce((sum, part) => crc32(part, sum), 0);
  const head = new Uint8Array(Uint32Array.of(MAGIC, formatOf(kind), checksum, length).buffer);
  let file: AtomicFile | undefined;
  try {
    makeFolder(folder);
    const path = join(folder, name);
    file = new AtomicFile(path, { mode: 0o600, isDurable: false });
    for (const part of [head, ...parts]) file.write(part);
    file.commit();
  } catch {
    file?.discard();
  }
}

/**
 * Creates a folder and its parents. Not with `recursive`, with which Node retries for ever where nobody can
 * create folders, such as in /proc.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    // Another run may have been faster.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Removes abandoned temporary files, and the oldest files if there are too many or they have too many bytes. Never throws: what
 * cannot be removed stays.
 */
export function clearOut(folder: string): void {
  const files: { path: string; size: number; changed: number }[] = [];
  for (const name of tried(() => readdirSync(folder)) ?? []) {
    const path = join(folder, name);
    const status = tried(() => statSync(path)); // Another run may have removed it.
    if (status === undefined || !status.isFile()) continue;
    if (name.endsWith(TEMPORARY) && Date.now() - status.mtimeMs > STALE) tried(() => unlinkSync(path));
    else files.push({ path, size: status.size, changed: status.mtimeMs });
  }
  let bytes = files.reduce((sum, { size }) => sum + size, 0);
  let count = files.length;
  if (bytes <= FOLDER_LIMIT && count <= FILES_LIMIT) return;
  files.sort((a, b) => a.changed - b.changed);
  for (const { path, size } of files) {
    if (bytes <= FOLDER_LIMIT * GOAL && count <= FILES_LIMIT * GOAL) break;
    tried(() => unlinkSync(path));
    bytes -= size;
    count--;
  }
}

function formatOf(kind: CacheKind): number {
  return VERSION * 256 + kind;
}
