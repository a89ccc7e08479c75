import type { FromOne, Integer } from "../base/units.js";
import { parseLoggedName } from "../profile/logged-name.js";

/** A function as a log names it. */
export interface LoggedFunction {
  /** As logged. Empty for an anonymous function. */
  readonly name: string;
  /** The script as logged, or the library. Empty if there is none. */
  readonly file: string;
  /** Where the function begins, from 1. */
  readonly line: Integer | null;
  /** From 1. */
  readonly column: Integer | null;
}

/** A function, and what it is for. */
export interface NamedFunction extends LoggedFunction {
  /** What a function without a name is for, by the text around it: app.get('/auth') handler. Absent if that is not known. */
  readonly role?: string;
}

/** Ticks of what the log does not say outright. */
export interface InferredData {
  /** Of its ticks, those where the function is not in the log, but inferred from other ticks. Absent if there are none. */
  readonly inferred?: FromOne;
}

/** Returns a function by its name in a log, with its position. */
export function loggedFunction(logged: string): LoggedFunction {
  const { name, file = "", line = null, column = null } = parseLoggedName(logged);
  return { name, file, line, column };
}

/** Returns a function by its name in a log, with what it is for, if that is known. */
export function namedFunction(logged: string, role: string | undefined): NamedFunction {
  return { ...loggedFunction(logged), ...(role !== undefined && { role }) };
}
