import type { LiveDeopt, LiveRow, LiveThread, LiveView, RecentAndAll } from "../../live/live-view.js";
import { RECENT_SECONDS } from "../../live/recent-ticks.js";
import { parseLoggedName } from "../../profile/logged-name.js";
import type { Ticks } from "../../profile/units.js";
import { CATEGORIES } from "../../views/breakdown.js";
import { percentOf } from "../../views/shares.js";
import { tierNamesOf } from "../../views/tier-names.js";
import { jsonLines } from "../layout/json-lines.js";
import { jsonDocument, jsonFunction } from "../layout/json-parts.js";

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

/** V8 that can be watched is new enough for today's names of tiers. */
const TIERS = tierNamesOf({ v8: [] });

/** Returns one line for programs. `live.schema.json` describes it. */
export function liveJson({ view, elapsed, readPercent, leftLogs, lastDeopt }: LiveReport): string {
  const { ticks, threads } = view;
  const lines = jsonLines({
    ...jsonDocument({ command: "live", schemaVersion: 1 }),
    elapsedMs: Math.round(elapsed),
    readPercent: readPercent ?? 100,
    recentSeconds: RECENT_SECONDS,
    ticks: ticks.all,
    recentTicks: ticks.recent,
    ticksPerSecond: rounded(view.ticksPerSecond),
    spanUs: view.span,
    categories: byCategory(view.categories.map(({ all }) => all)),
    recentCategories: byCategory(view.categories.map(({ recent }) => recent)),
    functions: view.rows.map((row) => functionOf(row, ticks)),
    threads: threads.map(threadOf),
    leftLogs,
    deoptCount: view.deoptCount,
    deopts: view.deopts.filter(({ number }) => number > lastDeopt).map(deoptOf),
  });
  return Array.from(lines).join(""); // A long document is several lines, cut after commas.
}

function functionOf({ function: fn, tier, self, total, trend }: LiveRow, ticks: RecentAndAll) {
  return {
    ...jsonFunction(fn),
    tier: TIERS[tier],
    ...weights("self", self, ticks),
    ...weights("total", total, ticks),
    trend,
  };
}

function weights(key: "self" | "total", { recent, all }: RecentAndAll, ticks: RecentAndAll) {
  const recentKey = key === "self" ? "recentSelf" : "recentTotal";
  return {
    [key]: all,
    [`${key}Percent`]: percentOf(all, ticks.all),
    [recentKey]: recent,
    [`${recentKey}Percent`]: percentOf(recent, ticks.recent),
  };
}

function threadOf(thread: LiveThread) {
  const { name, kind = null, pid = null, isolate = null, log, ticks, isEnded } = thread;
  return {
    ...{ name, kind, pid, isolate, log },
    ticks: ticks.all,
    recentTicks: ticks.recent,
    ticksPerSecond: rounded(thread.ticksPerSecond),
    recentCategories: byCategory(thread.recentCategories),
    isEnded,
  };
}

function deoptOf({ time, row }: LiveDeopt) {
  const { function: logged, at, reason, kinds, tiers } = row;
  const { name, file = "", line = null, column = null } = parseLoggedName(logged ?? "");
  return {
    timeUs: time,
    function: logged === undefined ? null : { name, file, line, column },
    position: at,
    reason,
    kind: kinds[0] ?? "",
    tier: TIERS[tiers[0] ?? ""],
  };
}

function byCategory(ticks: readonly Ticks[]) {
  return Object.fromEntries(CATEGORIES.map(({ category }, i) => [category, ticks[i]!]));
}

function rounded(number: number): number {
  return Math.round(number * 10) / 10;
}
