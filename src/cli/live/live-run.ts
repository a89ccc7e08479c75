import type { LiveQuery, LiveView } from "../../live/live-view.js";
import type { LogFollower } from "./log-follower.js";

/** What tells the time, and waits. */
export interface LiveClock {
  /** Returns the time in milliseconds, which never goes back. */
  now(): number;
  /** Resolves after some milliseconds, or when the signal is aborted. Does not throw then. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** What a page is made of. */
export interface LivePicture {
  readonly view: LiveView;
  /** Milliseconds since the start. */
  readonly elapsed: number;
  /** How much of the logs has been read, in percent; undefined if nearly all. */
  readonly readPercent: number | undefined;
  /** The number of logs that are older than those that are followed, and left out. */
  readonly leftLogs: number;
}

/** What shows the pages. */
export interface LiveFace {
  /** What to show. */
  readonly query: LiveQuery;
  /** Whether the first page comes at once, not after a second. */
  readonly showsAtOnce: boolean;
  /** Begins to show pages. */
  open(control: LiveControl): void;
  show(picture: LivePicture): void;
  /** Ends showing pages. `last` is the last one. */
  close(last: LivePicture | undefined): void;
}

/** What a face can ask for. */
export interface LiveControl {
  /** The logs that are followed now. */
  readonly logs: readonly string[];
  /** Shows the page again, with what was read so far. */
  redraw(): void;
  /** Counts all from now. */
  reset(): void;
  end(why: LiveEnd): void;
}

/**
 * Why it ended: all logs are complete, the user quit, the time given is over or the signal given was aborted, nobody reads
 * the output any more, or a signal of the system came, by which the process should end.
 */
export type LiveEnd = "complete" | "quit" | "time" | "closed" | NodeJS.Signals;

export interface LiveRunOptions {
  readonly clock: LiveClock;
  /** Ends the run this many milliseconds after its start, when all that was there by then is read. Default: never. */
  readonly duration?: number | undefined;
  /** Ends the run when it is aborted; what was written by then is read. Then complete logs do not end it. Default: none. */
  readonly until?: AbortSignal | undefined;
}

/** Milliseconds between two pages. */
const STEP = 1000;

/** Reads logs as they grow and shows a page a second, until one of the reasons to end. Returns that. */
export async function runLive(
  follower: LogFollower,
  face: LiveFace,
  options: LiveRunOptions,
): Promise<LiveEnd> {
  return new LiveRun(follower, face, options).run();
}

class LiveRun implements LiveControl {
  readonly #follower: LogFollower;
  readonly #face: LiveFace;
  readonly #options: LiveRunOptions;
  readonly #started: number;
  /** Aborted at the end, so that nothing waits any more. */
  readonly #ending = new AbortController();
  #end: LiveEnd | undefined;
  /** When the next page is due. */
  #next: number;
  /** Whether what was there at the start is being read. */
  #isFirst = true;

  constructor(follower: LogFollower, face: LiveFace, options: LiveRunOptions) {
    this.#follower = follower;
    this.#face = face;
    this.#options = options;
    this.#started = options.clock.now();
    this.#next = this.#started + STEP;
  }

  get logs(): readonly string[] {
    return this.#follower.paths;
  }

  redraw(): void {
    this.#face.show(this.#picture());
  }

  reset(): void {
    this.#follower.live.reset();
  }

  end(why: LiveEnd): void {
    this.#end ??= why;
    this.#ending.abort();
  }

  async run(): Promise<LiveEnd> {
    const { until } = this.#options;
    const onAbort = () => this.end("time");
    until?.addEventListener("abort", onAbort);
    let last: LivePicture | undefined;
    try {
      this.#face.open(this);
      if (this.#face.showsAtOnce) this.redraw();
      if (until?.aborted) onAbort();
      await this.#follow();
      last = this.#picture();
    } finally {
      until?.removeEventListener("abort", onAbort);
      this.#follower.close();
      this.#face.close(last);
    }
    return this.#end!;
  }

  async #follow(): Promise<void> {
    const { clock, duration = Number.POSITIVE_INFINITY, until } = this.#options;
    for (;;) {
      // What was written before the end counts.
      const isLast = this.#end !== undefined;
      await this.#catchUp();
      if (isLast || this.#isInterrupted) return;
      if (this.#end !== undefined) continue;
      const left = this.#started + duration - clock.now();
      if (left <= 0) this.end("time");
      else if (until === undefined && this.#follower.isComplete) this.end("complete");
      if (this.#end !== undefined) return;
      this.#showIfDue();
      await clock.sleep(Math.min(left, Math.max(0, this.#next - clock.now())), this.#ending.signal);
    }
  }

  /** Reads all that there is now. Shows pages in between, if that takes long. */
  async #catchUp(): Promise<void> {
    await this.#follower.findLogs();
    while (!this.#isInterrupted && (await this.#follower.read())) {
      // Keys and signals come in between.
      await new Promise((resolve) => setImmediate(resolve));
      this.#showIfDue();
    }
    if (!this.#isFirst) return;
    this.#isFirst = false;
    if (this.#face.showsAtOnce) this.redraw();
  }

  /** Whether nobody waits for the rest of the logs. */
  get #isInterrupted(): boolean {
    return this.#end !== undefined && this.#end !== "time";
  }

  #showIfDue(): void {
    const late = this.#options.clock.now() - this.#next;
    if (late < 0) return;
    this.redraw();
    // Pages that were missed are left out.
    this.#next += STEP * (1 + Math.floor(late / STEP));
  }

  #picture(): LivePicture {
    const { clock } = this.#options;
    const now = clock.now();
    return {
      view: this.#follower.live.view(this.#face.query, now),
      elapsed: now - this.#started,
      readPercent: this.#follower.readPercent ?? (this.#isFirst ? 0 : undefined),
      leftLogs: this.#follower.leftLogs,
    };
  }
}
