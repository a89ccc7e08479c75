import { addTo, groupBy, valueAt } from "../base/maps.js";
import { compareTexts } from "../base/sorted.js";
import type { Ticks } from "../base/units.js";
import { LONE_SPREAD } from "./budgets.js";
import { causesOf, isReal } from "./causes.js";
import type { Change, Diff, DiffRow, Part, PerRun, RenamedFile, SureAmount } from "./diff-model.js";
import { type Evidence, evidenceOf, NO_EVIDENCE } from "./evidence.js";
import {
  isOfMemory,
  type Measure,
  type SideRow,
  TESTED_TICKS,
  type Ticked,
  warmUpVariance,
} from "./measures.js";
import { matchRows, type RowMatch } from "./row-matches.js";
import type { RowName } from "./run-groups.js";
import { hasUnknownCounts, type RunRow, type RunSummary } from "./run-summary.js";
import { median, perRunScale, type RunScale, type Scale, type ScaleOptions, scaleOf } from "./scales.js";
import { withoutOuterFunctions } from "./source-changes.js";
import {
  differenceOf,
  leastChange,
  moderated,
  runsFor,
  type Sample,
  sampleOf,
  studentQuantile,
  welchTails,
} from "./statistics.js";
import { testWeights } from "./test-weights.js";
import {
  ALMOST_SURE,
  changeOf,
  FALSE_RATE,
  falseRateOf,
  isOfRest,
  type Judged,
  type Judgement,
  judge,
  NORMAL_QUANTILE,
  runAmountOf,
  unsettledOf,
  withShares,
} from "./verdicts.js";

