import { statSync } from "node:fs";
import { logsIn } from "../../io/find-logs.js";
import { GrowingLog, type Growth } from "../../io/growing-log.js";
import type { LiveLog, LiveLogOptions } from "../../live/live-log.js";
import { LiveLogs } from "../../live/live-logs.js";
import { LibraryLoader } from "../../recorder/library-loader.js";
import { readableNames } from "../../symbols/readable-names.js";
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

export interface FollowerOptions extends FollowedLogs {
  readonly flags: LogFlags;
  readonly shared: SharedInput;
  /** Tells the time, in milliseconds since 1970. */
  readonly now: () => number;
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

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** The logs that are followed, in the order of the view's threads. */
  get paths(): readonly string[] {
    return Array.from(this.#followed.keys());
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
    const { logs, folders, ignored } = this.#options;
    for (const path of logs) await this.#follow(path);
    for (const folder of folders) {
      const changed = changeOf(folder);
      if (changed === undefined || this.#changes.get(folder) === changed) continue;
      // Some systems keep full seconds only: more can come in the same one.
      if (this.#options.now() - Number(changed / 1_000_000n) > SETTLED) this.#changes.set(folder, changed);
      for (const path of logsIn(folder)) {
        if (ignored?.has(path)) continue;
        try {
          await this.#follow(path);
        } catch (error) {
          if (!isErrorOfLog(error)) throw error; // It is gone again. The last page tells what cannot be read.
        }
      }
    }
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
    log.seen = fileTimes?.changed ?? now();
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
    const now = this.#options.now();
    one.log.seen = one.isCaughtUp ? now : Math.min(now, one.file.changed);
    await one.log.read(bytes);
  }

  #isComplete({ log, isCaughtUp, isClosed }: Followed): boolean {
    if (isClosed) return true;
    if (!isCaughtUp) return false;
    const quiet = this.#options.now() - log.seen;
    if (log.isEnded) return quiet >= END_QUIET;
    const { pid = 0 } = log.origin;
    const isAlive = this.#options.isAlive ?? runs;
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

/** Returns whether a process of this machine runs. */
function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
