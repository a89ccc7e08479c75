import {
  LIVE_SORTS,
  type LiveSort,
  type LiveThread,
  type LiveView,
  RECENT_SECONDS,
} from "../../live/live-view.js";
import type { Micros } from "../../profile/units.js";
import { CATEGORIES, type Category } from "../../views/breakdown.js";

/** Returns a time in seconds. */
export function seconds(time: Micros): string {
  return `${(time / 1e6).toFixed(1)} s`;
}

/** Returns a number of ticks a second. */
export function shownRate(ticksPerSecond: number): string {
  return `${Math.round(ticksPerSecond)}/s`;
}

/** Returns how many logs are followed of all, if some are left out. */
export function newestOf({ threads }: Pick<LiveView, "threads">, leftLogs: number): string {
  return `the newest ${threads.length} of ${threads.length + leftLogs} logs`;
}

/** What functions are ranked by, in words. */
const SORT_WORDS: Readonly<Record<LiveSort, string>> = {
  "recent-self": `self, last ${RECENT_SECONDS} s`,
  "recent-total": `total, last ${RECENT_SECONDS} s`,
  self: "self, all",
  total: "total, all",
};

/** Returns what functions are ranked by. */
export function sortWords(sort: LiveSort): string {
  return SORT_WORDS[sort];
}

/** Returns the next way to rank functions. */
export function nextSort(sort: LiveSort): LiveSort {
  return LIVE_SORTS[(LIVE_SORTS.indexOf(sort) + 1) % LIVE_SORTS.length]!;
}

/** Returns the recent ticks of a thread in some categories. */
export function ticksIn({ recentCategories }: LiveThread, categories: readonly Category[]): number {
  return CATEGORIES.reduce(
    (sum, { category }, i) => sum + (categories.includes(category) ? recentCategories[i]! : 0),
    0,
  );
}
