import type { AnalyzeOptions } from "../../analyze.js";
import { TicksError } from "../../errors.js";
import { openFile } from "../../io/file-bytes.js";
import type { Profile } from "../../profile/profile.js";
import { printable } from "../../views/label.js";

/**
 * Reads a Parquet file that `ticks export` wrote. Throws a {@link TicksError} for another file, and for a range of
 * time: what came before has no time any more.
 */
export async function readTableAt(
  path: string,
  { range = {}, timeline }: Partial<Pick<AnalyzeOptions, "range" | "timeline">>,
): Promise<Profile> {
  const name = printable(path);
  if (Object.values(range).some((limit) => limit !== undefined)) {
    throw new TicksError(
      "BAD_OPTION",
      `${name}: a Parquet file cannot be cut by time`,
      "Give --from and --to to ticks export when you write it.",
    );
  }
  const { readTable } = await import("../../importers/parquet/parquet-profile.js"); // Few runs need it.
  const file = await openFile(path, name);
  try {
    return await readTable(file, { name, timeline: Boolean(timeline) });
  } finally {
    await file.close();
  }
}
