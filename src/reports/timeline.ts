import {
  amount,
  inSamples,
  inTicks,
  LOG,
  named,
  placed,
  type Text,
  TICK,
  TICKS,
  text,
} from "../base/text.js";
import type { Micros, Ticks } from "../base/units.js";
import type { Analysis } from "../facts/analysis.js";
import { doubtTexts } from "../facts/doubts.js";
import { FunctionNames } from "../facts/function-names.js";
import { type ProfiledFunction, UNNAMED } from "../facts/function-table.js";
import { printable } from "../facts/label.js";
import { isLoaderFile } from "../facts/loader-phases.js";
import { percentOf } from "../facts/shares.js";
import { roundSlicing } from "../facts/slice-width.js";
import {
  LEAST_SHARE,
  LEAST_TICKS,
  type Spike,
  type SpikeKind,
  spikesOf,
  TIMES_NEIGHBOUR,
  TIMES_USUAL,
} from "../facts/spikes.js";
import { sliceAt, type ThreadTimeline, threadTimelines } from "../facts/thread-timelines.js";
import {
  LONG_TURN,
  type Recurrence,
  type ThreadTurns,
  TURNS,
  type Turn,
  type TurnCount,
  type TurnKind,
} from "../facts/turns.js";
import { CATEGORIES, type GroupBy, LANES, type LaneRow } from "../profile/categories.js";
import type { Profile } from "../profile/profile.js";
import { allSamples } from "../profile/sample-table.js";
import { slowSampling, tickInterval } from "../profile/sampling.js";
import { recordedOffsets } from "../profile/threads.js";
import { reportTitle } from "../profile/titles.js";
import { hasOneCompilerState } from "../profile/v8-era.js";
import { namedCell } from "../render/names.js";
import { type Block, type Cell, type Figure, GAP, type Note, note, number } from "../render/page.js";
import { plainly, spoken, type Unit } from "../render/spoken.js";
import type { Style } from "../render/style.js";
import { padEnd } from "../render/width.js";
import {
  type FromOne,
  type FunctionData,
  type Integer,
  type JsonHead,
  jsonFunction,
  jsonHead,
  type Microseconds,
  type Percent,
  type ThreadData,
} from "./json.js";
import { type NextCommand, nextSection, type Reading, readingOf } from "./next.js";
import type { Format, ProfileReport, Surroundings } from "./report.js";
import type { TimelineReportOptions } from "./report-options.js";
import { axisLabels, spanText, timeText } from "./time-axis.js";
import { blocksOf, counted, refuseUntimed, shareOf } from "./words.js";

/** What the reporters of timelines show. */
export interface TimelineReport {
  readonly profile: Profile;
  readonly threads: readonly ThreadTimeline[];
  /** By thread. */
  readonly spikes: readonly (readonly Spike[])[];
  /** Undefined if they are not known: see `turnsOf`. */
  readonly turns?: readonly ThreadTurns[] | undefined;
  /** What commands can read. Default: the page names no command. */
  readonly reading?: Reading | undefined;
}

const NO_TICKS = "no ticks";
/** The width of row titles, with two spaces. */
const TITLE_COLUMNS = NO_TICKS.length + 2;
/** The width of two spaces, a row's ticks and their share. */
const SUM_COLUMNS = 18;
/** Marks a length that is only an upper limit. */
const AT_MOST = "≤";
/** Indents the functions of a spike. */
const INDENT = " ".repeat(4);

/** The number of slices in JSON. */
const JSON_SLICES = 100;
/** The width of a timeline in Markdown, in columns. */
const MARKDOWN_WIDTH = 120;

/** Returns how many slices a timeline has at most. `width`: that of lines of text, in columns. */
function mostSlices(format: Format, width: number): number {
  if (format === "json") return JSON_SLICES;
  return Math.max(1, (format === "md" ? MARKDOWN_WIDTH : width) - TITLE_COLUMNS - SUM_COLUMNS);
}

/** How many functions of a spike are named. */
const SPIKE_FUNCTIONS = 3;

