import { TicksError } from "../../../errors.js";
import { readText } from "../../../io/symbols-file.js";
import { printable } from "../../../views/label.js";

/** The file that says how the logs of a folder were recorded. */
export const RECORD = "record.json";

/** Reads such a file. Throws a {@link TicksError} if it is not JSON. */
export async function readRecord(file: string): Promise<unknown> {
  const text = await readText(file);
  try {
    return JSON.parse(text);
  } catch {
    throw new TicksError("NOT_READABLE", `${printable(file)} is not JSON`, "Move it to another folder.");
  }
}
