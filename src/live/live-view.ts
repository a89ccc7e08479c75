import type { Micros, Ticks } from "../base/units.js";
import type { DeoptRow } from "../facts/deopts.js";
import type { FunctionNames } from "../facts/function-names.js";
import type { ProfiledFunction } from "../facts/function-table.js";
import type { Category } from "../profile/categories.js";
import type { Tier } from "../profile/frame.js";
import type { ThreadInfo } from "../profile/profile.js";

/** Seconds of which the ticks of every function are known one by one. */
export const RECENT_SECONDS = 10;

/**
 * What functions are ranked by: their self or total ticks, of the last ten seconds or all. `recent-own` has the program's own
 * functions first, by total, then all others by self.
 */
export const LIVE_SORTS = ["recent-own", "recent-self", "recent-total", "self", "total"] as const;
export type LiveSort = (typeof LIVE_SORTS)[number];

/** What to show of the logs. */
export interface LiveQuery {
  readonly sort: LiveSort;
  /** Keeps the functions whose name or file has this text, in upper or lower case. Empty for all. */
  readonly filter: string;
  /** The most functions. */
  readonly limit: number;
  /** The thread whose ticks count, an index into the threads; undefined for all. */
  readonly thread: number | undefined;
}

/** Ticks of the last ten seconds, and of all the time. */
export interface RecentAndAll {
  readonly recent: Ticks;
  readonly all: Ticks;
}

/** A function with its ticks. */
export interface LiveRow {
  readonly function: ProfiledFunction;
  /** The tier of its last self tick; empty for none. */
  readonly tier: Tier;
  readonly self: RecentAndAll;
  readonly total: RecentAndAll;
  /** The ticks of the last whole seconds, oldest first: self or total ticks, as the rows are ranked. */
  readonly history: readonly Ticks[];
  /** Whether its share rose or fell in the last seconds, beyond chance. */
  readonly trend: "rising" | "falling" | "steady";
}

/** The ticks of a category. */
export interface LiveCategory extends RecentAndAll {
  readonly category: Category;
  readonly title: string;
}

/** A thread as it is now. */
export interface LiveThread extends Pick<ThreadInfo, "name" | "log" | "pid" | "isolate" | "kind"> {
  readonly ticks: RecentAndAll;
  /** In the last ten seconds. */
  readonly ticksPerSecond: number;
  /** The ticks of the last ten seconds by category, in the order of `CATEGORIES`. */
  readonly recentCategories: readonly Ticks[];
  /** Whether its profile has ended. */
  readonly isEnded: boolean;
}

/** The ticks of one second. */
export interface LiveSecond {
  readonly ticks: Ticks;
  readonly gc: Ticks;
  /** Parsers and compilers. */
  readonly compile: Ticks;
}

/** A deoptimization that was read. */
export interface LiveDeopt {
  /** Since the log was opened. */
  readonly time: Micros;
  /** Counts the deoptimizations of all logs, from 1, in the order of reading. */
  readonly number: number;
  readonly row: DeoptRow;
}

/** The logs as they are now. */
export interface LiveView {
  readonly query: LiveQuery;
  readonly ticks: RecentAndAll;
  /** The longest time that a log has been written, or since the reset. */
  readonly span: Micros;
  readonly ticksPerSecond: number;
  /** All categories, in the order of `CATEGORIES`. */
  readonly categories: readonly LiveCategory[];
  /** The functions, highest rank first. */
  readonly rows: readonly LiveRow[];
  readonly names: FunctionNames;
  readonly threads: readonly LiveThread[];
  /** The last whole seconds, oldest first. */
  readonly seconds: readonly LiveSecond[];
  /** The latest deoptimizations, in the order of reading. */
  readonly deopts: readonly LiveDeopt[];
  readonly deoptCount: number;
}