function timelineOf(
  profile: Analysis,
  { slices, by }: TimelineReportOptions,
  { format, limit, width, turns, ...around }: Surroundings,
): TimelineReport {
  refuseUntimed(profile, "what ran when");
  const threads = threadTimelines(profile, { most: mostSlices(format, width), count: slices, by });
  const spikes = spikesOf(profile, threads, { spikes: limit, functions: SPIKE_FUNCTIONS });
  return { profile, threads, spikes, turns, reading: readingOf(around) };
}

/** `ticks timeline`. */
export const TIMELINE: ProfileReport<TimelineReport, TimelineReportOptions> = {
  needs: ({ turns = TURNS.least / 1000, limit }) => ({
    ...{ timeline: true, lines: "program" },
    turns: { ...TURNS, least: turns * 1000, most: limit ?? TURNS.most },
  }),
  of: timelineOf,
  data: timelineData,
  page: timelinePage,
};

/** Returns the page of `ticks timeline`. */
export function timelinePage(report: TimelineReport): Block[] {
  const { profile, threads, spikes, turns = [] } = report;
  const { ticks, excluded } = profile.info;
  const left =
    excluded === 0 || profile.info.tickTime !== undefined
      ? inSamples(allSamples(profile.samples))
      : text`${amount(ticks - excluded)} of ${inTicks(ticks)}`;
  const by = threads.some((thread) => thread.by === "state") ? ", by VM state" : "";
  const names = new FunctionNames(
    spikes
      .flat()
      .flatMap(({ functions, program }) => [...program, ...functions].map((one) => one.function))
      .concat(turns.flatMap(({ longest }) => longest.flatMap(functionsOf))),
  );
  return [
    { kind: "heading", name: reportTitle(profile.info), facts: text`${left}${by}` },
    ...(threads.length > 1 ? threadRows(report) : []),
    ...threads.flatMap((thread, i) => [
      ...threadBlocks(report, thread),
      ...spikes[i]!.flatMap((spike) => spikeBlocks(spike, thread, names)),
      ...turns.filter((one) => one.thread === thread.thread).flatMap((one) => turnBlocks(one, names)),
    ]),
    ...(threads.length === 0 ? [] : [GAP, legend(report)]),
    ...nextSection(report.reading, nextOf(report)),
  ];
}

/** Returns the page of the longest turn, or else of the first spike. */
function nextOf({ threads, spikes, turns = [], profile }: TimelineReport): NextCommand[] {
  const [longest] = turns
    .flatMap(({ thread, longest: [turn] }) => (turn === undefined ? [] : [{ thread, turn }]))
    .sort((a, b) => b.turn.length - a.turn.length);
  const [spike] = spikes.flatMap((list, i) =>
    list.map((one) => ({ thread: threads[i]!.thread, spike: one })),
  );
  const span =
    longest === undefined
      ? spike && {
          thread: spike.thread,
          from: spike.spike.from,
          to: spike.spike.to,
          why: "the functions of the first spike",
        }
      : {
          thread: longest.thread,
          from: longest.turn.start,
          to: longest.turn.start + longest.turn.length,
          why: "the functions of the longest turn",
        };
  if (span === undefined) return [];
  const { thread, from, to, why } = span;
  const which = profile.info.threads.length > 1 ? ` --thread ${thread + 1}` : "";
  const time = `--from ${Math.max(0, Math.floor(from / 1000))} --to ${Math.ceil(to / 1000)}`;
  return [{ command: "ticks top", options: `${time}${which}`, why }];
}

/** More threads have no row. */
const MOST_ROWS = 40;