/** The options of {@link compareRuns}. */
interface DiffOptions {
  readonly scale: ScaleOptions;
  /** Renames a row of the first side. Default: not. */
  readonly rename?: ((name: RowName) => RowName) | undefined;
  /** Files of the first side that have another name on the second: see {@link newNamesOfFiles}. Default: those that the rows tell. */
  readonly files?: ReadonlyMap<string, string> | undefined;
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
  { scale: wanted, ...naming }: DiffOptions,
): Diff | undefined {
  const isMemory = isOfMemory([before, after]);
  // Memory has no CPU time: its scale is what runs take, with the shares beside it.
  const scaleOptions: ScaleOptions =
    isMemory && wanted.name === "cpu" ? { ...wanted, name: "share" } : wanted;
  const { sides, matches } = matched([before, after], naming);
  const ticked = matches.map((match) => weigh(match, [before.length, after.length]));
  const scale = scaleOf(
    before,
    after,
    ticked.map(({ self }) => self),
    scaleOptions,
  );
  if (scale === undefined) return undefined;
  const isCountUnknown = hasUnknownCounts([...before, ...after]);
  const hasVerdict = before.length > 1 && after.length > 1 && !isCountUnknown;
  // Sizes hardly depend on the machine: they need no other evidence.
  const evidence = isMemory ? NO_EVIDENCE : evidenceOf(before, after, { rows: ticked, scale });
  const perRun: RunScale =
    scale.unit === "ms-per-unit" ? { unit: scale.unit, scale } : perRunScale(before, after, scaleOptions.per);
  const cpu = isMemory ? undefined : cpuOf([before, after], scaleOptions.per);
  const whole = { ...perRunOf([before, after], { ...perRun, cpu }, hasVerdict), cpu };
  const options = {
    sides: [before, after],
    scale,
    hasVerdict,
    evidence,
    perRun: perRun.scale,
    shares: scale,
    isWholeSure: whole.isSure,
  } as const;
  const shares = judge(ticked, options);
  const isTimeUsed = isMemory || isTimeEvidence(whole, evidence, [before, after]);
  const isByRun = scale.name === "share" && hasVerdict && isTimeUsed;
  const judgement = isByRun
    ? withShares(
        judge(ticked, {
          ...options,
          scale: perRun.scale,
          // A busy machine makes all code take longer: what changed did so beside the rest, too.
          evidence: { ...NO_EVIDENCE, usual: evidence.usual },
          isSteadied: isMemory
            ? undefined
            : evidence.lengths.length === 0 && whole.isSure !== true && whole.cpu?.isSure !== true,
        }),
        shares,
      )
    : shares;
  const rows = ticked.map((row): DiffRow => {
    const { match, runs } = row;
    const judged = judgement.ofRow(row);
    const self = changeOf(judged.self, match, { hasVerdict, isCountUnknown, judgement, whole });
    const total = changeOf(judged.total, match, { hasVerdict, isCountUnknown, judgement, whole });
    const own = runAmountOf(judged.self, hasVerdict);
    const all = runAmountOf(judged.total, hasVerdict);
    const verdict = self.verdict === "same" ? total.verdict : self.verdict;
    const reasons = [
      // Shares of memory are no reason: they are beside what is judged.
      unsettledOf(judged.self, isMemory ? own : self, { amount: own, isByRun }),
      unsettledOf(judged.total, isMemory ? all : total, { amount: all, isByRun }),
    ];
    return {
      name: (match.after ?? match.before)!,
      nameBefore: match.before,
      matchedBy: match.by,
      self,
      total,
      verdict,
      perRun: { self: own, total: all },
      unsettled:
        verdict !== "same"
          ? undefined
          : hasVerdict
            ? (reasons.find((reason) => reason === "length") ??
              (isOfCalls(self, total) ? reasons[1] : (reasons[0] ?? reasons[1])))
            : Math.abs(self.change) >= ALMOST_SURE && isOfRest(self.change, match, whole)
              ? "rest"
              : undefined,
      part: partOf(match, [self, total]),
      foldedInto: undefined,
      causes: [],
      runs,
    };
  });
  const selves = judgement.tested.map(({ self }) => self);
  const sorted = withoutOuterFunctions(rows).sort(comparerOf(scale));
  const caused = withCauses(
    isMemory ? { rows: sorted, before, after, scale: perRun.scale } : { rows: sorted, before, after, scale },
  );
  return {
    before,
    after,
    scale,
    perRun: whole,
    hasVerdict,
    rows: caused,
    tests: judgement.tests,
    judgedBy: scale.name !== "share" || isByRun ? "run" : "share",
    lengthRatio: isByRun ? 1 : evidence.lengthRatio,
    changedByLength: judgement.changedByLength,
    renamedFiles: renamedFiles(matches, sides),
    matched: matchedShare(ticked),
    leastAtTenth: hasVerdict ? leastAtTenth(selves, [before, after], judgement) : undefined,
    runsNeeded: hasVerdict ? undefined : runsNeeded(selfMeasures(ticked, judgement), [before, after]),
  };
}

/**
 * Returns the new names of files that were renamed, by the functions of runs: files that are compared as a whole do not have
 * the names of their functions.
 */
export function newNamesOfFiles(
  summaries: Sides,
  naming: Pick<DiffOptions, "rename">,
): ReadonlyMap<string, string> {
  const { sides, matches } = matched(summaries, naming);
  const found = renamedFiles(matches, sides).toReversed();
  return new Map(found.map((file) => [file.before, file.after]));
}

/** Returns the rows of both sides, and which of them are the same. */
function matched([before, after]: Sides, { rename = (name) => name, files }: Omit<DiffOptions, "scale">) {
  const isOrderUnsure = [...before, ...after].some(({ input }) => input !== undefined);
  const sides = [
    sideRows(before, { rename, isOrderUnsure }),
    sideRows(after, { rename: (name) => name, isOrderUnsure }),
  ] as const;
  const matches = matchRows(sides[0], sides[1], { isOrderUnsure, shareOf: shareOf(sides), files });
  return { sides, matches };
}

/**
 * Whether the time that rows take in a run tells what changed: runs did the same work, and take surely another time, or
 * `ticks record` made them. Rows that grew alike and take most of the time say that runs did another amount of work; but not of commands that
 * came to their end by themselves, where that explains less than half of what whole runs take more or less: one side had a slower machine.
 */
