import { columnOf } from "../base/columns.js";
import { valueAt } from "../base/maps.js";
import type { Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import type { Frame } from "../profile/frame.js";
import { parseLoggedName } from "../profile/logged-name.js";
import { oncePerLongName } from "../profile/long-names.js";
import type { Profile } from "../profile/profile.js";
import { Analysis } from "./analysis.js";
import type { ShareRange } from "./confidence.js";
import { isLoaderFile } from "./loader-phases.js";
import { isWrapper, type Origin } from "./origin.js";
import { sharesOf } from "./shares.js";

/** The ticks of an npm package, the program, or Node's JavaScript. */
export interface PackageRow {
  /** Undefined for the ticks of stacks without JavaScript: garbage collection, idle, the start of Node. */
  readonly origin: Origin | undefined;
  /** `self` and `throughNative`. All rows sum to the ticks of the profile. */
  readonly ticks: Ticks;
  /** `ticks` with one decimal. The rows sum to exactly 100.0, or to 0 if there are no ticks. */
  readonly percent: number;
  /** Ticks in its own JavaScript. */
  readonly self: Ticks;
  /** Ticks in Node's JavaScript, native code and V8 that it called, with no other package between. */
  readonly throughNative: Ticks;
  /** Ticks in its code and in all that it called. A stack counts once. */
  readonly total: Ticks;
  /** The 95 % interval of the share of `ticks`, in percent; undefined if nobody asked for it. */
  readonly range?: ShareRange;
  /** The 95 % interval of the share of `self`, in percent; undefined if nobody asked for it. */
  readonly selfRange?: ShareRange;
  /** The 95 % interval of the share of `throughNative`, in percent; undefined if nobody asked for it. */
  readonly throughNativeRange?: ShareRange;
  /** The 95 % interval of the share of `total`, in percent; undefined if nobody asked for it. */
  readonly totalRange?: ShareRange;
}

/** The packages of a profile, sorted by ticks, then total, then name; the program is among the first `limit`, if these are several. */
export interface PackageTicks {
  readonly rows: readonly PackageRow[];
  /** By sample: the index of its row. */
  readonly ofSample: Int32Array;
  /** By frame: the index of its row; -1 if its ticks belong to its callers. */
  readonly ofFrame: Int32Array;
}

/**
 * Credits each tick to the innermost package of its stack: the program or an npm package. What these call of Node, V8 and
 * native code is theirs: a `crypto.pbkdf2Sync` of the program, and all that a `require` does until the module runs.
 * Node's JavaScript has only the ticks of stacks without a package. Wrappers of `ticks record` have none.
 */
export function packageTicks(of: Profile, limit = Number.POSITIVE_INFINITY): PackageTicks {
  const profile = Analysis.of(of);
  const { tree, samples, frames } = profile;
  const ids = new Map<string, number>();
  const origins: Origin[] = [];
  /** By frame: its package, an index into `origins`; -1 if it is of none. */
  const ofFrame = columnOf(Int32Array, profile.origins, (origin, i) => {
    const frame = frames[i]!;
    if (frame.kind !== "js" || origin.kind === "v8" || isWrapper(frame, origin)) return -1;
    return valueAt(ids, `${origin.kind} ${origin.name}`, () => origins.push(origin) - 1);
  });
  /** Stands for no package. */
  const outside = origins.length;
  /** By node: the package that ticks there belong to. */
  const owner = new Int32Array(tree.length).fill(outside);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const own = ofFrame[tree.frame[node]!]!;
    const above = owner[tree.parent[node]!]!;
    const isCallers = own < 0 || (origins[own]!.kind === "node" && above !== outside);
    owner[node] = isCallers ? above : own;
  }
  const self = new Float64Array(outside + 1);
  const ticks = new Float64Array(outside + 1);
  for (let i = 0; i < samples.length; i++) {
    const leaf = samples.node[i]!;
    const of = owner[leaf]!;
    ticks[of]! += samples.ticks[i]!;
    if (leaf !== ROOT && ofFrame[tree.frame[leaf]!] === of) self[of]! += samples.ticks[i]!;
  }
  const { total } = profile.groupTicks({ count: outside, ofFrame });
  const order = Array.from(ticks.keys())
    .filter((id) => ticks[id]! > 0 || (total[id] ?? 0) > 0)
    .sort((a, b) => {
      const [first, second] = [total[a] ?? 0, total[b] ?? 0];
      return ticks[b]! - ticks[a]! || second - first || compareOrigins(origins[a], origins[b]);
    });
  const program = order.findIndex((id) => origins[id]?.kind === "app");
  if (program >= limit && limit > 1) order.splice(limit - 1, 0, order.splice(program, 1)[0]!);
  const rank = new Int32Array(outside + 1).fill(-1);
  for (const [row, id] of order.entries()) rank[id] = row;
  const ofSample = new Int32Array(samples.length);
  for (let i = 0; i < ofSample.length; i++) ofSample[i] = rank[owner[samples.node[i]!]!]!;
  const shares = sharesOf(order.map((id) => ticks[id]!));
  return {
    rows: order.map((id, row) => ({
      origin: origins[id],
      ticks: ticks[id]!,
      percent: shares[row]!,
      self: self[id]!,
      throughNative: ticks[id]! - self[id]!,
      total: id === outside ? ticks[id]! : total[id]!,
    })),
    ofSample,
    ofFrame: ofFrame.map((id) => (id < 0 ? -1 : rank[id]!)),
  };
}

/** Returns a function that returns whether a frame of Node's JavaScript is of its module loader. */
export function isLoaderFrame(): (frame: Frame) => boolean {
  const isLoader = oncePerLongName((name) => isLoaderFile(parseLoggedName(name).file ?? ""));
  return (frame) => frame.kind === "js" && isLoader(frame.name);
}

function compareOrigins(a: Origin | undefined, b: Origin | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.kind === b.kind ? 0 : a.kind < b.kind ? -1 : 1;
}