/** Returns one row a thread, on the axis of all: when each worked, waits left out. */
function threadRows({ profile: { info }, threads }: TimelineReport): Block[] {
  const offsets = recordedOffsets(info.threads);
  const startOf = ({ thread, start }: ThreadTimeline) => start + offsets[thread]!;
  const endOf = (one: ThreadTimeline) => startOf(one) + one.count * one.width - 1;
  const ends = threads.reduce((last, one) => Math.max(last, endOf(one)), 0);
  const first = threads.reduce((least, one) => Math.min(least, startOf(one)), ends);
  const axis = roundSlicing(
    first,
    ends,
    threads.reduce((most, { count }) => Math.max(most, count), 1),
  );
  const rows = threads.slice(0, MOST_ROWS).map((one) => {
    const ticks = new Float64Array(axis.count);
    for (const { name, isWait } of LANES[one.by]) {
      if (isWait) continue;
      for (const [i, inSlice] of one.lanes.get(name)!.entries())
        ticks[sliceAt(axis, startOf(one) + (i + 0.5) * one.width)]! += inSlice;
    }
    const { kind } = info.threads[one.thread]!;
    const title = `${one.thread + 1} ${kind ?? ""}`.trimEnd();
    return { title, ticks, sum: ticks.reduce((total, inSlice) => total + inSlice, 0) };
  });
  const sum = rows.reduce((total, row) => total + row.sum, 0);
  const peak = rows.reduce((most, { ticks }) => ticks.reduce((a, b) => Math.max(a, b), most), 0);
  const rest = threads.length - rows.length;
  const known = offsets.some((offset) => offset > 0) ? "" : ", each from its own start";
  return [
    GAP,
    note(text`threads at work${known}`, "heading"),
    note(text`a column is ${timeText(axis.width)}; a full block is ${inTicks(peak)}`),
    {
      kind: "figure",
      *draw({ style, unit }) {
        const { unit: name, labels } = axisLabels(axis);
        yield style.faint(padEnd(name, TITLE_COLUMNS) + labels);
        for (const { title, ticks, sum: own } of rows) {
          const end = sums(plainly(amount(own), unit), sum === 0 ? "" : shareOf(own, sum));
          yield `${padEnd(title, TITLE_COLUMNS)}${blocksOf(ticks, peak)}${end}`.trimEnd();
        }
        if (rest > 0) yield style.faint(`… ${counted(rest, "more thread")}`);
      },
    },
  ];
}

function threadBlocks({ profile, threads }: TimelineReport, thread: ThreadTimeline): Block[] {
  const { info } = profile;
  const { name, sampling = info.sampling } = info.threads[thread.thread]!;
  const hasNone = thread.count === 1 && thread.width === 1;
  const later = recordedOffsets(info.threads)[thread.thread]!;
  return [
    GAP,
    ...(threads.length > 1 ? [note(named(`thread ${thread.thread + 1}: ${name}`), "heading")] : []),
    ...(sampling.hasTimes
      ? []
      : [
          note(
            text`this ${LOG} has no times: its ${TICKS} are ${timeText(tickInterval(sampling))} apart, as asked for`,
          ),
        ]),
    note(
      hasNone
        ? text`the ${TICKS} in this ${LOG} have no timestamps`
        : text`a column is ${timeText(thread.width)}; a full block is ${inTicks(peakOf(thread))}${later > 0 ? `; 0 is ${timeText(later)} after the first profile began` : ""}`,
    ),
    {
      kind: "figure",
      *draw({ style, unit }) {
        const axis = axisLabels(thread);
        yield style.faint(padEnd(axis.unit, TITLE_COLUMNS) + axis.labels);
        const isEvery = hasOneCompilerState(info);
        const number = (ticks: Ticks) => plainly(amount(ticks), unit);
        const lanes = LANES[thread.by].map((lane) => {
          const ticks = thread.lanes.get(lane.name)!;
          return { lane, ticks, sum: ticks.reduce((total, inSlice) => total + inSlice, 0), isEvery, number };
        });
        const busy = lanes.reduce((total, { lane, sum }) => total + (lane.isWait ? 0 : sum), 0);
        for (const lane of lanes) yield* laneLines(thread, { ...lane, busy }, style);
        yield* gapLines(thread, style);
      },
    },
  ];
}

