import { reaching } from "../../base/columns.js";
import type { Micros } from "../../base/units.js";
import { Analysis } from "../../facts/analysis.js";
import type { ProfiledFunction } from "../../facts/function-table.js";
import { printable } from "../../facts/label.js";
import { fileName } from "../../facts/origin.js";
import { turnsOf } from "../../facts/profile-turns.js";
import { type TierName, tierNamesOf } from "../../facts/tier-names.js";
import { TURNS, type Turn } from "../../facts/turns.js";
import {
  KIND_TITLES,
  type PackedThreadTimes,
  type PackedTimes,
  type PageMark,
  type PageTurn,
  unsigned,
} from "../../flame-page/page-data.js";
import { ROOT } from "../../profile/call-tree.js";
import { CATEGORIES, TIME_CATEGORIES } from "../../profile/categories.js";
import { clampedTime } from "../../profile/clamped-numbers.js";
import { type JsFrame, TIERS } from "../../profile/frame.js";
import type { Profile } from "../../profile/profile.js";
import { tickInterval } from "../../profile/sampling.js";
import { isWait } from "../../profile/vm-state.js";
import { deoptEvents, type ThreadTicks, threadTicks } from "../ticks-over-time.js";
import { packColumn } from "./pack.js";

/** What of a page is needed to place its ticks in time. */
interface PageStacks {
  /** By row of the samples: the node of the page. */
  readonly node: Int32Array;
  /** By row of the samples: what `categories` returns. */
  readonly ofSample: Uint8Array;
  /** By node: its caller; -1 for the root. */
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  /** Returns the function of the page that a logged name is of; -1 for none. */
  functionOf(name: string): number;
}

/** The most rows of a page, and boxes that a chart over time has of them. */
interface TimeLimits {
  readonly rows: number;
  readonly boxes: number;
}

/** How many turns and marks of all threads a page has at most: what is longest, and first. */
const TURN_LIMIT = 4000;
const MARK_LIMIT = 4000;

/**
 * Returns when the ticks of a profile were. `whole` is the same profile with the ticks that filters left out: it tells
 * where a tick ends, when threads waited, and the turns of the event loop. Undefined without a timeline.
 */
export function pageTimes(
  profile: Profile,
  whole: Profile,
  stacks: PageStacks,
  limits: TimeLimits,
): PackedTimes | undefined {
  if (profile.timeline === undefined) return undefined;
  const { offsets, isKnown } = startsOf(profile);
  const threads = threadTicks(profile, offsets).filter(({ length }) => length > 0);
  const ends = wholeTimes(profile, whole, offsets);
  const category = pageCategories(stacks.ofSample);
  const steps = threads.map((thread) => spansOf(thread, ends.get(thread.number), profile));
  const width = widthOf(steps, { ...stacks, category }, limits);
  const turns = turnsByThread(whole, stacks, offsets);
  const marks = marksByThread(profile, threads, offsets);
  return {
    width,
    hasStarts: isKnown,
    threads: profile.info.threads.map((_, number): PackedThreadTimes => {
      const spans = steps.find((one) => one.thread === number);
      const rows = new PackedRows();
      if (spans !== undefined) cut(spans, { ...stacks, category, width }, rows);
      return {
        ...rows.pack(),
        waits: packColumn(waitsOf(ends.get(number), width)),
        turns: turns[number] ?? [],
        marks: marks[number] ?? [],
      };
    }),
  };
}

/** `ticks record` has V8 put the time into the name of a log: `%t`, in milliseconds since 1970. */
const TIME_IN_NAME = /-t(\d{13})-v8/;

/**
 * Returns when the log of each thread was opened, since the first of its folder: a recording begins at 0. Where that is unknown
 * a thread begins at 0, too. CPU profiles say when they began by the clock of their machine.
 */
