import type { AnalyzeOptions } from "../../analyze.js";
import { TicksError } from "../../errors.js";
import { openFile } from "../../io/file-bytes.js";
import type { Profile } from "../../profile/profile.js";
import { printable } from "../../views/label.js";

/**
 * Reads a Parquet file that `ticks export` wrote. Throws a {@link TicksError} for another file, and for a range of
 * time: what came before has no time any more.
 */
export async function readTable(
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
  // Few runs need it.
  const { DamagedTable, parquetProfile } = await import("../../importers/parquet/parquet-profile.js");
  const file = await openFile(path, name);
  try {
    return await parquetProfile(file, { name: path, timeline });
  } catch (error) {
    if (!(error instanceof DamagedTable)) throw error;
    throw new TicksError(
      "NOT_A_LOG",
      `${name}: not a table of ticks: ${error.message}`,
      "Write one with: ticks export --format parquet LOG -o FILE.parquet",
    );
  } finally {
    await file.close();
  }
}
