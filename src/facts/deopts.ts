import { groupBy } from "../base/maps.js";
import { compareTexts } from "../base/sorted.js";
import type { Ticks } from "../base/units.js";
import { validPosition } from "../profile/clamped-numbers.js";
import type { DemotedFunction, Deopt } from "../profile/deopt.js";
import { type Frame, TIERS, type Tier } from "../profile/frame.js";
import { parseLoggedName } from "../profile/logged-name.js";
import { NameKeys, oncePerLongName } from "../profile/long-names.js";
import type { Profile } from "../profile/profile.js";
import { isBefore } from "../profile/v8-era.js";
import type { ShareRange } from "./confidence.js";
import { rolesOf, shownTitle } from "./function-table.js";
import type { TierTicks } from "./tier-ticks.js";

/** A position in a script. */
export interface SourcePosition {
  /** As logged; `unknown` for code without a script name. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
}

/** Deoptimizations of one function, at one position, for one reason. */
export interface DeoptRow {
  /** The function, named as in `JsFrame.name`; undefined if the log does not name it. */
  readonly function: string | undefined;
  /** The name to show. */
  readonly title: string;
  /** What a function without a name is for; undefined if it has one, or if that is not known. */
  readonly role?: string | undefined;
  /** Where the function is defined; undefined if no position was logged. */
  readonly position: SourcePosition | undefined;
  /**
   * Where it happened, innermost first: each position is inlined at the next. Empty if the log does not say.
   */
  readonly at: readonly SourcePosition[];
  readonly reason: string;
  /** The distinct kinds. */
  readonly kinds: readonly string[];
  /** The distinct tiers of the abandoned code, lowest first. */
  readonly tiers: readonly Tier[];
  /** How often it happened. */
  readonly count: number;
  /**
   * Whether this is a bailout loop: it happened at least {@link LOOP_COUNT} times, and V8 did not plan it.
   */
  readonly isLoop: boolean;
  /** The sum of `costByTier`. */
  readonly cost: Ticks;
  /** Lowest tier first. */
  readonly costByTier: readonly TierTicks[];
  /** The 95 % interval of the share of `cost`, in percent; undefined if nobody asked for it. */
  readonly costRange?: ShareRange;
  /** Whether a log ended before the function was optimized again. */
  readonly isOpen: boolean;
}

/** All deoptimizations of one function. */
export interface DeoptimizedFunction
  extends Pick<
    DeoptRow,
    "function" | "title" | "role" | "position" | "count" | "cost" | "costByTier" | "tiers" | "isOpen"
  > {
  /** How many rows it has. */
  readonly rows: number;
}

/**
 * Why a profile has no deoptimizations: none happened, V8 was not asked for them, or its version logs none.
 */
export type WhyNoDeopts = "none" | "not-asked" | "not-written";

/** A function that may have been deoptimized, though the log does not say it: it ran slower code after optimized code. */
export interface SuspectedFunction
  extends Pick<DeoptRow, "title" | "role" | "position">,
    Omit<DemotedFunction, "thread"> {}

/** The deoptimizations of a profile. */
export interface DeoptView {
  /** Most costly first. */
  readonly rows: readonly DeoptRow[];
  /** Most costly first. */
  readonly functions: readonly DeoptimizedFunction[];
  readonly count: number;
  readonly cost: Ticks;
  /** Undefined if there are rows. */
  readonly whyNone: WhyNoDeopts | undefined;
  /** How many functions had a tick in a slower tier after one in optimized code. */
  readonly demoted: number;
  /** These functions, most ticks first; empty if the log has deoptimizations or would have them. */
  readonly suspects: readonly SuspectedFunction[];
}

/**
 * This many deoptimizations at one position are a bailout loop: V8 learns at most four shapes per position.
 */
const LOOP_COUNT = 5;

/** The reason of deoptimizations that V8 plans, to continue in faster code. */
const PLANNED = /^prepare for on stack replacement/;

/** Returns the deoptimizations of a profile that was read with `deopts`. */
export function deoptView(profile: Profile): DeoptView {
  const rows = costlyDeopts(profile);
  const whyNone = rows.length > 0 ? undefined : whyNoneIn(profile);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    rows,
    functions: deoptimizedFunctions(rows),
    count: sum(rows.map(({ count }) => count)),
    cost: sum(rows.map(({ cost }) => cost)),
    whyNone,
    demoted: profile.deopts?.demoted.length ?? 0,
    suspects: whyNone === undefined || whyNone === "none" ? [] : suspectsIn(profile),
  };
}