interface LaneTicks {
  readonly lane: LaneRow;
  readonly ticks: Float64Array;
  readonly sum: Ticks;
  /** The ticks of all lanes but those that waited, which `top` has too: 100 %. */
  readonly busy: Ticks;
  /** Whether the lane of a compiler has the work of all. */
  readonly isEvery: boolean;
  readonly number: (ticks: Ticks) => string;
}

/** Yields the ticks of a lane; nothing for none. */
function* laneLines(
  thread: ThreadTimeline,
  { lane, ticks, sum, busy, isEvery, number }: LaneTicks,
  style: Style,
): Iterable<string> {
  if (sum === 0) return;
  const blocks = blocksOf(ticks, peakOf(thread));
  const { name, short, column, isOverhead, isWait } = lane;
  const title = name === "compiler" && isEvery ? column : short;
  const share = isWait ? "" : shareOf(sum, busy);
  yield `${padEnd(title, TITLE_COLUMNS)}${isOverhead ? style.hot(blocks) : blocks}${sums(number(sum), share)}`.trimEnd();
}

function* gapLines({ gapTime, gaps, width }: ThreadTimeline, style: Style): Iterable<string> {
  if (gapTime === undefined || gaps === 0) return;
  const sum = gapTime.reduce((total, time) => total + time, 0);
  const row = `${padEnd(NO_TICKS, TITLE_COLUMNS)}${blocksOf(gapTime, width)}${sums(timeText(sum, 0), "")}`;
  yield style.faint(row.trimEnd());
}

function spikeBlocks(
  spike: Spike,
  { width: slice }: Pick<ThreadTimeline, "width">,
  names: FunctionNames,
): Block[] {
  const { rows, rest } = spikeRows(spike);
  const start = (ticks: Ticks, unit: Unit) => `${INDENT}${plainly(amount(ticks), unit).padStart(6)}  `;
  return [
    GAP,
    note(text`${spanText(spike, slice)}: ${spikeTitle(spike)}`, "heading"),
    {
      kind: "figure",
      *draw({ style, width, unit }) {
        for (const { function: one, ticks } of rows) {
          const number = start(ticks, unit);
          yield number + namedCell(names.function(one), { columns: width - number.length, style });
        }
        for (const { ticks, what } of rest) yield style.faint(start(ticks, unit) + what);
      },
    },
  ];
}

/** Returns the legend: in a code block, as it has names of libraries. */
function legend(report: TimelineReport): Figure {
  return {
    kind: "figure",
    draw: ({ style, unit }) => legendOf(report).map((line) => style.faint(spoken(line, printable, unit))),
  };
}

/** Returns what empty columns and spikes mean, and how often ticks came. */
function legendOf({ profile, threads, spikes, turns = [] }: TimelineReport): Text[] {
  const lines: Text[] = [];
  const slow = slowSampling(profile.info.sampling);
  if (slow !== undefined) {
    const why = slow.isWindowsTimer ? ": the timer of Windows is no finer" : "";
    lines.push(text`a ${TICK} every ${timeText(slow.got)}; ${timeText(slow.asked)} was asked for${why}`);
  }
  const doubts = (["inferred-idle", "possible-waits"] as const).flatMap((kind) => doubtTexts(profile, kind));
  for (const line of doubts) lines.push(line);
  if (threads.some(({ gaps }) => gaps > 0)) {
    lines.push(text`no ${TICKS}: the thread slept, or had no CPU`);
  }
  if (profile.info.excluded > 0)
    lines.push(text`empty columns: ${TICKS} were filtered out, or the thread slept or had no CPU`);
  if (threads.some(hasWaits)) lines.push(text`shares: of the ${TICKS} that did not wait, as in ticks top`);
  const hasRange = turns.some(
    ({ longest, counts }) => longest.length > 0 && counts.some(({ sure, most }) => sure !== most),
  );
  const ofTurns = [...turnLegend(turns.flatMap(({ longest }) => longest)), ...(hasRange ? [RANGE] : [])];
  if (spikes.every(({ length }) => length === 0)) return [...lines, "no spikes", ...ofTurns];
  const share = `${LEAST_SHARE * 100} %`;
  return [
    ...lines,
    `spike: columns with at least ${share} GC, parsing or compiling, ${TIMES_USUAL} times the usual,`,
    text`or ${String(TIMES_USUAL)} times the mean ${TICKS}, plus neighbours with ${String(TIMES_NEIGHBOUR)} times; at least ${inSamples(LEAST_TICKS)}`,
    ...ofTurns,
  ];
}

