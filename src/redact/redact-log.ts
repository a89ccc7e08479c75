import { assertNever } from "../base/errors.js";
import type { Address } from "../base/units.js";
import type { CompressionDiagnostic } from "../io/log-chunks.js";
import { type Dialect, dialectOf, NEWEST_DIALECT } from "../log/dialect.js";
import { LogParser } from "../log/parser.js";
import type { CodeCreationRecord, CodeDeoptRecord, CodeSourceInfoRecord } from "../log/rows/code.js";
import type {
  CompilationCacheRecord,
  FunctionEventRecord,
  ScriptDetailsRecord,
  ScriptEventRecord,
} from "../log/rows/function-event.js";
import { IC_ROWS, type IcKind, type IcRecord } from "../log/rows/ic.js";
import {
  IGNORED_ROWS,
  type LogRecord,
  OPTIONAL_ROWS,
  type OptionalRow,
  recordSink,
  type ScriptSourceRecord,
  scriptText,
} from "../log/rows/row-decoders.js";
import { type TickFields, TickReader, type TickRecord } from "../log/rows/tick.js";
import type { DiagnosticCode, Diagnostics } from "../profile/diagnostics.js";
import { UNKNOWN_STATE } from "../profile/vm-state.js";
import type { SourceRedactor } from "./redacted-source.js";
import type { Redactor } from "./redactor.js";

/** A number of so many digits is more than a double can hold and is read as infinite. */
const INFINITE_DIGITS = 400;
/** Higher than any dialect's VM states. */
const NO_STATE = 99;

/** Formats a number for a row so that it is read back exactly. */
export function decimal(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  if (Number.isFinite(value)) return BigInt(value).toString();
  return (value < 0 ? "-" : "") + "9".repeat(INFINITE_DIGITS);
}

/** Formats an address without `0x`. */
export function hexDigits(value: Address): string {
  if (Number.isSafeInteger(value)) return value.toString(16);
  return Number.isFinite(value) ? BigInt(value).toString(16) : "f".repeat(INFINITE_DIGITS);
}

/** Formats an address for a row. */
export function hex(value: Address): string {
  return `0x${hexDigits(value)}`;
}

/**
 * Formats a text as in a dialect: in quotes without escapes, or else with the characters that would end it
 * escaped. Texts here are printable ASCII, except for the replacement character, without quotes.
 */
export function quoted(text: string, { hasQuotes }: Pick<Dialect, "hasQuotes">): string {
  if (hasQuotes) return `"${text}"`;
  return /[\\,]/.test(text) ? text.replaceAll("\\", "\\\\").replaceAll(",", "\\x2C") : text;
}

/** Returns the row of a step of V8's work on a function, without the function's name. */
function functionEventRow(record: FunctionEventRecord, event: string): string {
  const { script, start, end, duration, timestamp } = record;
  const numbers = [decimal(script), decimal(start), decimal(end), String(duration), decimal(timestamp)];
  return `function,${event},${numbers.join()},`;
}

/** Returns the first fields of a row about a script: its id and its name, which V8 never quotes. */
function scriptHead({ type, id }: ScriptDetailsRecord | ScriptSourceRecord, url: string): string {
  return `${type},${decimal(id)},${quoted(url, { hasQuotes: false })}`;
}

/** Returns the row of what happened to a script, or of a look-up in the cache of an isolate. */
function scriptEventRow(record: ScriptEventRecord | CompilationCacheRecord, event: string): string {
  const time = decimal(record.timestamp);
  return record.type === "script"
    ? `script,${event},${decimal(record.id)},${time}`
    : `compilation-cache,${event},,,,,${time}`;
}

interface TickFlaws {
  readonly hasMalformedFrame: boolean;
  readonly isCut: boolean;
  /** It had more frames at its root than are kept. */
  readonly isTooDeep: boolean;
}