function startsOf({ info }: Profile): { readonly offsets: Micros[]; readonly isKnown: boolean } {
  const threads = info.threads.map(({ log, start, recorded }) => {
    const name = Math.max(log.lastIndexOf("/"), log.lastIndexOf("\\")) + 1;
    const folder = log.slice(0, name);
    if (recorded !== undefined) return { clock: `${folder} recorded`, start: recorded.start };
    const [, time] = TIME_IN_NAME.exec(log.slice(name)) ?? [];
    const opened = time === undefined ? start : Number(time);
    return { clock: folder, start: opened === undefined ? undefined : opened * 1000 };
  });
  const firsts = new Map<string, number>();
  for (const { clock, start } of threads)
    if (start !== undefined) firsts.set(clock, Math.min(start, firsts.get(clock) ?? start));
  const offsets = threads.map(({ clock, start }) =>
    start === undefined ? 0 : clampedTime(Math.round(start - firsts.get(clock)!)),
  );
  return { offsets, isKnown: threads.every(({ start }) => start !== undefined) };
}

/** The times of all ticks of a thread, and the spans of those in which it waited. */
interface WholeTimes {
  readonly times: Float64Array;
  /** From and to, one after the other. */
  readonly waits: readonly Micros[];
}

function wholeTimes(profile: Profile, whole: Profile, offsets: readonly Micros[]): Map<number, WholeTimes> {
  const found = new Map<number, WholeTimes>();
  // Other threads can have been picked, and other times: then the ticks that are left say all.
  const isSame = whole.timeline !== undefined && whole.info.threads.length === profile.info.threads.length;
  for (const thread of threadTicks(isSame ? whole : profile, offsets)) {
    const { vmState } = (isSame ? whole : profile).samples;
    const times = new Float64Array(thread.length);
    const waits: Micros[] = [];
    const [interval, longest] = stepsOf(thread);
    let i = 0;
    let begin = Number.NaN;
    for (const { length, sample, timestamp } of thread.batches()) {
      for (let tick = 0; tick < length; tick++) {
        const time = pageTime(timestamp[tick]!);
        const last = i === 0 ? time : times[i - 1]!;
        const isOver = time - last > longest;
        const isWaiting = isWait(vmState[sample[tick]!]!);
        if (!Number.isNaN(begin) && (isOver || !isWaiting)) {
          waits.push(begin, isOver ? last + interval : time);
          begin = Number.NaN;
        }
        if (isWaiting && Number.isNaN(begin)) begin = time;
        times[i++] = time;
      }
    }
    if (!Number.isNaN(begin)) waits.push(begin, times[i - 1]! + interval);
    found.set(thread.number, { times, waits });
  }
  return found;
}

/** In µs: 35 years. A forged log can have any times; sums and differences of these are safe integers. */
const LAST_PAGE_TIME = 2 ** 50;

/** Returns a time that the page can hold. */
function pageTime(time: Micros): Micros {
  return Math.min(Math.max(0, Math.round(time)), LAST_PAGE_TIME);
}

/** Returns the time that a tick stands for, and the longest one to the next tick that is no gap. */
function stepsOf({ sampling }: Pick<ThreadTicks, "sampling">): readonly [interval: Micros, longest: Micros] {
  const interval = Math.max(1, pageTime(tickInterval(sampling)));
  return [interval, Math.max(interval, pageTime(clampedTime(sampling.longestStep)))];
}

/** The ticks of a thread with the time that each takes, in columns. */
interface TickSpans {
  readonly thread: number;
  readonly length: number;
  /** Rows of the samples. */
  readonly sample: Int32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** What each weighs; undefined where each is one. */
  readonly weights: Float64Array | undefined;
}

/** Returns the spans of ticks: up to the next tick of the thread, or one interval where there is a gap behind. */
function spansOf(thread: ThreadTicks, whole: WholeTimes | undefined, { info }: Profile): TickSpans {
  const { length } = thread;
  const sample = new Int32Array(length);
  const start = new Float64Array(length);
  const end = new Float64Array(length);
  const { tickTime = 0 } = info;
  const [interval, longest] = stepsOf(thread);
  let i = 0;
  let weights: Float64Array | undefined;
  for (const batch of thread.batches()) {
    if (batch.ticks !== undefined) {
      weights ??= new Float64Array(length);
      weights.set(batch.ticks.subarray(0, batch.length), i);
    }
    for (let tick = 0; tick < batch.length; tick++) {
      sample[i] = batch.sample[tick]!;
      start[i++] = pageTime(batch.timestamp[tick]!);
    }
  }
  const times = whole?.times ?? start;
  let next = 0;
  for (let tick = 0; tick < length; tick++) {
    const from = start[tick]!;
    // Of several ticks at one time, the last has the time up to the next.
    while (next < times.length && times[next]! <= from) next++;
    const to = next < times.length ? times[next]! : Number.POSITIVE_INFINITY;
    const mine = weights === undefined ? interval : Math.max(1, pageTime(weights[tick]! * tickTime));
    const until = tick + 1 < length ? Math.max(from, Math.min(to, start[tick + 1]!)) : to;
    end[tick] = until - from > longest ? from + Math.min(mine, until - from) : until;
  }
  return { thread: thread.number, length, sample, start, end, weights };
}

