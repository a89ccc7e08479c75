import { amount, inSamples, inTicks, LOG, named, share, type Text, TICKS, text } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { Analysis } from "../facts/analysis.js";
import { doubtsOfKinds, doubtText, type Warning } from "../facts/doubts.js";
import { FunctionNames } from "../facts/function-names.js";
import { printable } from "../facts/label.js";
import { percentOf } from "../facts/shares.js";
import { roundSlicing, type Slicing } from "../facts/slice-width.js";
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
import { TURNS } from "../facts/turns.js";
import {
  CATEGORIES,
  type Category,
  type GroupBy,
  type GroupRow,
  TICK_GROUPS,
} from "../profile/categories.js";
import type { ProfileInfo } from "../profile/profile.js";
import { tickInterval } from "../profile/sampling.js";
import { recordedOffsets } from "../profile/threads.js";
import { reportTitle } from "../profile/titles.js";
import { hasOneCompilerState } from "../profile/v8-era.js";
import { listedName, namedCell } from "../render/names.js";
import { type Block, type Figure, GAP, note } from "../render/page.js";
import { plainly, spoken, type Unit } from "../render/spoken.js";
import type { Style } from "../render/style.js";
import { padEnd } from "../render/width.js";
import { factsReport, type Shown } from "./facts-report.js";
import {
  type FromOne,
  type FunctionData,
  type Integer,
  type JsonHead,
  jsonFunction,
  jsonHead,
  type Microseconds,
  type Percent,
  shownFunction,
  type ThreadData,
} from "./json.js";
import type { NextCommand } from "./next.js";
import type { Format, Surroundings } from "./report.js";
import type { TimelineReportOptions } from "./report-options.js";
import { axisLabels, spanText, timeText } from "./time-axis.js";
import { functionsOfTurns, type TurnsData, turnBlocks, turnLegend, turnsData } from "./turns.js";
import { blocksOf, counted, refuseUntimed } from "./words.js";

/** The width of row titles, with two spaces. */
const TITLE_COLUMNS = 10;
/** The width of two spaces, a row's ticks and their share. */
const SUM_COLUMNS = 18;
/** Indents the functions of a spike. */
const INDENT = " ".repeat(4);

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

/** `ticks timeline`. */
export const TIMELINE = factsReport<TimelineData, TimelineReportOptions>({
  needs: ({ turns = TURNS.least / 1000, limit }) => ({
    ...{ timeline: true, lines: "program" },
    turns: { ...TURNS, least: turns * 1000, most: limit ?? TURNS.most },
  }),
  tellsWaits: true,
  sharesWork: true,
  facts: timelineFacts,
  page: timelinePage,
  next: nextOf,
});

function timelinePage(facts: TimelineData, { info, count }: Shown<TimelineReportOptions>): Block[] {
  const { threads, ticks, excludedTicks } = facts;
  const left =
    excludedTicks === 0 || info.tickTime !== undefined
      ? count
      : text`${amount(ticks)} of ${inTicks(ticks + excludedTicks)}`;
  const by = threads.some((thread) => thread.by === "state") ? ", by VM state" : "";
  const shown = threads.flatMap(({ spikes, turns }) => [
    ...spikes.flatMap(({ program, functions }) => [...program, ...functions]),
    ...functionsOfTurns(turns),
  ]);
  const names = new FunctionNames(shown.map(shownFunction));
  return [
    { kind: "heading", name: reportTitle(info), facts: text`${left}${by}` },
    ...(threads.length > 1 ? threadRows(threads) : []),
    ...threads.flatMap((thread) => [
      ...threadBlocks(thread, threads.length > 1, info),
      ...thread.spikes.flatMap((spike) => spikeBlocks(spike, thread, names)),
      ...turnBlocks(thread.turns, names),
    ]),
    ...(threads.length === 0 ? [] : [GAP, legend(facts, info)]),
  ];
}

/** Returns the page of the longest turn, or else of the first spike. */
function nextOf({ threads }: TimelineData, { info }: Analysis): NextCommand[] {
  const [longest] = threads
    .flatMap(({ number, turns }) => (turns?.longest ?? []).slice(0, 1).map((turn) => ({ number, ...turn })))
    .sort((a, b) => b.lengthUs - a.lengthUs);
  const [spike] = threads.flatMap(({ number, spikes }) => spikes.map((one) => ({ number, ...one })));
  const span =
    longest === undefined
      ? spike && { ...spike, why: "the functions of the first spike" }
      : {
          number: longest.number,
          fromUs: longest.startUs,
          toUs: longest.startUs + longest.lengthUs,
          why: "the functions of the longest turn",
        };
  if (span === undefined) return [];
  const { number, fromUs, toUs, why } = span;
  const which = info.threads.length > 1 ? ` --thread ${number}` : "";
  const time = `--from ${Math.max(0, Math.floor(fromUs / 1000))} --to ${Math.ceil(toUs / 1000)}`;
  return [{ command: "ticks top", options: `${time}${which}`, why }];
}

