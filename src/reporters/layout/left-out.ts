import type { ProfileInfo } from "../../profile/profile.js";
import type { Ticks } from "../../profile/units.js";
import { howWaited } from "../../profile/waited.js";
import { counted } from "./numbers.js";

/** What the head of a report says of ticks that are left out. */
type LeftOut = Pick<ProfileInfo, "ticks" | "excluded" | "waited">;

/** Returns the ticks that filters left out, after those that waited. */
export function filteredTicks({ excluded, waited }: Omit<LeftOut, "ticks">): Ticks {
  return excluded - (waited?.ticks ?? 0);
}

/** Returns what follows the number of ticks in the head of a report: how many more the filters left out. */
export function filteredText(info: LeftOut): string {
  const filtered = filteredTicks(info);
  return filtered === 0 ? "" : ` (${filtered} more filtered out)`;
}

/** Returns which ticks waited and are left out, as a sentence; nothing if there are none. */
export function waitedLines(info: LeftOut): string[] {
  const { ticks, waited } = info;
  if (waited === undefined || waited.ticks === 0) return [];
  const what = `${waited.ticks} of ${counted(ticks, "tick")} waited (${howWaited(waited)})`;
  const rest = ticks - waited.ticks;
  if (rest === 0) return [`All ${counted(ticks, "tick")} waited (${howWaited(waited)}): --idle counts them.`];
  const left = rest - filteredTicks(info);
  const others = left === rest ? `the other ${rest}` : `the ${left} others that pass the filters`;
  return [`${what}; shares are of ${others}: --idle counts them.`];
}