/**
 * Returns one row per function, position and reason, most costly first. Empty if the profile was read without
 * `deopts`.
 */
export function costlyDeopts({
  deopts,
  frames,
}: Pick<Profile, "deopts"> & Partial<Pick<Profile, "frames">>): DeoptRow[] {
  const { entries = [], charges = [] } = deopts ?? {};
  const costs = new Float64Array(entries.length * TIERS.length);
  for (const { deopt, tier, ticks } of charges) costs[deopt * TIERS.length + TIERS.indexOf(tier)]! += ticks;
  const costed: CostedDeopt[] = entries.map((deopt, i) => ({
    ...deopt,
    costByTier: TIERS.flatMap((tier, rank) => {
      const ticks = costs[i * TIERS.length + rank]!;
      return ticks > 0 ? [{ tier, ticks }] : [];
    }),
  }));
  const names = new NameKeys();
  const nameOf = (name: string | undefined) => (name === undefined ? "" : names.of(name));
  const groups = groupBy(costed, (deopt) =>
    [nameOf(deopt.function), names.of(deopt.position), names.of(deopt.reason)].join("\0"),
  );
  const shown = shownNames(frames);
  return Array.from(groups.values(), (group) => rowOf(group, shown)).sort(compareRows);
}

/** Returns one row per function, most costly first. */
function deoptimizedFunctions(rows: readonly DeoptRow[]): DeoptimizedFunction[] {
  const groups = groupBy(rows, (row) => row.function ?? "\0");
  const functions = Array.from(groups.values(), (group) => {
    const { function: name, title, role, position } = group[0]!;
    const costByTier = sumTiers(group.flatMap((row) => row.costByTier));
    return {
      function: name,
      title,
      role,
      position,
      costByTier,
      cost: costOf(costByTier),
      count: group.reduce((sum, { count }) => sum + count, 0),
      tiers: tiersOf(group.flatMap(({ tiers }) => tiers)),
      isOpen: group.some(({ isOpen }) => isOpen),
      rows: group.length,
    };
  });
  return functions.sort(
    (a, b) => b.cost - a.cost || b.count - a.count || compareTexts(a.function ?? "", b.function ?? ""),
  );
}

/** Returns the functions with ticks in slower code after ticks in optimized code: one row each, over all threads. */
function suspectsIn({ deopts, frames }: Profile): SuspectedFunction[] {
  const shown = shownNames(frames);
  const demoted = deopts?.demoted.filter((one) => !isMainCode(one.function)) ?? [];
  const groups = groupBy(demoted, (one) => one.function);
  return Array.from(groups, ([name, group]) => ({
    function: name,
    ...shown(name),
    ticks: group.reduce((sum, one) => sum + one.ticks, 0),
    optimizedAgain: group.reduce((sum, one) => sum + one.optimizedAgain, 0),
  })).sort((a, b) => b.ticks - a.ticks || compareTexts(a.function, b.function));
}

/** Whether a function is the code of a script itself: it runs once, and its loops are optimized one after the other. */
function isMainCode(logged: string): boolean {
  return logged.startsWith(" ") && logged.endsWith(":1:1");
}

