import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { type BreakdownRow, categories } from "./breakdown.js";
import { Confidence, type RowsOf, type ShareRange } from "./confidence.js";
import type { DeoptRow } from "./deopts.js";
import type { FunctionChain } from "./function-chains.js";
import type { FunctionTable } from "./function-table.js";
import type { HeavyStacks } from "./heavy-stacks.js";
import type { HotLines } from "./hot-lines.js";
import type { PackageTicks } from "./package-ticks.js";
import type { TopFunctions } from "./top-functions.js";

/** The lists of a page. */
export interface TopLists {
  readonly breakdown: readonly BreakdownRow[];
  readonly stacks: HeavyStacks;
  readonly functions: TopFunctions;
  readonly chains: readonly FunctionChain[];
  readonly app: HotLines;
  readonly lines: HotLines;
  readonly packages: PackageTicks;
  readonly deopts: readonly DeoptRow[];
  /** The functions that the lists are of. */
  readonly table: FunctionTable;
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

/** Returns the intervals of the first `limit` rows of each list. */
export function topRanges(profile: Profile, top: TopLists, limit: number): TopRanges {
  const { tree, samples } = profile;
  const confidence = new Confidence(profile);
  const byRow = (ticks: readonly number[], ofSample: ArrayLike<number>) =>
    confidence.ranges(ticks, inRow(ofSample, ticks.length));
  const leaf = (sample: number) => tree.frame[samples.node[sample]!]!;

  /** Returns the interval of the stacks that pass each group; `ofFrame` is the group of a frame. */
  const onStack = (ticks: readonly number[], groups: readonly number[], ofFrame: Int32Array) => {
    const found: ShareRange[][] = [];
    for (let from = 0; from < groups.length; from += BITS) {
      const bits = new Map(groups.slice(from, from + BITS).map((group, i) => [group, 1 << i]));
      const bitOf = ofFrame.map((group) => bits.get(group) ?? 0);
      const marks = new Int32Array(tree.length);
      for (let node = ROOT + 1; node < tree.length; node++)
        marks[node] = marks[tree.parent[node]!]! | bitOf[tree.frame[node]!]!;
      const rowsOf: RowsOf = (sample, count) => {
        for (let left = marks[samples.node[sample]!]!; left !== 0; left &= left - 1)
          count(31 - Math.clz32(left & -left));
      };
      found.push(confidence.ranges(ticks.slice(from, from + BITS), rowsOf));
    }
    return found.flat();
  };

  const ofLeaf = top.table.ofFrame;
  const functions = (
    rows: readonly { readonly id: number; readonly self: number; readonly total: number }[],
  ) => {
    const shown = rows.slice(0, limit);
    const rank = new Map(shown.map(({ id }, i) => [id, i]));
    const self = confidence.ranges(
      shown.map((row) => row.self),
      (sample, count) => {
        const row = rank.get(ofLeaf[leaf(sample)]!);
        if (row !== undefined) count(row);
      },
    );
    const total = onStack(
      shown.map((row) => row.total),
      shown.map(({ id }) => id),
      ofLeaf,
    );
    return shown.map((_, i) => ({ self: self[i]!, total: total[i]! }));
  };

  const packages = top.packages.rows.slice(0, limit);
  const { ofSample, ofFrame } = top.packages;
  const isOwn = (sample: number) => ofFrame[leaf(sample)] === ofSample[sample];
  const inPackage = (wanted: (sample: number) => boolean): RowsOf => {
    const within = inRow(ofSample, packages.length);
    return (sample, count) => {
      if (wanted(sample)) within(sample, count);
    };
  };
  const weights = {
    ticks: byRow(
      packages.map((row) => row.ticks),
      ofSample,
    ),
    self: confidence.ranges(
      packages.map((row) => row.self),
      inPackage(isOwn),
    ),
    throughNative: confidence.ranges(
      packages.map((row) => row.throughNative),
      inPackage((sample) => !isOwn(sample)),
    ),
    total: onStack(
      packages.map((row) => row.total),
      Array.from(packages.keys()),
      ofFrame,
    ),
  };

  const category = new Map(top.breakdown.map((row, i) => [row.index, i]));
  const heads = top.chains.slice(0, limit).map(({ rows, total }) => rows.find((row) => row.total === total)!);
  return {
    breakdown: byRow(
      top.breakdown.map((row) => row.ticks),
      Int32Array.from(categories(profile), (index) => category.get(index)!),
    ),
    stacks: byRow(
      top.stacks.stacks.map(({ ticks }) => ticks),
      top.stacks.ofSample,
    ),
    bySelf: functions(top.functions.bySelf),
    byTotal: functions(top.functions.byTotal),
    chains: onStack(
      heads.map(({ total }) => total),
      heads.map(({ id }) => id),
      ofLeaf,
    ),
    app: byRow(
      top.app.lines.slice(0, limit).map(({ ticks }) => ticks),
      top.app.ofSample,
    ),
    lines: byRow(
      top.lines.lines.slice(0, limit).map(({ ticks }) => ticks),
      top.lines.ofSample,
    ),
    packages: packages.map((row, i) => ({
      ticks: weights.ticks[i]!,
      self: weights.self[i]!,
      throughNative: weights.throughNative[i]!,
      total: row.origin === undefined ? weights.ticks[i]! : weights.total[i]!,
    })),
    deopts: top.deopts.slice(0, limit).map(({ cost }) => confidence.independent(cost)),
  };
}

/** Returns the rows of samples in a list of which only the first `rows` are wanted. */
function inRow(ofSample: ArrayLike<number>, rows: number): RowsOf {
  return (sample, count) => {
    const row = ofSample[sample]!;
    if (row >= 0 && row < rows) count(row);
  };
}