/** Returns whether ticks of a thread waited, which stand apart. */
function hasWaits({ by, lanes }: ThreadTimeline): boolean {
  return LANES[by].some(({ name, isWait }) => isWait && lanes.get(name)!.some((ticks) => ticks > 0));
}

/** What `0 to 2` turns are. */
const RANGE = `0 to 2 turns: those marked ${AT_MOST} may be one or several`;

/** Returns what a spike is made of: `GC, 120 of 130 ticks`. */
function spikeTitle({ kind, kindTicks, ticks }: Spike): Text {
  return kind === "busy"
    ? text`busy, ${inTicks(ticks)}`
    : text`${SPIKE_TITLES[kind]}, ${amount(kindTicks)} of ${inTicks(ticks)}`;
}

const SPIKE_TITLES: Record<SpikeKind, string> = {
  gc: "GC",
  parser: "parsing",
  compiler: "compiling",
  busy: "busy",
};

/** The functions that are named for a spike, and the ticks in others. */
interface SpikeRows {
  readonly rows: readonly { readonly function: ProfiledFunction; readonly ticks: Ticks }[];
  readonly rest: readonly { readonly ticks: Ticks; readonly what: string }[];
}

/** Returns the functions of the program in a spike, or where it was if none of the program ran. */
function spikeRows(spike: Spike): SpikeRows {
  const { functions, program, otherCallers, inProgram, outside } = spike;
  if (program.length === 0)
    return { rows: functions.map(({ function: one, self }) => ({ function: one, ticks: self })), rest: [] };
  const doing = CATEGORIES.find(({ category }) => category === outside);
  const others = program.reduce((left, row) => left - row.ticks, inProgram);
  return {
    rows: program,
    rest: [
      ...(others > 0 ? [{ ticks: others, what: `in ${counted(otherCallers, "more function")}` }] : []),
      ...(doing === undefined
        ? []
        : [{ ticks: spike.ticks - inProgram, what: `outside the program, mostly ${doing.title}` }]),
    ],
  };
}

function turnLegend(turns: readonly Turn[]): Text[] {
  if (turns.length === 0) return [];
  return [
    text`turn: ${TICKS} in a row in one callback, which Node's event loop called`,
    ...(turns.every(({ least }) => least > 0)
      ? []
      : [text`${AT_MOST}: at most so long; it may be several calls, with no ${TICK} between them`]),
  ];
}

/** What called a callback, for people. */
const KIND_WORDS: Record<TurnKind, string> = {
  timer: "timer",
  immediate: "immediate",
  microtask: "promise",
  load: "load",
  other: "",
};

function functionsOf({ callback, lines }: Turn): ProfiledFunction[] {
  return [...(callback === undefined ? [] : [callback]), ...lines.map((line) => line.function)];
}

/** Returns the longest turns of a thread, and how many there are. */
function turnBlocks({ longest, counts, span }: ThreadTurns, names: FunctionNames): Block[] {
  if (longest.length === 0) return [];
  const found = counts.filter(({ most }) => most > 0);
  return [
    GAP,
    note("turns of the event loop, longest first", "heading"),
    {
      kind: "table",
      columns: [
        ...[number("start"), number("length"), { ...number("±"), isIfAny: true }],
        ...[{ ...number("GC"), isIfAny: true }, { title: "by", isIfAny: true }, { title: "callback" }],
      ],
      rows: longest.map((turn) => ({
        cells: [
          ...[timeText(turn.start, 1), lengthText(turn), marginText(turn)],
          ...[turn.gc === 0 ? "" : shareOf(turn.gc, turn.ticks), KIND_WORDS[turn.kind]],
          callbackCell(turn, names),
        ],
        ticks: turn.ticks,
        below: linesOf(turn, names).map((line) => ({ words: line, tone: "faint" })),
      })),
    },
    ...(found.length === 0 ? [] : [GAP, countTable(found, span)]),
  ];
}

