import {
  amount,
  duration,
  EVENT_LOOP,
  inPercent,
  inTicks,
  named,
  placed,
  share,
  type Text,
  TICK,
  TICKS,
  text,
} from "../base/text.js";
import type { Micros, Ticks } from "../base/units.js";
import type { FunctionNames } from "../facts/function-names.js";
import { UNNAMED } from "../facts/function-table.js";
import { isLoaderFile } from "../facts/loader-phases.js";
import { percentOf } from "../facts/shares.js";
import { LONG_TURN, type ThreadTurns, type Turn, type TurnKind } from "../facts/turns.js";
import { type Block, type Cell, GAP, type Note, note, number } from "../render/page.js";
import {
  type FunctionData,
  type Integer,
  jsonFunction,
  type Microseconds,
  type Percent,
  shownFunction,
  type ThreadData,
} from "./json.js";
import { timeText } from "./time-axis.js";
import { counted } from "./words.js";

/** Marks a length that is only an upper limit. */
const AT_MOST = "≤";
/** What `0 to 2` turns are. */
const RANGE = `0 to 2 turns: those marked ${AT_MOST} may be one or several`;

/** What called a callback, for people. */
const KIND_WORDS: Record<TurnKind, string> = {
  timer: "timer",
  immediate: "immediate",
  microtask: "promise",
  load: "load",
  other: "",
};

/** Returns the functions that the rows of turns name. */
export function functionsOfTurns(turns: TurnsData | null): FunctionData[] {
  return (turns?.longest ?? []).flatMap(({ callback, functions }) => [callback ?? [], functions].flat());
}

/** Returns the longest turns of a thread, and how many there are. */
export function turnBlocks(turns: TurnsData | null, names: FunctionNames): Block[] {
  if (turns === null || turns.longest.length === 0) return [];
  const found = turns.counts.filter(({ most }) => most > 0);
  return [
    GAP,
    note("turns of the event loop, longest first", "heading"),
    {
      kind: "table",
      columns: [
        ...[number("start"), number("length"), { ...number("±"), isIfAny: true }],
        ...[{ ...number("GC"), isIfAny: true }, { title: "by", isIfAny: true }, { title: "callback" }],
      ],
      rows: turns.longest.map((turn) => ({
        cells: [
          ...[timeText(turn.startUs, 1), lengthText(turn), marginText(turn)],
          ...[turn.gcTicks === 0 ? "" : share(turn.gcTicks, turn.ticks), KIND_WORDS[turn.kind]],
          callbackCell(turn, names),
        ],
        ticks: turn.ticks,
        below: linesOf(turn, names).map((line) => ({ words: line, tone: "faint" })),
      })),
    },
    ...(found.length === 0 ? [] : [GAP, countTable(found)]),
  ];
}

/** Returns how many turns there are by length, and their share of the time. */
function countTable(counts: readonly TurnCountData[]): Block {
  return {
    kind: "table",
    columns: [number("turns"), number("time"), { title: "longer than" }],
    rows: counts.map(({ overUs, sure, most, percent }) => ({
      cells: [sure === most ? String(most) : `${sure} to ${most}`, inPercent(percent), timeText(overUs)],
    })),
  };
}

/** Returns what turns are, and their marks; nothing if there are none. */
export function turnLegend(threads: readonly (TurnsData | null)[]): Text[] {
  const all = threads.flatMap((turns) => (turns === null || turns.longest.length === 0 ? [] : [turns]));
  if (all.length === 0) return [];
  const lines: Text[] = [text`turn: ${TICKS} in a row in one callback, which ${EVENT_LOOP} called`];
  if (!all.every(({ longest }) => longest.every(({ leastUs }) => leastUs > 0))) {
    lines.push(text`${AT_MOST}: at most so long; it may be several calls, with no ${TICK} between them`);
    lines.push(text`+: so much longer if it had no CPU where it has no ${TICK}`);
  }
  if (all.some(({ counts }) => counts.some(({ sure, most }) => sure !== most))) lines.push(RANGE);
  return lines;
}

function callbackCell({ callback, gcTicks, ticks, recurs }: TurnData, names: FunctionNames): Cell {
  if (callback === null) return gcTicks * 2 > ticks ? "(garbage collection)" : "(no JavaScript)";
  return {
    ...names.function(shownFunction(callback)),
    marks: recurs === null ? "" : text`[${everyText(recurs)}]`,
  };
}

