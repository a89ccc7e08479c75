import { setTimeout } from "node:timers/promises";
import { type LogFlags, openSharedInput } from "../log-input.js";
import { type ColorFlag, styleOf } from "../terminal.js";
import { LineFace } from "./line-face.js";
import { type LiveClock, type LiveEnd, runLive } from "./live-run.js";
import { type FollowedLogs, LogFollower } from "./log-follower.js";
import { openFlame } from "./open-flame.js";
import { TerminalFace } from "./terminal-face.js";

/** The options that {@link watchLogs} takes from a command line. */
export interface WatchFlags extends LogFlags {
  readonly format: "text" | "json";
  readonly color: ColorFlag;
}

export interface WatchOptions extends FollowedLogs {
  /** What the page calls the logs. */
  readonly title: string;
  readonly flags: WatchFlags;
  /** Ends this many milliseconds after the start. Default: never. */
  readonly duration?: number | undefined;
  /**
   * Ends when it is aborted; what was written by then is read. Then logs whose end is written do not end it. Default: ends
   * when all logs are complete.
   */
  readonly until?: AbortSignal | undefined;
  /** Whether keys are for the page. Default: yes, if standard input is a terminal. */
  readonly hasKeys?: boolean | undefined;
}

/** A clock that never goes back, whatever the system's clock is set to. */
export const CLOCK: LiveClock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => {}),
};

/** What came of watching logs. */
export interface Watched {
  readonly end: LiveEnd;
  /** The logs that were followed. */
  readonly logs: readonly string[];
}

/**
 * Shows logs while they grow: on a terminal a page with keys, else one line a second. Ends when all logs are complete, the
 * user quits, or one of the options says so; by then the terminal is as it was. The caller prints the last page or, if
 * a signal came, ends by it; SIGINT quits.
 */
export async function watchLogs(options: WatchOptions): Promise<Watched> {
  const { logs, folders, ignored, flags, title, duration, until, hasKeys = true } = options;
  const shared = await openSharedInput(flags);
  const follower = new LogFollower({
    logs,
    folders,
    ignored,
    flags,
    shared,
    now: CLOCK.now,
    systemTime: Date.now,
  });
  const isPage = process.stdout.isTTY === true && flags.format === "text";
  const face = isPage
    ? new TerminalFace({
        output: process.stdout,
        input: hasKeys ? process.stdin : undefined,
        title,
        style: await styleOf(flags.color),
        openFlame: (some, onDone) => openFlame(some, flags, onDone),
      })
    : new LineFace({ format: flags.format, output: process.stdout });
  const end = await runLive(follower, face, { clock: CLOCK, duration, until });
  return { end, logs: follower.paths };
}
