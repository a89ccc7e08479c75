import { spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { LiveQuery } from "../../live/live-view.js";
import { type LiveReport, liveJson, liveText } from "../../reports/live.js";
import { type LogFlags, openSharedInput } from "../log-input.js";
import { type ColorFlag, styleOf } from "../terminal.js";
import {
  type LiveClock,
  type LiveControl,
  type LiveEnd,
  type LiveFace,
  type LivePicture,
  runLive,
} from "./live-run.js";
import { type FollowedLogs, LogFollower } from "./log-follower.js";
import { TerminalFace } from "./terminal-face.js";

/** The options that {@link watchLogs} takes from a command line. */
export interface WatchFlags extends LogFlags {
  readonly format: "text" | "json";
  readonly color: ColorFlag;
}

interface WatchOptions extends FollowedLogs {
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
interface Watched {
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

/** The functions on a line for programs. */
const FUNCTIONS = 10;

interface LineFaceOptions {
  readonly format: "text" | "json";
  /** Where the lines go. If it is closed, there is nothing more to do. */
  readonly output: Writable;
}

/** Shows one line a second, in a file or a pipe. */
export class LineFace implements LiveFace {
  readonly showsAtOnce = false;
  readonly query: LiveQuery = { sort: "recent-self", filter: "", limit: FUNCTIONS, thread: undefined };
  readonly #options: LineFaceOptions;
  #lastDeopt = 0;
  #quit = () => {};

  constructor(options: LineFaceOptions) {
    this.#options = options;
  }

  open(control: LiveControl): void {
    this.#options.output.once("error", () => control.end("closed"));
    let isQuit = false;
    this.#quit = () => {
      if (isQuit) {
        process.off("SIGINT", this.#quit);
        process.kill(process.pid, "SIGINT"); // The second one ends the process.
      }
      isQuit = true;
      control.end("quit");
    };
    // Not `once`: without a listener, whoever cleans up after a signal ends the process.
    process.on("SIGINT", this.#quit);
  }

  show(picture: LivePicture): void {
    const { format, output } = this.#options;
    // A reader that does not read gets no line instead of all of them later.
    if (output.writableNeedDrain) return;
    const report: LiveReport = { ...picture, lastDeopt: this.#lastDeopt };
    output.write(`${format === "json" ? liveJson(report) : liveText(report)}\n`);
    this.#lastDeopt = picture.view.deoptCount;
  }

  close(last: LivePicture | undefined): void {
    process.off("SIGINT", this.#quit);
    if (last !== undefined) this.show(last);
  }
}

/** Characters that are kept of what the command says. */
const SAID_LENGTH = 4000;

/**
 * Writes the flame graph of some logs and opens it, as `ticks flame --open` does, in a process of its own: reading the logs
 * again may take long. Calls back with a line on what came of it.
 */
function openFlame(logs: readonly string[], flags: LogFlags, onDone: (message: string) => void): void {
  const program = process.argv[1];
  if (program === undefined) return;
  const args = [program, "flame", "--open", ...symbolArguments(flags), "--", ...logs];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-SAID_LENGTH);
  });
  child.on("error", (error) => onDone(`cannot write the flame graph: ${error.message}`));
  child.on("close", () => onDone(summaryOf(said)));
}

/** Returns the line that tells what was written or, if nothing was, why. */
function summaryOf(said: string): string {
  const lines = said.split("\n").map((line) => line.replace(/^ticks: /, ""));
  const isError = (line: string) => line.startsWith("--open") || line.startsWith("wrote");
  return lines.findLast(isError) ?? lines.find((line) => line !== "") ?? "";
}

/** Returns the options for native symbols as they were given. */
function symbolArguments({ symbols = [], nm, target, forceSymbols, cache, apkEmbeddedLibrary }: LogFlags) {
  return [
    ...symbols.map((text) => `--symbols=${text}`),
    ...(nm === undefined ? [] : [`--nm=${nm}`]),
    ...(target === undefined ? [] : [`--target=${target}`]),
    ...(forceSymbols ? ["--force-symbols"] : []),
    ...(cache ? [] : ["--no-cache"]),
    ...(apkEmbeddedLibrary === undefined ? [] : [`--apk-embedded-library=${apkEmbeddedLibrary}`]),
  ];
}