/** More threads have no row. */
const MOST_ROWS = 40;

/** Returns one row a thread, on the axis of all: when each worked, waits left out. */
function threadRows(threads: readonly ThreadOverTime[]): Block[] {
  const startOf = ({ startUs, offsetUs }: ThreadOverTime) => startUs + offsetUs;
  const endOf = (one: ThreadOverTime) => startOf(one) + one.slices * one.sliceUs - 1;
  const ends = threads.reduce((last, one) => Math.max(last, endOf(one)), 0);
  const first = threads.reduce((least, one) => Math.min(least, startOf(one)), ends);
  const axis = roundSlicing(
    first,
    ends,
    threads.reduce((most, { slices }) => Math.max(most, slices), 1),
  );
  const rows = threads.slice(0, MOST_ROWS).map((one) => {
    const ticks = new Float64Array(axis.count);
    for (const { name, isWait } of TICK_GROUPS[one.by]) {
      if (isWait) continue;
      for (const [i, inSlice] of one.lanes[name]!.entries())
        ticks[sliceAt(axis, startOf(one) + (i + 0.5) * one.sliceUs)]! += inSlice;
    }
    const title = `${one.number} ${one.kind ?? ""}`.trimEnd();
    return { title, ticks, sum: sumOf(ticks) };
  });
  const sum = rows.reduce((total, row) => total + row.sum, 0);
  const peak = rows.reduce((most, { ticks }) => ticks.reduce((a, b) => Math.max(a, b), most), 0);
  const rest = threads.length - rows.length;
  const known = threads.some(({ offsetUs }) => offsetUs > 0) ? "" : ", each from its own start";
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
          const end = sums(amount(own), sum === 0 ? "" : share(own, sum), unit);
          yield `${padEnd(title, TITLE_COLUMNS)}${blocksOf(ticks, peak)}${end}`.trimEnd();
        }
        if (rest > 0) yield style.faint(`… ${counted(rest, "more thread")}`);
      },
    },
  ];
}

function threadBlocks(thread: ThreadOverTime, isNamed: boolean, info: ProfileInfo): Block[] {
  const { number: which, name, assumedIntervalUs, offsetUs } = thread;
  const slicing: Slicing = { start: thread.startUs, width: thread.sliceUs, count: thread.slices };
  const hasNone = slicing.count === 1 && slicing.width === 1;
  return [
    GAP,
    ...(isNamed ? [note(named(`thread ${which}: ${name}`), "heading")] : []),
    note(
      hasNone
        ? text`the ${TICKS} in this ${LOG} have no timestamps`
        : text`a column is ${timeText(slicing.width)}; a full block is ${inTicks(peakOf(thread))}${offsetUs > 0 ? `; 0 is ${timeText(offsetUs)} after the first profile began` : ""}${isNamed && assumedIntervalUs !== undefined ? "; no times" : ""}`,
    ),
    {
      kind: "figure",
      *draw({ style, unit }) {
        const axis = axisLabels(slicing);
        yield style.faint(padEnd(axis.unit, TITLE_COLUMNS) + axis.labels);
        const isEvery = hasOneCompilerState(info);
        const lanes = TICK_GROUPS[thread.by].map((group) => {
          const ticks = thread.lanes[group.name]!;
          return { group, ticks, sum: sumOf(ticks), isEvery, unit };
        });
        const busy = lanes.reduce((total, { group, sum }) => total + (group.isWait ? 0 : sum), 0);
        for (const lane of lanes) yield* laneLines(peakOf(thread), { ...lane, busy }, style);
        yield* gapLines(thread, style);
      },
    },
  ];
}

interface LaneTicks {
  readonly group: GroupRow;
  readonly ticks: readonly Ticks[];
  readonly sum: Ticks;
  /** The ticks of all lanes but those that waited, which `top` has too: 100 %. */
  readonly busy: Ticks;
  /** Whether the lane of a compiler has the work of all. */
  readonly isEvery: boolean;
  readonly unit: Unit;
}

