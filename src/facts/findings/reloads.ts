import { columnOf } from "../../base/columns.js";
import { addTo } from "../../base/maps.js";
import type { Ticks } from "../../base/units.js";
import { ROOT } from "../../profile/call-tree.js";
import type { Analysis } from "../analysis.js";
import type { TicksAt } from "./counts.js";
import { isTopLevel, LOADING, type NodeMarks } from "./marks.js";

/** A module that runs as often is loaded again and again. */
const LOADED_AGAIN = 5;

/**
 * Returns the loading that is asked for by functions which load the same modules again and again: their code runs, then the loader works for that function
 * without it, then it runs once more.
 */
export function loadedAgain(
  of: Analysis,
  { rule, inner, place }: NodeMarks,
  loading: ReadonlyMap<number, Ticks>,
): TicksAt {
  const { tree, table, frames, samples, timeline, info } = of;
  const isEsm = (frame: number) => {
    const one = frames[frame];
    return one?.kind === "js" && one.name.includes("internal/modules/esm/"); // It keeps no module that can be loaded again.
  };
  const isModule = columnOf(Uint8Array, frames, (one) => (one.kind === "js" && isTopLevel(one.name) ? 1 : 0));
  /** By node: the innermost node whose module the loader runs; 0 for none. */
  const module = new Int32Array(tree.length);
  /** By node: the frame of its innermost JavaScript. */
  const script = new Int32Array(tree.length).fill(-1);
  /** What runs modules: the sampler may have skipped the code of a module below it. */
  const runners = new Set<number>();
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    const parent = tree.parent[node]!;
    const isOwn = inner[node] === frame && isModule[frame] === 1;
    const isRun = isOwn && rule[parent] === LOADING && inner[parent]! >= 0 && !isEsm(script[parent]!);
    module[node] = isRun ? node : module[parent]!;
    script[node] = frames[frame]!.kind === "js" ? frame : script[parent]!;
    if (isRun) runners.add(table.ofFrame[script[parent]!]!);
  }
  /** Functions, by thread, for which the loader has worked since they ran a module. */
  const left = new Set<number>();
  const keyOf = (frame: number, thread: number) => table.ofFrame[frame]! * info.threads.length + thread;
  /** By function of a module and thread: how often it ran. */
  const runs = new Map<number, number>();
  const asking = new Set<number>();
  for (let i = 0; i < (timeline?.length ?? 0); i++) {
    const sample = timeline!.sample[i]!;
    const node = samples.node[sample]!;
    const thread = samples.thread[sample]!;
    const ran = module[node]!;
    if (rule[node] === LOADING && inner[node]! >= 0 && !runners.has(table.ofFrame[script[node]!]!))
      left.add(keyOf(inner[node]!, thread));
    if (ran === 0) continue;
    const parent = tree.parent[ran]!;
    if (!left.delete(keyOf(inner[parent]!, thread))) continue;
    const one = keyOf(tree.frame[ran]!, thread);
    addTo(runs, one, 1);
    if (runs.get(one)! >= LOADED_AGAIN) asking.add(table.ofFrame[place[parent]!]!);
  }
  const places = new Map(Array.from(loading).filter(([frame]) => asking.has(table.ofFrame[frame]!)));
  return { ticks: Array.from(places.values()).reduce((sum, ticks) => sum + ticks, 0), places };
}
