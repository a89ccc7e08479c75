import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { TicksError } from "../base/errors.js";
import { openLog, STDIN } from "./input.js";

/** A log that is there already, under another path. */
interface LogCopy {
  /** Its number among the logs. */
  readonly copy: number;
  /** The number of the log that it is a copy of, which is none itself. */
  readonly original: number;
  /** Whether they are one file: the same path, or a hard or symbolic link. Otherwise one is compressed. */
  readonly isSameFile: boolean;
}

const COMPRESSED = /\.(?:gz|zst|br)$/i;
/**
 * Uncompressed bytes that are compared. They have the addresses of libraries and of the first code, which the
 * system chooses anew for each process.
 */
const COMPARED_BYTES = 1 << 16;

/**
 * Finds which logs are copies of others, so that each counts once:
 *
 * - Paths of one file, by device and inode: the same path, hard links, symbolic links.
 * - Files in one folder whose names differ only in `.gz`, `.zst` or `.br`, if what they have at their beginning is the
 *   same: the first 64 KiB, uncompressed, or all of the shorter one. The shorter one counts as the copy, which
 *   loses nothing, as the other begins with all of it; of two that are as long, the compressed one. One that
 *   cannot be decompressed at all is a copy too.
 *
 * The rest of the files is not compared, so the cost is constant for each file.
 */
export async function findCopies(paths: readonly string[]): Promise<LogCopy[]> {
  const copies: LogCopy[] = [];
  const files = new Map<string, number>();
  const byStem = new Map<string, number[]>();
  const folders = new Map<string, string>();
  for (const [number, path] of paths.entries()) {
    const identity = identityOf(path, folders);
    if (identity === undefined) continue;
    const original = files.get(identity.file);
    if (original !== undefined) {
      copies.push({ copy: number, original, isSameFile: true });
      continue;
    }
    files.set(identity.file, number);
    const alike = byStem.get(identity.stem);
    if (alike === undefined) byStem.set(identity.stem, [number]);
    else alike.push(number);
  }
  const moved = new Map<number, number>();
  for (const alike of byStem.values()) {
    if (alike.length === 1) continue;
    for (const found of await compressedCopies(alike, paths)) {
      copies.push(found);
      moved.set(found.copy, found.original);
    }
  }
  return copies
    .map((found) => ({ ...found, original: moved.get(found.original) ?? found.original }))
    .sort((a, b) => a.copy - b.copy);
}

/**
 * What tells a file from others, and its path without links and without `.gz`; undefined if it is no file. `folders` has
 * the paths of folders without links, as far as they are known.
 */
function identityOf(path: string, folders: Map<string, string>): { file: string; stem: string } | undefined {
  if (path === STDIN) return undefined;
  try {
    const stats = statSync(path, { bigint: true });
    if (!stats.isFile()) return undefined;
    const folder = folders.get(dirname(path)) ?? realpathSync(dirname(path));
    folders.set(dirname(path), folder);
    const stem = join(folder, basename(path).replace(COMPRESSED, ""));
    return { file: `${stats.dev}:${stats.ino}`, stem };
  } catch {
    return undefined; // Reading it reports why.
  }
}

async function compressedCopies(alike: readonly number[], paths: readonly string[]): Promise<LogCopy[]> {
  const logs: { number: number; isCompressed: boolean; head: Buffer | undefined }[] = [];
  for (const number of alike) {
    const path = paths[number]!;
    logs.push({ number, isCompressed: COMPRESSED.test(path), head: await headOf(path) });
  }
  const lengthOf = (head: Buffer | undefined) => head?.length ?? -1;
  logs.sort((a, b) => lengthOf(b.head) - lengthOf(a.head) || Number(a.isCompressed) - Number(b.isCompressed));
  const originals: typeof logs = [];
  const copies: LogCopy[] = [];
  for (const log of logs) {
    const original = originals.find(({ head }) => head !== undefined && isStart(log, head));
    if (original === undefined) originals.push(log);
    else copies.push({ copy: log.number, original: original.number, isSameFile: false });
  }
  return copies;
}

function isStart(
  { head, isCompressed }: { head: Buffer | undefined; isCompressed: boolean },
  of: Buffer,
): boolean {
  if (head === undefined) return isCompressed;
  return head.length > 0 && of.subarray(0, head.length).equals(head);
}

/** Returns the first bytes of a log, uncompressed; undefined if it cannot be read. */
async function headOf(path: string): Promise<Buffer | undefined> {
  let head = Buffer.alloc(0);
  try {
    for await (const chunk of openLog(path, { isFound: true })) {
      head = Buffer.concat([head, chunk.subarray(0, COMPARED_BYTES - head.length)]);
      if (head.length >= COMPARED_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof TicksError)) throw error;
    return undefined;
  }
  return head;
}