/** Returns the row of a tick, in the layout of Node 4 and later. */
export function tickRow(tick: TickRecord, dialect: Dialect, flaws: TickFlaws): string {
  const more = (flaws.isTooDeep ? ",0x0" : "") + (flaws.hasMalformedFrame ? ",?" : "");
  const row = tickFields(tick, dialect, "0x") + more;
  const { rowLimit } = dialect;
  // V8 cut it, so its last frame does not count: a dummy one is written there.
  if (flaws.isCut) return `${row},0`.padEnd(rowLimit, "0");
  // Rows from Windows have no 0x; with it they must not become so long that they look cut.
  return rowLimit > 0 && row.length >= rowLimit ? tickFields(tick, dialect, "") + more : row;
}

function tickFields(tick: TickRecord, { vmStates }: Dialect, mark: string): string {
  const { pc, timestamp, isExternal, tos, vmState, frames, depth } = tick;
  const state = vmState === UNKNOWN_STATE ? NO_STATE : vmStates.indexOf(vmState);
  let row = `tick,${mark}${hexDigits(pc)},${decimal(timestamp)},${isExternal ? 1 : 0},${mark}${hexDigits(tos)},${state}`;
  let relativeTo = isExternal ? tos : pc;
  for (let i = depth - 1; i >= 0; i--) {
    const frame = frames[i]!;
    if (frame >= 0) {
      row += `,${mark}${hexDigits(frame)}`;
    } else {
      row += `,-${hex(relativeTo - frame)}`;
      relativeTo = frame;
    }
  }
  return tick.hasOverflow ? `${row},overflow` : row;
}

const FUNCTION_TYPES: ReadonlySet<string> = new Set(["JS", "Function", "LazyCompile", "Script", "Eval"]);
/** Marks of tiers, with signs for how code was entered or specialised. */
const MARK = /^o?[~^+*-]?'?$/;
/** Stands for bytes that are not UTF-8. */
const INVALID = "\ufffd";

function codeCreationRow(record: CodeCreationRecord, { redactor, dialect, flaws }: RowStyle): string {
  const { timestamp, address, size, codeType, name, function: made } = record;
  const shown = made === undefined ? redactor.codeName(codeType, name) : redactor.functionName(name);
  // A function's row with an unusual end was cut, as was one without its last quote. Without a number here, the
  // parser does not join it with the next line.
  const isCut = made === undefined && FUNCTION_TYPES.has(codeType);
  const kind = isCut || flaws.hasOpenQuote ? "-" : "0";
  const fields = [redactor.codeType(codeType), kind, decimal(timestamp), hex(address), decimal(size)];
  const row = `code-creation,${fields.join()},${quoted(shown, dialect)}`;
  // Without a version, a row that ends at the name is whole.
  if (made === undefined) return isCut && dialect.isUnversioned ? `${row},` : row;
  if (made.sfi === undefined) return row;
  const unknown = made.mark.includes(INVALID) ? INVALID : "?";
  return `${row},${hex(made.sfi)},${MARK.test(made.mark) ? made.mark : unknown}`;
}

const POSITIONS = /C\d+O-?\d+(?:I\d+)?/g;
const INLININGS = /F\d*O-?\d+(?:I\d+)?/g;

/**
 * Returns a code-source-info row. Everything in its texts other than positions is dropped, except a mark for
 * bytes that are not UTF-8.
 */
function codeSourceInfoRow(record: CodeSourceInfoRecord, hasInvalidText: boolean): string {
  const { address, script, start, end, positions, inlinings, functions } = record;
  const only = (text: string, entries: RegExp) => text.match(entries)?.join("") ?? "";
  const called = functions.map((sfi) => (Number.isNaN(sfi) ? "S" : `S${hex(sfi)}`)).join("");
  const numbers = [hex(address), ...[script, start, end].map(decimal)].join();
  return `code-source-info,${numbers},${only(positions, POSITIONS)}${hasInvalidText ? INVALID : ""},${only(inlinings, INLININGS)},${called}`;
}

function codeDeoptRow(
  { timestamp, size, details }: CodeDeoptRecord,
  { redactor, dialect }: RowStyle,
): string {
  const head = `code-deopt,${decimal(timestamp)},${decimal(size)}`;
  if (details === undefined) return head;
  const { address, inliningId, scriptOffset, kind, position, reason } = details;
  const texts = [
    redactor.word("deopt-kind", kind),
    redactor.position(position),
    redactor.word("deopt-reason", reason),
  ];
  const fields = texts.map((text) => quoted(text, dialect));
  return [head, hex(address), decimal(inliningId), decimal(scriptOffset), ...fields].join();
}

