import type { LiveDeopt, LiveRow, LiveThread, LiveView, RecentAndAll } from "../../live/live-view.js";
import { RECENT_SECONDS } from "../../live/live-view.js";
import type { Ticks } from "../../profile/units.js";
import { percentOf } from "../../views/shares.js";
import { tierNamesOf } from "../../views/tier-names.js";
import { jsonLines } from "../layout/json-lines.js";
import {
  type CategoryTicks,
  type Count,
  type FunctionData,
  type Integer,
  type JsonDocument,
  jsonCategories,
  jsonDocument,
  jsonFunction,
  jsonLogged,
  type LoggedFunction,
  type Microseconds,
  type Percent,
  type PositionData,
  type ThreadData,
  type TierOrNone,
} from "../layout/json-parts.js";

/** What the reporters of `ticks live` show. */
export interface LiveReport {
  readonly view: LiveView;
  /** Since the command was started, in milliseconds. */
  readonly elapsed: number;
  /** How much of the logs has been read, in percent, while it has to catch up; undefined if all was read. */
  readonly readPercent: number | undefined;
  /** The number of logs that are left out, because others are newer. */
  readonly leftLogs: number;
  /** The deoptimizations since the last line: those with a higher number. */
  readonly lastDeopt: number;
}

/**
 * One document a line, one line a second. The last line of the command is a document of ticks top instead.
 * @id live.schema.json
 * @title a line of ticks live --format json, schema version 1
 */
export interface LiveData extends JsonDocument<"live"> {
  /** Milliseconds since the command was started. */
  readonly elapsedMs: Count;
  /** How much of the logs has been read: below 100 while the command catches up with logs that were there before. */
  readonly readPercent: Percent;
  /** The seconds that keys with recent are about. */
  readonly recentSeconds: Integer;
  /** All ticks read so far. */
  readonly ticks: Ticks;
  /** Those of the last ten seconds. */
  readonly recentTicks: Ticks;
  /**
   * Ticks a second in the last ten seconds.
   * @minimum 0
   */
  readonly ticksPerSecond: number;
  /** The longest time that a log has been written, in microseconds. */
  readonly spanUs: Microseconds;
  /** Ticks by category. */
  readonly categories: CategoryTicks;
  /** Ticks of the last ten seconds by category. */
  readonly recentCategories: CategoryTicks;
  /** The functions with most self ticks in the last ten seconds. An inlined function counts as its caller. */
  readonly functions: readonly LiveFunctionData[];
  /** One per log, in the order of their names. */
  readonly threads: readonly LiveThreadData[];
  /** The number of logs that are not followed, because others are newer. Only those that are followed are threads. */
  readonly leftLogs: Count;
  /** How many deoptimizations were read. */
  readonly deoptCount: Count;
  /** Those since the line before, the latest 50 at most. */
  readonly deopts: readonly LiveDeoptData[];
}

export interface LiveFunctionData extends FunctionData {
  /** The tier of its last tick. */
  readonly tier: TierOrNone;
  /** All ticks in the function itself. */
  readonly self: Ticks;
  /** Of ticks. */
  readonly selfPercent: Percent;
  /** Those of the last ten seconds. */
  readonly recentSelf: Ticks;
  /** Of recentTicks. */
  readonly recentSelfPercent: Percent;
  /** All ticks in the function and what it called. */
  readonly total: Ticks;
  /** Of ticks. */
  readonly totalPercent: Percent;
  /** Those of the last ten seconds. */
  readonly recentTotal: Ticks;
  /** Of recentTicks. */
  readonly recentTotalPercent: Percent;
  /** Whether its share of the ticks changed in the last seconds, beyond chance. */
  readonly trend: LiveRow["trend"];
}

export interface LiveThreadData extends Pick<ThreadData, "name" | "kind" | "pid" | "isolate" | "log"> {
  readonly ticks: Ticks;
  /** Those of the last ten seconds. */
  readonly recentTicks: Ticks;
  /**
   * Ticks a second in the last ten seconds.
   * @minimum 0
   */
  readonly ticksPerSecond: number;
  /** Ticks of the last ten seconds by category. */
  readonly recentCategories: CategoryTicks;
  /** Whether V8 has written the end of the profile. */
  readonly isEnded: boolean;
}

export interface LiveDeoptData {
  /** Since the log was opened, in microseconds. */
  readonly timeUs: Microseconds;
  /** null if the log does not name it. */
  readonly function: LoggedFunction | null;
  /** Where it happened, innermost first. */
  readonly position: readonly PositionData[];
  /** In V8's words. */
  readonly reason: string;
  readonly kind: string;
  /** The tier of the abandoned code. */
  readonly tier: TierOrNone;
}

/** V8 that can be watched is new enough for today's names of tiers. */
const TIERS = tierNamesOf({ v8: [] });

/** Returns one line for programs. */
export function liveJson(report: LiveReport): string {
  return Array.from(jsonLines(liveData(report))).join(""); // A long document is several lines, cut after commas.
}

export function liveData({ view, elapsed, readPercent, leftLogs, lastDeopt }: LiveReport): LiveData {
  const { ticks, threads } = view;
  return {
    ...jsonDocument("live"),
    elapsedMs: Math.round(elapsed),
    readPercent: readPercent ?? 100,
    recentSeconds: RECENT_SECONDS,
    ticks: ticks.all,
    recentTicks: ticks.recent,
    ticksPerSecond: rounded(view.ticksPerSecond),
    spanUs: view.span,
    categories: jsonCategories(view.categories.map(({ all }) => all)),
    recentCategories: jsonCategories(view.categories.map(({ recent }) => recent)),
    functions: view.rows.map((row) => functionOf(row, ticks)),
    threads: threads.map(threadOf),
    leftLogs,
    deoptCount: view.deoptCount,
    deopts: view.deopts.filter(({ number }) => number > lastDeopt).map(deoptOf),
  };
}

function functionOf(
  { function: fn, tier, self, total, trend }: LiveRow,
  ticks: RecentAndAll,
): LiveFunctionData {
  return {
    ...jsonFunction(fn),
    tier: TIERS[tier],
    self: self.all,
    selfPercent: percentOf(self.all, ticks.all),
    recentSelf: self.recent,
    recentSelfPercent: percentOf(self.recent, ticks.recent),
    total: total.all,
    totalPercent: percentOf(total.all, ticks.all),
    recentTotal: total.recent,
    recentTotalPercent: percentOf(total.recent, ticks.recent),
    trend,
  };
}

function threadOf(thread: LiveThread): LiveThreadData {
  const { name, kind = null, pid = null, isolate = null, log, ticks, isEnded } = thread;
  return {
    name,
    kind,
    pid,
    isolate,
    log,
    ticks: ticks.all,
    recentTicks: ticks.recent,
    ticksPerSecond: rounded(thread.ticksPerSecond),
    recentCategories: jsonCategories(thread.recentCategories),
    isEnded,
  };
}

function deoptOf({ time, row }: LiveDeopt): LiveDeoptData {
  const { function: logged, at, reason, kinds, tiers } = row;
  return {
    timeUs: time,
    function: jsonLogged(logged),
    position: at,
    reason,
    kind: kinds[0] ?? "",
    tier: TIERS[tiers[0] ?? ""],
  };
}

function rounded(number: number): number {
  return Math.round(number * 10) / 10;
}