function isTimeEvidence({ isSure, cpu }: PerRun, { lengths, lengthRatio }: Evidence, sides: Sides): boolean {
  if (lengths.length < 2) return cpu !== undefined || isSure === true;
  const isWhole = sides.every((runs) => runs.every((run) => run.cpu?.isWhole === true));
  if (cpu?.isSure !== true || !isWhole) return false;
  return Math.log(lengthRatio) / Math.log(cpu.after / cpu.before) < 0.5;
}

/** Whether a row has hardly any time of its own beside that of what it calls: less by this factor. */
export function isOfCalls(self: BeforeAfter, total: BeforeAfter): boolean {
  return Math.max(self.before, self.after) * LITTLE < Math.max(total.before, total.after);
}

const LITTLE = 100;

type BeforeAfter = Pick<Change, "before" | "after">;

/** A change of a share by fewer points is nothing to tell of a function whose source changed. */
const LEAST_CHANGE = 1;

/** Returns what a row is in the story of the change. */
function partOf({ before, after }: RowMatch<SideRow>, [self, total]: readonly [Change, Change]): Part {
  const { origin } = (after ?? before)!;
  if (origin !== "app" && origin !== "deps") return "rest";
  const [old, now] = [before?.sourceHash, after?.sourceHash];
  const isOther =
    old !== now && (old !== undefined || before === undefined) && (now !== undefined || after === undefined);
  const isLarge = [self, total].some((one) => isReal(one) || Math.abs(one.change) >= LEAST_CHANGE);
  return isOther && isLarge ? "changed" : "program";
}

/** Returns the rows with what explains them. */
function withCauses(diff: Pick<Diff, "rows" | "before" | "after" | "scale">): DiffRow[] {
  // Shares of memory say less than sizes do: all of them change if one does.
  const isSized = isOfMemory([diff.before, diff.after]);
  const causes = causesOf(isSized ? { ...diff, rows: diff.rows.map(inSizes) } : diff);
  const rows = diff.rows.map((row, i) => (causes[i]!.length === 0 ? row : { ...row, causes: causes[i]! }));
  const ofKey = new Map(rows.map((row) => [row.name.key, row]));
  /**
   * Returns the row that a row goes back to, by the function that it calls and so on. What V8 and Node take more or less goes back
   * to the innermost function of the program that calls it.
   */
  const originOf = (row: DiffRow): DiffRow | undefined => {
    const passed = new Set<DiffRow>();
    let caller: DiffRow | undefined;
    for (let at = row; !passed.has(at); ) {
      if (at !== row && at.part === "changed") return at;
      passed.add(at);
      if (at !== row && at.part !== "rest") caller = at;
      const callee = at.causes.find(({ kind }) => kind === "callee");
      const next = callee?.kind === "callee" ? ofKey.get(callee.callee.key) : undefined;
      if (next === undefined) return at !== row && isReal(at.self) ? caller : undefined;
      at = next;
    }
    return undefined;
  };
  return behindCallees(rows, isSized).map((row) => {
    const isFolded = row.part !== "changed" && !isReal(row.self) && isReal(row.total);
    return isFolded ? { ...row, foldedInto: originOf(row)?.name } : row;
  });
}

/** A row changed by what it calls if one function has so much of its change. */
const NEARLY_ALL = 0.9;

/** Returns rows whose own code takes as long behind the function of the program that they changed by, though their source changed. */
function behindCallees(rows: readonly DiffRow[], isSized: boolean): readonly DiffRow[] {
  const placeOf = new Map(rows.map((row, place) => [row.name.key, place]));
  const places = rows.map((row, place) => {
    if (row.part !== "changed" || isReal(row.self)) return place;
    const cause = row.causes.find(({ kind }) => kind === "callee");
    const callee = cause?.kind === "callee" ? placeOf.get(cause.callee.key) : undefined;
    if (cause?.kind !== "callee" || callee === undefined || rows[callee]!.part === "rest") return place;
    const ofRun = row.perRun.total.change;
    // Where runs take another time, a share can fall by more than those of the callers, and the time by less.
    const parts = isSized
      ? [cause.change / ofRun]
      : [cause.change / row.total.change, rows[callee]!.perRun.total.change / ofRun];
    return parts.every((part) => part >= NEARLY_ALL) ? Math.max(place, callee + 0.5) : place;
  });
  return Array.from(rows.keys())
    .sort((a, b) => places[a]! - places[b]!)
    .map((place) => rows[place]!);
}