/** What ticks become rows by. */
interface Cut extends Pick<PageStacks, "node" | "parent" | "depth"> {
  /** By row of the samples: an index into `TIME_CATEGORIES`. */
  readonly category: Uint8Array;
  /** Ticks of a bucket so wide are sorted by stack; 0: each tick stays where it is. */
  readonly width: Micros;
}

/** Where rows go to. Returns false when there is no room. */
interface RowSink {
  add(start: Micros, end: Micros, node: number, category: number, ticks: number): boolean;
}

/** The number of categories that a key of a row has room for. */
const CATEGORY_ROOM = 16;

/** Cuts the ticks of a thread into rows: ticks in a row that are alike, or those of a bucket that are. Returns false when there is no room. */
function cut(spans: TickSpans, { node: nodes, category, width }: Cut, sink: RowSink): boolean {
  const { length, sample, start, end, weights } = spans;
  if (width === 0) {
    for (let from = 0; from < length; ) {
      const row = sample[from]!;
      let to = from + 1;
      let ticks = weights?.[from] ?? 1;
      while (
        to < length &&
        start[to] === end[to - 1] &&
        nodes[sample[to]!] === nodes[row] &&
        category[sample[to]!] === category[row]
      ) {
        ticks += weights?.[to] ?? 1;
        to++;
      }
      if (!sink.add(start[from]!, end[to - 1]!, nodes[row]!, category[row]!, ticks)) return false;
      from = to;
    }
    return true;
  }
  for (let from = 0; from < length; ) {
    const bucket = Math.floor(start[from]! / width);
    const rows = new Map<number, { ticks: number; time: Micros }>();
    let to = from;
    for (; to < length && Math.floor(start[to]! / width) === bucket; to++) {
      const row = sample[to]!;
      const key = nodes[row]! * CATEGORY_ROOM + category[row]!;
      const known = rows.get(key);
      const time = Math.max(0, Math.min(end[to]!, (bucket + 1) * width) - start[to]!);
      const ticks = weights?.[to] ?? 1;
      if (known === undefined) rows.set(key, { ticks, time });
      else {
        known.ticks += ticks;
        known.time += time;
      }
    }
    let at = start[from]!;
    for (const [key, { ticks, time }] of Array.from(rows).sort(([a], [b]) => a - b)) {
      if (!sink.add(at, at + time, Math.floor(key / CATEGORY_ROOM), key % CATEGORY_ROOM, ticks)) return false;
      at += time;
    }
    from = to;
  }
  return true;
}

/** Returns the narrowest width with which the rows and their boxes have room; 0 if all ticks have. */
function widthOf(all: readonly TickSpans[], by: Omit<Cut, "width">, limits: TimeLimits): Micros {
  const hasRoom = (width: Micros) => {
    const counter = new RowCounter(by, limits);
    return all.every((spans) => {
      counter.begin();
      return cut(spans, { ...by, width }, counter);
    });
  };
  if (hasRoom(0)) return 0;
  const last = all.reduce((most, { end, length }) => Math.max(most, end[length - 1] ?? 0), 0);
  const first = all.reduce((least, { start }) => Math.min(least, start[0] ?? 0), 0);
  let width = 2000;
  while (width < last - first && !hasRoom(width)) width *= 2;
  return width;
}

/** Counts rows, and the boxes that they make: what two rows in a row share is one box. */
class RowCounter implements RowSink {
  readonly #by: Omit<Cut, "width">;
  readonly #limits: TimeLimits;
  readonly #isOpen: Uint8Array;
  #rows = 0;
  #boxes = 0;
  #last = ROOT;
  #end = Number.NaN;

  constructor(by: Omit<Cut, "width">, limits: TimeLimits) {
    this.#by = by;
    this.#limits = limits;
    this.#isOpen = new Uint8Array(by.parent.length);
  }

