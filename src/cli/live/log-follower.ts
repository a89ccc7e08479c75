import { statSync } from "node:fs";
import { FOLLOWED_LOGS } from "../../base/limits.js";
import { logsIn, newestFirst } from "../../io/find-logs.js";
import { GrowingLog, type Growth } from "../../io/growing-log.js";
import type { LiveLog, LiveLogOptions } from "../../live/live-log.js";
import { LiveLogs } from "../../live/live-logs.js";
import { readableNames } from "../../native/readable-names.js";
import { isRunning } from "../../record/process-tree.js";
import { LibraryLoader } from "../../replay/libraries.js";
import { type LogFlags, openLogInput, type SharedInput } from "../log-input.js";
import { isErrorOfLog } from "../skipped-logs.js";

/** Which logs to follow. */
export interface FollowedLogs {
  /** Logs that exist. */
  readonly logs: readonly string[];
  /** Folders whose logs to follow: those that are there, and those that come. */
  readonly folders: readonly string[];
  /** Logs in the folders that are not of interest. Default: none. */
  readonly ignored?: ReadonlySet<string> | undefined;
}

interface FollowerOptions extends FollowedLogs {
  readonly flags: LogFlags;
  readonly shared: SharedInput;
  /** Tells the time in milliseconds, which never goes back. */
  readonly now: () => number;
  /** Tells the time that the system gives files, in milliseconds since 1970. Default: `now`. */
  readonly systemTime?: (() => number) | undefined;
  /** The most logs that are followed at a time. Default: {@link FOLLOWED_LOGS}. */
  readonly most?: number | undefined;
  /** Tells whether a process runs. Default: asks the system. */
  readonly isAlive?: ((pid: number) => boolean) | undefined;
}

/** A log that is followed. */
interface Followed {
  readonly path: string;
  file: GrowingLog;
  readonly options: LiveLogOptions;
  log: LiveLog;
  /** Whether all that was there at first has been read. */
  isCaughtUp: boolean;
  /** Whether it cannot be read, or need not. */
  isClosed: boolean;
  /** Whether it was complete, so that its reader is gone. */
  isReleased: boolean;
}

/** After this time without a byte, in milliseconds, a log whose end is written is complete. */
const END_QUIET = 1500;
/** After this time without a byte, a log whose process is gone is complete. */
const GONE_QUIET = 5000;
/** A folder that changed this many milliseconds ago has the same time after its next change on no system. */
const SETTLED = 2000;
/** Compressed logs do not grow. */
const COMPRESSED = /\.(?:gz|zst|br)$/i;