/** Yields the ticks of a lane; nothing for none. */
function* laneLines(
  peak: Ticks,
  { group, ticks, sum, busy, isEvery, unit }: LaneTicks,
  style: Style,
): Iterable<string> {
  if (sum === 0) return;
  const blocks = blocksOf(ticks, peak);
  const { name, short, column, isOverhead, isWait } = group;
  const title = name === "compiler" && isEvery ? column : short;
  const part = isWait ? "" : share(sum, busy);
  yield `${padEnd(title, TITLE_COLUMNS)}${isOverhead ? style.hot(blocks) : blocks}${sums(amount(sum), part, unit)}`.trimEnd();
}

function* gapLines({ gapTimeUs, gaps, sliceUs }: SlicesData, style: Style): Iterable<string> {
  if (gapTimeUs === null || gaps === 0) return;
  const row = `${padEnd("gaps", TITLE_COLUMNS)}${blocksOf(gapTimeUs, sliceUs)}${sums(timeText(sumOf(gapTimeUs), 0), "", {})}`;
  yield style.faint(row.trimEnd());
}

function spikeBlocks(
  spike: SpikeData,
  { sliceUs }: Pick<SlicesData, "sliceUs">,
  names: FunctionNames,
): Block[] {
  const { rows, rest } = spikeRows(spike);
  const start = (ticks: Ticks, unit: Unit) => `${INDENT}${plainly(amount(ticks), unit).padStart(6)}  `;
  return [
    GAP,
    note(text`${spanText({ from: spike.fromUs, to: spike.toUs }, sliceUs)}: ${spikeTitle(spike)}`, "heading"),
    {
      kind: "figure",
      *draw({ style, width, unit }) {
        for (const { function: one, ticks } of rows) {
          const number = start(ticks, unit);
          yield number +
            namedCell(listedName(names.function(shownFunction(one))), {
              columns: width - number.length,
              style,
            });
        }
        for (const { ticks, what } of rest) yield style.faint(start(ticks, unit) + what);
      },
    },
  ];
}

/** Returns the legend: in a code block, as it has names of libraries. */
function legend(facts: TimelineData, info: ProfileInfo): Figure {
  return {
    kind: "figure",
    draw: ({ style, unit }) =>
      legendOf(facts, info).map((line) => style.faint(spoken(line, printable, unit))),
  };
}

/** Returns what empty columns and spikes mean, and how often ticks came. */
function legendOf({ threads, warnings, excludedTicks }: TimelineData, info: ProfileInfo): Text[] {
  const lines: Text[] = [];
  for (const doubt of warnings) lines.push(doubtText(doubt, info));
  if (threads.some(({ gaps }) => gaps !== null && gaps > 0))
    lines.push(text`gaps, without ${TICKS}: the thread slept, or had no CPU`);
  if (excludedTicks > 0)
    lines.push(text`empty columns: ${TICKS} were filtered out, or the thread slept or had no CPU`);
  if (threads.some(hasWaits)) lines.push(text`shares: of the ${TICKS} that did not wait, as in ticks top`);
  const ofTurns = turnLegend(threads.map(({ turns }) => turns));
  if (threads.every(({ spikes }) => spikes.length === 0)) return [...lines, "no spikes", ...ofTurns];
  const share = `${LEAST_SHARE * 100} %`;
  return [
    ...lines,
    `spike: columns with at least ${share} GC, parsing or compiling, ${TIMES_USUAL} times the usual,`,
    text`or ${String(TIMES_USUAL)} times the mean ${TICKS}, plus neighbours with ${String(TIMES_NEIGHBOUR)} times; at least ${inSamples(LEAST_TICKS)}`,
    ...ofTurns,
  ];
}

/** Returns whether ticks of a thread waited, which stand apart. */
function hasWaits({ by, lanes }: SlicesData): boolean {
  return TICK_GROUPS[by].some(({ name, isWait }) => isWait && lanes[name]!.some((ticks) => ticks > 0));
}

/** Returns what a spike is made of: `GC, 120 of 130 ticks`. */
function spikeTitle({ kind, kindTicks, ticks }: SpikeData): Text {
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
  readonly rows: readonly { readonly function: FunctionData; readonly ticks: Ticks }[];
  readonly rest: readonly { readonly ticks: Ticks; readonly what: string }[];
}