/** Returns how many turns there are by length, and their share of the time. */
function countTable(counts: readonly TurnCount[], span: Micros): Block {
  return {
    kind: "table",
    columns: [number("turns"), number("time"), { title: "longer than" }],
    rows: counts.map(({ over, sure, most, time }) => ({
      cells: [
        sure === most ? String(most) : `${sure} to ${most}`,
        shareOf(Math.min(time, span), span),
        timeText(over),
      ],
    })),
  };
}

function callbackCell({ callback, gc, ticks, recurrence }: Turn, names: FunctionNames): Cell {
  if (callback === undefined) return gc * 2 > ticks ? "(garbage collection)" : "(no JavaScript)";
  return { ...names.function(callback), marks: recurrence === undefined ? "" : `[${everyText(recurrence)}]` };
}

/** Where the ticks of a turn were: `60 of 74 ticks in expired sweep.cjs:5`. */
function linesOf({ lines, ticks }: Turn, names: FunctionNames): Text[] {
  return lines.map(({ function: one, line, ticks: own }) => {
    const { title, position } = names.function(one);
    const where =
      line === 0 || one.file === undefined ? placed(position) : placed(names.file(one.file), line);
    const at = where.file === "" ? named(title) : text`${named(title)} ${where}`;
    return text`${amount(own)} of ${inTicks(ticks)} in ${at}`;
  });
}

function lengthText({ length, least }: Turn): string {
  return `${least === 0 ? `${AT_MOST} ` : ""}${timeText(length, length < 100_000 ? 1 : 0)}`;
}

/** Returns how far a length may be off; nothing for one that is an upper limit. */
function marginText({ length, least, most }: Turn): string {
  const margin = Math.max(length - least, most - length);
  return least === 0 ? "" : `±${timeText(margin, margin < 10_000 ? 1 : 0)}`;
}

function everyText({ period, times }: Recurrence): string {
  return `every ${timeText(period, 0)}, ${times} times`;
}

/** A single turn that is shorter, in microseconds, is as most programs have as they start. */
const LONG_ALONE = 200_000;
/** The line of a turn is named if it has one of so many of its ticks. */
const LEAST_OF_TURN = 5;

/** Two lines on the callback that held the loop longest, for `ticks top`; nothing if no turn is long. */
export function longTurnNotes(
  { info }: Profile,
  turns: readonly ThreadTurns[] | undefined,
  names: FunctionNames,
): Note[] {
  const held = toldHolder(info, turns);
  if (held === undefined) return [];
  const { turns: count, sure, longest } = held.holder;
  const { callback, start, recurrence, least } = longest;
  const thread = info.threads[held.thread]!;
  const [most] = longest.lines;
  // What has little of it does not say why it was long.
  const [line] =
    most !== undefined && most.ticks * LEAST_OF_TURN >= longest.ticks ? linesOf(longest, names) : [];
  const { title, position } = names.function(callback!);
  const where = info.threads.length > 1 ? text` of ${named(thread.name)}` : "";
  const inside = line === undefined ? "" : text`: ${line}`;
  const end = text`That was at ${timeText(Math.max(0, start), 1)}${where}${inside}; ticks timeline lists all.`;
  const by = text`${named(title)} ${named(position)}`;
  if (least === 0)
    return [
      note(
        text`The event loop may have been held for up to ${timeText(longest.length, 0)} at a time by ${by}, if that was one call and not several in a row. ${end}`,
      ),
    ];
  const often = `${sure === count || sure === 0 ? "" : `${sure} to `}${counted(count, "turn")} over ${timeText(LONG_TURN)}`;
  const every = recurrence === undefined ? "" : `, ${everyText(recurrence)}`;
  return [
    note(
      text`The event loop was held longest by ${by}: ${often}, the longest ${lengthText(longest)} ${marginText(longest)}${every}. ${end}`,
    ),
  ];
}