/** Reads logs as they grow, each byte once, and finds new ones in their folders. */
export class LogFollower {
  readonly live = new LiveLogs();
  readonly #options: FollowerOptions;
  readonly #followed = new Map<string, Followed>();
  /** By folder: when it was last changed. */
  readonly #changes = new Map<string, bigint>();
  /** Logs that are older than those that are followed. */
  readonly #left = new Set<string>();

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** The logs that are followed, in the order of the view's threads. */
  get paths(): readonly string[] {
    return Array.from(this.#followed.keys());
  }

  /** The number of logs that are left out, because others are newer. */
  get leftLogs(): number {
    return this.#left.size;
  }

  /** How much of the logs has been read, in percent; undefined if nearly all. */
  get readPercent(): number | undefined {
    const open = Array.from(this.#followed.values()).filter(({ isClosed }) => !isClosed);
    if (open.every(({ isCaughtUp }) => isCaughtUp)) return undefined;
    const size = open.reduce((sum, { file }) => sum + file.size, 0);
    const read = open.reduce((sum, { file }) => sum + Math.min(file.size, file.position), 0);
    return size === 0 ? 0 : Math.min(99, Math.floor((100 * read) / size));
  }

  /** Whether there are logs, and all are complete: their end is written or their process is gone, and they are quiet. */
  get isComplete(): boolean {
    const all = Array.from(this.#followed.values());
    return all.length > 0 && all.every((one) => this.#isComplete(one));
  }

  /** Finds the logs that have come to the folders. Throws if a log that the user named cannot be opened. */
  async findLogs(): Promise<void> {
    const { logs, folders } = this.#options;
    const named = new Set(logs);
    const found = new Set([...logs, ...folders.flatMap((folder) => this.#logsIn(folder))]);
    for (const path of this.#newest(Array.from(found))) {
      try {
        await this.#follow(path);
      } catch (error) {
        if (named.has(path) || !isErrorOfLog(error)) throw error; // It is gone again. The last page tells what cannot be read.
      }
    }
  }

  /** Returns the logs of a folder, if it has changed. */
  #logsIn(folder: string): readonly string[] {
    const { ignored, now, systemTime = now } = this.#options;
    const changed = changeOf(folder);
    if (changed === undefined || this.#changes.get(folder) === changed) return [];
    // Some systems keep full seconds only: more can come in the same one.
    const isSettled = Math.abs(systemTime() - Number(changed / 1_000_000n)) > SETTLED;
    if (isSettled) this.#changes.set(folder, changed);
    return logsIn(folder).filter((path) => !ignored?.has(path));
  }

  /** Returns those of some logs to follow from now on. Makes room for them: logs that came before are left out. */
  #newest(paths: readonly string[]): readonly string[] {
    const { most = FOLLOWED_LOGS } = this.#options;
    const others = paths.filter((path) => !this.#followed.has(path) && !this.#left.has(path));
    const newest = others.length > most ? new Set(newestFirst(others).slice(0, most)) : new Set(others);
    for (const path of others) if (!newest.has(path)) this.#left.add(path);
    while (this.#followed.size > 0 && this.#followed.size + newest.size > most) this.#leaveOut();
    return others.filter((path) => newest.has(path));
  }

  /** Leaves out the log that was quiet for the longest time, first of those that are complete. */
  #leaveOut(): void {
    const all = Array.from(this.#followed.values());
    const complete = all.filter((one) => this.#isComplete(one));
    const [first, ...rest] = complete.length > 0 ? complete : all;
    const oldest = rest.reduce((old, one) => (one.log.seen < old.log.seen ? one : old), first!);
    oldest.file.close();
    this.live.remove(oldest.log);
    this.#followed.delete(oldest.path);
    this.#left.add(oldest.path);
  }

  /** Reads the next chunk of each log that has one. Returns whether any had. */
  async read(): Promise<boolean> {
    let hasRead = false;
    for (const one of this.#followed.values()) {
      if (one.isClosed) continue;
      const growth = nextOf(one);
      if (growth === undefined) one.isCaughtUp = true;
      else {
        hasRead = true;
        await this.#take(one, growth);
      }
      if (one.log.isNotALog) one.isClosed = true;
      if (growth === undefined && !one.isReleased && this.#isComplete(one)) release(one);
    }
    return hasRead;
  }

  /** Closes all files. */
  close(): void {
    for (const { file } of this.#followed.values()) file.close();
  }

  async #follow(path: string): Promise<void> {
    if (this.#followed.has(path)) return;
    const { flags, shared, now } = this.#options;
    const { name, origin, fileTimes, ...input } = await openLogInput(path, flags, shared);
    const options: LiveLogOptions = {
      name,
      origin,
      mapped: input.mapped,
      sources: {
        openLoader: () => new LibraryLoader(input),
        readNames: (functions) => readableNames(functions, { cache: input.cache }),
      },
    };
    const log = this.live.add(options);
    log.seen = fileTimes === undefined ? now() : this.#timeOf(fileTimes.changed);
    this.#followed.set(path, {
      path,
      file: new GrowingLog(path),
      options,
      log,
      isCaughtUp: false,
      isClosed: COMPRESSED.test(path),
      isReleased: false,
    });
  }

  async #take(one: Followed, { bytes, isOther }: Growth): Promise<void> {
    if (isOther || one.isReleased) {
      one.log = this.live.replace(one.log, one.options);
      one.isCaughtUp = false;
    }
    if (one.isReleased) {
      one.isReleased = false;
      if (!isOther) {
        // It grows although it was complete: it is read once more from its beginning.
        one.file.close();
        one.file = new GrowingLog(one.path);
        const first = nextOf(one);
        return first === undefined ? undefined : this.#take(one, first);
      }
    }
    // What was there at first is as old as the system says; the rest has just come.
    one.log.seen = one.isCaughtUp ? this.#options.now() : this.#timeOf(one.file.changed);
    await one.log.read(bytes);
  }

  /** Returns when a file was changed, in the time of `now`. */
  #timeOf(changed: number): number {
    const { now, systemTime = now } = this.#options;
    return now() - Math.max(0, systemTime() - changed);
  }

  #isComplete({ log, isCaughtUp, isClosed }: Followed): boolean {
    if (isClosed) return true;
    if (!isCaughtUp) return false;
    const quiet = this.#options.now() - log.seen;
    if (log.isEnded) return quiet >= END_QUIET;
    const { pid = 0 } = log.origin;
    const isAlive = this.#options.isAlive ?? isRunning;
    return pid > 0 && quiet >= GONE_QUIET && !isAlive(pid);
  }
}

/** Frees what it takes to read a log that is complete: a run can have hundreds. */
function release(one: Followed): void {
  one.file.close();
  one.log.release();
  one.isReleased = true;
}

function nextOf(one: Followed): Growth | undefined {
  try {
    return one.file.read();
  } catch {
    one.isClosed = true; // The last page tells why it cannot be read.
    return undefined;
  }
}

/** Returns when a folder was last changed; undefined if it is gone. */
function changeOf(folder: string): bigint | undefined {
  return statSync(folder, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
}
