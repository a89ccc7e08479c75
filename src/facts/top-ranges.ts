import type { Ticks } from "../base/units.js";
import type { Profile } from "../profile/profile.js";
import type { BreakdownRow } from "./breakdown.js";
import type { Confidence } from "./confidence.js";
import type { DeoptRow } from "./deopts.js";
import { type FunctionChain, headOf } from "./function-chains.js";
import type { FunctionTable } from "./function-table.js";
import type { HeavyStacks } from "./heavy-stacks.js";
import type { HotLines } from "./hot-lines.js";
import type { PackageRow, PackageTicks } from "./package-ticks.js";
import { rowsOnStack } from "./tick-batches.js";
import type { FunctionRow, TopFunctions } from "./top-functions.js";

/** The lists of a page. */
export interface TopLists {
  readonly breakdown: readonly BreakdownRow[];
  readonly stacks: HeavyStacks;
  readonly functions: TopFunctions;
  readonly chains: readonly FunctionChain[];
  readonly app: HotLines;
  readonly lines: HotLines;
  readonly packageLines: HotLines;
  readonly packages: PackageTicks;
  readonly deopts: readonly DeoptRow[];
  /** The functions that the lists are of. */
  readonly table: FunctionTable;
}

/** The lists; and by sample of the stacks by function its category, as an index into `CATEGORIES`. */
interface RangedLists extends TopLists {
  readonly categoryOf: Uint8Array;
}

/** What the intervals of a list are made with. */
interface ListOptions {
  readonly confidence: Confidence;
  readonly limit: number;
}

interface RangeOptions extends ListOptions {
  /** The confidence in shares of the stacks by function. */
  readonly ofFunctions: Confidence;
}

/**
 * Returns the lists with the 95 % intervals of their rows, in all lists but of the categories and stacks those of the first `limit`.
 * The profile has the stacks by function.
 */
export function withRanges(
  profile: Profile,
  top: RangedLists,
  { confidence, ofFunctions, limit }: RangeOptions,
): Omit<TopLists, "table"> {
  const rowOf = new Uint8Array(top.breakdown.length);
  for (const [i, { index }] of top.breakdown.entries()) rowOf[index] = i;
  const ofCategory = top.categoryOf.map((index) => rowOf[index]!);
  const first = <Row>(rows: readonly Row[], more: (rows: readonly Row[]) => readonly Row[]): Row[] => [
    ...more(rows.slice(0, limit)),
    ...rows.slice(limit),
  ];
  const linesOf = (hot: HotLines): HotLines => ({
    ...hot,
    lines: first(hot.lines, (lines) => inRows(lines, hot.ofSample, confidence)),
  });
  const functions = functionRanges(profile, top, { confidence: ofFunctions, limit });
  const functionsOf = (list: readonly FunctionRow[]) =>
    first(list, (rows) => rows.map((row) => ({ ...row, ...functions.get(row.id) })));
  const app = linesOf(top.app);
  return {
    breakdown: inRows(top.breakdown, ofCategory, ofFunctions),
    stacks: { ...top.stacks, stacks: inRows(top.stacks.stacks, top.stacks.ofSample, ofFunctions) },
    functions: { bySelf: functionsOf(top.functions.bySelf), byTotal: functionsOf(top.functions.byTotal) },
    chains: first(top.chains, (chains) =>
      chains.map((chain) => ({ ...chain, totalRange: functions.get(headOf(chain).id)!.totalRange })),
    ),
    app,
    lines: top.lines === top.app ? app : linesOf(top.lines),
    packageLines: linesOf(top.packageLines),
    packages: {
      ...top.packages,
      rows: first(top.packages.rows, (rows) =>
        rangedPackages(profile, { ...top.packages, rows }, ofFunctions),
      ),
    },
    deopts: first(top.deopts, (rows) =>
      rows.map((row) => ({ ...row, costRange: confidence.independent(row.cost) })),
    ),
  };
}

/** Returns rows with the intervals of their ticks. `ofSample` has the index of its row, by sample. */
function inRows<Row extends { readonly ticks: Ticks }>(
  rows: readonly Row[],
  ofSample: ArrayLike<number>,
  confidence: Confidence,
): Row[] {
  const ranges = confidence.ranges(
    rows.map(({ ticks }) => ticks),
    { row: ofSample },
  );
  return rows.map((row, i) => ({ ...row, range: ranges[i]! }));
}

/** Returns the intervals of the functions of all lists, by their numbers: most are in several lists. */
function functionRanges(
  { tree, samples }: Profile,
  { functions: { bySelf, byTotal }, chains, table }: TopLists,
  { confidence, limit }: ListOptions,
): Map<number, Required<Pick<FunctionRow, "selfRange" | "totalRange">>> {
  const lists = [bySelf.slice(0, limit), byTotal.slice(0, limit), chains.slice(0, limit).map(headOf)];
  const rows = Array.from(new Map(lists.flat().map((row) => [row.id, row])).values());
  const rowOf = new Int32Array(table.functions.length).fill(-1);
  for (const [i, { id }] of rows.entries()) rowOf[id] = i;
  const ofFrame = table.ofFrame.map((id) => rowOf[id]!);
  const row = new Int32Array(samples.length);
  for (let i = 0; i < row.length; i++) row[i] = ofFrame[tree.frame[samples.node[i]!]!]!;
  const self = confidence.ranges(
    rows.map((one) => one.self),
    { row },
  );
  const total = confidence.ranges(
    rows.map((one) => one.total),
    rowsOnStack({ tree, samples }, ofFrame, rows.length),
  );
  return new Map(rows.map(({ id }, i) => [id, { selfRange: self[i]!, totalRange: total[i]! }]));
}

function rangedPackages(
  { tree, samples }: Profile,
  { rows, ofSample, ofFrame }: PackageTicks,
  confidence: Confidence,
): PackageRow[] {
  const own = new Int32Array(samples.length).fill(-1);
  const others = new Int32Array(samples.length).fill(-1);
  for (let i = 0; i < samples.length; i++) {
    const row = ofSample[i]!;
    (ofFrame[tree.frame[samples.node[i]!]!] === row ? own : others)[i] = row;
  }
  const ranges = (ticksOf: (row: PackageRow) => Ticks, row: Int32Array) =>
    confidence.ranges(rows.map(ticksOf), { row });
  const ticks = ranges((row) => row.ticks, ofSample);
  const self = ranges((row) => row.self, own);
  const throughNative = ranges((row) => row.throughNative, others);
  const total = confidence.ranges(
    rows.map((row) => row.total),
    rowsOnStack({ tree, samples }, ofFrame, rows.length),
  );
  return rows.map((row, i) => ({
    ...row,
    range: ticks[i]!,
    selfRange: self[i]!,
    throughNativeRange: throughNative[i]!,
    totalRange: row.origin === undefined ? ticks[i]! : total[i]!,
  }));
}
