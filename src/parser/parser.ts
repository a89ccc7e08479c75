import type { Diagnostics } from "../diagnostics.js";
import { UNKNOWN_STATE } from "../profile/vm-state.js";
import { type Dialect, dialectOf, NEWEST_DIALECT, QUOTED_DIALECT } from "./dialect.js";
import { Row } from "./fields.js";
import { LineSplitter } from "./lines.js";
import { endsFunction, isUnfinishedFunction } from "./rows/code-creation.js";
import { IGNORED_ROWS, type LogRecord, OPTIONAL_ROWS, type OptionalRow, ROW_DECODERS } from "./rows/index.js";
import { TickDecoder } from "./rows/tick.js";

const COMMA = 44;
const CARRIAGE_RETURN = 13;
const CODE_CREATION = "code-creation,";
const NEWLINE = Buffer.from("\n");
/** A function's name with more newlines than this is taken for a torn row. */
const NAME_LINE_LIMIT = 50;

export interface ParserOptions {
  /** Which of the rows that few reports use become records; the others are skipped unread. Default: none. */
  readonly optionalRows?: Iterable<OptionalRow> | undefined;
}

/**
 * Turns the bytes of a log into records, one call of `onRecord` each, in the order of the log. A row that
 * cannot be read is a diagnostic; nothing in a log makes it throw.
 */
export class LogParser {
  readonly #onRecord: (record: LogRecord) => void;
  readonly #diagnostics: Diagnostics;
  readonly #lines = new LineSplitter((bytes, start, end) => this.#takeLine(bytes, start, end));
  readonly #tick = new TickDecoder();
  readonly #row = new Row();
  /** Optional rows that nobody wants. */
  readonly #unwanted: Set<string>;
  #dialect: Dialect = NEWEST_DIALECT;
  #isDialectKnown = false;
  #line = 0;
  #knownRows = 0;
  /** Whether lines end in \r\n; a \r before a newline is part of a function's name where they do not. */
  #hasCrlf = false;
  /** The lines so far of a function whose name holds newlines. */
  #held: Buffer[] = [];

  constructor(
    onRecord: (record: LogRecord) => void,
    diagnostics: Diagnostics,
    { optionalRows = [] }: ParserOptions = {},
  ) {
    this.#onRecord = onRecord;
    this.#diagnostics = diagnostics;
    this.#unwanted = new Set(OPTIONAL_ROWS);
    for (const name of optionalRows) this.#unwanted.delete(name);
  }

  /** How many rows were of a type that V8 writes. 0 after a few lines means that this is no log. */
  get knownRows(): number {
    return this.#knownRows;
  }

  /** The line of the record that was passed last, counted from 1. */
  get line(): number {
    return this.#line;
  }

  /** Takes the next bytes of the log, cut anywhere. They are not kept. */
  push(bytes: Uint8Array): void {
    this.#lines.push(bytes);
    this.#tick.release();
  }

  /** Ends the log. A last line without a newline was cut by the end of its process and cannot be trusted. */
  end(): void {
    const isCut = this.#lines.rest().length > 0 || this.#held.length > 0;
    if (isCut) this.#diagnostics.add("cut-row", Math.max(1, this.#line + (this.#held.length > 0 ? 0 : 1)));
    this.#held = [];
  }

  #takeLine(bytes: Buffer, start: number, end: number): void {
    this.#line++;
    if (end > start && bytes[end - 1] === CARRIAGE_RETURN) {
      if (this.#line === 1) this.#hasCrlf = true;
      if (this.#hasCrlf || !this.#endsInName(bytes, start, end - 1)) {
        this.#diagnostics.add("crlf", this.#line);
        end--;
      }
    }
    if (this.#held.length > 0) {
      this.#continueName(bytes, start, end);
      return;
    }
    if (start === end) {
      this.#diagnostics.add("empty-line", this.#line);
      return;
    }
    if (isTick(bytes, start, end)) this.#takeTick(bytes, start, end);
    else this.#takeRow(bytes, start, end);
  }

