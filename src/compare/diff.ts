import type { Ticks } from "../profile/units.js";
import { causesOf } from "./causes.js";
import type { Change, Diff, DiffRow } from "./diff-model.js";
import type { SideRow, Ticked } from "./measures.js";
import { matchRows, type RowMatch } from "./row-matches.js";
import type { RowName } from "./run-groups.js";
import { leastAtTenth, runsNeeded } from "./run-power.js";
import type { RunRow, RunSummary } from "./run-summary.js";
import { type ScaleOptions, scaleOf } from "./scales.js";
import { changeOf, judge } from "./verdicts.js";
import { witnessesOf } from "./witnesses.js";

/** The options of {@link compareRuns}. */
export interface DiffOptions {
  readonly scale: ScaleOptions;
  /** Renames a row of the first side. Default: not. */
  readonly rename?: ((name: RowName) => RowName) | undefined;
}

/**
 * Compares two sets of runs of a program. Runs are the unit, never ticks: the ticks of one run come in bursts
 * and share what was particular to that run. Each number is tested by its values in each run; all tests
 * together let a comparison of two sets that are the same show any change in 5 % of cases at most. Returns
 * undefined if there is no scale: see {@link scaleOf}.
 */
export function compareRuns(
  before: readonly RunSummary[],
  after: readonly RunSummary[],
  { scale: scaleOptions, rename = (name) => name }: DiffOptions,
): Diff | undefined {
  const sides = [sideRows(before, rename), sideRows(after, (name) => name)] as const;
  const ticked = matchRows(sides[0], sides[1]).map((match) => weigh(match, [before.length, after.length]));
  const scale = scaleOf(
    before,
    after,
    ticked.map(({ self }) => self),
    scaleOptions,
  );
  if (scale === undefined) return undefined;
  const hasVerdict = before.length > 1 && after.length > 1;
  const witnesses = witnessesOf(before, after, { rows: ticked, scale });
  const judgement = judge(ticked, { sides: [before, after], scale, hasVerdict, witnesses });
  const rows = ticked.map(({ match, runs }, i): DiffRow => {
    const [self, total] = [judgement.all[2 * i]!, judgement.all[2 * i + 1]!].map((judged) =>
      changeOf(judged, match, { hasVerdict, judgement }),
    ) as [Change, Change];
    return {
      name: (match.after ?? match.before)!,
      nameBefore: match.before,
      matchedBy: match.by,
      self,
      total,
      verdict: self.verdict === "same" ? total.verdict : self.verdict,
      causes: [],
      runs,
    };
  });
  rows.sort(compareRows);
  const selves = judgement.all.filter(({ measure }) => measure.kind === "self");
  const diff: Diff = {
    before,
    after,
    scale,
    hasVerdict,
    rows,
    tests: judgement.tests,
    lengthRatio: witnesses.lengthRatio,
    changedByLength: judgement.changedByLength,
    matched: matchedShare(ticked),
    leastAtTenth: hasVerdict ? leastAtTenth(selves, [before, after], judgement) : undefined,
    runsNeeded: hasVerdict ? undefined : runsNeeded(selves, [before, after]),
  };
  const causes = causesOf(diff);
  return { ...diff, rows: rows.map((row, i) => ({ ...row, causes: causes[i]! })) };
}

function sideRows(runs: readonly RunSummary[], rename: (name: RowName) => RowName): SideRow[] {
  const rows = new Map<string, { name: RowName; runs: (RunRow | undefined)[] }>();
  for (const [run, summary] of runs.entries()) {
    for (const row of summary.rows) {
      const name = rename(row);
      let found = rows.get(name.key);
      if (found === undefined) {
        found = { name, runs: new Array<RunRow | undefined>(runs.length).fill(undefined) };
        rows.set(name.key, found);
      }
      found.runs[run] = row;
    }
  }
  return Array.from(rows.values(), ({ name, runs }) => {
    const { key, family, ordinal, sourceHash, title, file, line, origin, package: of } = name;
    return { key, family, ordinal, sourceHash, title, file, line, origin, package: of, runs };
  });
}

function weigh(match: RowMatch<SideRow>, sizes: readonly [number, number]): Ticked {
  const of = (row: SideRow | undefined, size: number): readonly (RunRow | undefined)[] =>
    row?.runs ?? new Array<undefined>(size).fill(undefined);
  const runs = { before: of(match.before, sizes[0]), after: of(match.after, sizes[1]) };
  const weights = (weight: "self" | "total") => ({
    before: runs.before.map((row) => row?.[weight] ?? 0),
    after: runs.after.map((row) => row?.[weight] ?? 0),
  });
  return { match, runs, self: weights("self"), total: weights("total") };
}

function matchedShare(rows: readonly Ticked[]): number {
  const sum = (ticks: readonly Ticks[]) => ticks.reduce((all, count) => all + count, 0);
  let [both, all] = [0, 0];
  for (const { match, self } of rows) {
    const ticks = sum(self.before) + sum(self.after);
    all += ticks;
    if (match.by !== undefined) both += ticks;
  }
  return all === 0 ? 1 : both / all;
}

/** Verdicts first, then the largest change, then the name. */
function compareRows(a: DiffRow, b: DiffRow): number {
  const rank = ({ self, total }: DiffRow) => (self.verdict !== "same" ? 0 : total.verdict !== "same" ? 1 : 2);
  const size = ({ self, total }: DiffRow) =>
    Math.abs(self.verdict === "same" && total.verdict !== "same" ? total.change : self.change);
  return rank(a) - rank(b) || size(b) - size(a) || (a.name.key < b.name.key ? -1 : 1);
}
