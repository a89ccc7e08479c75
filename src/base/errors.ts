/**
 * An error code that programs can test:
 *
 * - `NOT_FOUND`: no such file, program or process, or no code that a budget names; `NOT_READABLE`: it may not be read, or fails;
 * - `IS_DIRECTORY`: a folder in place of a file; `EMPTY`: a file without a byte; `NOT_A_LOG`: a file of another kind, or a damaged one;
 * - `NO_LOG`: no log is named, or none is in the folders; `SEVERAL_LOGS`: logs of several runs, one of which must be named;
 * - `NO_TICKS`: logs without ticks; `BAD_COMPRESSION`, `BAD_SYMBOLS`, `BAD_SOURCE_MAP`: such a file is damaged or of another version;
 * - `BAD_OPTION`: options or inputs that do not go together, or have no such value; `NOT_WRITABLE`: the output cannot be written.
 */
export type TicksErrorCode =
  | "NOT_FOUND"
  | "NOT_READABLE"
  | "IS_DIRECTORY"
  | "EMPTY"
  | "NOT_A_LOG"
  | "NO_TICKS"
  | "BAD_COMPRESSION"
  | "NO_LOG"
  | "SEVERAL_LOGS"
  | "BAD_OPTION"
  | "BAD_SYMBOLS"
  | "BAD_SOURCE_MAP"
  | "NOT_WRITABLE";

/** How to fix an error, in one sentence. A function is given the command that reads logs: `ticks`, or `ticks lines`. */
type Hint = string | ((command: string) => string);

/** Returns the hint for who has no log. */
export function recordHint(command: string): string {
  return `Record one with: ticks record -- node app.js. Then: ${command}`;
}

/**
 * An error that the user can fix: a wrong path, a file of the wrong kind, an option out of range.
 * Thrown anywhere below the command line, which prints it once, without a stack trace.
 */
export class TicksError extends Error {
  override readonly name = "TicksError";
  readonly code: TicksErrorCode;
  /** How to fix it, in one sentence; undefined if the message says enough. */
  readonly hint: string | undefined;
  readonly #hint: Hint | undefined;

  constructor(code: TicksErrorCode, message: string, hint?: Hint) {
    super(message);
    this.code = code;
    this.#hint = hint;
    this.hint = typeof hint === "function" ? hint("ticks") : hint;
  }

  /** Returns the error with the command that was typed in its hint. */
  withCommand(command: string): TicksError {
    if (typeof this.#hint !== "function") return this;
    return new TicksError(this.code, this.message, this.#hint(command));
  }
}

/** Returns what `use` returns; undefined if it throws: for what the system, or a text, may not have. */
export function tried<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

/** Returns the error for options that cannot be, and for logs that are not named as a command needs them. */
export function badOption(message: string, hint?: string): TicksError {
  return new TicksError("BAD_OPTION", message, hint);
}

/** Ends an exhaustive `switch`: fails to compile while a case is missing. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
