import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { TicksError } from "../errors.js";

export interface OutputName {
  /** What errors call the output: its path as it may be shown. */
  readonly name: string;
  /** Whether the user typed the path. A name that was made up, as after that of a log, may have been taken by a stranger. */
  readonly isTyped: boolean;
}

/** Where bytes go that are written to a path. */
export type OutputTarget =
  /** To a file that takes the place of what is at `path` when it is whole. */
  | { readonly kind: "file"; readonly path: string }
  /** To what is at `path`: a device, a pipe. */
  | { readonly kind: "device"; readonly path: string }
  /** To a file that is open already, after what it has. */
  | { readonly kind: "descriptor"; readonly descriptor: number };

/** More links one after the other are links to each other. Source: Linux, include/linux/namei.h, `MAXSYMLINKS`. */
const LINKS_LIMIT = 40;
/** The folders of a process's own open files, as `/dev/stdout` and `/dev/fd/63` lead there. */
const DESCRIPTORS = /^\/(?:proc\/(\d+)(?:\/task\/\d+)?|dev)\/fd$/;
/** Devices of Windows are in every folder. */
const WINDOWS_DEVICE = /^\\\\[.?]\\|(?:^|[\\/])(?:nul|con|conout\$)$/i;

/**
 * Where to write what is to be at a path. Links that the user typed are followed to what they mean, also where nothing is
 * there yet; a made-up name has to be that of a regular file or of nothing. Throws a {@link TicksError} where nothing can be
 * written, and the errors of the system.
 */
export function outputTarget(path: string, { name, isTyped }: OutputName): OutputTarget {
  if (!isTyped) {
    refuseTaken(lstatSync(path, { throwIfNoEntry: false }), name);
    return { kind: "file", path };
  }
  if (process.platform === "win32" && WINDOWS_DEVICE.test(path)) return { kind: "device", path };
  const status = statSync(path, { throwIfNoEntry: false });
  if (status?.isDirectory()) throw new TicksError("IS_DIRECTORY", `${name} is a directory`);
  if (status !== undefined && !status.isFile()) return { kind: "device", path };
  return followed(path);
}

/** The end of a chain of links, which need not be there. */
function followed(path: string): OutputTarget {
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

function refuseTaken(status: Stats | undefined, name: string): void {
  if (status === undefined || status.isFile()) return;
  const what = status.isSymbolicLink() ? "a symbolic link" : "not a regular file";
  throw new TicksError(
    "NOT_WRITABLE",
    `${name} is ${what}: nothing is written to it`,
    "Name the output: -o FILE",
  );
}

/** Whether a folder is that of the files that this process has open. */
function isOwnDescriptors(folder: string): boolean {
  const [found, pid = `${process.pid}`] = DESCRIPTORS.exec(folder) ?? [];
  return found !== undefined && pid === `${process.pid}`;
}
