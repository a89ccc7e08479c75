import type { Diagnostic } from "./profile/profile.js";

/** The message of each diagnostic. */
const MESSAGES = {
  "malformed-row": "rows with fields that cannot be read (skipped)",
  "malformed-frame": "stack frames that are no address (dropped from their stacks)",
  "cut-row": "the log ends inside a row: its process was probably killed (that row is skipped)",
  "deep-stack": "stacks of more than 16,384 frames (callers past those are dropped)",
  "open-quote": "texts without a closing quote (taken as they stand)",
  "damaged-compression": "the compressed data is damaged (rows from the damage on are lost or wrong)",
  "cut-compression": "the compressed data is cut short (rows past its end are lost)",
  "cut-stack": "rows cut at V8's 2047 bytes (the last frame of each is dropped)",
  "empty-line": "empty lines",
  crlf: "lines that end in \\r\\n: the log went through a Windows tool",
  "invalid-utf8": "names that are not valid UTF-8",
  "unknown-row": "rows of unknown types (skipped)",
  "unknown-tier": "unknown tier marks (shown without a mark)",
  "unknown-state": "unknown VM states",
  "unknown-code-move": "moves of code that the log never named",
  "unknown-code-delete": "deletions of code that the log never named",
  "builtins-copy": "ticks at the end of V8's code range do not fall on builtins (they stay unaccounted)",
  "broken-source-map": "scripts whose source map cannot be read (shown as generated)",
  "missing-source-map": "scripts whose source map is not where they say (shown as generated)",
  overflow: "ticks after which V8's ring buffer was full: other ticks were lost",
} as const;

export type DiagnosticCode = keyof typeof MESSAGES;

/** Counts the diagnostics of a log by code, each with its first line. */
export class Diagnostics {
  readonly #found = new Map<DiagnosticCode, { count: number; line: number }>();

  /** Counts one diagnostic at a line, counted from 1. */
  add(code: DiagnosticCode, line: number): void {
    const found = this.#found.get(code);
    if (found === undefined) this.#found.set(code, { count: 1, line });
    else found.count++;
  }

  /** Returns every diagnostic that was counted, ordered by first line. */
  list(): Diagnostic[] {
    return Array.from(this.#found, ([code, { count, line }]) => ({
      code,
      count,
      line,
      message: MESSAGES[code],
    }));
  }
}
