import { columnOf, reaching } from "../base/columns.js";
import { valueAt } from "../base/maps.js";
import type { Micros, Ticks } from "../base/units.js";
import { Analysis } from "../facts/analysis.js";
import { categories } from "../facts/breakdown.js";
import type { ProfiledFunction } from "../facts/function-table.js";
import { ticksAboveProgram } from "../facts/program-frames.js";
import { analyzeRun } from "../load/analyze.js";
import { LogReader, type ReadRun } from "../load/read-log.js";
import type { LibraryFunction } from "../native/readable-names.js";
import { ROOT } from "../profile/call-tree.js";
import { CATEGORIES } from "../profile/categories.js";
import type { Deopt } from "../profile/deopt.js";
import type { Frame, Tier } from "../profile/frame.js";
import { type FrameKey, functionKeys } from "../profile/frame-keys.js";
import type { ThreadKind, ThreadOrigin } from "../profile/profile.js";
import { shownStacks } from "../profile/shown-stacks.js";
import { isIdle } from "../profile/vm-state.js";
import { inferWaits } from "../replay/inferred-waits.js";
import type { LibraryLoader } from "../replay/libraries.js";
import type { ReplayedFrame } from "../replay/replayed-frame.js";
import type { ReplayedLog, ReplayOptions } from "../replay/replayed-log.js";
import { RECENT_SECONDS } from "./live-view.js";

/** Seconds of which the ticks by category are known. */
export const HISTORY_SECONDS = 60;
const MICROS = 1e6;

/** A function of logs that grow. */
interface LiveFunction {
  readonly frame: Frame;
  /** Whether it is Node's own JavaScript. */
  readonly isNode: boolean;
  /** Whether it is of the program itself. */
  readonly isOwn: boolean;
  /** The tier of its last self tick. */
  tier: Tier;
}

/** The functions of several logs, in all tiers, by number. */
export class LiveFunctions {
  readonly #functions: LiveFunction[] = [];
  readonly #ids = new Map<FrameKey, number>();
  readonly #keyOf = functionKeys();

  /** All numbers are below this. */
  get length(): number {
    return this.#functions.length;
  }

  get(id: number): LiveFunction {
    return this.#functions[id]!;
  }

  idOf({ frame, origin }: ProfiledFunction): number {
    const key = this.#keyOf(frame);
    return valueAt(this.#ids, key, () => {
      const isNode = frame.kind === "js" && origin.kind === "node";
      const isOwn = frame.kind === "js" && origin.kind === "app";
      return this.#functions.push({ frame, isNode, isOwn, tier: "" }) - 1;
    });
  }
}

interface PieceTicks {
  readonly ticks: Ticks;
  readonly categories: Float64Array;
  /** The functions, by number, and in the same order their ticks. */
  readonly ids: Int32Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  /** Ticks in which a function is above the program's first function. */
  readonly above: Float64Array;
}

/**
 * Counts the ticks of a piece of a log, a profile with a timeline, and passes each to `recent`. Remembers the tier of each
 * function's last self tick.
 */
function countPiece(
  piece: Analysis,
  functions: LiveFunctions,
  onTick: (stack: TickStack, timestamp: Micros) => void,
): PieceTicks {
  const { frames, tree, samples, table, timeline } = piece;
  const ids = columnOf(Int32Array, table.functions, (found) => functions.idOf(found));
  const ofSample = categories(piece);
  const ticks = new Float64Array(CATEGORIES.length);
  for (let i = 0; i < samples.length; i++) ticks[ofSample[i]!]! += samples.ticks[i]!;
  /** By function of the table: 1 + the last sample that it was found in. */
  const last = new Int32Array(table.functions.length);
  const stackOf = (sample: number): TickStack => {
    const found: number[] = [];
    for (let node = samples.node[sample]!; node !== ROOT; node = tree.parent[node]!) {
      const id = table.ofFrame[tree.frame[node]!]!;
      if (last[id] === sample + 1) continue;
      last[id] = sample + 1;
      found.push(ids[id]!);
    }
    return { ids: found, category: ofSample[sample]! };
  };
  const stacks: TickStack[] = [];
  for (let tick = 0; timeline !== undefined && tick < timeline.length; tick++) {
    const sample = timeline.sample[tick]!;
    stacks[sample] ??= stackOf(sample);
    onTick(stacks[sample], timeline.timestamp[tick]!);
    const leaf = frames[tree.frame[samples.node[sample]!]!];
    if (leaf?.kind === "js") functions.get(stacks[sample].ids[0]!).tier = leaf.tier;
  }
  return {
    ticks: piece.ticks,
    categories: ticks,
    ids,
    ...piece.functionTicks,
    above: ticksAboveProgram(piece),
  };
}

