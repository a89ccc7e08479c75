import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { groupTicks } from "./function-ticks.js";
import { type Origin, originsOf } from "./origin.js";

/** The ticks of one origin: an npm package, the program, Node, V8 or a library. */
export interface PackageRow {
  readonly origin: Origin;
  /** Ticks in its own code. All rows sum to the ticks of the profile. */
  readonly self: Ticks;
  /** Ticks in its code and in what it called. A stack counts once. */
  readonly total: Ticks;
}

/** Returns the ticks of each origin, sorted by self ticks, then total, then name. */
export function packageTicks(profile: Profile): PackageRow[] {
  const ids = new Map<string, number>();
  const packages: Origin[] = [];
  const ofFrame = Int32Array.from(originsOf(profile.frames), (origin) => {
    const key = `${origin.kind} ${origin.name}`;
    const id = ids.get(key) ?? packages.push(origin) - 1;
    ids.set(key, id);
    return id;
  });
  const { self, total } = groupTicks(profile, { count: packages.length, ofFrame });
  return packages
    .map((origin, id) => ({ origin, self: self[id]!, total: total[id]! }))
    .filter((row) => row.self > 0 || (row.total > 0 && row.origin.kind !== "unknown"))
    .sort((a, b) => b.self - a.self || b.total - a.total || compareOrigins(a.origin, b.origin));
}

function compareOrigins(a: Origin, b: Origin): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.kind === b.kind ? 0 : a.kind < b.kind ? -1 : 1;
}
