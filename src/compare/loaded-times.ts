import type { Ticks } from "../base/units.js";
import { TESTED_TICKS, type Ticked, variancePrior, varianceTrend } from "./measures.js";
import type { Scale } from "./scales.js";
import { type Difference, moderated } from "./statistics.js";

/** Logarithms of fewer ticks in a run are not distributed normally. */
const NORMAL_TICKS = 10;
/** Rows with fewer ticks in a run say nothing on what is usual. */
const SOME_TICKS = 2;
/** The part of what independent ticks would spread that all rows spread at least: ticks come at fixed times, so that they spread less. */
const LEAST_RATIO = 0.5;
/** Sensitivities of rows to load never spread less than this, as a variance. */
const LEAST_SPREAD = 1e-4;

/**
 * Returns by how much the own ticks of rows change beside the load of each run, as natural logarithms; undefined for a row with few
 * ticks in a run.
 *
 * A busy machine does not make all code slower alike: threads of one core share its caches and units, and code that waits for memory
 * suffers most. So each row has a sensitivity to load of its own, beside that of most code. A few runs say little about it, but all
 * rows together say how much it differs: it is believed as far as it is larger than chance makes it. Ticks that come at fixed times
 * spread less than independent ones do, by what all rows say.
 *
 * Source: R. A. Fisher, "Statistical Methods for Research Workers" (1932), 49.1, on covariance; J. Gagnon-Bartsch and T. Speed,
 * "Using control genes to correct for unwanted variation in microarray data", Biostatistics 13 (2012); N. Laird and J. Ware,
 * "Random-effects models for longitudinal data", Biometrics 38 (1982).
 */
export function loadedDifferences(
  rows: readonly Ticked[],
  usual: Scale,
): readonly (Difference | undefined)[] {
  const loads = loadsOf(usual);
  const counts = rows.map(({ self }) => [...self.before, ...self.after]);
  const used = counts.filter(
    (ticks, row) =>
      isOfScript(rows[row]!) && meanOf(ticks) >= TESTED_TICKS && ticks.every((count) => count >= SOME_TICKS),
  );
  const isLoadKnown = loads.squares > 0;
  const free = used.map((ticks) => fitOf(ticks, loads, isLoadKnown ? 0 : Number.POSITIVE_INFINITY));
  const first = usualOf(free);
  const spread = isLoadKnown ? spreadOf(free, first.varianceAt, loads) : 0;
  const fitted = (ticks: readonly Ticks[]) =>
    fitOf(ticks, loads, spread > 0 ? first.varianceAt(meanOf(ticks)) / spread : Number.POSITIVE_INFINITY);
  const { varianceAt, freedom } = usualOf(used.map(fitted));
  return counts.map((ticks) => {
    if (ticks.some((count) => count < NORMAL_TICKS)) return undefined;
    const { change, variance, freedom: own, factor, mean } = fitted(ticks);
    const sure = moderated(
      { mean: change, variance, runs: own + 1, freedom: own },
      { variance: varianceAt(mean), freedom, least: LEAST_RATIO / mean },
    );
    return { change, error: Math.sqrt(sure.variance * factor), freedom: sure.freedom };
  });
}

/** Whether a row is JavaScript or what V8 makes for it. What threads of the system do, such as waking each other, spreads by other causes. */
function isOfScript({ match }: Ticked): boolean {
  const { origin } = (match.after ?? match.before)!;
  return origin !== "native" && origin !== "unknown";
}

/** The load of each run, as a natural logarithm. */
interface Loads {
  readonly all: readonly number[];
  /** How many runs are of the first side. */
  readonly split: number;
  /** The mean of the second side less that of the first. */
  readonly change: number;
  /** The sum of the squares about the mean of the side. */
  readonly squares: number;
}

/** Returns the load of each run: how many times as long most code takes. */
function loadsOf({ before, after }: Scale): Loads {
  const all = [...before, ...after].map((factor) => -Math.log(factor));
  const split = before.length;
  const { change, about } = bySide(all, split);
  return { all, split, change, squares: productOf(about, about) };
}

/** How the side and the load of runs explain the time that a row takes beside the rest, as natural logarithms. */
interface Fit {
  readonly change: number;
  /** The variance of `change` is as many times that of one run. */
  readonly factor: number;
  readonly sensitivity: number;
  /** Of one run. */
  readonly variance: number;
  /** The degrees of freedom of `variance`. */
  readonly freedom: number;
  /** Of all runs. */
  readonly mean: Ticks;
}

/** Fits a sensitivity that is 0 as surely as `prior` squares of loads would say: at 0 it is free, at infinity there is none. */
function fitOf(ticks: readonly Ticks[], { all, split, change: ofLoad, squares }: Loads, prior: number): Fit {
  const { change, about } = bySide(
    ticks.map((count, run) => Math.log(count + 0.5) - all[run]!),
    split,
  );
  const { about: loads } = bySide(all, split);
  const weight = squares + prior;
  const sensitivity = weight > 0 ? productOf(loads, about) / weight : 0;
  const left = about.map((value, run) => value - sensitivity * loads[run]!);
  const isFree = prior === 0;
  const freedom = ticks.length - (isFree ? 3 : 2);
  const ofPrior = Number.isFinite(prior) ? prior * sensitivity ** 2 : 0;
  return {
    change: change - sensitivity * ofLoad,
    factor: 1 / split + 1 / (ticks.length - split) + (weight > 0 ? ofLoad ** 2 / weight : 0),
    sensitivity,
    variance: (productOf(left, left) + ofPrior) / freedom,
    freedom,
    mean: meanOf(ticks),
  };
}

/** Returns how much the sensitivities of rows differ, as a variance: by more than chance makes them. */
function spreadOf(
  fits: readonly Fit[],
  varianceAt: (ticks: Ticks) => number,
  { squares }: Pick<Loads, "squares">,
): number {
  let [excess, weights] = [0, 0];
  for (const { sensitivity, mean } of fits) {
    const weight = squares / varianceAt(mean);
    excess += weight * sensitivity ** 2 - 1;
    weights += weight;
  }
  return weights > 0 ? Math.max(LEAST_SPREAD, excess / weights) : LEAST_SPREAD;
}

/** Returns what all rows say about the variance of one with so many ticks, and how many degrees of freedom that is worth. */
function usualOf(fits: readonly Fit[]) {
  const spreads = fits.map(({ variance, mean }) => ({ ratio: variance * mean, ticks: mean }));
  const trend = varianceTrend(spreads, LEAST_RATIO);
  const usual = (ticks: Ticks) => trend.base + trend.slope * ticks;
  const ratios = spreads.map(({ ratio, ticks }) => ratio / usual(ticks));
  const prior = variancePrior(ratios, fits[0]?.freedom ?? 0);
  return {
    freedom: prior.freedom,
    varianceAt: (ticks: Ticks) => Math.max(LEAST_RATIO, prior.ratio * usual(ticks)) / ticks,
  };
}

function bySide(values: readonly number[], split: number) {
  const [first, second] = [meanOf(values.slice(0, split)), meanOf(values.slice(split))];
  return {
    change: second - first,
    about: values.map((value, run) => value - (run < split ? first : second)),
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function productOf(first: readonly number[], second: readonly number[]): number {
  return first.reduce((sum, value, i) => sum + value * second[i]!, 0);
}
