import { dirname } from "node:path";
import type { Profile } from "../profile/profile.js";
import { readRecordFile } from "../record/recording-file.js";
import type { Until } from "../views/startup-mark.js";

/**
 * Returns where a start-up ends if the user does not say: where `--until` of `ticks record` stopped the program, which is the end
 * of its logs; else where the main module is loaded.
 */
export function usualEnd({ info }: Profile): Until {
  const folders = new Set(info.logs.map((log) => dirname(log)));
  const stopped = Array.from(folders, (folder) => readRecordFile(folder)?.outcome?.stoppedBy);
  return { kind: stopped.length > 0 && stopped.every((option) => option === "--until") ? "stop" : "loaded" };
}
