import type { DiagnosticCode, Diagnostics } from "../diagnostics.js";
import { assertNever } from "../errors.js";
import type { CompressionDiagnostic } from "../log-chunks.js";
import { type Dialect, dialectOf, NEWEST_DIALECT } from "../parser/dialect.js";
import { LogParser } from "../parser/parser.js";
import { recordSink } from "../parser/record-sink.js";
import { IGNORED_ROWS, type LogRecord, OPTIONAL_ROWS, scriptText } from "../parser/rows/row-decoders.js";
import { type TickFields, TickReader } from "../parser/rows/tick.js";
import type { SourceRedactor } from "./redacted-source.js";
import type { Redactor } from "./redactor.js";
import {
  codeCreationRow,
  codeDeoptRow,
  codeSourceInfoRow,
  decimal,
  functionEventRow,
  hex,
  icRow,
  malformedRow,
  quoted,
  scriptEventRow,
  scriptHead,
  sourceField,
  type TickFlaws,
  tickRow,
} from "./row-text.js";

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

  /** The number of ticks. */
  get ticks(): number {
    return this.#parser.ticks;
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
function redactedRow(record: LogRecord, { redactor, sources, dialect, flaws }: RowStyle): string {
  switch (record.type) {
    case "tick":
      return tickRow(record, dialect, flaws);
    case "code-creation": {
      const { codeType, name, function: made } = record;
      const shown = made === undefined ? redactor.codeName(codeType, name) : redactor.functionName(name);
      return codeCreationRow(
        record,
        { type: redactor.codeType(codeType), name: shown, hasOpenQuote: flaws.hasOpenQuote },
        dialect,
      );
    }
    case "code-move":
    case "sfi-move":
      return `${record.type},${hex(record.from)},${hex(record.to)}`;
    case "code-delete":
      return `code-delete,${hex(record.address)}`;
    case "code-deopt": {
      const { details } = record;
      const texts = details && {
        kind: redactor.deoptKind(details.kind),
        position: redactor.position(details.position),
        reason: redactor.deoptReason(details.reason),
      };
      return codeDeoptRow(record, texts, dialect);
    }
    case "code-source-info":
      return codeSourceInfoRow(record, flaws.hasInvalidText);
    case "script-source":
      return `${scriptHead(record, redactor.script(record.url))},${sourceField(sources.redact(scriptText(record.source), redactor.keepsFunctions(record.url)))}`;
    case "function":
      return functionEventRow(record, redactor.functionEvent(record.event));
    case "script":
    case "compilation-cache":
      return scriptEventRow(record, redactor.functionEvent(record.event));
    case "script-details":
      return scriptHead(record, redactor.script(record.url));
    case "shared-library": {
      const { start, end, slide } = record;
      const path = quoted(redactor.library(record.path), dialect);
      return `shared-library,${path},${hex(start)},${hex(end)},${decimal(slide)}`;
    }
    case "v8-platform":
      return [record.type, ...[record.system, record.target].map((one) => redactor.platform(one))].join();
    case "v8-version": {
      const { major, minor, build, patch, embedder } = record;
      const numbers = [major, minor, build, patch].map(decimal).join();
      const shown = redactor.embedder(embedder);
      const more = flaws.hasInvalidText ? ",\ufffd" : shown === "" ? "" : `,${shown}`;
      return `v8-version,${numbers}${more},0`;
    }
    case "profiler": {
      const event = quoted(redactor.profilerEvent(record.event), dialect);
      return `profiler,${event}${record.interval === undefined ? "" : `,${decimal(record.interval)}`}`;
    }
    case "new":
      return `new,${redactor.v8Name(record.name)},${hex(record.address)},0`;
    case "active-runtime-timer":
      return `active-runtime-timer,${quoted(redactor.v8Name(record.name), dialect)}`;
    case "ic":
      return icRow(record, redactor.icTexts(record), dialect);
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
