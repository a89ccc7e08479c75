import { TicksError } from "../../errors.js";
import { mirrorEnd } from "./record/mirrored-end.js";
import { type RecordFlags, recordRuns } from "./record/record-runs.js";

/** Runs `ticks record`, and ends as the command ended: with its exit status, or by its signal. */
export async function runRecord(words: readonly string[], flags: RecordFlags): Promise<void> {
  if (words.length === 0) {
    throw new TicksError("BAD_OPTION", "no command to run", "Such as: ticks record -- node app.js");
  }
  await mirrorEnd(await recordRuns(words, flags));
}