/** The ticks of one thread, or of all, since a moment. */
export class TickCounts {
  ticks = 0;
  readonly categories = new Float64Array(CATEGORIES.length);
  /** By function. Shorter than the functions are: what is beyond is 0. */
  #self = new Float64Array(64);
  #total = new Float64Array(64);
  /** Ticks in which it is above the program's first function. */
  #above = new Float64Array(64);

  add({ ticks, categories, ids, self, total, above }: PieceTicks): void {
    this.ticks += ticks;
    for (let i = 0; i < categories.length; i++) this.categories[i]! += categories[i]!;
    for (let i = 0; i < ids.length; i++) {
      if (total[i] === 0) continue;
      const id = ids[i]!;
      this.#reach(id);
      this.#self[id]! += self[i]!;
      this.#total[id]! += total[i]!;
      this.#above[id]! += above[i]!;
    }
  }

  self(id: number): Ticks {
    return this.#self[id] ?? 0;
  }

  total(id: number): Ticks {
    return this.#total[id] ?? 0;
  }

  /** Returns whether most ticks of a function are those of the program that it starts. */
  isLeadIn(id: number): boolean {
    return (this.#above[id] ?? 0) * 2 > this.total(id);
  }

  /** Adds all ticks of another thread. */
  addAll(other: TickCounts): void {
    this.ticks += other.ticks;
    for (const [i, ticks] of other.categories.entries()) this.categories[i]! += ticks;
    this.#reach(other.#self.length - 1);
    const columns = this.#columns();
    for (const [i, added] of other.#columns().entries()) {
      const column = columns[i]!;
      for (let id = 0; id < added.length; id++) column[id]! += added[id]!;
    }
  }

  /** Forgets all ticks. */
  clear(): void {
    this.ticks = 0;
    for (const column of [this.categories, ...this.#columns()]) column.fill(0);
  }

  #columns(): readonly Float64Array[] {
    return [this.#self, this.#total, this.#above];
  }

  #reach(last: number): void {
    this.#self = reaching(this.#self, last);
    this.#total = reaching(this.#total, last);
    this.#above = reaching(this.#above, last);
  }
}

interface TickStack {
  /** Its functions by number, each once: first the one that ran. */
  readonly ids: readonly number[];
  /** An index into `CATEGORIES`. */
  readonly category: number;
}

interface FunctionTicks {
  self: Ticks;
  total: Ticks;
}

/**
 * The latest ticks of one log, second by second of the log's own clock. What is older than a minute is forgotten.
 */
class RecentTicks {
  /** The second that each slot is about: its number modulo the slots. */
  readonly #seconds = new Float64Array(HISTORY_SECONDS).fill(Number.NaN);
  /** By slot, then by category. */
  readonly #categories = new Float64Array(HISTORY_SECONDS * CATEGORIES.length);
  readonly #functionSeconds = new Float64Array(RECENT_SECONDS).fill(Number.NaN);
  readonly #functions = Array.from({ length: RECENT_SECONDS }, () => new Map<number, FunctionTicks>());

  add({ ids, category }: TickStack, timestamp: Micros): void {
    const second = Math.floor(timestamp / MICROS);
    const slot = second % HISTORY_SECONDS;
    if (this.#seconds[slot] !== second && !this.#begin(second)) return;
    this.#categories[slot * CATEGORIES.length + category]!++;
    if (this.#functionSeconds[second % RECENT_SECONDS] !== second) return;
    const functions = this.#functions[second % RECENT_SECONDS]!;
    // A plain loop: this is done for each frame of each tick, and an iterator would be most of the garbage.
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i]!;
      const self = i === 0 ? 1 : 0;
      const ticks = functions.get(id);
      if (ticks === undefined) functions.set(id, { self, total: 1 });
      else {
        ticks.total++;
        ticks.self += self;
      }
    }
  }

  /**
   * Calls `visit` with the ticks of each second of the last minute before `now`, in the log's time: how many seconds
   * ago it was, and the ticks by category.
   */
  visitSeconds(now: Micros, visit: (age: number, categories: Float64Array) => void): void {
    const current = Math.floor(now / MICROS);
    for (let slot = 0; slot < HISTORY_SECONDS; slot++) {
      const age = current - this.#seconds[slot]!;
      const at = slot * CATEGORIES.length;
      if (age >= 0 && age < HISTORY_SECONDS)
        visit(age, this.#categories.subarray(at, at + CATEGORIES.length));
    }
  }

  /** Calls `visit` with the ticks of each function in each of the last ten seconds before `now`. */
  visitFunctions(now: Micros, visit: (id: number, ticks: FunctionTicks) => void): void {
    const current = Math.floor(now / MICROS);
    for (const [slot, second] of this.#functionSeconds.entries()) {
      const age = current - second;
      if (!(age >= 0 && age < RECENT_SECONDS)) continue;
      for (const [id, ticks] of this.#functions[slot]!) visit(id, ticks);
    }
  }

  /** Adds the ticks of one function to those of each of the last ten seconds, oldest first. */
  addHistory(now: Micros, id: number, history: { readonly self: Ticks[]; readonly total: Ticks[] }): void {
    const current = Math.floor(now / MICROS);
    for (const [slot, second] of this.#functionSeconds.entries()) {
      const age = current - second;
      const ticks = age >= 0 && age < RECENT_SECONDS ? this.#functions[slot]!.get(id) : undefined;
      if (ticks === undefined) continue;
      history.self[RECENT_SECONDS - 1 - age]! += ticks.self;
      history.total[RECENT_SECONDS - 1 - age]! += ticks.total;
    }
  }

  /** Makes room for a second. Returns false if it is older than what is kept. */
  #begin(second: number): boolean {
    const slot = second % HISTORY_SECONDS;
    if (second < this.#seconds[slot]!) return false;
    this.#seconds[slot] = second;
    this.#categories.fill(0, slot * CATEGORIES.length, (slot + 1) * CATEGORIES.length);
    const recent = second % RECENT_SECONDS;
    if (second > this.#functionSeconds[recent]! || Number.isNaN(this.#functionSeconds[recent]!)) {
      this.#functionSeconds[recent] = second;
      this.#functions[recent] = new Map();
    }
    return true;
  }
}

/** A log that may grow. */
export interface LiveLogOptions {
  /** The name of the log in reports. */
  readonly name: string;
  readonly origin: ThreadOrigin;
  readonly sources: LiveSources;
  /** What the process had mapped when it was looked at. Default: unknown. */
  readonly mapped?: ReplayOptions["mapped"];
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
  /** Called for each deoptimization, in the order of reading. */
  onDeopt(deopt: Deopt): void;
}

/** A file with no row that V8 writes in this many bytes is not a log. */
const PROOF_BYTES = 1 << 20;

/**
 * One log that may grow, as it is now: the ticks of its functions. It is replayed piece by piece: what came since the last read is
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

  async #count({ replayed, loader }: ReadRun): Promise<void> {
    const { functions, onDeopt } = this.#shared;
    // Once V8 has said that the thread waits, nothing is to be inferred.
    this.#hasIdle ||= replayed.ticksByState.some((ticks, state) => ticks > 0 && isIdle(state));
    const used = withUsedFrames(replayed);
    const run = { replayed: this.#hasIdle ? used : inferWaits(used), loader, diagnostics: [] };
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
    this.counts.add(counted);
  }
}

/** Returns a replayed log with the frames of its stacks alone: those of all former pieces are many more. */
function withUsedFrames(replayed: ReplayedLog): ReplayedLog {
  const { tree, frames: all } = replayed;
  const frames: ReplayedFrame[] = [];
  const numbers = new Map<number, number>();
  const frame = tree.frame.slice(0, tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const number = valueAt(numbers, frame[node]!, () => frames.push(all[frame[node]!]!) - 1);
    frame[node] = number;
  }
  return Object.assign(replayed, { frames, tree: { ...tree, frame } });
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