/** Returns the name to show of a function, and where it is defined. */
type ShowName = (name: string | undefined) => Pick<DeoptRow, "title" | "role" | "position">;

/** The name to show of code that the log does not name. */
export const UNKNOWN_FUNCTION = "<unknown function>";

/** Returns a function for the names of functions, which frames tell more of. */
function shownNames(frames: readonly Frame[] = []): ShowName {
  const parse = oncePerLongName(parseLoggedName);
  const roles = rolesOf(frames);
  return (name) => {
    const { name: title, file, line = 0, column = 0 } = parse(name ?? "");
    const role = name === undefined || title !== "" ? undefined : roles.get(name);
    return {
      title: name === undefined ? UNKNOWN_FUNCTION : shownTitle(title, role),
      role,
      position: file === undefined ? undefined : { file, line, column },
    };
  };
}

interface CostedDeopt extends Deopt {
  readonly costByTier: TierTicks[];
}

function rowOf(group: readonly CostedDeopt[], shown: ShowName): DeoptRow {
  const { function: name, position, reason } = group[0]!;
  const costByTier = sumTiers(group.flatMap((deopt) => deopt.costByTier));
  const count = group.reduce((sum, deopt) => sum + deopt.count, 0);
  return {
    function: name,
    ...shown(name),
    at: positionsOf(position),
    reason,
    kinds: Array.from(new Set(group.map(({ kind }) => kind).filter((kind) => kind !== ""))).sort(
      compareTexts,
    ),
    tiers: tiersOf(group.map(({ tier }) => tier)),
    count,
    isLoop: count >= LOOP_COUNT && !PLANNED.test(reason),
    cost: costOf(costByTier),
    costByTier,
    isOpen: group.some((deopt) => deopt.isOpen),
  };
}

/** V8 logs deoptimizations without being asked from 5.8 (Node 8) to 8.4 (Node 14). */
function whyNoneIn({ info }: Profile): WhyNoDeopts {
  if (isBefore(info, 5008)) return "not-written";
  return isBefore(info, 8005) ? "none" : "not-asked";
}

const POSITION = /^<(.*):(\d+):(\d+)>$/s;

/** Splits a logged position. A file name can contain anything, so each part ends where the next begins. */
function positionsOf(position: string): SourcePosition[] {
  const texts = position.split(/(?<=:\d+:\d+>) inlined at (?=<)/);
  return texts.flatMap((text) => {
    const [, file, line, column] = POSITION.exec(text) ?? [];
    if (file === undefined) return [];
    return [{ file, line: validPosition(Number(line)), column: validPosition(Number(column)) }];
  });
}

/** Returns one entry per tier, lowest tier first. */
function sumTiers(costByTier: readonly TierTicks[]): TierTicks[] {
  const ticks = TIERS.map(() => 0);
  for (const entry of costByTier) ticks[TIERS.indexOf(entry.tier)]! += entry.ticks;
  return TIERS.map((tier, i) => ({ tier, ticks: ticks[i]! })).filter((entry) => entry.ticks > 0);
}

function costOf(costByTier: readonly TierTicks[]): Ticks {
  return costByTier.reduce((sum, { ticks }) => sum + ticks, 0);
}

function compareRows(a: DeoptRow, b: DeoptRow): number {
  return (
    b.cost - a.cost ||
    b.count - a.count ||
    compareJson(a.function ?? "", b.function ?? "") ||
    compareJson(positionList(a), positionList(b)) ||
    compareJson(a.reason, b.reason)
  );
}

function positionList({ at }: DeoptRow): unknown {
  return at.map(({ file, line, column }) => [file, line, column]);
}

/** Compares values by their JSON. */
function compareJson(a: unknown, b: unknown): number {
  return a === b ? 0 : compareTexts(JSON.stringify(a), JSON.stringify(b));
}

function tiersOf(tiers: readonly Tier[]): Tier[] {
  return TIERS.filter((tier) => tiers.includes(tier));
}
