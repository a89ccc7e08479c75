import type { Profile } from "../../profile/profile.js";
import { slowSampling, tickInterval } from "../../profile/sampling.js";
import type { Ticks } from "../../profile/units.js";
import { hasOneCompilerState } from "../../profile/v8-era.js";
import { CATEGORIES } from "../../views/breakdown.js";
import { inferredIdle, inferredIdleText } from "../../views/coverage.js";
import { FunctionNames, type ShownName } from "../../views/function-names.js";
import type { ProfiledFunction } from "../../views/function-table.js";
import { printable } from "../../views/label.js";
import type { Lane } from "../../views/lanes.js";
import {
  LEAST_SHARE,
  LEAST_TICKS,
  type Spike,
  type SpikeKind,
  TIMES_NEIGHBOUR,
  TIMES_USUAL,
} from "../../views/spikes.js";
import type { ThreadTimeline } from "../../views/thread-timelines.js";
import { blocksOf } from "../layout/blocks.js";
import { namedCell } from "../layout/named-cell.js";
import { counted, shareOf } from "../layout/numbers.js";
import type { Style } from "../layout/style.js";
import { padEnd, shownMiddle, widthOf } from "../layout/width.js";
import { axisLabels, spanText, timeText } from "./time-axis.js";

/** What the reporters of timelines show. */
export interface TimelineReport {
  readonly profile: Profile;
  readonly threads: readonly ThreadTimeline[];
  /** By thread. */
  readonly spikes: readonly (readonly Spike[])[];
}

/** The style and width of a text report. */
export interface TimelineLayout {
  readonly style: Style;
  /** The maximum width of a line, in columns. */
  readonly width: number;
  /** The maximum width of a line with a name. Default: `width`. */
  readonly nameWidth?: number | undefined;
}

export const LANE_TITLES: Record<Lane, string> = {
  js: "JS",
  builtins: "builtins",
  native: "C++",
  gc: "GC",
  compiler: "optimize",
  "bytecode-compiler": "compile",
  parser: "parse",
  profiler: "profiler",
  logging: "logging",
  "atomics-wait": "waiting",
  external: "external",
  "idle-external": "idle ext",
  "idle-inferred": "idle ≈",
  other: "other",
  idle: "idle",
  unknown: "unknown",
};

/** V8's own work, which is highlighted. */
const OVERHEAD: ReadonlySet<Lane> = new Set<Lane>(["gc", "parser", "compiler", "bytecode-compiler"]);

const NO_TICKS = "no ticks";
/** The width of row titles, with two spaces. */
const TITLE_COLUMNS = NO_TICKS.length + 2;
/** The width of two spaces, a row's ticks and their share. */
const SUM_COLUMNS = 18;
/** Indents the functions of a spike. */
const INDENT = " ".repeat(4);

/** Returns how many slices fit in a line. */
export function slicesIn(width: number): number {
  return Math.max(1, width - TITLE_COLUMNS - SUM_COLUMNS);
}

/** Yields ticks over time for people. */
export function* timelineText(report: TimelineReport, layout: TimelineLayout): Iterable<string> {
  yield* timelineBlocks(report, layout, true);
  if (report.threads.length === 0) return;
  yield "";
  for (const line of legendOf(report)) yield layout.style.faint(line);
}

/** Yields the same without the legend, and with or without spikes. */
export function* timelineBlocks(
  report: TimelineReport,
  layout: TimelineLayout,
  hasSpikes: boolean,
): Iterable<string> {
  const { profile, threads } = report;
  const { style, width } = layout;
  const { ticks, excluded, title } = profile.info;
  const left = excluded === 0 ? counted(ticks, "tick") : `${ticks - excluded} of ${counted(ticks, "tick")}`;
  const log = shownMiddle(title, width - widthOf(left) - 2);
  const by = threads.some((thread) => thread.by === "state") ? ", by VM state" : "";
  yield style.heading(`${log}: ${left}${by}`);
  const text = new TimelineText(report, layout);
  for (const i of threads.keys()) {
    yield* text.thread(i);
    if (hasSpikes) yield* text.spikes(i);
  }
}

/** Returns what empty columns and spikes mean, and how often ticks came. */
export function legendOf({ profile, threads, spikes }: TimelineReport): string[] {
  const lines: string[] = [];
  const slow = slowSampling(profile.info.sampling);
  if (slow !== undefined) {
    const why = slow.isWindowsTimer ? ": the timer of Windows is no finer" : "";
    lines.push(`a tick every ${timeText(slow.got)}; ${timeText(slow.asked)} was asked for${why}`);
  }
  const inferred = inferredIdle(profile);
  if (inferred !== undefined) lines.push(inferredIdleText(inferred, printable));
  if (threads.some(({ gaps }) => gaps > 0)) {
    lines.push("no ticks: the thread slept, or had no CPU");
  }
  if (profile.info.excluded > 0)
    lines.push("empty columns: ticks were filtered out, or the thread slept or had no CPU");
  if (spikes.every(({ length }) => length === 0)) lines.push("no spikes");
  const share = `${LEAST_SHARE * 100} %`;
  return [
    ...lines,
    `spike: columns with at least ${share} GC, parsing or compiling, ${TIMES_USUAL} times the usual,`,
    `or ${TIMES_USUAL} times the mean ticks, plus neighbours with ${TIMES_NEIGHBOUR} times; at least ${LEAST_TICKS} ticks`,
  ];
}

