import type { Diagnostic } from "./profile.js";

/** The message of each diagnostic. */
const MESSAGES = {
  "malformed-row": "unreadable rows (skipped)",
  "malformed-frame": "stack frames that are not addresses (dropped)",
  "cut-row": "the log ends inside a row: its process was probably killed (row skipped)",
  "deep-stack": "stacks of more than 16,384 frames (outermost callers dropped)",
  "deep-calls": "stacks of more than 1,024 frames (those in the middle are one frame, which says how many)",
  "open-quote": "texts without a closing quote (kept as they are)",
  "damaged-compression": "the compressed file is damaged (rows after the damage are lost or wrong)",
  "cut-compression": "the compressed file is truncated: it ends early (the rest of the log is lost)",
  "cut-stack": "rows cut at V8's limit of 2047 bytes (last frame of each dropped)",
  hole: "runs of zero bytes: a part of the log is missing",
  "empty-line": "empty lines",
  crlf: "lines end in \\r\\n: the log went through a Windows tool (harmless)",
  "invalid-utf8": "names that are not valid UTF-8",
  "unknown-row": "rows of unknown types (skipped)",
  "unknown-tier": "unknown tier marks (not shown)",
  "unknown-state": "unknown VM states",
  "unknown-code-move": "moves of unknown code",
  "unknown-code-delete": "deletions of unknown code",
  "builtins-copy": "ticks at the end of V8's code range do not match builtins (left unaccounted)",
  "broken-source-map": "scripts with an unreadable source map (shown as generated)",
  "missing-source-map": "scripts whose source map is missing (shown as generated)",
  "another-run": "another run begins: several runs are in one file (each is read as a thread of its own)",
  "mixed-writers":
    "times go back again and again: several processes or threads wrote into this file at once (they cannot be told apart: functions and times can be wrong)",
  "time-back":
    "times go back: a part of another run is in this file, without its beginning (its functions can be wrong)",
  "cut-json": "the profile ends early: it was probably cut short (the rest is lost)",
  "damaged-value": "values that cannot be read (skipped)",
  "dropped-profile": "parts of profiles beyond the first 4,096 (skipped)",
  "lost-nodes": "samples of profiles whose functions are not in the file (left out)",
  "odd-value": "samples with a value that is none (skipped)",
  "many-threads": "samples of threads beyond the first 65,535 (counted for the first one)",
  "many-lines": "lines of functions beyond the first 49,152 (samples count for the function alone)",
  "duplicate-node": "nodes with the id of another one (samples count for the first)",
  "unknown-node": "callers or callees that the profile does not have (left out)",
  "second-caller": "nodes with two callers (the first one counts)",
  "node-cycle": "nodes that call each other in a circle (cut there)",
  "unknown-sample": "samples of nodes that the profile does not have (shown as unknown)",
  "missing-time": "samples without a time (that of the one before counts)",
  "odd-time": "samples with an impossible time (that of the one before counts)",
  "time-order": "samples out of the order of time (put in order)",
  "late-sample": "samples written a little after later ones, as Chrome does (put in order; harmless)",
  overflow: "V8's ring buffer was full: ticks were lost after this one",
} as const;

export type DiagnosticCode = keyof typeof MESSAGES;

/** Returns what is wrong, and how often it shows. */
export function diagnosticMessage(code: DiagnosticCode, count: number): string {
  return MESSAGES[code] + (count > 1 ? ` (${count} times)` : "");
}

/** What the name of a row looks like, also of types to come. */
const ROW_NAME = /^[\w:.-]{1,40}$/;

/** What a log has in all its lines if in any: counted once. */
const COUNTED_ONCE: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>(["crlf"]);

/** How many types of rows one diagnostic names. */
const NAMED_TYPES = 5;

/** Counts the diagnostics of a log by code, each with its first line. */
export class Diagnostics {
  readonly #found = new Map<DiagnosticCode, { count: number; line: number; types: Set<string> }>();

  /**
   * Counts a diagnostic, `times` times from a line on, counted from 1; `type` is the first field of the row that it
   * is about.
   */
  add(code: DiagnosticCode, line: number, type?: string, times = 1): void {
    let found = this.#found.get(code);
    if (found === undefined) {
      found = { count: 0, line, types: new Set() };
      this.#found.set(code, found);
    }
    if (COUNTED_ONCE.has(code)) found.count = 1;
    else found.count += times;
    const { types } = found;
    // Other text at the start of a line is not repeated.
    if (type !== undefined && types.size <= NAMED_TYPES && ROW_NAME.test(type)) types.add(type);
  }

  /** Returns every diagnostic that was counted, ordered by first line. The message names the types of rows. */
  list(): Diagnostic[] {
    return Array.from(this.#found, ([code, { count, line, types }]) => ({
      code,
      count,
      line,
      message: MESSAGES[code] + typesText([...types]),
    }));
  }
}

function typesText(types: readonly string[]): string {
  if (types.length === 0) return "";
  return `: ${types.slice(0, NAMED_TYPES).join(", ")}${types.length > NAMED_TYPES ? ", …" : ""}`;
}
