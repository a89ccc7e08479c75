import { isOwn, type Ticked } from "./measures.js";
import type { RunSummary } from "./run-summary.js";
import { ENOUGH, LEAST_TICKS, type RunTicks, type Scale, scaleOf } from "./scales.js";
import { differenceOf, sampleOf, welchTails } from "./statistics.js";

/** What must speak for a change beside its row. */
export interface Evidence {
  /** What a row takes beside the rest; undefined if the scale says it already, or too few rows tell. */
  readonly usual: Scale | undefined;
  /** The scales of the program's own code, for its rows; undefined if there is too little of it. */
  readonly own: OwnScales | undefined;
  /** The scales that tell what the length of the runs does; empty if they are about as long. */
  readonly lengths: readonly Scale[];
  /** How many times as long as the runs before those after are; 1 if they are about as long. */
  readonly lengthRatio: number;
}

/** What time needs beside itself. */
export const NO_EVIDENCE: Evidence = { usual: undefined, own: undefined, lengths: [], lengthRatio: 1 };

/** What a row takes if only rows of the program's own code count. */
interface OwnScales {
  /** Its part of that code. */
  readonly share: Scale;
  /** What it takes beside the rest of that code; undefined if too few rows tell. */
  readonly usual: Scale | undefined;
}

/** Fewer ticks of own code say little about the parts of it. */
const LEAST_OWN = 100;
/** Runs that differ by a smaller factor are about as long. */
const OTHER_LENGTH = 1.05;
/** Lengths differ if chance alone makes them differ so much in fewer cases. */
const SURE = 0.05;
/** Rows that grew by the same factor seem to grow by factors that differ by up to this one. */
const NEAR = 1.25;
/** Rows whose times grew by factors nearer to the usual one grew alike. */
const ALIKE = 1.1;

/**
 * Returns the scales in which a change of a share must be seen too. Shares change because others do, so that
 * the time must change if most code takes as long as before: the scale `unchanged`, if enough rows have ticks in
 * all runs to know what is usual.
 *
 * Garbage collection, compilers and the kernel take another part of each run, so that all shares of the program's
 * own code rise and fall together. What a function takes of that code alone is free of it.
 *
 * In runs of another length, the time itself must change in the same direction too. What a program does once,
 * such as its start, takes a smaller part of a longer run, and what it does more seldom than the rest, such as
 * compiling, grows by less than the run does: only what shrinks got faster, and only what grows by more than
 * the rest slower.
 */
export function evidenceOf(
  before: readonly RunSummary[],
  after: readonly RunSummary[],
  { rows: ticked, scale }: { readonly rows: readonly Ticked[]; readonly scale: Scale },
): Evidence {
  if (scale.name === "cpu") return NO_EVIDENCE;
  const rows = ticked.map(({ self }) => self);
  const lasting = rows.filter(isInAll);
  const cpu = scaleOf(before, after, rows, { name: "cpu" })!;
  const usual = usualScale(before, after, rows);
  const heavy = heavyScale(lasting, cpu);
  const length = [heavy, usual].find((one) => one !== undefined && isOther(lengthsOf(one, cpu)));
  const ofShare =
    scale.name === "share"
      ? { usual, own: ownScales(before, after, ticked) }
      : { usual: undefined, own: undefined };
  if (length !== undefined)
    return { ...ofShare, lengths: [length, cpu], lengthRatio: ratioOf(lengthsOf(length, cpu)) };
  const whole = lengthsOf(scaleOf(before, after, rows, { name: "share" })!, cpu);
  if (usual !== undefined || !isOther(whole)) return { ...ofShare, lengths: [], lengthRatio: 1 };
  return { ...ofShare, lengths: [cpu], lengthRatio: ratioOf(whole) };
}

function isInAll({ before, after }: RunTicks): boolean {
  return [before, after].every((side) => side.every((count) => count >= LEAST_TICKS));
}

