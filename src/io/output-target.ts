import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { TicksError } from "../errors.js";

export interface OutputName {
  /** What error messages call the output. */
  readonly name: string;
  /**
   * Whether the user typed the path. A derived name, such as one made from a log's name, may have been
   * planted by someone else.
   */
  readonly isTyped: boolean;
}

/** Where to write the bytes of an output. */
type OutputTarget =
  /** A file that replaces what is at `path` once it is complete. */
  | { readonly kind: "file"; readonly path: string }
  /** What is at `path`: a device or a pipe. */
  | { readonly kind: "device"; readonly path: string }
  /** An open file; bytes are appended at its current offset. */
  | { readonly kind: "descriptor"; readonly descriptor: number };

/** A longer chain of links is a loop. Source: Linux, include/linux/namei.h, `MAXSYMLINKS`. */
const LINKS_LIMIT = 40;
/** The folders of a process's open files, to which `/dev/stdout` and `/dev/fd/63` lead. */
const DESCRIPTORS = /^\/(?:proc\/(\d+)(?:\/task\/\d+)?|dev)\/fd$/;
/** Windows has its devices in every folder. */
const WINDOWS_DEVICE = /^\\\\[.?]\\|(?:^|[\\/])(?:nul|con|conout\$)$/i;

/**
 * Returns where to write the output for a path. Follows links that the user typed, even to a file that does
 * not exist yet; a derived name must be a regular file or nothing. Throws a {@link TicksError} if it cannot
 * be written to, and the errors of the system.
 */
export function outputTarget(path: string, { name, isTyped }: OutputName): OutputTarget {
  if (!isTyped) {
    refuseSpecialFile(lstatSync(path, { throwIfNoEntry: false }), name);
    return { kind: "file", path };
  }
  if (process.platform === "win32" && WINDOWS_DEVICE.test(path)) return { kind: "device", path };
  const status = statSync(path, { throwIfNoEntry: false });
  if (status?.isDirectory()) throw new TicksError("IS_DIRECTORY", `${name} is a directory`);
  if (status !== undefined && !status.isFile()) return { kind: "device", path };
  return endOfLinks(path);
}

/** Returns the end of a chain of links, which need not exist. */
function endOfLinks(path: string): OutputTarget {
  let at = path;
  for (let links = 0; links < LINKS_LIMIT; links++) {
    const folder = realpathSync(dirname(at));
    const end = basename(at);
    if (isOwnDescriptors(folder) && /^\d+$/.test(end)) return { kind: "descriptor", descriptor: Number(end) };
    if (!lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return { kind: "file", path: at };
    at = resolve(folder, readlinkSync(at));
  }
  throw Object.assign(new Error("ELOOP: too many symbolic links"), { syscall: "open" });
}

function refuseSpecialFile(status: Stats | undefined, name: string): void {
  if (status === undefined || status.isFile()) return;
  const what = status.isSymbolicLink() ? "a symbolic link" : "not a regular file";
  throw new TicksError(
    "NOT_WRITABLE",
    `${name} is ${what}: refusing to write to it`,
    "Choose the output: -o FILE",
  );
}

/** Returns whether a folder lists this process's open files. */
function isOwnDescriptors(folder: string): boolean {
  const [found, pid = `${process.pid}`] = DESCRIPTORS.exec(folder) ?? [];
  return found !== undefined && pid === `${process.pid}`;
}