/** Where the ticks of a turn were: `60 of 74 ticks in expired sweep.cjs:5`. */
function linesOf({ functions, ticks }: TurnData, names: FunctionNames): Text[] {
  return functions.map(({ hotLine, ticks: own, ...one }) => {
    const shown = shownFunction(one);
    const { title, position } = names.function(shown);
    const isLine = hotLine > 0 && shown.file !== undefined;
    const where = isLine ? placed(names.file(shown.file!), hotLine) : placed(position);
    const isNamed = shown.title !== UNNAMED || !isLine;
    const at = where.file === "" ? named(title) : isNamed ? text`${named(title)} ${where}` : where;
    return text`${amount(own)} of ${inTicks(ticks)} in ${at}`;
  });
}

function lengthText({ lengthUs, leastUs }: TurnData): Text {
  return text`${leastUs === 0 ? `${AT_MOST} ` : ""}${duration(lengthUs)}`;
}

/** Returns how far a length may be off; of several calls in a row, by how much more they may be. */
function marginText({ lengthUs, leastUs, mostUs }: TurnData): Text {
  const more = mostUs - lengthUs;
  const margin = leastUs === 0 ? more : Math.max(lengthUs - leastUs, more);
  return text`${leastUs === 0 ? "+" : "±"}${duration(margin, lengthUs)}`;
}

function everyText({ everyUs, times }: RecurrenceData): Text {
  return text`every ${duration(everyUs)}, ${String(times)} times`;
}

/** A single turn that is shorter, in microseconds, is as most programs have as they start. */
const LONG_ALONE = 200_000;
/** A limit that is so many times the length that was found says little. */
const LOOSE_LIMIT = 2;
/** The line of a turn is named if it has one of so many of its ticks. */
const LEAST_OF_TURN = 5;

/** What a document has of what held an event loop. */
interface Held {
  readonly holder?: HolderData;
  readonly threads: readonly HeldThread[];
}

/** A thread of a document, or of a profile. */
interface HeldThread extends Pick<ThreadData, "name"> {
  readonly kind?: ThreadData["kind"] | undefined;
}

/** Two lines on the callback that held the loop longest, for `ticks top`; nothing if no turn is long. */
export function longTurnNotes(facts: Held, names: FunctionNames): Note[] {
  const holder = shownHolder(facts);
  if (holder === undefined) return [];
  const { turns: count, sure, longest } = holder;
  const { callback, startUs, recurs, lengthUs, leastUs, mostUs } = longest;
  const [most] = longest.functions;
  // What has little of it does not say why it was long.
  const [line] =
    most !== undefined && most.ticks * LEAST_OF_TURN >= longest.ticks ? linesOf(longest, names) : [];
  const { title, position } = names.function(shownFunction(callback!));
  const where = facts.threads.length > 1 ? text` of ${named(facts.threads[holder.thread]!.name)}` : "";
  const inside = line === undefined ? "" : text`: ${line}`;
  const end = text`That was at ${timeText(startUs, 1)}${where}${inside}; ticks timeline lists all.`;
  const by = position === "" ? named(title) : text`${named(title)} ${named(position)}`;
  if (leastUs === 0) {
    const time =
      mostUs > LOOSE_LIMIT * lengthUs ? text`about ${duration(lengthUs)}` : text`up to ${duration(mostUs)}`;
    return [
      note(text`The event loop may have been held for ${time} at a time by ${by}, if in one call. ${end}`),
    ];
  }
  const often = `${sure === count || sure === 0 ? "" : `${sure} to `}${counted(count, "turn")} over ${timeText(LONG_TURN)}`;
  const every = recurs === null ? "" : text`, ${everyText(recurs)}`;
  return [
    note(
      text`The event loop was held longest by ${by}: ${often}, the longest ${lengthText(longest)} ${marginText(longest)}${every}. ${end}`,
    ),
  ];
}

/** Returns the callback that held a loop and is worth a sentence. A worker that serves jobs is there to be busy. */
function shownHolder({ holder, threads }: Held): HolderData | undefined {
  if (holder === undefined || threads[holder.thread]?.kind === "worker") return undefined;
  const { turns: count, longest } = holder;
  if (isStart(longest.callback)) return undefined;
  return count === 1 && longest.lengthUs < LONG_ALONE ? undefined : holder;
}

/** Where the code of a module begins: up to Node 10, after the start of a function that Node puts around it. */
const MODULE_COLUMNS: ReadonlySet<number> = new Set([1, 11]);

/** Whether a callback is the code of a module, or what loads it: nothing waits for the loop while a program starts. */
function isStart(callback: FunctionData | null): boolean {
  if (callback === null) return false;
  const { title, line, column = 1, file = "" } = shownFunction(callback);
  return (title === UNNAMED && line === 1 && MODULE_COLUMNS.has(column)) || isLoaderFile(file);
}

