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
  const ticks = new Map<string, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    const frame = frames[tree.frame[samples.node[i]!]!]!;
    if (isIdle(samples.vmState[i]!) || frame.kind !== "native" || frame.symbol !== undefined) continue;
    ticks.set(frame.library, (ticks.get(frame.library) ?? 0) + samples.ticks[i]!);
  }
  return info.libraries
    .flatMap(({ path, problem }) => {
      const unnamed = ticks.get(path);
      return problem === undefined || unnamed === undefined ? [] : [{ path, ticks: unnamed, problem }];
    })
    .sort((a, b) => b.ticks - a.ticks || (a.path < b.path ? -1 : 1));
}