/** Returns what whole runs take in ticks, or in the time that these stand for. `cpu`: as it was measured of all threads. */
function perRunOf(
  sides: Sides,
  { unit, scale, cpu }: RunScale & Pick<PerRun, "cpu">,
  hasVerdict: boolean,
): Omit<PerRun, "cpu"> {
  const isMemory = isOfMemory(sides);
  const samples = sides.map((runs, side) => {
    const factors = side === 0 ? scale.before : scale.after;
    const sample = sampleOf(runs.map(({ ticks }, run) => ticks * factors[run]!));
    const effects = runs.map(({ memory }, run) => (memory?.effect ?? 1) * factors[run]!);
    const least =
      sample.mean * sampleOf(effects).mean + (isMemory ? warmUpVariance(sample.mean, sample.mean) : 0);
    return moderated(sample, { variance: 0, freedom: 0, least });
  });
  const isKnown = sides.every((runs) => runs.every(({ interval }) => interval !== undefined));
  const time = (runs: readonly RunSummary[]) =>
    runs.reduce((sum, { ticks, interval = 0 }) => sum + (ticks * interval) / 1000, 0) / runs.length;
  const ms = { before: time(sides[0]), after: time(sides[1]) };
  // Ticks that come late, since a thread waits for a CPU, stand for more than its CPU time.
  const isLate = cpu !== undefined && (ms.before > cpu.before || ms.after > cpu.after);
  return {
    unit,
    ...amountOf(samples[0]!, samples[1]!, hasVerdict),
    ms: isKnown && !isMemory && !isLate ? ms : undefined,
  };
}

/** Returns a row whose changes are those of a run. */
function inSizes(row: DiffRow): DiffRow {
  const { self, total, perRun } = row;
  return { ...row, self: { ...self, ...perRun.self }, total: { ...total, ...perRun.total } };
}

/** Runs whose CPU times are closer are so by chance, as a part of them. */
const LEAST_CPU_SPREAD = 0.01;

/** Returns the CPU time of all threads of whole runs; undefined if that of a run was not measured. */
function cpuOf(sides: Sides, per: readonly [number, number] = [1, 1]): SureAmount | undefined {
  const hasVerdict = sides.every(({ length }) => length > 1);
  const samples = sides.map((runs, side) => {
    const sample = sampleOf(runs.map(({ cpu }) => (cpu?.all ?? Number.NaN) / 1000 / per[side]!));
    const spread = sample.mean * (runs.length > 1 ? LEAST_CPU_SPREAD : LONE_SPREAD);
    return moderated(sample, { variance: 0, freedom: 0, least: spread ** 2 });
  });
  const [before, after] = samples as [Sample, Sample];
  return Number.isNaN(before.mean + after.mean) ? undefined : amountOf(before, after, hasVerdict);
}

function amountOf(before: Sample, after: Sample, hasVerdict: boolean): SureAmount {
  const difference = differenceOf(before, after);
  const { change, error, freedom } = difference;
  const half = (hasVerdict ? studentQuantile(0.975, freedom) : NORMAL_QUANTILE) * error;
  return {
    before: before.mean,
    after: after.mean,
    change,
    low: Math.max(change - half, -before.mean),
    high: change + half,
    isSure: hasVerdict ? welchTails(difference) < FALSE_RATE : undefined,
  };
}

/** Yields them one by one: of very many rows, few are kept. */
function* selfMeasures(rows: readonly Ticked[], { measure }: Judgement): Iterable<Measure> {
  for (const row of rows) yield measure(row, "self");
}

/** How the rows of runs become those of their side. */
interface SideOptions {
  readonly rename: (name: RowName) => RowName;
  /** Whether the order of functions of one name says little: runs of the same code have samples in other ones. */
  readonly isOrderUnsure: boolean;
}