/** Returns what a spike is made of: `GC, 120 of 130 ticks`. */
export function spikeTitle({ kind, kindTicks, ticks }: Spike): string {
  return kind === "busy"
    ? `busy, ${counted(ticks, "tick")}`
    : `${SPIKE_TITLES[kind]}, ${kindTicks} of ${counted(ticks, "tick")}`;
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
export function spikeRows(spike: Spike): SpikeRows {
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

/** The names shown for functions of spikes. */
export class SpikeNames {
  readonly #names: FunctionNames;

  constructor(spikes: readonly (readonly Spike[])[]) {
    this.#names = new FunctionNames(
      spikes
        .flat()
        .flatMap(({ functions, program }) => [...program, ...functions].map((one) => one.function)),
    );
  }

  nameOf(one: ProfiledFunction): ShownName {
    return this.#names.function(one);
  }
}

class TimelineText {
  readonly #report: TimelineReport;
  readonly #layout: TimelineLayout;
  readonly #names: SpikeNames;

  constructor(report: TimelineReport, layout: TimelineLayout) {
    this.#report = report;
    this.#layout = layout;
    this.#names = new SpikeNames(report.spikes);
  }

  *thread(i: number): Iterable<string> {
    const { profile, threads } = this.#report;
    const { style, width } = this.#layout;
    const thread = threads[i]!;
    yield "";
    if (threads.length > 1)
      yield style.heading(shownMiddle(profile.info.threads[thread.thread]!.name, width));
    const { sampling = profile.info.sampling } = profile.info.threads[thread.thread]!;
    if (!sampling.hasTimes) {
      yield `this log has no times: its ticks are ${timeText(tickInterval(sampling))} apart, as asked for`;
    }
    yield thread.count === 1 && thread.width === 1
      ? "the ticks in this log have no timestamps"
      : `a column is ${timeText(thread.width)}; a full block is ${counted(peakOf(thread), "tick")}`;
    yield this.#axis(thread);
    for (const [lane, ticks] of thread.lanes) yield* this.#lane(thread, lane, ticks);
    yield* this.#gaps(thread);
  }

  *spikes(i: number): Iterable<string> {
    const { threads, spikes } = this.#report;
    for (const spike of spikes[i]!) yield* this.#spike(spike, threads[i]!);
  }

  #axis(thread: ThreadTimeline): string {
    const { unit, labels } = axisLabels(thread);
    return this.#layout.style.faint(padEnd(unit, TITLE_COLUMNS) + labels);
  }

  *#lane(thread: ThreadTimeline, lane: Lane, ticks: Float64Array): Iterable<string> {
    const sum = ticks.reduce((total, inSlice) => total + inSlice, 0);
    if (sum === 0) return;
    const blocks = blocksOf(ticks, peakOf(thread));
    const { style } = this.#layout;
    const share = shareOf(sum, thread.ticks);
    yield `${padEnd(this.#titleOf(lane), TITLE_COLUMNS)}${OVERHEAD.has(lane) ? style.hot(blocks) : blocks}${sums(String(sum), share)}`;
  }

  #titleOf(lane: Lane): string {
    const isEvery = lane === "compiler" && hasOneCompilerState(this.#report.profile.info);
    return isEvery ? "compile" : LANE_TITLES[lane];
  }

  *#gaps({ gapTime, gaps, width }: ThreadTimeline): Iterable<string> {
    if (gapTime === undefined || gaps === 0) return;
    const sum = gapTime.reduce((total, time) => total + time, 0);
    const row = `${padEnd(NO_TICKS, TITLE_COLUMNS)}${blocksOf(gapTime, width)}${sums(timeText(sum, 0), "")}`;
    yield this.#layout.style.faint(row.trimEnd());
  }

  *#spike(spike: Spike, { width }: ThreadTimeline): Iterable<string> {
    yield "";
    yield this.#layout.style.heading(`${spanText(spike, width)}: ${spikeTitle(spike)}`);
    const { rows, rest } = spikeRows(spike);
    for (const { function: one, ticks } of rows) yield this.#function(one, ticks);
    for (const { ticks, what } of rest) {
      yield this.#layout.style.faint(`${INDENT}${String(ticks).padStart(6)}  ${what}`);
    }
  }

  #function(one: ProfiledFunction, self: Ticks): string {
    const { style, width, nameWidth = width } = this.#layout;
    const number = `${INDENT}${String(self).padStart(6)}  `;
    return number + namedCell(this.#names.nameOf(one), { columns: nameWidth - number.length, style });
  }
}

/** Returns the largest number of ticks in a slice. */
function peakOf({ sliceTicks }: ThreadTimeline): Ticks {
  return sliceTicks.reduce((peak, ticks) => Math.max(peak, ticks), 0);
}

function sums(sum: string, share: string): string {
  return `  ${sum.padStart(8)}  ${share.padStart(6)}`;
}
