import { badOption } from "../../base/errors.js";
import { mirrorEnd } from "./record/mirrored-end.js";
import { type RecordFlags, recordRuns } from "./record/record-runs.js";

/** Runs `ticks record`, and ends as the command ended: with its exit status, or by its signal. */
export async function runRecord(words: readonly string[], flags: RecordFlags): Promise<void> {
  const { pid, port } = flags;
  if (pid !== undefined || port !== undefined) {
    const { recordAttached } = await import("./record/record-attached.js"); // Most recordings start a command.
    return recordAttached(words, flags);
  }
  if (words.length === 0) {
    throw badOption(
      "no command to run",
      "Such as: ticks record -- node app.js; for one that runs: ticks record --pid PID",
    );
  }
  await mirrorEnd(await recordRuns(words, flags));
}