/** Returns the longest of the turns that {@link longTurnNotes} tell of, if they come again and again: when is the question then. */
export function longestPeriodicTurn(facts: Held): TurnData | undefined {
  const longest = shownHolder(facts)?.longest;
  return longest !== undefined && longest.leastUs > 0 && longest.recurs !== null ? longest : undefined;
}

/** Ticks that follow each other in one callback, which the event loop called, are a turn. */
export interface TurnsData {
  /** How many turns are longer than a limit. */
  readonly counts: readonly TurnCountData[];
  /** The longest turns, longest first. */
  readonly longest: readonly TurnData[];
}

export interface TurnCountData {
  readonly overUs: Microseconds;
  /** Turns that are surely longer. */
  readonly sure: Integer;
  /** With those that may be several turns. */
  readonly most: Integer;
  /** The time of all of them. */
  readonly timeUs: Microseconds;
  /** Of the time of the thread. */
  readonly percent: Percent;
}

export interface TurnData {
  readonly startUs: Microseconds;
  readonly lengthUs: Microseconds;
  /** What is sure to be one turn; 0 if it may be several short ones, with nothing between that a tick met. */
  readonly leastUs: Microseconds;
  readonly mostUs: Microseconds;
  /** What called the callback. microtask: a promise or process.nextTick. load: a script was loaded. other: I/O and all else. */
  readonly kind: TurnKind;
  /** The outermost function of the program or a package, else of Node. null if no JavaScript ran. */
  readonly callback: FunctionData | null;
  readonly ticks: Ticks;
  readonly gcTicks: Ticks;
  /** Its ticks by the innermost function of the program, else of a package. Most ticks first. */
  readonly functions: readonly TurnFunctionData[];
  /** Set if the longest turns of the callback start evenly. */
  readonly recurs: RecurrenceData | null;
}

export interface TurnFunctionData extends FunctionData {
  readonly ticks: Ticks;
  /** The line that most of them were in. 0 if unknown. */
  readonly hotLine: Integer;
}

export interface RecurrenceData {
  readonly everyUs: Microseconds;
  readonly times: Integer;
}

/** The callback that held an event loop for most time in turns over 50 ms, once the program was loaded. */
export interface HolderData {
  /** Which of the threads. */
  readonly thread: Integer;
  /** Its turns over 50 ms. */
  readonly turns: Integer;
  /** Those that are surely so long. */
  readonly sure: Integer;
  /** The time of all of them. */
  readonly timeUs: Microseconds;
  readonly longest: TurnData;
}

/** Returns the turns of a thread; null if they are not known. */
export function turnsData(turns: ThreadTurns | undefined): TurnsData | null {
  if (turns === undefined) return null;
  const { counts, longest, span } = turns;
  return {
    counts: counts.map(({ over, sure, most, time }) => {
      const percent = percentOf(Math.min(time, span), span);
      return { overUs: over, sure, most, timeUs: whole(time), percent };
    }),
    longest: longest.map(turnData),
  };
}

function turnData({ callback, lines, recurrence, ...turn }: Turn): TurnData {
  return {
    startUs: whole(turn.start),
    lengthUs: whole(turn.length),
    leastUs: whole(turn.least),
    mostUs: whole(turn.most),
    kind: turn.kind,
    callback: callback === undefined ? null : jsonFunction(callback),
    ticks: turn.ticks,
    gcTicks: turn.gc,
    functions: lines.map((one) => ({ ...jsonFunction(one.function), ticks: one.ticks, hotLine: one.line })),
    recurs: recurrence === undefined ? null : { everyUs: whole(recurrence.period), times: recurrence.times },
  };
}

/** Returns a time in whole microseconds; no time of a log is exacter. */
function whole(time: Micros): Micros {
  return Math.max(0, Math.round(time));
}

/** Returns the callback that held the loop of a thread for most time in long turns; nothing if no turn is long. */
export function holderData(
  turns: readonly ThreadTurns[] = [],
  threads: readonly Pick<HeldThread, "kind">[],
): { readonly holder?: HolderData } {
  const isWorker = (thread: number) => Number(threads[thread]?.kind === "worker");
  const [held] = turns
    .flatMap(({ thread, holder }) => (holder === undefined ? [] : [{ thread, ...holder }]))
    .sort((a, b) => isWorker(a.thread) - isWorker(b.thread) || b.time - a.time);
  if (held === undefined) return {};
  const { thread, turns: count, sure, time, longest } = held;
  return { holder: { thread, turns: count, sure, timeUs: whole(time), longest: turnData(longest) } };
}