/** Returns the scale in which most rows take as long as before; undefined if too few rows tell. */
function usualScale(
  before: readonly RunSummary[],
  after: readonly RunSummary[],
  rows: readonly RunTicks[],
): Scale | undefined {
  const isKnown = rows.filter(isInAll).length >= ENOUGH;
  return isKnown ? scaleOf(before, after, rows, { name: "unchanged" }) : undefined;
}

/** Returns the scales of the program's own code; undefined if a run has too little of it. */
function ownScales(
  before: readonly RunSummary[],
  after: readonly RunSummary[],
  ticked: readonly Ticked[],
): OwnScales | undefined {
  const rows = ticked.filter(isOwn).map(({ self }) => self);
  const scaleOfSide = (side: "before" | "after", runs: readonly RunSummary[]) =>
    runs.map((_, run) => 100 / rows.reduce((sum, row) => sum + row[side][run]!, 0));
  const share: Scale = {
    name: "share",
    unit: "percent",
    before: scaleOfSide("before", before),
    after: scaleOfSide("after", after),
  };
  const isLittle = [...share.before, ...share.after].some((factor) => factor > 100 / LEAST_OWN);
  return isLittle ? undefined : { share, usual: usualScale(before, after, rows) };
}

/** The length of each run of both sides, in one unit. */
type Lengths = readonly [readonly number[], readonly number[]];

/** Returns how long runs are, if a scale makes runs of any length the same. */
function lengthsOf(scale: Scale, cpu: Scale): Lengths {
  const ofSide = (factors: readonly number[], times: readonly number[]) =>
    factors.map((factor, run) => (factor > 0 ? times[run]! / factor : 0));
  return [ofSide(scale.before, cpu.before), ofSide(scale.after, cpu.after)];
}

/** Returns how many times as long the second side is. */
function ratioOf([before, after]: Lengths): number {
  const [first, second] = [sampleOf(before).mean, sampleOf(after).mean];
  return first > 0 && second > 0 ? second / first : 1;
}

/** Whether the lengths differ, and by more than those of one side do: a busy machine makes runs longer, too. */
function isOther(lengths: Lengths): boolean {
  const ratio = ratioOf(lengths);
  if (ratio <= OTHER_LENGTH && ratio >= 1 / OTHER_LENGTH) return false;
  const [before, after] = lengths;
  return welchTails(differenceOf(sampleOf(before), sampleOf(after))) < SURE;
}

/**
 * Returns a scale in which the rows that grew alike and take most of the time take as long as before. Undefined
 * if those are few: a few functions that take most of the time and grew are a change, and no other length.
 */
function heavyScale(rows: readonly RunTicks[], cpu: Scale): Scale | undefined {
  const mean = (ticks: readonly number[], factors: readonly number[]) =>
    ticks.reduce((sum, count, run) => sum + count * factors[run]!, 0) / ticks.length;
  const times = rows.map((row) => [mean(row.before, cpu.before), mean(row.after, cpu.after)] as const);
  const [first, second] = ([0, 1] as const).map((side) => times.reduce((sum, time) => sum + time[side], 0));
  const grown = rows.map((row, i) => {
    const [before, after] = times[i]!;
    return { row, ratio: after / before, weight: before / first! + after / second! };
  });
  grown.sort((a, b) => a.ratio - b.ratio);
  // The range of ratios with most of the time.
  let [start, weight, logs, most, middle] = [0, 0, 0, 0, 0];
  for (const one of grown) {
    weight += one.weight;
    logs += one.weight * Math.log(one.ratio);
    for (; grown[start]!.ratio * NEAR < one.ratio; start++) {
      weight -= grown[start]!.weight;
      logs -= grown[start]!.weight * Math.log(grown[start]!.ratio);
    }
    if (weight <= most) continue;
    most = weight;
    middle = Math.exp(logs / weight);
  }
  const alike = grown.filter(({ ratio }) => ratio < middle * ALIKE && ratio > middle / ALIKE);
  if (alike.length < ENOUGH) return undefined;
  const factors = (side: "before" | "after") =>
    cpu[side].map((_, run) => 1 / alike.reduce((sum, { row }) => sum + row[side][run]!, 0));
  return { name: "unchanged", unit: "percent", before: factors("before"), after: factors("after") };
}