  #takeTick(bytes: Buffer, start: number, end: number): void {
    this.#knownRows++;
    const { record, faults } = this.#tick;
    if (!this.#tick.decode(bytes, start + 5, end, end - start, this.#dialect)) {
      this.#diagnostics.add("malformed-row", this.#line);
      return;
    }
    if (record.hasOverflow) this.#diagnostics.add("overflow", this.#line);
    if (faults.hasMalformedFrame) this.#diagnostics.add("malformed-frame", this.#line);
    if (faults.isCut) this.#diagnostics.add("cut-stack", this.#line);
    if (record.vmState === UNKNOWN_STATE) this.#diagnostics.add("unknown-state", this.#line);
    this.#onRecord(record);
  }

  #takeRow(bytes: Buffer, start: number, end: number): void {
    let comma = start;
    while (comma < end && bytes[comma] !== COMMA) comma++;
    const name = bytes.toString("latin1", start, comma);
    const decode = this.#unwanted.has(name) ? undefined : ROW_DECODERS.get(name);
    if (decode === undefined) {
      if (IGNORED_ROWS.has(name) || this.#unwanted.has(name)) this.#knownRows++;
      else this.#diagnostics.add("unknown-row", this.#line);
      return;
    }
    this.#knownRows++;
    if (!this.#isDialectKnown) this.#learnQuotes(bytes, comma, end);
    if (
      name === "code-creation" &&
      this.#dialect.hasRawNames &&
      isUnfinishedFunction(bytes, comma + 1, end)
    ) {
      this.#held = [Buffer.from(bytes.subarray(start, end))];
      return;
    }
    const row = this.#row;
    row.reset(bytes, comma + 1, end);
    const record = decode(row);
    if (row.hasInvalidText) this.#diagnostics.add("invalid-utf8", this.#line);
    if (record === undefined) {
      this.#diagnostics.add("malformed-row", this.#line);
      return;
    }
    if (record.type === "v8-version") {
      this.#dialect = dialectOf(record);
      this.#row.hasQuotes = this.#dialect.hasQuotes;
      this.#isDialectKnown = true;
    }
    this.#onRecord(record);
  }

  /** Whether a line is cut from its row by a newline in a function's name. */
  #endsInName(bytes: Buffer, start: number, end: number): boolean {
    if (this.#held.length > 0) return !endsFunction(bytes, start, end);
    const isCode = bytes.toString("latin1", start, start + CODE_CREATION.length) === CODE_CREATION;
    return (
      isCode && this.#dialect.hasRawNames && isUnfinishedFunction(bytes, start + CODE_CREATION.length, end)
    );
  }

  /** A line inside a function's name: any line, even one that looks like a row. */
  #continueName(bytes: Buffer, start: number, end: number): void {
    this.#held.push(Buffer.from(bytes.subarray(start, end)));
    const lines = this.#held;
    const name = Buffer.concat(lines.flatMap((line, i) => (i === 0 ? [line] : [NEWLINE, line])));
    if (!isUnfinishedFunction(name, CODE_CREATION.length, name.length)) {
      this.#held = [];
      this.#takeRow(name, 0, name.length);
    } else if (lines.length > NAME_LINE_LIMIT) {
      this.#giveUpName(lines);
    }
  }

  /** The row that seemed to hold newlines was torn: the lines after it are rows of their own. */
  #giveUpName(lines: Buffer[]): void {
    this.#held = [];
    this.#line -= lines.length - 1;
    this.#diagnostics.add("malformed-row", this.#line);
    for (const line of lines.slice(1)) this.#takeLine(line, 0, line.length);
  }

  /** A log without a version that quotes a text quotes them all. */
  #learnQuotes(bytes: Buffer, start: number, end: number): void {
    if (!bytes.subarray(start, end).includes(',"')) return;
    this.#dialect = QUOTED_DIALECT;
    this.#row.hasQuotes = true;
    this.#isDialectKnown = true;
  }
}

function isTick(bytes: Buffer, start: number, end: number): boolean {
  return (
    end - start > 5 &&
    bytes[start] === 116 &&
    bytes[start + 1] === 105 &&
    bytes[start + 2] === 99 &&
    bytes[start + 3] === 107 &&
    bytes[start + 4] === COMMA
  );
}
