import { Diagnostics } from "../diagnostics.js";
import { LogParser } from "../parser/parser.js";
import type { RecordSink } from "../parser/record-sink.js";
import type { Deopt } from "../profile/deopt.js";
import type { ThreadKind, ThreadOrigin } from "../profile/profile.js";
import type { Micros } from "../profile/units.js";
import { LogRuns } from "../recorder/joined-runs.js";
import type { LibraryLoader } from "../recorder/library-loader.js";
import { LibraryMap } from "../recorder/library-map.js";
import type { RecorderOptions } from "../recorder/recorder-options.js";
import type { NameSources } from "./address-names.js";
import type { LiveFunctions } from "./live-functions.js";
import { LiveRecorder } from "./live-recorder.js";
import { RecentTicks } from "./recent-ticks.js";
import { TickCounts } from "./tick-counts.js";

/** A log that may grow. */
export interface LiveLogOptions {
  /** The name of the log in reports. */
  readonly name: string;
  readonly origin: ThreadOrigin;
  readonly sources: LiveSources;
  /** What the process had mapped when it was looked at. Default: unknown. */
  readonly mapped?: RecorderOptions["mapped"];
}

/** Where the names of a log come from. */
export interface LiveSources extends Omit<NameSources, "loader"> {
  /** Returns a loader of the functions of libraries, for one run of the log. */
  readonly openLoader: () => LibraryLoader;
}

/** A run of the program that writes the log. */
interface LiveRun {
  readonly recorder: LiveRecorder;
  readonly sources: NameSources;
  /** How long the runs before it took. */
  readonly start: Micros;
}

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
/** Bytes whose ticks are counted together. */
const PART_BYTES = 1 << 16;

/** One log that may grow, as it is now: the ticks of its functions. Keeps none of its bytes. */
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
  /** What reads the log; undefined if nothing more is expected. */
  #reader: { readonly parser: LogParser; readonly runs: LiveRun[] } | undefined;
  #bytes = 0;

  constructor({ name, origin, sources, mapped }: LiveLogOptions, shared: LiveShared) {
    this.name = name;
    this.origin = origin;
    const { functions, counts } = shared;
    const open = (start: Micros): LiveRun => ({
      recorder: new LiveRecorder(functions, new LibraryMap(mapped), {
        onTick: (stack, timestamp) => {
          counts.add(stack, functions.length);
          this.counts.add(stack, functions.length);
          this.recent.add(stack, start + timestamp);
        },
        onDeopt: (deopt) => shared.onDeopt(deopt),
      }),
      sources: { ...sources, loader: sources.openLoader() },
      start,
    });
    const runs = [open(0)];
    const log = new LogRuns({
      takeTicks: (fields) => runs.at(-1)!.recorder.takeTicks(fields),
      takeRecord: (record) => runs.at(-1)!.recorder.takeRecord(record),
      beginRun: () => runs.push(open(endOf(runs.at(-1)!))),
    });
    const sink: RecordSink = {
      takeTicks: (fields, count) => log.takeTicks(fields, count, parser.line),
      takeRecord: (record) => log.takeRecord(record, parser.line),
    };
    // The last page tells what is wrong with the log.
    const parser = new LogParser(sink, new Diagnostics(), { optionalRows: ["code-deopt"] });
    this.#reader = { parser, runs };
  }

  /** Returns the time of the log at a moment of the clock, in milliseconds. */
  now(clock: number): Micros {
    return this.time + Math.max(0, clock - this.seen) * 1000;
  }

  /**
   * Reads the next bytes, split anywhere, and counts their ticks. They are not kept, but must stay until this resolves.
   */
  async read(bytes: Uint8Array): Promise<void> {
    if (this.#reader === undefined) throw new Error("The log was released.");
    const { parser, runs } = this.#reader;
    this.#bytes += bytes.length;
    // The ticks of a part are held until it is known what is at their addresses.
    for (let from = 0; from < bytes.length; from += PART_BYTES) {
      parser.push(bytes.subarray(from, from + PART_BYTES));
      for (const { recorder, sources } of runs) await recorder.countTicks(sources);
      runs.splice(0, runs.length - 1);
    }
    const run = runs[0]!;
    this.kind = run.recorder.kind;
    this.isEnded = run.recorder.isEnded;
    this.time = endOf(run);
    this.isNotALog = this.#bytes > PROOF_BYTES && parser.knownRows === 0;
  }

  /** Frees what it takes to read on: only the ticks stay. */
  release(): void {
    this.#reader = undefined;
  }
}

/** Returns when the last tick of a run was, in the time of the log. */
function endOf({ recorder, start }: LiveRun): Micros {
  return start + recorder.time;
}
