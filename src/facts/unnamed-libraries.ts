import { addTo } from "../base/maps.js";
import { compareTexts } from "../base/sorted.js";
import type { Ticks } from "../base/units.js";
import type { LibraryProblem } from "../profile/library-problem.js";
import type { Profile } from "../profile/profile.js";
import { Analysis } from "./analysis.js";

/** A library whose functions have no names, and its ticks. */
interface UnnamedLibrary {
  readonly path: string;
  readonly ticks: Ticks;
  /** Why there are no names. */
  readonly problem: LibraryProblem;
}

/**
 * Returns the libraries that have ticks without names, although they could have had names; most ticks first.
 */
export function unnamedLibraries(profile: Profile): UnnamedLibrary[] {
  const { frames, info } = profile;
  if (info.libraries.every(({ problem }) => problem === undefined)) return [];
  const ticks = new Map<string, Ticks>();
  const { busy } = Analysis.of(profile).leaves;
  for (let i = 0; i < frames.length; i++) {
    const frame = frames[i]!;
    if (frame.kind !== "native" || frame.symbol !== undefined || busy[i] === 0) continue;
    addTo(ticks, frame.library, busy[i]!);
  }
  return info.libraries
    .flatMap(({ path, problem }) => {
      const unnamed = ticks.get(path);
      return problem === undefined || unnamed === undefined ? [] : [{ path, ticks: unnamed, problem }];
    })
    .sort((a, b) => b.ticks - a.ticks || compareTexts(a.path, b.path));
}
