import { analyzeRun } from "../analyze.js";
import { ROOT } from "../profile/call-tree.js";
import type { Deopt } from "../profile/deopt.js";
import type { ThreadKind, ThreadOrigin } from "../profile/profile.js";
import { shownStacks } from "../profile/shown-stacks.js";
import type { Micros } from "../profile/units.js";
import { valueAt } from "../profile/value-at.js";
import { isIdle } from "../profile/vm-state.js";
import { LogReader, type ReadRun } from "../read-log.js";
import { inferWaits } from "../recorder/inferred-waits.js";
import type { LibraryLoader } from "../recorder/libraries.js";
import type { RecordedFrame } from "../recorder/recorded-frame.js";
import type { RecorderOptions, Recording } from "../recorder/recording.js";
import type { LibraryFunction } from "../symbols/readable-names.js";
import { Analysis } from "../views/analysis.js";
import { countPiece, type LiveFunctions, RecentTicks, TickCounts } from "./tick-counts.js";

/** A log that may grow. */
export interface LiveLogOptions {
  /** The name of the log in reports. */
  readonly name: string;
  readonly origin: ThreadOrigin;
  readonly sources: LiveSources;
  /** What the process had mapped when it was looked at. Default: unknown. */
  readonly mapped?: RecorderOptions["mapped"];
}

/** Where the names of native code come from. */
export interface LiveSources {
  /** Returns a loader of the functions of libraries, for one run of the log. */
  readonly openLoader: () => LibraryLoader;
  /** Returns the readable names of functions, one for each. */
  readonly readNames: ReadNames;
}

type ReadNames = (functions: readonly LibraryFunction[]) => Promise<readonly string[]>;

/** What all logs share. */
export interface LiveShared {
  readonly functions: LiveFunctions;
  /** The ticks of all logs. */
  readonly counts: TickCounts;
  /** Called for each deoptimization, in the order of reading. */
  onDeopt(deopt: Deopt): void;
}

/** A file with no row that V8 writes in this many bytes is not a log. */
const PROOF_BYTES = 1 << 20;

/**
 * One log that may grow, as it is now: the ticks of its functions. It is recorded piece by piece: what came since the last read is
 * analyzed as a profile of its own and counted. Keeps none of its bytes, ticks and stacks, so its memory depends on the code of the
 * program, not on how long it runs. An inlined function counts as its caller.
 */
export class LiveLog {
  readonly name: string;
  readonly origin: ThreadOrigin;
  readonly counts = new TickCounts();
  readonly recent = new RecentTicks();
  /** When its last ticks came, in milliseconds of the clock that {@link now} is given. */
  seen = 0;
  /** Undefined if the log does not tell. */
  kind: ThreadKind | undefined;
  /** Whether V8 has written the end of the profile. */
  isEnded = false;
  /** Whether enough was read to say that this is not a log. */
  isNotALog = false;
  /** How long the log has been written, up to its last tick. */
  time: Micros = 0;
  readonly #shared: LiveShared;
  readonly #readNames: ReadNames;
  /** What reads the log; undefined if nothing more is expected. */
  #reader: LogReader | undefined;
  #bytes = 0;
  #hasIdle = false;
  /** How long the runs before the one that is being read took. */
  #start: Micros = 0;

  constructor({ name, origin, sources, mapped }: LiveLogOptions, shared: LiveShared) {
    this.name = name;
    this.origin = origin;
    this.#shared = shared;
    this.#readNames = remembering(sources.readNames);
    const { openLoader } = sources;
    this.#reader = new LogReader({
      ...{ mapped, openLoader, range: {} },
      ...{ inPieces: true, timeline: true, deopts: "events" },
    });
  }

  /** Returns the time of the log at a moment of the clock, in milliseconds. */
  now(clock: number): Micros {
    return this.time + Math.max(0, clock - this.seen) * 1000;
  }

  /**
   * Reads the next bytes, split anywhere, and counts their ticks. They are not kept, but must stay until this resolves.
   */
  async read(bytes: Uint8Array): Promise<void> {
    const reader = this.#reader;
    if (reader === undefined) throw new Error("The log was released.");
    this.#bytes += bytes.length;
    reader.parser.push(bytes);
    await reader.loadFunctions();
    for (const [i, run] of reader.take().entries()) {
      if (i > 0) this.#start = this.time;
      if (run !== undefined) await this.#count(run);
    }
    // The last page tells what is wrong with the log.
    this.kind = reader.threadKind;
    this.isEnded = reader.hasEnded;
    this.isNotALog = this.#bytes > PROOF_BYTES && reader.parser.knownRows === 0;
  }

  /** Frees what it takes to read on: only the ticks stay. */
  release(): void {
    this.#reader = undefined;
  }

  async #count({ recording, loader }: ReadRun): Promise<void> {
    const { functions, counts, onDeopt } = this.#shared;
    // Once V8 has said that the thread waits, nothing is to be inferred.
    this.#hasIdle ||= recording.ticksByState.some((ticks, state) => ticks > 0 && isIdle(state));
    const used = withUsedFrames(recording);
    const run = { recording: this.#hasIdle ? used : inferWaits(used), loader, diagnostics: [] };
    const profile = await analyzeRun(run, { lines: false, readNames: this.#readNames });
    const deopts = (profile.deopts?.entries ?? []).flatMap(({ times = [], ...deopt }) =>
      times.map((time) => ({ ...deopt, count: 1, times: [time] })),
    );
    for (const deopt of deopts.sort((a, b) => a.times[0]! - b.times[0]!)) onDeopt(deopt);
    const piece = Analysis.of(shownStacks(profile));
    const counted = countPiece(piece, functions, (stack, timestamp) => {
      this.time = Math.max(this.time, this.#start + timestamp);
      this.recent.add(stack, this.#start + timestamp);
    });
    counts.add(counted);
    this.counts.add(counted);
  }
}

/** Returns a recording with the frames of its stacks alone: those of all former pieces are many more. */
function withUsedFrames(recording: Recording): Recording {
  const { tree, frames: all } = recording;
  const frames: RecordedFrame[] = [];
  const numbers = new Map<number, number>();
  const frame = tree.frame.slice(0, tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const number = valueAt(numbers, frame[node]!, () => frames.push(all[frame[node]!]!) - 1);
    frame[node] = number;
  }
  return Object.assign(recording, { frames, tree: { ...tree, frame } });
}

/** Returns a function that asks for each name once: a demangler may be a program that is started. */
function remembering(readNames: ReadNames): ReadNames {
  const known = new Map<LibraryFunction["symbols"], Map<number, string>>();
  return async (functions) => {
    const fresh = functions.filter(({ symbols, index }) => known.get(symbols)?.has(index) !== true);
    const names = fresh.length === 0 ? [] : await readNames(fresh);
    for (const [i, { symbols, index }] of fresh.entries()) {
      const ofTable = known.get(symbols) ?? new Map();
      known.set(symbols, ofTable.set(index, names[i]!));
    }
    return functions.map(({ symbols, index }) => known.get(symbols)!.get(index)!);
  };
}
