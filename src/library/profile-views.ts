import type { Micros, Ticks } from "../base/units.js";
import { flameDocument } from "../exports/flame/flame-document.js";
import { type Coverage, coverageOf as coverage } from "../facts/coverage.js";
import { type DeoptView, deoptView } from "../facts/deopts.js";
import { type Warning, warningsOf } from "../facts/doubts.js";
import { withoutWaits } from "../facts/filter-profile.js";
import { type TotaledRow, totaledRows } from "../facts/flat.js";
import { FunctionStacks } from "../facts/function-stacks.js";
import { heavy, topDown } from "../facts/function-tree.js";
import { type IcFacts, icFacts } from "../facts/ics.js";
import { type LineTicks, lineTicks } from "../facts/line-ticks.js";
import { type SeparateOptions, StackLabels } from "../facts/stack-labels.js";
import { threadTimelines } from "../facts/thread-timelines.js";
import { type Top, topOf as topPage } from "../facts/top.js";
import { type Totals, totals as totalsOf } from "../facts/totals.js";
import { type TreeRows, treeRows } from "../facts/tree-rows.js";
import { readFlamePageParts } from "../io/flame-page-parts.js";
import type { GroupBy, GroupName } from "../profile/categories.js";
import type { Profile } from "../profile/profile.js";
import { creditInterpreted, type StackOptions, shownStacks } from "../profile/shown-stacks.js";
import { adviceFor } from "../reports/doctor.js";
import type { ViewOptions } from "../reports/report-options.js";

/** Returns the profile that views show. What was left out of it before stays so. */
export function shownProfile(profile: Profile, options: ViewOptions): Profile {
  const shown = shownStacks(profile, options);
  return options.idle ? shown : withoutWaits(shown);
}

/**
 * Returns the functions that have ticks of their own, as `ticks process` lists them: most self ticks first.
 * A function is its label, so code of one function in two tiers is two rows.
 */
export function flatRows(profile: Profile, separate: SeparateOptions = {}): TotaledRow[] {
  return totaledRows(profile, new StackLabels(profile, separate));
}

/** Returns the sums of the rows of {@link flatRows}: JavaScript, native code, libraries, unaccounted. */
export function totals(profile: Profile, separate: SeparateOptions = {}): Totals {
  const labels = new StackLabels(profile, separate);
  return totalsOf(profile, labels, totaledRows(profile, labels));
}

/** The options of {@link callTree}. */
export interface CallTreeOptions extends ViewOptions {
  /** Whether callers are below the functions that have ticks of their own. Default: callees are below callers. */
  readonly heavy?: boolean | undefined;
  /** The number of levels. Default: all. */
  readonly depth?: number | undefined;
  /**
   * Functions with less of the ticks are left out, in percent. Default: 1. More are if a heavy tree has over some half a
   * million rows.
   */
  readonly minPercent?: number | undefined;
}

/** Returns the rows of `ticks tree`: functions and what they call, or what calls them. */
export function callTree(profile: Profile, options: CallTreeOptions = {}): TreeRows {
  const { minPercent = 1, depth = Number.POSITIVE_INFINITY } = options;
  const known = shownProfile(profile, options);
  const least = (shownTicks(known) * minPercent) / 100;
  const stacks = new FunctionStacks(known);
  if (!options.heavy) return treeRows(topDown(known, stacks), stacks, { depth, least });
  const tree = heavy(known, stacks, { depth, least });
  return treeRows(tree, stacks, { depth, least: tree.least });
}

/**
 * Returns the lines that have ticks, as `ticks lines` has them: most self ticks first. Lines are known if the
 * log was analyzed with `inlines`.
 */
export function hotLines(profile: Profile, options: ViewOptions = {}): LineTicks[] {
  return lineTicks(shownProfile(profile, options));
}

/**
 * Returns what `ticks top` shows. Lists have at most `limit` rows each; without it all of them, but 10 stacks.
 * Sums of a list that is cut are less than its whole.
 */
