import { badOption, TicksError } from "../base/errors.js";
import {
  type Budget,
  budgetsOfWaits,
  type CheckedBudget,
  checkBudgets,
  unknownSelectors,
} from "../compare/budgets.js";
import { compareRuns as compareSummaries } from "../compare/diff.js";
import type { Diff } from "../compare/diff-model.js";
import type { RowName, RunGroup } from "../compare/run-groups.js";
import { runSummary } from "../compare/run-summary.js";
import type { ScaleName } from "../compare/scales.js";
import { selectRun } from "../compare/selections.js";
import { withoutWaits } from "../facts/filter-profile.js";
import { turnsOf } from "../facts/profile-turns.js";
import { refuseMixed } from "../inputs/inputs.js";
import { allLogsIn, isFolder } from "../io/find-logs.js";
import { runsOf } from "../io/log-origin.js";
import type { Profile } from "../profile/profile.js";
import { nothingInAll } from "../reports/diff-words.js";
import { type LoadLogsOptions, loadLogs } from "./load-logs.js";

/** The options of {@link readRuns}: those of {@link loadLogs}, and `deopts` by default. */
export type ReadRunsOptions = Omit<LoadLogsOptions, "onUnreadable">;

/**
 * Reads logs and profiles, and folders of them, as the profiles of runs, in their order. The logs of one PID in a
 * folder, a main thread and its workers, are one run. Throws a {@link TicksError} if one cannot be read, or if there
 * is none.
 */
export async function readRuns(
  paths: string | readonly string[],
  options: ReadRunsOptions = {},
): Promise<Profile[]> {
  const given = typeof paths === "string" ? [paths] : paths;
  const runs = given.flatMap((path) =>
    isFolder(path) ? runsOf(allLogsIn(path)).map(({ logs }) => logs) : [[path]],
  );
  if (runs.length === 0) throw new TicksError("NO_LOG", "no logs to read");
  const profiles: Profile[] = [];
  for (const logs of runs) profiles.push(await loadLogs(logs, { deopts: true, ...options }));
  return profiles;
}

/** The options of {@link compareRuns}. */
export interface CompareOptions {
  /** What the rows are. Default: `function`. */
  readonly by?: RunGroup | undefined;
  /** What the numbers are. Default: `share`. */
  readonly scale?: ScaleName | undefined;
  /** The units of work of each run, before and after. Only with the scale `cpu`. */
  readonly per?: readonly [number, number] | undefined;
  /** Whether ticks count in which a thread waited; not with the scale `cpu`. Default: false. */
  readonly idle?: boolean | undefined;
  /** Renames a row of the first side. Default: not. */
  readonly rename?: ((name: RowName) => RowName) | undefined;
}

/**
 * Compares runs of a program, as `ticks diff` does: with two runs a side or more, each change gets a verdict. One
 * profile is one run; {@link readRuns} reads them with all that causes are made of. Throws a {@link TicksError} if
 * a side has no run, or if nothing has ticks in all runs with the scale `unchanged`.
 */
export function compareRuns(
  before: readonly Profile[],
  after: readonly Profile[],
  { by = "function", scale = "share", per, idle = false, rename }: CompareOptions = {},
): Diff {
  if (before.length === 0 || after.length === 0) throw new TicksError("NO_LOG", "a side has no runs");
  if (idle && scale === "cpu")
    throw badOption("idle does not go with the scale cpu: what waits takes no CPU");
  refuseMixed([...before, ...after].map(({ info }) => info));
  const [first, second] = [before, after].map((side) =>
    side.map((profile) => runSummary(idle ? profile : withoutWaits(profile), by)),
  );
  const diff = compareSummaries(first!, second!, { scale: { name: scale, per }, rename });
  if (diff === undefined) throw new TicksError("NO_TICKS", nothingInAll(before[0]?.info));
  return diff;
}

/** The runs of {@link checkRuns}. */
export interface RunsToCheck {
  readonly runs: readonly Profile[];
  /** What `growth` is measured against. Default: none. */
  readonly baseline?: readonly Profile[] | undefined;
  /** The units of work of each run, for `ticks`. Default: 1. */
  readonly units?: number | undefined;
  /** Whether ticks count in which a thread waited. Default: false. */
  readonly idle?: boolean | undefined;
}

/** A budget with its defaults left out: the title is the name of its code, the metric `self`, the level `error`. */
export type BudgetInput = Pick<Budget, "selector" | "max"> & Partial<Budget>;

/**
 * Checks budgets, as `ticks check` does. Throws a {@link TicksError} if one selects code that no run has, or if one
 * limits growth and there is no baseline.
 */
export function checkRuns(
  budgets: readonly BudgetInput[],
  { runs, baseline = [], units, idle = false }: RunsToCheck,
): CheckedBudget[] {
  if (runs.length === 0) throw new TicksError("NO_LOG", "no runs to check");
  refuseMixed([...runs, ...baseline].map(({ info }) => info));
  const whole = budgets.map(
    (one): Budget => ({
      title: String(one.selector.name) || "event loop",
      metric: "self",
      level: "error",
      ...one,
    }),
  );
  if (baseline.length === 0 && whole.some(({ metric }) => metric === "growth"))
    throw badOption("a budget limits growth, and there is no baseline");
  const [unseen] = idle ? [] : budgetsOfWaits(whole);
  if (unseen !== undefined) throw badOption(`a budget limits ${unseen.title}: only with the option idle`);
  const selectors = whole.map(({ selector }) => selector);
  const limitsTurns = whole.some(({ metric }) => metric === "longestTurn");
  const turnsIn = (profile: Profile) => (limitsTurns ? turnsOf(profile) : undefined);
  const [own, others] = [runs, baseline].map((side) =>
    side.map((profile) => selectRun(idle ? profile : withoutWaits(profile), selectors, turnsIn(profile))),
  );
  const checked = { runs: own!, baseline: others!, units };
  const [unknown] = unknownSelectors(whole, checked.runs);
  if (unknown !== undefined)
    throw new TicksError("NOT_FOUND", `no run has ${unknown.title}, which a budget limits`);
  return checkBudgets(whole, checked);
}
