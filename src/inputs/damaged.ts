import { TicksError } from "../base/errors.js";

/** Returns the error for a profile from which nothing can be read. `what`: with its article. */
export function damaged(
  name: string,
  what: string,
  why: string,
  hint = "Record one with: node --cpu-prof app.js",
): TicksError {
  return new TicksError("NOT_A_LOG", `${name}: not ${what} that can be read: ${why}`, hint);
}
