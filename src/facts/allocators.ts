import type { Profile } from "../profile/profile.js";
import { Analysis } from "./analysis.js";
import type { ProfiledFunction } from "./function-table.js";
import { hotLines } from "./hot-lines.js";
import { appFunctions } from "./program-frames.js";

/** Who allocates in a program, in bytes. */
export interface Allocators {
  readonly bytes: number;
  /** Each allocation counts for the innermost function of the program: most bytes first. */
  readonly rows: readonly { readonly function: ProfiledFunction; readonly bytes: number }[];
  /** What is allocated where no function of the program is on the stack. */
  readonly outside: number;
}

/** Returns who allocates, of a profile of memory whose samples are at no lines. */
export function allocatorsOf(of: Profile): Allocators {
  const profile = Analysis.of(of);
  const { lines, outside } = hotLines(profile, appFunctions(profile.table));
  const bytesOf = (ticks: number) => ticks * (profile.info.memory?.tick ?? 0);
  return {
    bytes: bytesOf(profile.ticks),
    rows: lines.map((row) => ({ function: row.function, bytes: bytesOf(row.ticks) })),
    outside: bytesOf(outside),
  };
}