export function topOf(
  profile: Profile,
  options: ViewOptions & { readonly limit?: number | undefined } = {},
): Top {
  const { limit } = options;
  const top = topPage(shownProfile(profile, options), limit ?? 10);
  return limit === undefined ? top : cutLists(top, limit);
}

/** Returns a summary whose lists have at most `limit` rows each. What the lists sum up to stays as it is. */
function cutLists(top: Top, limit: number): Top {
  const first = <T>(rows: readonly T[]) => rows.slice(0, limit);
  const { functions, packages } = top;
  const linesOf = (hot: Top["lines"]) => ({ ...hot, lines: first(hot.lines) });
  return {
    ...top,
    functions: { bySelf: first(functions.bySelf), byTotal: first(functions.byTotal) },
    packages: { ...packages, rows: first(packages.rows) },
    chains: first(top.chains),
    app: linesOf(top.app),
    lines: linesOf(top.lines),
    packageLines: linesOf(top.packageLines),
    deopts: first(top.deopts),
    threads: first(top.threads),
  };
}

/** How far the numbers of a profile can be trusted. */
export interface CoverageReport extends Coverage {
  /** Reasons to doubt the numbers. */
  readonly warnings: readonly Warning[];
  /** What to do about it, a line for each problem. */
  readonly advice: readonly string[];
}

/** Returns what `ticks doctor` checks: which ticks have a known function, warnings and advice. */
export function coverageOf(profile: Profile): CoverageReport {
  const found = coverage(profile);
  return { ...found, warnings: warningsOf(profile, found), advice: adviceFor(profile, found) };
}

/** What one thread did over time, in slices of equal width. */
export interface ThreadSlices {
  /** An index into `info.threads`. */
  readonly thread: number;
  /** When the first slice starts, since the log of the thread was opened. */
  readonly start: Micros;
  /** The width of a slice. */
  readonly width: Micros;
  /** The number of slices. */
  readonly count: number;
  readonly ticks: Ticks;
  /** The ticks of each slice. */
  readonly sliceTicks: Float64Array;
  /** The same by category, or by VM state. */
  readonly lanes: ReadonlyMap<GroupName, Float64Array>;
  /** The part of each slice without ticks, because the thread slept or had no CPU; undefined for a filtered profile. */
  readonly gapTime: Float64Array | undefined;
}

/** At most so many slices, unless a number is given. */
const SLICES = 100;

/**
 * Returns what each thread did over time, in `slices` slices. Default: at most 100, of a round width. Ticks are
 * grouped by category, or by VM state. Returns nothing for a profile that was analyzed without `timeline`.
 */
export function timelineOf(
  profile: Profile,
  options: StackOptions & { readonly slices?: number | undefined; readonly by?: GroupBy | undefined } = {},
): ThreadSlices[] {
  const { slices, by, separateBytecodes } = options;
  const credited = separateBytecodes ? profile : creditInterpreted(profile);
  const timelines = threadTimelines(credited, { most: SLICES, count: slices, by });
  return timelines.map(({ by: _, gaps: __, ...thread }) => thread);
}

/**
 * Returns what was deoptimized, where, why, and how many ticks it cost: the costliest first. Returns no rows
 * for a profile that was analyzed without `deopts`.
 */
export function deoptsOf(profile: Profile): DeoptView {
  return deoptView(profile);
}

/**
 * Returns the inline caches and the ticks that each cost: the costliest first. Returns none for a profile that was
 * analyzed without `ics`. A profile with `deopts` too has the deoptimizations at their positions.
 */
export function icsOf(profile: Profile): IcFacts {
  return icFacts(profile);
}

function shownTicks({ info }: Profile): Ticks {
  return info.ticks - info.excluded;
}

/**
 * Returns the page of `ticks flame`: a document with a flame graph, all in one file. A profile with a timeline
 * has a chart over time too, one with sources shows them.
 */
export function flamePage(profile: Profile, options: ViewOptions = {}): string {
  const page = flameDocument(shownProfile(profile, options), readFlamePageParts(), {
    whole: shownStacks(profile, options),
  });
  return Array.from(page).join("");
}
