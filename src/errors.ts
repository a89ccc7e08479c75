/** What went wrong, as a word that programs can test. */
export type TicksErrorCode =
  | "NOT_FOUND"
  | "NOT_READABLE"
  | "IS_DIRECTORY"
  | "EMPTY"
  | "NOT_A_LOG"
  | "BAD_COMPRESSION"
  | "NO_LOG"
  | "SEVERAL_LOGS"
  | "BAD_OPTION"
  | "BAD_SYMBOLS"
  | "BAD_SOURCE_MAP"
  | "NOT_WRITABLE";

/**
 * A fault that the user can mend: a wrong path, a file of another kind, an option out of range.
 * It is thrown below and shown once, by the command line, without a stack.
 */
export class TicksError extends Error {
  override readonly name = "TicksError";
  readonly code: TicksErrorCode;
  /** What to do about it, as one sentence; undefined where the message says it all. */
  readonly hint: string | undefined;

  constructor(code: TicksErrorCode, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** The end of an exhaustive `switch`: fails to compile while a case is missing. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
