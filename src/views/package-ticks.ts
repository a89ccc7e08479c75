import { type CallTree, ROOT } from "../profile/call-tree.js";
import { columnOf } from "../profile/columns.js";
import type { Frame } from "../profile/frame.js";
import { parseLoggedName } from "../profile/logged-name.js";
import { oncePerLongName } from "../profile/long-names.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { Analysis } from "./analysis.js";
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
  /** Ticks in native code, V8 and Node's module loader that it called, with no other package between. */
  readonly throughNative: Ticks;
  /** Ticks in its code and in all that it called. A stack counts once. */
  readonly total: Ticks;
}

/** The packages of a profile, sorted by ticks, then total, then name. */
export interface PackageTicks {
  readonly rows: readonly PackageRow[];
  /** By sample: the index of its row. */
  readonly ofSample: Int32Array;
  /** By frame: the index of its row; -1 if its ticks belong to its callers. */
  readonly ofFrame: Int32Array;
}

/**
 * Credits each tick to the innermost package of its stack: the program, an npm package or Node's JavaScript.
 * Native code, V8's builtins, wrappers of `ticks record` and Node's module loader have no ticks of their own. What the loader does for a
 * `require` or `import` (finding, reading and compiling a module, and running Node's own modules) belongs to
 * the package that required it; once the loaded module runs, its package is the innermost one.
 */
export function packageTicks(of: Profile): PackageTicks {
  const profile = Analysis.of(of);
  const { frames, tree, samples } = profile;
  const { origins, ofFrame, nodes } = packagesOf(profile);
  const isOfLoader = isLoaderFrame();
  const isLoader = columnOf(Uint8Array, frames, (frame, i) =>
    Number(ofFrame[i] === nodes && isOfLoader(frame)),
  );
  const outside = origins.length;
  const marks = { ofFrame, isLoader, nodes, outside };
  const nodesOf = samples.node.subarray(0, samples.length);
  const owner = ownersOf(tree, marks, nodesOf);
  const self = new Float64Array(outside + 1);
  const ticks = new Float64Array(outside + 1);
  for (let i = 0; i < samples.length; i++) {
    const leaf = samples.node[i]!;
    const of = owner[i]!;
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
  const rank = new Int32Array(outside + 1).fill(-1);
  for (const [row, id] of order.entries()) rank[id] = row;
  const ofSample = new Int32Array(samples.length);
  for (let i = 0; i < ofSample.length; i++) ofSample[i] = rank[owner[i]!]!;
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

/** What {@link ownersOf} goes by. */
interface PackageMarks {
  /** By frame: its package; -1 for none. */
  readonly ofFrame: Int32Array;
  /** By frame of Node's JavaScript: 1 if it is of the module loader. */
  readonly isLoader: Uint8Array;
  /** The package of Node's JavaScript. */
  readonly nodes: number;
  /** What stands for no package. */
  readonly outside: number;
}

/** Returns, for each of `leaves`, the package that its ticks belong to. */
function ownersOf(
  tree: CallTree,
  { ofFrame, isLoader, nodes, outside }: PackageMarks,
  leaves: Int32Array,
): Int32Array {
  const owner = new Int32Array(tree.length).fill(outside);
  /** By node: 1 if Node's loader is the last that a package called. */
  const isLoading = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    const parent = tree.parent[node]!;
    const own = ofFrame[frame]!;
    owner[node] = own < 0 ? owner[parent]! : own;
    isLoading[node] = own < 0 ? isLoading[parent]! : 0;
    if (own !== nodes || own < 0) continue;
    const above = owner[parent]!;
    if (isLoading[parent] === 0 && isLoader[frame] === 0) continue;
    isLoading[node] = 1;
    if (above !== outside) owner[node] = above;
  }
  return leaves.map((leaf) => owner[leaf]!);
}

interface Packages {
  readonly origins: readonly Origin[];
  /** By frame: an index into `origins`; -1 if it is of no package. */
  readonly ofFrame: Int32Array;
  /** The index of Node's JavaScript; -1 if there is none. */
  readonly nodes: number;
}

function packagesOf({ frames, origins: ofFrames }: Analysis): Packages {
  const ids = new Map<string, number>();
  const origins: Origin[] = [];
  const ofFrame = columnOf(Int32Array, ofFrames, (origin, i) => {
    const frame = frames[i]!;
    if (frame.kind !== "js" || origin.kind === "v8" || isWrapper(frame, origin)) return -1;
    const key = `${origin.kind} ${origin.name}`;
    const id = ids.get(key) ?? origins.push(origin) - 1;
    ids.set(key, id);
    return id;
  });
  return {
    origins,
    ofFrame,
    nodes: origins.findIndex(({ kind, name }) => kind === "node" && name === "node"),
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
