import { TicksError } from "../../../errors.js";
import { readRegularFile } from "../../../io/regular-file.js";
import { MOST_RECORD_BYTES } from "../../../record/recording-file.js";
import { printable } from "../../../views/label.js";

/** The file that says how the logs of a folder were recorded. */
export const RECORD = "record.json";

/** Reads such a file. Throws a {@link TicksError} if it is not JSON. */
export async function readRecord(file: string): Promise<unknown> {
  const name = printable(file);
  try {
    return JSON.parse(readRegularFile(file, MOST_RECORD_BYTES, name).toString("utf8"));
  } catch (error) {
    if (error instanceof TicksError) throw error;
    const problem = error instanceof SyntaxError ? "is not JSON" : "cannot be read";
    throw new TicksError("NOT_READABLE", `${name} ${problem}`, "Move it to another folder.");
  }
}