/** The units that are escaped at once: a script can have 60 million, and each match takes memory. */
const PIECE = 1 << 16;
/** Everything but printable ASCII, and what V8 escapes of that; U+FFFD stands for bytes that are not UTF-8. */
const ESCAPED = /[^ -+\--[\]-~\ufffd]/g;

/** Formats the text of a script for a row, with V8's escapes. */
export function sourceField(text: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += PIECE) {
    pieces.push(text.slice(at, at + PIECE).replace(ESCAPED, escapeUnit));
  }
  return pieces.join("");
}

function escapeUnit(letter: string): string {
  if (letter === "\n") return "\\n";
  if (letter === "\\") return "\\\\";
  const unit = letter.charCodeAt(0);
  if (unit < 256) return letter === "," ? "\\x2C" : `\\x${unit.toString(16).padStart(2, "0")}`;
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** Returns a row of an inline cache. V8 quotes none of its texts. */
function icRow(record: IcRecord, redactor: Redactor): string {
  const { kind, pc, timestamp, line, column, from, to, map, key, modifier, reason } = record;
  const times = timestamp === undefined ? [] : [decimal(timestamp)];
  const shown = [redactor.propertyKey(key), redactor.word("ic-modifier", modifier), redactor.text(reason)];
  const texts = shown.map((text) => quoted(text, { hasQuotes: false }));
  const numbers = [hex(pc), ...times, decimal(line), decimal(column)];
  return [kind, ...numbers, from, to, hex(map), ...texts].join();
}

function icRows(): Record<IcKind, [string, string]> {
  const rows = IC_ROWS.map((kind) => [kind, [`${kind},`, `${kind},0x0,0,0,\ufffd`]] as const);
  return Object.fromEntries(rows) as Record<IcKind, [string, string]>;
}

/**
 * Malformed rows of optional types: without texts, and with a text that is not UTF-8. One row stands for all
 * other types.
 */
const MALFORMED_ROWS: ReadonlyMap<string, readonly [string, string]> = new Map(
  Object.entries({
    "code-deopt": ["code-deopt,", "code-deopt,0,0,0x0,0,0,\ufffd"],
    "code-source-info": ["code-source-info,", "code-source-info,0x1,0,0,0,\ufffd,,S"],
    "script-source": ["script-source,", "script-source,0,\ufffd"],
    function: ["function,", "function,\ufffd"],
    script: ["script,", "script,\ufffd"],
    "script-details": ["script-details,", "script-details,"],
    "compilation-cache": ["compilation-cache,", "compilation-cache,"],
    ...icRows(),
  } satisfies Record<OptionalRow, [string, string]>),
);

/**
 * Returns a row with the same diagnostic as a malformed one of this type, for every reader of the type;
 * `hasInvalidText` is whether it has a text that is not UTF-8.
 */
function malformedRow(type: string, hasInvalidText: boolean, dialect: Dialect): string {
  const [plain, invalid] = MALFORMED_ROWS.get(type) ?? [];
  if (plain !== undefined && invalid !== undefined) return hasInvalidText ? invalid : plain;
  return `shared-library,${quoted(hasInvalidText ? "\ufffd" : "", dialect)}`;
}

/** A row that V8 writes and no report reads. It replaces each line of which nothing is kept. */
const FILLER = "delete";
/** The replacement of a row of unknown type. Its comma makes it a row of its own, also after an unreadable one. */
const UNKNOWN_ROW = "unknown,";
/** The replacement of a row that was cut off when the process died. */
const CUT_ROW = "cut";
/** U+FFFD in UTF-8 with one character a byte, and a byte that is not UTF-8. */
const REPLACEMENT = "\xef\xbf\xbd";
const INVALID_BYTE = "\xff";

const NO_FLAWS = {
  hasMalformedFrame: false,
  isCut: false,
  isTooDeep: false,
  hasInvalidText: false,
  hasOpenQuote: false,
};

/**
 * Reads a log and writes it again row by row, with only what a {@link Redactor} allows. No byte of the
 * original is copied: every row is made from the numbers read and the texts that the redactor returns.
 *
 * Rows keep their lines and their diagnostics. A malformed or unknown row becomes a neutral one with the same
 * diagnostic; a row that no report needs keeps only its first field; further lines of a name become filler rows.
 */
export class LogRedactor {
  readonly #redactor: Redactor;
  readonly #sources: SourceRedactor;
  readonly #parser: LogParser;
  /** The output so far; each character is a byte. */
  #text = "";
  #lines = 0;
  #dialect: Dialect = NEWEST_DIALECT;
  #isDialectKnown = false;
  /** Whether the next row to write is the first of which quotes told the dialect. */
  #isTelling = false;
  /** Lines that ended in \r\n and are not written yet. */
  readonly #crlf = new Set<number>();
  #hasCrlf = false;
  /** The flaws of the next row to write, which can still be read. */
  #flaws = NO_FLAWS;
  /** The type of the row whose diagnostic comes next, if the type is known. */
  #malformed = "";
  /** A hole in a line that is not written yet: its line, and the torn row before it, which may be empty. */
  #hole: { readonly line: number; readonly head: string } | undefined;
  /** Whether the unfinished last line was written. */
  #isCut = false;
  /** The line of the next tick of a batch; 0 if ticks come one by one. */
  #tickLine = 0;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
    this.#sources = redactor.newSources();
    const ticks = new TickReader((tick) => {
      this.#write(this.#tickLine++, tickRow(tick, this.#dialect, this.#flaws));
    });
    const sink = {
      takeRecord: (record: LogRecord) => this.#takeRecord(record),
      takeTicks: (fields: TickFields, count: number) => {
        this.#learnDialect();
        this.#tickLine = this.#parser.line - count + 1;
        ticks.read(fields);
      },
    };
    const diagnostics: Pick<Diagnostics, "add"> = {
      add: (code, line, subject = "", times = 1) => this.#takeDiagnostic(code, line, { subject, times }),
    };
    this.#parser = new LogParser(sink, diagnostics, {
      optionalRows: OPTIONAL_ROWS,
      onOtherRow: (name) => this.#takeOther(name),
    });
  }

  /** The number of rows of types that V8 writes. */
  get knownRows(): number {
    return this.#parser.knownRows;
  }

  /** Adds the next bytes of the log, cut anywhere, and returns the redacted bytes that are ready. */
  push(bytes: Uint8Array): Uint8Array {
    this.#parser.push(bytes);
    return this.#take();
  }

  /** Ends the log, which damaged compressed data may have cut short, and returns the last redacted bytes. */
  end(diagnostic?: CompressionDiagnostic): Uint8Array {
    this.#parser.end(diagnostic);
    this.#endHole();
    // Lines that the parser took for part of a name that the log's end cut off.
    for (const line of this.#crlf) if (!this.#isCut) this.#fill(line);
    return this.#take();
  }

  #take(): Uint8Array {
    const bytes = Buffer.from(this.#text, "latin1");
    this.#text = "";
    return bytes;
  }

  #takeRecord(record: LogRecord): void {
    if (record.type === "v8-version") {
      this.#dialect = dialectOf(record);
      this.#isDialectKnown = true;
      this.#redactor.useVersion(record);
    } else {
      this.#learnDialect();
    }
    this.#write(
      this.#parser.line,
      redactedRow(record, {
        redactor: this.#redactor,
        sources: this.#sources,
        dialect: this.#dialect,
        flaws: this.#flaws,
      }),
    );
  }

  /** Takes over the dialect that the parser found. A log without a version row can still quote its texts. */
  #learnDialect(): void {
    if (this.#isDialectKnown) return;
    const { dialect, isDialectKnown } = this.#parser;
    this.#dialect = dialect;
    this.#isDialectKnown = isDialectKnown;
    this.#isTelling = isDialectKnown && dialect.hasQuotes;
    this.#redactor.useVersion(undefined, dialect.hasQuotes);
  }

  #takeOther(name: string): void {
    this.#learnDialect();
    if (!IGNORED_ROWS.has(name)) {
      this.#malformed = name; // Its diagnostic comes next.
      return;
    }
    this.#write(this.#parser.line, name);
  }

  #takeDiagnostic(
    code: DiagnosticCode,
    line: number,
    { subject, times }: { readonly subject: string; readonly times: number },
  ): void {
    this.#learnDialect();
    switch (code) {
      case "crlf":
        this.#crlf.add(line);
        break;
      case "malformed-frame":
        this.#flaws = { ...this.#flaws, hasMalformedFrame: true };
        break;
      case "cut-stack":
        this.#flaws = { ...this.#flaws, isCut: true };
        break;
      case "invalid-utf8":
        this.#flaws = { ...this.#flaws, hasInvalidText: true };
        break;
      case "open-quote":
        this.#flaws = { ...this.#flaws, hasOpenQuote: true };
        break;
      case "deep-stack":
        this.#flaws = { ...this.#flaws, isTooDeep: true };
        break;
      case "malformed-row":
        this.#redactor.droppedRows++;
        if (this.#hole?.line === line && this.#hole.head === "") {
          this.#hole = { line, head: malformedRow(subject, false, this.#dialect) };
          this.#flaws = NO_FLAWS;
        } else this.#write(line, malformedRow(this.#malformed, this.#flaws.hasInvalidText, this.#dialect));
        this.#malformed = "";
        break;
      case "hole":
        this.#endHole();
        this.#hole = { line, head: "" };
        break;
      case "unknown-row":
        this.#redactor.droppedRows++;
        this.#write(line, UNKNOWN_ROW);
        break;
      case "empty-line":
        for (let i = 0; i < times; i++) this.#write(line + i, "");
        break;
      case "cut-row":
        this.#redactor.droppedRows++;
        this.#endHole();
        this.#fill(line - 1);
        this.#text += CUT_ROW;
        this.#isCut = true;
        break;
      default: // Faults that the records themselves show.
    }
  }

  /** Writes the row of a line, after filler rows for the lines skipped before it. */
  #write(line: number, row: string): void {
    const { hasInvalidText, hasOpenQuote } = this.#flaws;
    this.#flaws = NO_FLAWS;
    if (this.#hole?.line !== line) this.#endHole();
    this.#fill(line - 1);
    const telling = this.#isTelling && !row.includes(',"') ? `${row},""` : row;
    this.#isTelling = false;
    // Nothing follows an unclosed text.
    const open = hasOpenQuote && telling.endsWith('"') ? telling.slice(0, -1) : telling;
    const marked = open.replaceAll("\ufffd", REPLACEMENT);
    this.#writeLine(hasInvalidText ? marked.replace(REPLACEMENT, INVALID_BYTE) : marked);
  }

  #fill(lines: number): void {
    while (this.#lines < lines) this.#writeLine(FILLER);
  }

  /** Writes the line of a hole after which the parser took nothing. */
  #endHole(): void {
    if (this.#hole === undefined) return;
    this.#fill(this.#hole.line - 1);
    if (this.#lines < this.#hole.line) this.#writeLine("");
  }

  #writeLine(row: string): void {
    this.#lines++;
    const { line, head } = this.#hole ?? { line: 0, head: "" };
    if (line === this.#lines) {
      this.#text += `${head}\0`;
      this.#hole = undefined;
    }
    const isCrlf = this.#crlf.delete(this.#lines);
    if (isCrlf && this.#lines === 1) this.#hasCrlf = true;
    // Where the first line ends otherwise, it may be taken for a part of a function's name; behind a hole it is no row.
    const isTaken =
      (this.#hasCrlf || !row.startsWith("code-creation,")) && !(line === this.#lines && row === "");
    const end = isCrlf && isTaken ? "\r\n" : "\n";
    this.#text += row + end;
  }
}

/** What a row is written with. */
interface RowStyle {
  readonly redactor: Redactor;
  /** The texts of the log so far. */
  readonly sources: SourceRedactor;
  readonly dialect: Dialect;
  /** The faults of the original row. */
  readonly flaws: TickFlaws & { readonly hasInvalidText: boolean; readonly hasOpenQuote: boolean };
}

/** Returns the row of a record, without its end of line, with the names that the redactor returns. */
function redactedRow(record: LogRecord, style: RowStyle): string {
  const { redactor, sources, dialect, flaws } = style;
  switch (record.type) {
    case "tick":
      return tickRow(record, dialect, flaws);
    case "code-creation":
      return codeCreationRow(record, style);
    case "code-move":
    case "sfi-move":
      return `${record.type},${hex(record.from)},${hex(record.to)}`;
    case "code-delete":
      return `code-delete,${hex(record.address)}`;
    case "code-deopt":
      return codeDeoptRow(record, style);
    case "code-source-info":
      return codeSourceInfoRow(record, flaws.hasInvalidText);
    case "script-source":
      return `${scriptHead(record, redactor.script(record.url))},${sourceField(sources.redact(scriptText(record.source), redactor.keepsFunctions(record.url)))}`;
    case "function":
      return functionEventRow(record, redactor.word("function-event", record.event));
    case "script":
    case "compilation-cache":
      return scriptEventRow(record, redactor.word("function-event", record.event));
    case "script-details":
      return scriptHead(record, redactor.script(record.url));
    case "shared-library": {
      const { start, end, slide } = record;
      const path = quoted(redactor.library(record.path), dialect);
      return `shared-library,${path},${hex(start)},${hex(end)},${decimal(slide)}`;
    }
    case "v8-platform":
      return [
        record.type,
        ...[record.system, record.target].map((one) => redactor.word("platform", one)),
      ].join();
    case "v8-version": {
      const { major, minor, build, patch, embedder } = record;
      const numbers = [major, minor, build, patch].map(decimal).join();
      const shown = redactor.embedder(embedder);
      const more = flaws.hasInvalidText ? ",\ufffd" : shown === "" ? "" : `,${shown}`;
      return `v8-version,${numbers}${more},0`;
    }
    case "profiler": {
      const event = quoted(redactor.word("profiler-event", record.event), dialect);
      return `profiler,${event}${record.interval === undefined ? "" : `,${decimal(record.interval)}`}`;
    }
    case "new":
      return `new,${redactor.v8Name(record.name)},${hex(record.address)},0`;
    case "active-runtime-timer":
      return `active-runtime-timer,${quoted(redactor.v8Name(record.name), dialect)}`;
    case "ic":
      return icRow(record, redactor);
    case "current-time":
      return record.type;
    case "timer-event":
      return `timer-event-start${dialect.hasQuotes ? ',""' : ""}`;
    default:
      return assertNever(record);
  }
}

/** What rows of two writers look like, or such as were written over each other. */
const TORN: ReadonlySet<DiagnosticCode> = new Set(["malformed-row", "unknown-row", "hole"]);

/** Finds the functions whose names will be kept, before a log is redacted: they may be compiled after a text that calls them. */
export class NameFinder {
  readonly #parser: LogParser;
  readonly #redactor: Redactor;
  /** Keeps no count of what is kept. */
  readonly #copy: Redactor;
  #isTorn = false;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
    this.#copy = redactor.copy();
    const sink = recordSink((record) => {
      if (record.type === "v8-version") this.#copy.useVersion(record);
      else if (record.type === "code-creation" && record.function !== undefined)
        this.#copy.functionName(record.name);
    });
    this.#parser = new LogParser(sink, { add: (code) => (this.#isTorn ||= TORN.has(code)) });
  }

  /** Adds the next bytes of the log, cut anywhere. */
  push(bytes: Uint8Array): void {
    this.#parser.push(bytes);
  }

  /** Ends the log. The redactor then knows its names, and no longer those of the log before. */
  end(): void {
    this.#parser.end();
    this.#copy.names.endFirst(this.#isTorn);
    this.#redactor.names = this.#copy.names;
  }
}