/** Returns the functions of the program in a spike, or where it was if none of the program ran. */
function spikeRows({ functions, program, programTicks, ...spike }: SpikeData): SpikeRows {
  if (program.length === 0)
    return { rows: functions.map((one) => ({ function: one, ticks: one.self })), rest: [] };
  const doing = CATEGORIES.find(({ category }) => category === spike.outside);
  const others = program.reduce((left, row) => left - row.ticks, programTicks);
  return {
    rows: program.map((one) => ({ function: one, ticks: one.ticks })),
    rest: [
      ...(others > 0
        ? [{ ticks: others, what: `in ${counted(spike.otherFunctions, "more function")}` }]
        : []),
      ...(doing === undefined
        ? []
        : [{ ticks: spike.ticks - programTicks, what: `outside the program, mostly ${doing.title}` }]),
    ],
  };
}

/** Returns the largest number of ticks in a slice. */
function peakOf({ lanes, slices }: SlicesData): Ticks {
  const ticks = new Float64Array(slices);
  for (const lane of Object.values(lanes)) for (const [i, inSlice] of lane.entries()) ticks[i]! += inSlice;
  return ticks.reduce((peak, inSlice) => Math.max(peak, inSlice), 0);
}

function sumOf(numbers: readonly number[] | Float64Array): number {
  let sum = 0;
  for (const one of numbers) sum += one;
  return sum;
}

function sums(sum: Text, part: Text, unit: Unit): string {
  return `  ${plainly(sum, unit).padStart(8)}  ${plainly(part, unit).padStart(6)}`;
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
  /** Reasons to doubt what waited. */
  readonly warnings: readonly Warning[];
}

export interface ThreadOverTime extends ThreadData, SlicesData {
  /** Its number, which --thread takes too. */
  readonly number: FromOne;
  /** Its time 0, from when the first CPU profile of its machine began. 0 for logs. */
  readonly offsetUs: Microseconds;
  /** How far apart its ticks count as. Only if the log has no times. */
  readonly assumedIntervalUs?: Microseconds;
  /**
   * Adjacent slices that stand out: for a kind with 25 % of their ticks and twice its share in the thread, or (busy) for
   * twice the mean ticks of a slice. At least 10 ticks of the kind. The largest ones, in order of time.
   */
  readonly spikes: readonly SpikeData[];
  /** The turns of the event loop. null without the times of all ticks. */
  readonly turns: TurnsData | null;
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
  /** How many more functions of the program have ticks. */
  readonly otherFunctions: Integer;
  /** What most of the ticks outside the program were doing. null if there are none. */
  readonly outside: Category | null;
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

/** Returns the document of `ticks timeline`. A page has as many slices as fit its width. Throws a {@link TicksError} for a profile without times. */
function timelineFacts(
  profile: Analysis,
  { options: { slices, by }, limit }: Shown<TimelineReportOptions>,
  { format, width, turns }: Surroundings,
): TimelineData {
  refuseUntimed(profile, "what ran when");
  const { info } = profile;
  const threads = threadTimelines(profile, { most: mostSlices(format, width), count: slices, by });
  const spikes = spikesOf(profile, threads, { spikes: limit, functions: SPIKE_FUNCTIONS });
  const offsets = recordedOffsets(info.threads);
  const head = jsonHead("timeline", profile);
  return {
    ...head,
    threads: threads.map((timeline, i) => {
      const { thread } = timeline;
      const { sampling = info.sampling } = info.threads[thread]!;
      return {
        ...head.threads[thread]!,
        number: thread + 1,
        offsetUs: offsets[thread]!,
        ...(!sampling.hasTimes && { assumedIntervalUs: tickInterval(sampling) }),
        ...slicesOf(timeline),
        spikes: spikes[i]!.map(spikeOf),
        turns: turnsData(turns?.find((one) => one.thread === thread)),
      };
    }),
    warnings: doubtsOfKinds(profile, [
      "no-times",
      "slow-sampling",
      "inferred-idle",
      "possible-waits",
      // A gap at the end is not drawn.
      ...(info.input !== undefined && threads.every(({ gaps }) => gaps === 0) ? (["no-cpu"] as const) : []),
    ]),
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

function spikeOf({ kind, from, to, ticks, kindTicks, functions, program, ...more }: Spike): SpikeData {
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
    programTicks: more.inProgram,
    otherFunctions: more.otherCallers,
    outside: more.outside ?? null,
    functions: functions.map((one) => ({
      ...jsonFunction(one.function),
      self: one.self,
      selfPercent: percentOf(one.self, ticks),
    })),
  };
}