/** Returns the callback that held a loop and is worth a sentence. A worker that serves jobs is there to be busy. */
function toldHolder(info: Profile["info"], turns: readonly ThreadTurns[] | undefined) {
  const held = longestHeld(turns?.filter(({ thread }) => info.threads[thread]?.kind !== "worker"));
  if (held === undefined || isStart(held.holder.longest.callback)) return undefined;
  const { turns: count, longest } = held.holder;
  return count === 1 && longest.length < LONG_ALONE ? undefined : held;
}

/** Where the code of a module begins: up to Node 10, after the start of a function that Node puts around it. */
const MODULE_COLUMNS: ReadonlySet<number> = new Set([1, 11]);

/** Whether a callback is the code of a module, or what loads it: nothing waits for the loop while a program starts. */
function isStart(callback: ProfiledFunction | undefined): boolean {
  if (callback === undefined) return false;
  const { title, file = "", line, column = 1 } = callback;
  return (title === UNNAMED && line === 1 && MODULE_COLUMNS.has(column)) || isLoaderFile(file);
}

/** Returns the longest of the turns that {@link longTurnNotes} tell of, if they come again and again: when is the question then. */
export function longestPeriodicTurn({ info }: Profile, turns: readonly ThreadTurns[] | undefined) {
  const longest = toldHolder(info, turns)?.holder.longest;
  return longest !== undefined && longest.least > 0 && longest.recurrence !== undefined ? longest : undefined;
}

/** Returns the callback that held the loop of a thread for most time in long turns. */
function longestHeld(turns: readonly ThreadTurns[] = []) {
  return turns
    .flatMap(({ thread, holder }) => (holder === undefined ? [] : [{ thread, holder }]))
    .sort((a, b) => b.holder.time - a.holder.time)[0];
}

/** Returns the largest number of ticks in a slice. */
function peakOf({ sliceTicks }: ThreadTimeline): Ticks {
  return sliceTicks.reduce((peak, ticks) => Math.max(peak, ticks), 0);
}

function sums(sum: string, share: string): string {
  return `  ${sum.padStart(8)}  ${share.padStart(6)}`;
}

/**
 * Times are microseconds since the thread's log was opened; the zeros of several logs are not the same moment. Weights are
 * numbers of ticks.
 * @id timeline.schema.json
 * @title ticks timeline --format json, schema version 1
 */
export interface TimelineData extends JsonHead<"timeline"> {
  /** Threads with ticks. Their ticks sum to ticks. */
  readonly threads: readonly ThreadOverTime[];
}

