import type { LibraryProblem } from "../profile/library-problem.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { isIdle } from "../profile/vm-state.js";

/** A library whose functions have no names, and its ticks. */
export interface UnnamedLibrary {
  readonly path: string;
  readonly ticks: Ticks;
  /** Why there are no names. */
  readonly problem: LibraryProblem;
}

/**
 * Returns the libraries that have ticks without names, although they could have had names; most ticks first.
 */
export function unnamedLibraries({ frames, tree, samples, info }: Profile): UnnamedLibrary[] {
  if (info.libraries.every(({ problem }) => problem === undefined)) return [];
  const isUnnamed = Uint8Array.from(frames, (frame) =>
    frame.kind === "native" && frame.symbol === undefined ? 1 : 0,
  );
  const ticks = new Map<string, Ticks>();
  const { length, node, vmState, ticks: counts } = samples;
  const { frame: frameOf } = tree;
  for (let i = 0; i < length; i++) {
    const number = frameOf[node[i]!]!;
    if (isUnnamed[number] !== 1 || isIdle(vmState[i]!)) continue;
    const frame = frames[number]!;
    if (frame.kind === "native") ticks.set(frame.library, (ticks.get(frame.library) ?? 0) + counts[i]!);
  }
  return info.libraries
    .flatMap(({ path, problem }) => {
      const unnamed = ticks.get(path);
      return problem === undefined || unnamed === undefined ? [] : [{ path, ticks: unnamed, problem }];
    })
    .sort((a, b) => b.ticks - a.ticks || (a.path < b.path ? -1 : 1));
}