function sideRows(runs: readonly RunSummary[], { rename, isOrderUnsure }: SideOptions): SideRow[] {
  const rows = new Map<string, { name: RowName; runs: (RunRow | undefined)[] }>();
  for (const [run, summary] of runs.entries()) {
    const atPlace = new Map<string, number>();
    for (const row of summary.rows) {
      const name = rename(row);
      const key = isOrderUnsure ? placeKey(name, atPlace) : name.key;
      const found = valueAt(rows, key, () => ({
        name,
        runs: new Array<RunRow | undefined>(runs.length).fill(undefined),
      }));
      found.runs[run] = row;
    }
  }
  return Array.from(isOrderUnsure ? numbered(rows.values()) : rows.values(), ({ name, runs }) => {
    const { key, family, ordinal, sourceHash, title, role, file, line, column, origin, package: of } = name;
    return { key, family, ordinal, sourceHash, title, role, file, line, column, origin, package: of, runs };
  });
}

/**
 * Returns what is the same for a function in all runs of its code, if its number may not be. Texts that a program evaluates can have
 * several functions at one place: `atPlace` counts those of a run.
 */
function placeKey({ key, family, sourceHash, line, column }: RowName, atPlace: Map<string, number>): string {
  if (sourceHash !== undefined || line === undefined) return key;
  const place = `${family}\0${line}:${column ?? 0}`;
  addTo(atPlace, place, 1);
  return `${place}\0${atPlace.get(place)}`;
}

/** Numbers the functions of one name in one file anew, by their places, where runs number them otherwise. */
function numbered<One extends { readonly name: RowName; readonly runs: readonly (RowName | undefined)[] }>(
  rows: Iterable<One>,
): One[] {
  const families = groupBy(rows, ({ name }) => name.family);
  return Array.from(families).flatMap(([family, all]) => {
    const isPlaced = all.every(({ name }) => name.sourceHash === undefined && name.line !== undefined);
    const isAlike = all.every(({ name, runs }) =>
      runs.every((one) => (one ?? name).ordinal === name.ordinal),
    );
    const isNumbered = isAlike && new Set(all.map(({ name }) => name.ordinal)).size === all.length;
    if (isNumbered || !isPlaced) return all;
    const place = ({ name: { line = 0, column = 0, ordinal } }: One) => [line, column, ordinal] as const;
    const sorted = all.sort((a, b) => {
      const [first, second] = [place(a), place(b)];
      return first[0] - second[0] || first[1] - second[1] || first[2] - second[2];
    });
    return sorted.map((one, i) => {
      const key = `${family}${i === 0 ? "" : `#${i + 1}`}`;
      return { ...one, name: { ...one.name, key, ordinal: i + 1 } };
    });
  });
}