export interface ThreadOverTime extends ThreadData, SlicesData {
  /**
   * Adjacent slices that stand out: for a kind with 25 % of their ticks and twice its share in the thread, or (busy) for
   * twice the mean ticks of a slice. At least 10 ticks of the kind. The largest ones, in order of time.
   */
  readonly spikes: readonly SpikeData[];
  /** The turns of the event loop. null without the times of all ticks. */
  readonly turns: TurnsData | null;
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

export interface SlicesData {
  /** Start of the first slice. */
  readonly startUs: Microseconds;
  /** Length of each slice. */
  readonly sliceUs: Microseconds;
  /** Number of slices. */
  readonly slices: FromOne;
  /** What lanes are: categories, as in `ticks top`, or VM states (--by state). */
  readonly by: GroupBy;
  /** By category or VM state: the ticks of each slice. A slice's ticks sum over the lanes to all its ticks. */
  readonly lanes: Readonly<Record<string, readonly Ticks[]>>;
  /** How often no tick came for over ten intervals. null if a filter removed ticks. */
  readonly gaps: Integer | null;
  /** How much of each slice is in gaps. */
  readonly gapTimeUs: readonly Microseconds[] | null;
}

export interface SpikeData {
  readonly kind: Spike["kind"];
  readonly fromUs: Microseconds;
  readonly toUs: Microseconds;
  readonly ticks: Ticks;
  /** Those of its kind; all for busy. */
  readonly kindTicks: Ticks;
  /**
   * The functions of the program with most ticks, with all that they call outside it: each tick at the innermost function of
   * the program itself in its stack, else of a package.
   */
  readonly program: readonly SpikeProgramFunction[];
  /** Those of all functions of the program. */
  readonly programTicks: Ticks;
  /** Those with most self ticks; then the hottest JavaScript function, if none of them is one. */
  readonly functions: readonly SpikeFunction[];
}

export interface SpikeProgramFunction extends FunctionData {
  readonly ticks: Ticks;
  /** Of the spike's ticks. */
  readonly percent: Percent;
}

export interface SpikeFunction extends FunctionData {
  readonly self: Ticks;
  /** Of the spike's ticks. */
  readonly selfPercent: Percent;
}

export function timelineData({ profile, threads, spikes, turns }: TimelineReport): TimelineData {
  const head = jsonHead("timeline", profile);
  return {
    ...head,
    threads: threads.map((timeline, i) => ({
      ...head.threads[timeline.thread]!,
      ...slicesOf(timeline),
      spikes: spikes[i]!.map(spikeOf),
      turns: turnsDataOf(turns?.find(({ thread }) => thread === timeline.thread)),
    })),
  };
}

function turnsDataOf(turns: ThreadTurns | undefined): TurnsData | null {
  if (turns === undefined) return null;
  return {
    counts: turns.counts.map(({ over, sure, most, time }) => {
      return { overUs: over, sure, most, timeUs: whole(time), percent: percentOf(time, turns.span) };
    }),
    longest: turns.longest.map(turnOf),
  };
}

function turnOf({
  start,
  length,
  least,
  most,
  kind,
  callback,
  ticks,
  gc,
  lines,
  recurrence,
}: Turn): TurnData {
  return {
    startUs: whole(start),
    lengthUs: whole(length),
    leastUs: whole(least),
    mostUs: whole(most),
    kind,
    callback: callback === undefined ? null : jsonFunction(callback),
    ticks,
    gcTicks: gc,
    functions: lines.map((one) => ({ ...jsonFunction(one.function), ticks: one.ticks, hotLine: one.line })),
    recurs: recurrence === undefined ? null : { everyUs: whole(recurrence.period), times: recurrence.times },
  };
}

/** Returns a time in whole microseconds; no time of a log is exacter. */
function whole(time: Micros): Micros {
  return Math.max(0, Math.round(time));
}

/** Returns what `ticks top` has of turns in JSON; nothing if no turn is long. */
export function holderData(turns: readonly ThreadTurns[] | undefined): { readonly holder?: HolderData } {
  const held = longestHeld(turns);
  if (held === undefined) return {};
  const { turns: count, sure, time, longest } = held.holder;
  return {
    holder: { thread: held.thread, turns: count, sure, timeUs: whole(time), longest: turnOf(longest) },
  };
}

function slicesOf({ start, width, count, by, lanes, gapTime, gaps }: ThreadTimeline): SlicesData {
  return {
    startUs: start,
    sliceUs: width,
    slices: count,
    by,
    lanes: Object.fromEntries(Array.from(lanes, ([lane, ticks]) => [lane, Array.from(ticks)])),
    gaps: gapTime === undefined ? null : gaps,
    gapTimeUs: gapTime === undefined ? null : Array.from(gapTime),
  };
}

function spikeOf({ kind, from, to, ticks, kindTicks, functions, program, inProgram }: Spike): SpikeData {
  return {
    kind,
    fromUs: from,
    toUs: to,
    ticks,
    kindTicks,
    program: program.map((one) => ({
      ...jsonFunction(one.function),
      ticks: one.ticks,
      percent: percentOf(one.ticks, ticks),
    })),
    programTicks: inProgram,
    functions: functions.map((one) => ({
      ...jsonFunction(one.function),
      self: one.self,
      selfPercent: percentOf(one.self, ticks),
    })),
  };
}
