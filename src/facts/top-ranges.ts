import type { Ticks } from "../base/units.js";
import { type CallTree, ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import type { BreakdownRow } from "./breakdown.js";
import type { Confidence, ShareRange } from "./confidence.js";
import type { DeoptRow } from "./deopts.js";
import { type FunctionChain, headOf } from "./function-chains.js";
import type { FunctionTable } from "./function-table.js";
import type { HeavyStacks } from "./heavy-stacks.js";
import type { HotLines } from "./hot-lines.js";
import type { PackageRow, PackageTicks } from "./package-ticks.js";
import type { TopFunctions } from "./top-functions.js";

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

/** The 95 % intervals of the shares of {@link TopLists}: of the first rows of each list, in its order. */
export interface TopRanges {
  readonly breakdown: readonly ShareRange[];
  readonly stacks: readonly ShareRange[];
  readonly bySelf: readonly WeightRanges[];
  readonly byTotal: readonly WeightRanges[];
  /** Of the total of each chain. */
  readonly chains: readonly ShareRange[];
  readonly app: readonly ShareRange[];
  readonly lines: readonly ShareRange[];
  readonly packageLines: readonly ShareRange[];
  readonly packages: readonly PackageRanges[];
  readonly deopts: readonly ShareRange[];
}

/** The intervals of self and total ticks. */
export interface WeightRanges {
  readonly self: ShareRange;
  readonly total: ShareRange;
}

/** The intervals of a package. */
export interface PackageRanges extends WeightRanges {
  readonly ticks: ShareRange;
  readonly throughNative: ShareRange;
}

/** The number of rows whose stacks are marked in one pass: the bits of a mask. */
const BITS = 31;

/** Returns the intervals of the first `limit` rows of each list. The profile has the stacks by function. */
export function topRanges(
  profile: Profile,
  top: RangedLists,
  { confidence, ofFunctions, limit }: RangeOptions,
): TopRanges {
  const byRow = (ticks: readonly Ticks[], row: ArrayLike<number>) => ofFunctions.ranges(ticks, { row });
  const lineRanges = ({ lines, ofSample }: HotLines) =>
    confidence.ranges(
      shown(lines).map(({ ticks }) => ticks),
      { row: ofSample },
    );
  const functions = functionRanges(profile, top, { confidence: ofFunctions, limit });
  const rowOf = new Uint8Array(top.breakdown.length);
  for (const [i, { index }] of top.breakdown.entries()) rowOf[index] = i;
  const shown = <T>(rows: readonly T[]) => rows.slice(0, limit);
  const app = lineRanges(top.app);
  return {
    breakdown: byRow(
      top.breakdown.map(({ ticks }) => ticks),
      top.categoryOf.map((index) => rowOf[index]!),
    ),
    stacks: byRow(
      top.stacks.stacks.map(({ ticks }) => ticks),
      top.stacks.ofSample,
    ),
    bySelf: shown(top.functions.bySelf).map(({ id }) => functions.get(id)!),
    byTotal: shown(top.functions.byTotal).map(({ id }) => functions.get(id)!),
    chains: shown(top.chains).map((chain) => functions.get(headOf(chain).id)!.total),
    app,
    lines: top.lines === top.app ? app : lineRanges(top.lines),
    packageLines: lineRanges(top.packageLines),
    packages: packageRanges(profile, top, { confidence: ofFunctions, limit }),
    deopts: shown(top.deopts).map(({ cost }) => confidence.independent(cost)),
  };
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

/** Returns the intervals of the functions of all lists, by their numbers: most are in several lists. */
function functionRanges(
  { tree, samples }: Profile,
  { functions: { bySelf, byTotal }, chains, table }: TopLists,
  { confidence, limit }: ListOptions,
): Map<number, WeightRanges> {
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
  const total = stackRanges({ tree, samples }, { confidence, ofFrame, ticks: rows.map((one) => one.total) });
  return new Map(rows.map(({ id }, i) => [id, { self: self[i]!, total: total[i]! }]));
}

function packageRanges(
  { tree, samples }: Profile,
  top: TopLists,
  { confidence, limit }: ListOptions,
): PackageRanges[] {
  const rows = top.packages.rows.slice(0, limit);
  const { ofSample, ofFrame } = top.packages;
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
  const total = stackRanges({ tree, samples }, { confidence, ofFrame, ticks: rows.map((row) => row.total) });
  return rows.map((row, i) => ({
    ticks: ticks[i]!,
    self: self[i]!,
    throughNative: throughNative[i]!,
    total: row.origin === undefined ? ticks[i]! : total[i]!,
  }));
}

/** Returns the intervals of the stacks with a frame of each row. `ofFrame` has the row of a frame, by frame. */
function stackRanges(
  { tree, samples }: Pick<Profile, "tree" | "samples">,
  {
    confidence,
    ofFrame,
    ticks,
  }: { readonly confidence: Confidence; readonly ofFrame: Int32Array; readonly ticks: readonly Ticks[] },
): ShareRange[] {
  const found: ShareRange[] = [];
  const mask = new Int32Array(samples.length);
  for (let from = 0; from < ticks.length; from += BITS) {
    const part = ticks.slice(from, from + BITS);
    const bits = ofFrame.map((row) => (row >= from && row < from + part.length ? 1 << (row - from) : 0));
    mask.set(samples.node.subarray(0, mask.length));
    marksOf(tree, bits, mask);
    for (const range of confidence.ranges(part, { mask })) found.push(range);
  }
  return found;
}

/** Writes over each of `nodes` the bits of all frames of its stack. */
function marksOf({ length, parent, frame }: CallTree, bits: Int32Array, nodes: Int32Array): void {
  const marks = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++) marks[node] = marks[parent[node]!]! | bits[frame[node]!]!;
  for (let i = 0; i < nodes.length; i++) nodes[i] = marks[nodes[i]!]!;
}
