import { nodeMajor } from "../profile/node-version.js";
import type { Profile } from "../profile/profile.js";
import { soundInterval } from "../profile/sound-numbers.js";
import { versionText } from "../profile/v8-version.js";
import { VERSION } from "../version.js";
import { printable } from "../views/label.js";
import type { ExportOptions } from "./exporter.js";
import { labelsOf } from "./labels.js";
import { profileId } from "./profile-id.js";
import { timeFacts } from "./tick-times.js";

/** Returns what is known of a profile as keys and values of a file. */
export function factsOf(
  profile: Profile,
  { labels }: ExportOptions,
): Record<string, string | number | boolean> {
  const { v8, sampling } = profile.info;
  const asked = soundInterval(sampling.asked);
  const got = soundInterval(sampling.got);
  const nodes = new Set(v8.map(nodeMajor).filter((major) => major !== undefined));
  return {
    profile: profileId(profile),
    ticksVersion: VERSION,
    ...(v8.length > 0 && { v8: v8.map((version) => printable(versionText(version))).join(", ") }),
    ...(nodes.size > 0 && { node: Array.from(nodes).join(", ") }),
    ...(asked !== undefined && { intervalAskedUs: asked }),
    ...(got !== undefined && { intervalUs: Math.round(got) }),
    ...timeFacts(sampling),
    ...Object.fromEntries(labelsOf(labels)),
  };
}