/** Returns what rows take of their side, as a fraction: with all that they call, of the sum of these. */
function shareOf(sides: readonly (readonly SideRow[])[]): (row: SideRow) => number {
  const shares = new Map<SideRow, number>();
  for (const side of sides) {
    const sizes = side.map(({ runs }) => runs.reduce((sum, row) => sum + (row?.total ?? 0), 0));
    const whole = Math.max(
      1,
      sizes.reduce((sum, size) => sum + size, 0),
    );
    for (const [i, row] of side.entries()) shares.set(row, sizes[i]! / whole);
  }
  return (row) => shares.get(row) ?? 0;
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

/** Returns the files of the program and its packages whose rows were found in a file of another name. */
function renamedFiles(
  matches: readonly RowMatch<SideRow>[],
  sides: readonly (readonly SideRow[])[],
): readonly RenamedFile[] {
  const [old, now] = sides.map((side) => new Set(side.map(({ file }) => file)));
  const found = new Map<string, Map<string, number>>();
  for (const match of matches) {
    const [before, after] = [match.before?.file, match.after?.file];
    if (before === undefined || after === undefined || now!.has(before) || old!.has(after)) continue;
    const { origin } = match.after!;
    if (origin === "app" || origin === "deps")
      addTo(
        valueAt(found, before, () => new Map()),
        after,
        1,
      );
  }
  return Array.from(found)
    .flatMap(([before, names]) => Array.from(names, ([after, count]) => ({ before, after, rows: count })))
    .sort((a, b) => b.rows - a.rows || compareTexts(a.before, b.before));
}

const PARTS: readonly Part[] = ["changed", "program", "rest"];

/** Verdicts first, then by part, then the largest change, then the name. */
function comparerOf({ name }: Scale): (a: DiffRow, b: DiffRow) => number {
  const rank = ({ self, total, part }: DiffRow) => {
    if (!isReal(self) && !isReal(total)) return 2 * PARTS.length + (part === "changed" ? 0 : 1);
    // What takes the time itself explains more than what only calls it, even if that was changed.
    if (part !== "rest") return isReal(self) ? 0 : 1 + PARTS.indexOf(part);
    return 2 * PARTS.indexOf(part) + (isReal(self) ? 0 : 1);
  };
  const size = ({ self, total, perRun }: DiffRow) => {
    const [own, whole] = name === "share" ? [perRun.self, perRun.total] : [self, total];
    const isThrough = !isReal(self) && isReal(total);
    return Math.abs(isThrough ? whole.change : own.change);
  };
  return (a, b) => rank(a) - rank(b) || size(b) - size(a) || (a.name.key < b.name.key ? -1 : 1);
}

/** Rows with a smaller share say little about what a row of a tenth spreads. */
const LEAST_SHARE = 0.01;
const TENTH = 0.1;

type Sides = readonly [readonly RunSummary[], readonly RunSummary[]];

/**
 * Returns the smallest true change of a row of 10 % that these runs would find in 80 % of cases, as a fraction
 * of the row; undefined if no row tells.
 */
function leastAtTenth(
  rows: readonly Judged[],
  sides: Sides,
  { level, weightOf }: Pick<Judgement, "level" | "weightOf">,
): number | undefined {
  const shown = rows.flatMap(({ measure, tails }) =>
    measure.share >= LEAST_SHARE && measure.counting > 0 && tails !== undefined ? [measure] : [],
  );
  if (shown.length === 0 || sides.some((runs) => runs.every(({ ticks }) => ticks === 0))) return undefined;
  const [before, after] = ([0, 1] as const).map((side) => {
    const runs = sides[side];
    const spread = Math.max(
      1,
      median(shown.map(({ samples, counting }) => samples[side].variance / counting)),
    );
    const ticks = runs.reduce((sum, run) => sum + run.ticks, 0) / runs.length;
    const counting = (TENTH * (1 - TENTH) * spread) / ticks;
    const variance = isOfMemory(sides) ? counting + warmUpVariance(TENTH, 1) : counting;
    return {
      mean: TENTH,
      variance,
      runs: runs.length,
      freedom: median(shown.map((row) => row.samples[side].freedom)),
    };
  });
  const ofTenth = level * weightOf({ kind: "self", isOwn: true, isOtherSource: false, share: TENTH });
  return leastChange(differenceOf(before!, after!), ofTenth) / TENTH;
}

/**
 * Returns how many runs a side it takes at least to settle the largest change; undefined if there is none, or
 * if it takes too many.
 */
function runsNeeded(rows: Iterable<Measure>, sides: Sides): number | undefined {
  const ticks = sides.flat().reduce((sum, run) => sum + run.ticks, 0);
  const counted: Measure[] = [];
  for (const measure of rows) if (measure.share * ticks >= 2 * TESTED_TICKS) counted.push(measure);
  const sizeOf = ({ difference }: Measure) => Math.abs(difference.change);
  const [first, ...rest] = counted;
  if (first === undefined) return undefined;
  const largest = rest.reduce((most, one) => (sizeOf(one) > sizeOf(most) ? one : most), first);
  if (sizeOf(largest) === 0) return undefined;
  const level = (falseRateOf(sides) * testWeights(counted)(largest)) / counted.length;
  const variances = [largest.samples[0].variance, largest.samples[1].variance] as const;
  return runsFor(largest.difference.change, variances, level);
}