  begin(): void {
    this.#close(-1);
    this.#last = ROOT;
    this.#end = Number.NaN;
  }

  add(start: Micros, end: Micros, node: number): boolean {
    const { parent, depth } = this.#by;
    if (start !== this.#end) this.#close(0);
    this.#end = end;
    let shared = node;
    for (; shared > ROOT && this.#isOpen[shared] === 0; shared = parent[shared]!) this.#boxes++;
    this.#close(depth[Math.max(ROOT, shared)]!);
    for (let at = node; at > shared; at = parent[at]!) this.#isOpen[at] = 1;
    this.#last = node;
    return ++this.#rows <= this.#limits.rows && this.#boxes <= this.#limits.boxes;
  }

  /** Closes the boxes below a depth. */
  #close(depth: number): void {
    const { parent, depth: depths } = this.#by;
    for (; this.#last > ROOT && depths[this.#last]! > depth; this.#last = parent[this.#last]!)
      this.#isOpen[this.#last] = 0;
  }
}

/** Collects rows in columns. */
class PackedRows implements RowSink {
  #length = 0;
  #end = 0;
  #node = 0;
  /** By name in `PackedThreadTimes`: gap, span, node, category and ticks. */
  #columns = Array.from({ length: 5 }, () => new Float64Array(64));

  add(start: Micros, end: Micros, node: number, category: number, ticks: number): boolean {
    const at = this.#length++;
    if (at >= this.#columns[0]!.length) this.#columns = this.#columns.map((column) => reaching(column, at));
    const [gap, span, steps, categories, weights] = this.#columns;
    gap![at] = unsigned(start - this.#end);
    span![at] = Math.max(0, end - start);
    steps![at] = unsigned(node - this.#node);
    categories![at] = category;
    weights![at] = ticks;
    this.#end = start + span![at]!;
    this.#node = node;
    return true;
  }

  pack(): Pick<PackedThreadTimes, "gap" | "span" | "node" | "category" | "ticks"> {
    const packed = this.#columns.map((column) => packColumn(column.subarray(0, this.#length)));
    const [gap = "", span = "", node = "", category = "", ticks = ""] = packed;
    return { gap, span, node, category, ticks };
  }
}

/** Returns the times from wait to wait and their lengths, one after the other. Those nearer than a bucket are one. */
function waitsOf(whole: WholeTimes | undefined, width: Micros): number[] {
  const found: number[] = [];
  let end = 0;
  const waits = whole?.waits ?? [];
  for (let i = 0; i < waits.length; i += 2) {
    const [from, to] = [waits[i]!, waits[i + 1]!];
    const isNear = found.length > 0 && from - end <= width;
    if (isNear) found[found.length - 1]! += Math.max(0, to - end);
    else found.push(unsigned(from - end), Math.max(0, to - from));
    end = Math.max(end, to);
  }
  return found;
}

function pageCategories(ofSample: Uint8Array): Uint8Array {
  const numbers = CATEGORIES.map(({ time }) => TIME_CATEGORIES.indexOf(time));
  return ofSample.map((category) => numbers[category]!);
}

/** Returns the turns of each thread, in the order of time. */
function turnsByThread(whole: Profile, { functionOf }: PageStacks, offsets: readonly Micros[]): PageTurn[][] {
  const threads: PageTurn[][] = [];
  const most = Math.ceil(TURN_LIMIT / Math.max(1, whole.info.threads.length));
  for (const { thread, longest } of turnsOf(whole, { ...TURNS, most }) ?? []) {
    const offset = offsets[thread] ?? 0;
    threads[thread] = longest
      .map((turn) => pageTurn(turn, offset, functionOf))
      .sort((a, b) => a.start - b.start);
  }
  return threads;
}

function pageTurn(turn: Turn, offset: Micros, functionOf: PageStacks["functionOf"]): PageTurn {
  const { callback, start, length, least, most, kind, ticks, gc, lines, recurrence } = turn;
  const whole = (time: Micros) => Math.max(0, Math.round(time));
  return {
    start: whole(start + offset),
    length: whole(length),
    least: whole(least),
    most: whole(most),
    kind,
    function: callback?.frame.kind === "js" ? functionOf(callback.frame.name) : -1,
    title:
      callback === undefined
        ? gc * 2 > ticks
          ? "(garbage collection)"
          : "(no JavaScript)"
        : callbackTitle(callback),
    position: positionText(callback?.file, callback?.line),
    ticks,
    gc,
    lines: lines.map(({ function: one, line, ticks: own }) => ({
      title: printable(one.title),
      position: positionText(one.file, line || one.line),
      ticks: own,
    })),
    ...(recurrence !== undefined && { period: whole(recurrence.period), times: recurrence.times }),
  };
}

/** Returns the name of a callback; one without a name has its place in its stead. */
function callbackTitle({ name, title, file = "", line = 0 }: ProfiledFunction): string {
  return printable(name === "" && file !== "" ? `${title} ${fileName(file)}:${line}` : title);
}

function positionText(file: string | undefined, line: number | undefined): string {
  if (file === undefined || file === "") return "";
  return printable(line === undefined || line === 0 ? file : `${file}:${line}`);
}

/** Returns what happened at moments of each thread, in the order of time. */
function marksByThread(
  profile: Profile,
  threads: readonly ThreadTicks[],
  offsets: readonly Micros[],
): PageMark[][] {
  const marks: PageMark[][] = profile.info.threads.map(() => []);
  const most = Math.ceil(MARK_LIMIT / Math.max(1, marks.length));
  for (const [thread, events] of deoptEvents(profile, offsets).entries()) {
    for (const { time, function: name, kind, reason, position } of events.slice(0, most)) {
      const why = [kind, reason].filter((text) => text !== "").join(": ");
      const text = [`${name}: deoptimized`, printable(why), printable(position)];
      marks[thread]!.push({
        at: Math.max(0, Math.round(time)),
        kind: "deopt",
        text: text.filter((part) => part !== "").join(", "),
      });
    }
  }
  for (const { number, marks: found } of tierUps(profile, threads))
    for (const mark of found.slice(0, most)) marks[number]!.push(mark);
  for (const own of marks) own.sort((a, b) => a.at - b.at);
  return marks;
}

/** A function with fewer ticks in all is not worth a mark when it is optimized. */
const HOT_TICKS = 20;

const OLD_TITLES = { "full-codegen": "full-codegen", crankshaft: "Crankshaft" };

function isNew(name: TierName): name is Exclude<TierName, keyof typeof OLD_TITLES> {
  return !(name in OLD_TITLES);
}

/** Returns the first ticks of hot functions in a higher tier than before, by thread. */
function tierUps(profile: Profile, threads: readonly ThreadTicks[]) {
  const { tree, frames, table, samples, functionTicks, info } = Analysis.of(profile);
  /** By node: the frame of the innermost function of JavaScript that is not inlined; -1 for none. */
  const innermost = new Int32Array(tree.length).fill(-1);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = frames[tree.frame[node]!]!;
    innermost[node] =
      frame.kind === "js" && !frame.inlined ? tree.frame[node]! : innermost[tree.parent[node]!]!;
  }
  const names = tierNamesOf(info);
  const nameOf = (tier: number) => {
    const name = names[TIERS[tier]!];
    return name === null ? "code without a tier" : isNew(name) ? KIND_TITLES[name] : OLD_TITLES[name];
  };
  return threads.map(({ number, batches }) => {
    const marks: PageMark[] = [];
    const tierOf = new Int8Array(table.functions.length).fill(-1);
    for (const { length, sample, timestamp } of batches()) {
      for (let i = 0; i < length; i++) {
        const frame = innermost[samples.node[sample[i]!]!]!;
        if (frame < 0) continue;
        const id = table.ofFrame[frame]!;
        const tier = TIERS.indexOf((frames[frame] as JsFrame).tier);
        const before = tierOf[id]!;
        tierOf[id] = tier;
        if (before < 0 || tier <= before || functionTicks.total[id]! < HOT_TICKS) continue;
        const { title, file, line } = table.functions[id]!;
        const text = `${title}: first tick in ${nameOf(tier)} after ${nameOf(before)}, ${file ?? ""}${line ? `:${line}` : ""}`;
        marks.push({ at: Math.max(0, Math.round(timestamp[i]!)), kind: "tier", text: printable(text) });
      }
    }
    return { number, marks };
  });
}
