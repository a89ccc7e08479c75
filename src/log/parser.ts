import { ROW_BYTES } from "../base/limits.js";
import type { Address, Micros } from "../base/units.js";
import type { CompressionDiagnostic } from "../io/log-chunks.js";
import { NO_STATE, OPEN_ROW_BYTES, STATE_NUMBERS } from "../kernels/layout.js";
import { type Kernel, type KernelNumber, loadKernel } from "../kernels/load-kernel.js";
import type { Diagnostics } from "../profile/diagnostics.js";
import { UNKNOWN_STATE } from "../profile/vm-state.js";
import { type Dialect, dialectOf, NEWEST_DIALECT, QUOTED_DIALECT, translateState } from "./dialect.js";
import { CARRIAGE_RETURN, isTick, LOWER_T, NEWLINE, Row, rowName } from "./fields.js";
import { endsFunction, opensFunction } from "./rows/code.js";
import {
  IGNORED_ROWS,
  type OptionalRow,
  type RecordSink,
  ROW_DECODERS,
  RowTypes,
} from "./rows/row-decoders.js";
import { TickDecoder, type TickFields } from "./rows/tick.js";

/** Takes one line: `bytes[start..end)`, without its newline. The bytes are valid only during the call. */
type LineSink = (bytes: Buffer, start: number, end: number) => void;

/**
 * Called at the start of a line. May take whole lines itself; returns the start of the next line for the
 * sink.
 */
type LineSkip = (bytes: Buffer, start: number) => number;

/** Bytes kept of a line that is too long. */
const HEAD_BYTES = 256;
/**
 * Bytes of memory for lines that span chunks: how much is allocated at first, and how much is kept for the
 * next line.
 */
const LEAST_BYTES = 1 << 12;
const KEPT_BYTES = 1 << 20;
/** How many times as much is allocated for a line that outgrows its memory. */
const GROWTH = 2;
const NO_BYTES = Buffer.alloc(0);

interface LineSplitterOptions {
  /** Takes whole lines before the sink does. Default: none. */
  readonly skip?: LineSkip | undefined;
  /** Called with the beginning of a line that is too long, instead of the sink. Default: nothing. */
  readonly onLongLine?: ((head: Buffer) => void) | undefined;
  /** Longest line in bytes. Longer ones are not kept. Default: {@link ROW_BYTES}. */
  readonly limit?: number | undefined;
}

/** Splits chunks of bytes, cut anywhere, into lines. Copies bytes only for lines that span chunks. */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #skip: LineSkip;
  readonly #onLongLine: (head: Buffer) => void;
  readonly #limit: number;
  /** The beginning of an unfinished line; only its head if the line is too long. */
  #line: Buffer = NO_BYTES;
  /** Bytes of that line so far. */
  #length = 0;

  constructor(sink: LineSink, { skip, onLongLine, limit = ROW_BYTES }: LineSplitterOptions = {}) {
    this.#sink = sink;
    this.#skip = skip ?? ((_, start) => start);
    this.#onLongLine = onLongLine ?? (() => {});
    this.#limit = limit;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    if (this.#length > 0) {
      const end = bytes.indexOf(NEWLINE);
      this.#keep(bytes, 0, end < 0 ? bytes.length : end);
      if (end < 0) return;
      this.#endLine();
      start = end + 1;
    }
    for (;;) {
      start = this.#skip(bytes, start);
      const end = bytes.indexOf(NEWLINE, start);
      if (end < 0) break;
      if (end - start <= this.#limit) this.#sink(bytes, start, end);
      else this.#onLongLine(bytes.subarray(start, start + HEAD_BYTES));
      start = end + 1;
    }
    this.#keep(bytes, start, bytes.length);
  }

  /** Whether there are bytes after the last newline. */
  get hasRest(): boolean {
    return this.#length > 0;
  }

  /**
   * Returns the bytes after the last newline and forgets them, unless they are none or more than `limit`. They
   * are valid until the next {@link push}, which must begin with them.
   */
  takeRest(limit: number): Buffer | undefined {
    const length = this.#length;
    if (length === 0 || length > limit) return undefined;
    this.#length = 0;
    return this.#line.subarray(0, length);
  }

  /** Copies a part of a line, because the owner of the chunk may reuse its memory. */
  #keep(bytes: Buffer, start: number, end: number): void {
    const before = this.#length;
    if (start === end || before > this.#limit) return;
    const length = before + end - start;
    this.#length = length;
    if (length <= this.#limit) {
      if (length > this.#line.length) {
        const line = Buffer.allocUnsafeSlow(Math.max(Math.min(this.#limit, GROWTH * length), LEAST_BYTES));
        this.#line.copy(line);
        this.#line = line;
      }
      bytes.copy(this.#line, before, start, end);
    } else {
      const isHeadKept = before >= HEAD_BYTES;
      const head = isHeadKept ? [] : [bytes.subarray(start, start + HEAD_BYTES)];
      this.#line = Buffer.concat([this.#line.subarray(0, Math.min(before, HEAD_BYTES)), ...head]);
    }
  }

  #endLine(): void {
    const [line, length] = [this.#line, this.#length];
    this.#length = 0;
    if (line.length > KEPT_BYTES || length > this.#limit) this.#line = NO_BYTES;
    if (length > this.#limit) this.#onLongLine(line.subarray(0, HEAD_BYTES));
    else this.#sink(line, 0, length);
  }
}

const NEWLINE_BYTES = Buffer.from("\n");
/** A name with more newlines than this is treated as a torn row. */
const LINE_LIMIT = 50;
/** How far rows of different threads can be out of order. */
const TIME_BACK: Micros = 5_000;
/** How long a program can be silent. */
const TIME_AHEAD: Micros = 60_000_000;
/** No system maps anything below this address, so that null pointers fault. */
const FIRST_MAPPED: Address = 0x10000;
// tick,0x7f20…,15592,0,        code-creation,JS,10,15592,0x7f20…,        code-creation,Stub,2,0x7f20…,84,"
//      vvvvvvv vvvvv                               vvvvv vvvvvvv                              vvvvvvv
const TICK = /^tick,(0x[0-9a-f]+|\(nil\)|\(null\)),(\d+),[01],/;
const CODE = /^code-creation,\w+,\d+,(\d+),(0x[0-9a-f]+),/;
const OLD_ROW =
  /^(?:tick|code-delete|(?:code|sfi|function)-move|function-creation|code-creation,\w+(?:,-?\d+)?),(0x[0-9a-f]+)(?:,|$)/;
const OLD_CODE = /^code-creation,\w+,\d+,(0x[0-9a-f]+),\d+,"/;

/**
 * A function row whose name contains newlines, while its lines are still arriving. V8 up to Node 8 and from
 * Node 16 on writes names unescaped, so a line of a name can look like anything, even like another row. The
 * row is considered torn, and its further lines rows of their own, if one of them looks like a row with a
 * plausible time and address, or if there are too many lines.
 */
class OpenRow {
  #lines: Buffer[] = [];
  #length = 0;
  #dialect: Dialect = NEWEST_DIALECT;
  /**
   * Times close to which another row is plausible: that of this row, and that of the last line that looked
   * like a row.
   */
  #times: Micros[] = [];

  get isOpen(): boolean {
    return this.#lines.length > 0;
  }

  /**
   * Returns whether the row in `bytes[start..end)` continues on the next line; if so, keeps it. Its fields
   * begin at `fields`.
   */
  open(bytes: Buffer, start: number, fields: number, end: number, dialect: Dialect): boolean {
    const { hasRawNames, rowLimit } = dialect;
    if (!hasRawNames || endsFunction(bytes, start, end, dialect)) return false;
    if (!opensFunction(bytes, fields, end, dialect)) return false;
    if (rowLimit > 0 && end - start >= rowLimit) return false;
    this.#lines = [Buffer.from(bytes.subarray(start, end))];
    this.#length = end - start;
    this.#dialect = dialect;
    const time = timedRow(bytes, start, end)?.time;
    this.#times = time === undefined ? [] : [time];
    return true;
  }

  /** Returns whether a line would end the row. */
  isEndedBy(bytes: Buffer, start: number, end: number): boolean {
    const { rowLimit } = this.#dialect;
    const isCut = rowLimit > 0 && this.#length + 1 + end - start >= rowLimit;
    return isCut || endsFunction(bytes, start, end, this.#dialect);
  }

  /** Adds the next line; `now` is the time of the last tick. A torn row keeps its lines for {@link close}. */
  add(bytes: Buffer, start: number, end: number, now: Micros): "open" | "ended" | "torn" {
    this.#lines.push(Buffer.from(bytes.subarray(start, end)));
    const isEnded = this.isEndedBy(bytes, start, end);
    this.#length += 1 + end - start;
    const isTooLong = this.#lines.length > LINE_LIMIT || this.#length > ROW_BYTES;
    if (isTooLong || this.#isRow(bytes, start, end, now)) return "torn";
    return isEnded ? "ended" : "open";
  }

  /** Closes the row and returns its lines. */
  close(): Buffer[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /** Returns whether a line is a row with a plausible time and address. */
  #isRow(bytes: Buffer, start: number, end: number, now: Micros): boolean {
    const row = timedRow(bytes, start, end);
    if (this.#dialect.isUnversioned) return isOldRow(OLD_ROW, bytes, start, end);
    if (row === undefined) return this.#dialect.hasQuotes && isOldRow(OLD_CODE, bytes, start, end);
    if (!isMapped(row.address) && row.address !== 0) return false;
    const { time } = row;
    const isNear = (other: Micros) => time >= other - TIME_BACK && time <= other + TIME_AHEAD;
    if (isNear(now) || this.#times.some(isNear)) return true;
    // After a long silence, a second row near this one settles it.
    if (isMapped(row.address)) this.#times[1] = time;
    return false;
  }
}

/** Joins the lines of a row with newlines. */
export function joinLines(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line, i) => (i === 0 ? [line] : [NEWLINE_BYTES, line])));
}

/** Returns the address and the time of a line that begins like a tick or code row. */
function timedRow(
  bytes: Buffer,
  start: number,
  end: number,
): { readonly address: Address; readonly time: Micros } | undefined {
  const line = headOf(bytes, start, end);
  const [, address, time] = TICK.exec(line) ?? [];
  const [, codeTime, codeAddress] = CODE.exec(line) ?? [];
  if (address === undefined && codeAddress === undefined) return undefined;
  const isNull = address?.startsWith("(") === true;
  return { address: isNull ? 0 : Number(address ?? codeAddress), time: Number(time ?? codeTime) };
}

/** Returns whether a line begins like a row without a time, of Node 6 or older. */
function isOldRow(pattern: RegExp, bytes: Buffer, start: number, end: number): boolean {
  const match = pattern.exec(headOf(bytes, start, end));
  return match !== null && isMapped(Number(match[1]));
}

function headOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString("latin1", start, Math.min(end, start + 80));
}

function isMapped(address: Address): boolean {
  return address >= FIRST_MAPPED;
}

/** Bytes of zeros that no name has: a sector of a disk, the least that a file system loses. */
const LEAST_HOLE = 512;
/** How many bytes are searched at once, since lines are short. */
const AHEAD_BYTES = 1 << 12;
const CODE_CREATION_BYTES = Buffer.from("code-creation,");

/**
 * Finds the zero bytes that a file system leaves where a part of a file was never written. Only a function's
 * name can contain zeros, and few of them.
 */
class HoleFinder {
  #bytes: Buffer | undefined;
  /** From the last offset asked for in `#bytes` up to here there is no zero. */
  #clearTo = 0;

  /** Forgets what is known of the bytes, whose memory may have others now. */
  forget(): void {
    this.#bytes = undefined;
  }

  /**
   * Returns the offset after the last hole in the line `bytes[start..end)`; -1 if it has none. `isName` is
   * whether the line continues a function's name. Most calls cost one comparison.
   */
  endOf(bytes: Buffer, start: number, end: number, isName: boolean): number {
    if (this.#bytes === bytes && end <= this.#clearTo) return -1;
    const ahead = Math.max(end, Math.min(start + AHEAD_BYTES, bytes.length));
    const zero = bytes.subarray(start, ahead).indexOf(0);
    this.#bytes = bytes;
    this.#clearTo = zero < 0 ? ahead : start + zero;
    if (end <= this.#clearTo) return -1;
    const line = bytes.subarray(start, end);
    const mayBeName = isName || line.subarray(0, CODE_CREATION_BYTES.length).equals(CODE_CREATION_BYTES);
    if (!mayBeName) return start + line.lastIndexOf(0) + 1;
    const last = lastRun(line);
    return last < 0 ? -1 : start + last;
  }
}

/** Returns the offset after the last run of zeros that is long enough for a hole; -1 if there is none. */
function lastRun(line: Buffer): number {
  let run = 0;
  for (let at = line.length - 1; at >= 0; at--) {
    run = line[at] === 0 ? run + 1 : 0;
    if (run === LEAST_HOLE) return at + LEAST_HOLE;
  }
  return -1;
}

const CODE_CREATION = "code-creation,";

export interface ParserOptions {
  /** Rarely used rows to decode; the others are skipped. Default: none. */
  readonly optionalRows?: Iterable<OptionalRow> | undefined;
  /**
   * Called with the name and fields of each known row that does not become a record: rows that nobody reads,
   * and unreadable rows, before their diagnostic. Default: nothing.
   */
  readonly onOtherRow?: ((name: string, fields: Row) => void) | undefined;
}

/** Decodes the bytes of a log into records, in order. Unreadable rows become diagnostics. Never throws. */
export class LogParser {
  readonly #sink: RecordSink;
  readonly #diagnostics: Pick<Diagnostics, "add">;
  readonly #lines = new LineSplitter((bytes, start, end) => this.#takeLine(bytes, start, end), {
    skip: (bytes, start) => this.#takeTicks(bytes, start),
    onLongLine: (head) => this.#takeLongLine(head),
  });
  /** Reads most ticks. */
  readonly #tickRows: TickRows | undefined;
  /** Reads the other ticks. */
  readonly #tick = new TickDecoder();
  readonly #row = new Row();
  readonly #types: RowTypes;
  readonly #onOtherRow: ParserOptions["onOtherRow"];
  #dialect: Dialect = NEWEST_DIALECT;
  #isDialectKnown = false;
  #line = 0;
  #knownRows = 0;
  #ticks = 0;
  /** Time of the last tick. */
  #timestamp: Micros = 0;
  /** Whether lines end in \r\n. If not, a \r before a newline belongs to a function's name. */
  #hasCrlf = false;
  readonly #openRow = new OpenRow();
  readonly #holes = new HoleFinder();
  /** Lines of a torn row that are parsed again as rows of their own, next one first. */
  readonly #again: Buffer[] = [];
  #isTakingAgain = false;

  constructor(
    sink: RecordSink,
    diagnostics: Pick<Diagnostics, "add">,
    { optionalRows = [], onOtherRow }: ParserOptions = {},
  ) {
    this.#onOtherRow = onOtherRow;
    this.#sink = sink;
    this.#tickRows = TickRows.open(this.#dialect);
    this.#diagnostics = diagnostics;
    this.#types = new RowTypes(optionalRows);
  }

  /** The dialect of the log as far as it has been read. */
  get dialect(): Dialect {
    return this.#dialect;
  }

  /** Whether a row has said which dialect it is. */
  get isDialectKnown(): boolean {
    return this.#isDialectKnown;
  }

  /** Number of rows of known types. 0 after many lines means that this is not a log. */
  get knownRows(): number {
    return this.#knownRows;
  }

  /** Number of ticks so far, including unreadable ones. */
  get ticks(): number {
    return this.#ticks;
  }

  /** Line of the last record, counted from 1. */
  get line(): number {
    return this.#line;
  }

  /** Parses the next bytes of the log, split anywhere. They are not kept. */
  push(bytes: Uint8Array): void {
    const take = (part: Uint8Array) => {
      this.#holes.forget();
      this.#lines.push(part);
    };
    if (this.#tickRows === undefined) take(bytes);
    else this.#tickRows.putAll(bytes, this.#lines, take);
  }

  /**
   * Ends the log. A last line without a newline was cut, by `diagnostic` if that is given, and is dropped.
   */
  end(diagnostic?: CompressionDiagnostic): void {
    while (this.#openRow.isOpen) this.#takeTornRow();
    const isCut = this.#lines.hasRest;
    if (diagnostic !== undefined) this.#diagnostics.add(diagnostic, Math.max(1, this.#line + Number(isCut)));
    else if (isCut) this.#diagnostics.add("cut-row", this.#line + 1);
  }

  /** Takes the ordinary ticks from `start` on and returns the offset of the first other line. */
  #takeTicks(bytes: Buffer, start: number): number {
    const rows = this.#tickRows;
    if (rows === undefined || bytes[start] !== LOWER_T || this.#openRow.isOpen || !rows.holds(bytes))
      return start;
    let at = start;
    do {
      at = rows.read(at, bytes.length);
      if (rows.rows === 0) break;
      this.#line += rows.rows;
      this.#knownRows += rows.rows;
      this.#ticks += rows.rows;
      this.#timestamp = rows.timestamp;
      this.#sink.takeTicks(rows.take(), rows.rows, this.#line);
    } while (rows.wasFull);
    return at;
  }

  /** Reports a line that is too long for any row; `head` is its beginning. */
  #takeLongLine(head: Buffer): void {
    while (this.#openRow.isOpen) this.#takeTornRow();
    this.#line++;
    const name = rowName(head, 0, head.length);
    if (this.#types.isSkipped(name)) this.#knownRows++;
    else this.#reportTorn(name);
  }

  /** Reports a row of which only the beginning is there. */
  #reportTorn(name: string): void {
    if (name === "tick") this.#ticks++;
    if (this.#types.isKnown(name)) this.#knownRows++;
    this.#diagnostics.add("malformed-row", this.#line, name);
  }

  #takeLine(bytes: Buffer, start: number, end: number): void {
    const hole = this.#holes.endOf(bytes, start, end, this.#openRow.isOpen);
    if (hole >= 0) while (this.#openRow.isOpen) this.#takeTornRow();
    this.#line++;
    if (hole < 0) this.#takeWholeLine(bytes, start, end);
    else this.#takeTornLine(bytes, start, hole, end);
  }

  /** Takes a line with a hole that ends at `hole`. What comes after it is read if it is a row. */
  #takeTornLine(bytes: Buffer, start: number, hole: number, end: number): void {
    this.#diagnostics.add("hole", this.#line);
    const torn = rowName(bytes, start, bytes.indexOf(0, start));
    if (torn !== "" && !this.#types.isSkipped(torn)) this.#reportTorn(torn);
    if (this.#types.isKnown(rowName(bytes, hole, end))) this.#takeWholeLine(bytes, hole, end);
  }

  #takeWholeLine(bytes: Buffer, start: number, end: number): void {
    if (end > start && bytes[end - 1] === CARRIAGE_RETURN && this.#isLineEnd(bytes, start, end - 1)) {
      this.#diagnostics.add("crlf", this.#line);
      end--;
    }
    if (this.#openRow.isOpen) {
      this.#continueRow(bytes, start, end);
      return;
    }
    if (start === end) {
      this.#diagnostics.add("empty-line", this.#line);
      return;
    }
    if (isTick(bytes, start, end)) this.#takeTick(bytes, start, end);
    else this.#takeRow(bytes, start, end);
  }

  /** Returns whether the \r at `end` belongs to the line ending and not to a function's name. */
  #isLineEnd(bytes: Buffer, start: number, end: number): boolean {
    if (this.#line === 1) this.#hasCrlf = true;
    if (this.#hasCrlf || !this.#dialect.hasRawNames) return true;
    if (this.#openRow.isOpen) return this.#openRow.isEndedBy(bytes, start, end);
    const isCode = bytes.toString("latin1", start, start + CODE_CREATION.length) === CODE_CREATION;
    return !isCode || endsFunction(bytes, start, end, this.#dialect);
  }

  #takeTick(bytes: Buffer, start: number, end: number): void {
    this.#knownRows++;
    this.#ticks++;
    this.#tickRows?.forget();
    const { record, diagnostics } = this.#tick;
    if (!this.#tick.decode(bytes, start + 5, end, end - start, this.#dialect)) {
      this.#diagnostics.add("malformed-row", this.#line, "tick");
      return;
    }
    this.#timestamp = record.timestamp;
    if (record.hasOverflow) this.#diagnostics.add("overflow", this.#line);
    if (diagnostics.hasMalformedFrame) this.#diagnostics.add("malformed-frame", this.#line);
    if (diagnostics.isTooDeep) this.#diagnostics.add("deep-stack", this.#line);
    if (diagnostics.isCut) this.#diagnostics.add("cut-stack", this.#line);
    if (record.vmState === UNKNOWN_STATE) this.#diagnostics.add("unknown-state", this.#line);
    this.#sink.takeRecord(record, this.#line);
  }

  #takeRow(bytes: Buffer, start: number, end: number): void {
    const name = rowName(bytes, start, end);
    if (this.#types.isSkipped(name)) {
      this.#knownRows++;
      if (this.#onOtherRow === undefined || !IGNORED_ROWS.has(name)) return;
      this.#row.reset(bytes, start + name.length + 1, end);
      this.#onOtherRow(name, this.#row);
      return;
    }
    if (!ROW_DECODERS.has(name)) {
      this.#diagnostics.add("unknown-row", this.#line, name);
      return;
    }
    this.#knownRows++;
    const comma = start + name.length;
    // If a log without a version quotes one text, it quotes all of them.
    if (!this.#isDialectKnown && bytes.subarray(comma, end).includes(',"')) this.#setDialect(QUOTED_DIALECT);
    if (name === "code-creation" && this.#openRow.open(bytes, start, comma + 1, end, this.#dialect)) return;
    this.#decodeRow(name, bytes, comma + 1, end);
  }

  #decodeRow(name: string, bytes: Buffer, fields: number, end: number): void {
    const row = this.#row;
    row.reset(bytes, fields, end);
    const record = ROW_DECODERS.get(name)?.(row);
    if (row.hasInvalidText) this.#diagnostics.add("invalid-utf8", this.#line);
    if (record === undefined) {
      this.#onOtherRow?.(name, row);
      this.#diagnostics.add("malformed-row", this.#line, name);
      return;
    }
    // V8 closes every quote, except in rows that it cuts.
    const { rowLimit } = this.#dialect;
    const isCut = rowLimit > 0 && name.length + 1 + end - fields >= rowLimit;
    if (row.hasOpenQuote && !isCut) this.#diagnostics.add("open-quote", this.#line);
    if (record.type === "v8-version") this.#setDialect(dialectOf(record));
    // Another run may begin here: its first tick must share nothing with the last one of the run before.
    if (record.type === "profiler" || record.type === "v8-version") this.#tickRows?.forget();
    if (record.type === "shared-library" || record.type === "v8-platform") this.#tickRows?.forget();
    this.#sink.takeRecord(record, this.#line);
  }

  #continueRow(bytes: Buffer, start: number, end: number): void {
    const state = this.#openRow.add(bytes, start, end, this.#timestamp);
    if (state === "torn") {
      this.#takeTornRow();
    } else if (state === "ended") {
      const row = joinLines(this.#openRow.close());
      this.#decodeRow("code-creation", row, CODE_CREATION.length, row.length);
    }
  }

  /** Reports the open row as torn and parses its further lines as rows of their own. */
  #takeTornRow(): void {
    const lines = this.#openRow.close();
    this.#line -= lines.length - 1;
    this.#diagnostics.add("malformed-row", this.#line, "code-creation");
    // One of them can open a row that is torn in turn; each time there is one line less.
    this.#again.unshift(...lines.slice(1));
    if (this.#isTakingAgain) return;
    this.#isTakingAgain = true;
    for (let line = this.#again.shift(); line !== undefined; line = this.#again.shift())
      this.#takeLine(line, 0, line.length);
    this.#isTakingAgain = false;
  }

  #setDialect(dialect: Dialect): void {
    this.#dialect = dialect;
    this.#row.hasQuotes = dialect.hasQuotes;
    this.#row.isUnversioned = dialect.isUnversioned;
    this.#tickRows?.useDialect(dialect);
    this.#isDialectKnown = true;
  }
}

/** What src/kernels/assembly/tick-rows.ts exports. */
interface TickRowsKernel extends Kernel {
  readonly input: KernelNumber;
  readonly inputBytes: KernelNumber;
  readonly fields: KernelNumber;
  readonly states: KernelNumber;
  readonly filled: KernelNumber;
  readonly rows: KernelNumber;
  readonly wasFull: KernelNumber;
  readonly timestamp: KernelNumber;
  setRowLimit(bytes: number): void;
  forget(): void;
  read(from: number, to: number): number;
}

/** Reads ordinary tick rows, which nearly all are, and leaves the others to the parser. */
export class TickRows {
  readonly #kernel: TickRowsKernel;
  readonly #numbers: Float64Array;
  /** The kernel's input memory. The bytes stay there until others are put in. */
  readonly #input: Buffer;
  readonly #start: number;

  /** Returns undefined if there are no kernels. */
  static open(dialect: Dialect): TickRows | undefined {
    const kernel = loadKernel<TickRowsKernel>("tick-rows");
    return kernel && new TickRows(kernel, dialect);
  }

  private constructor(kernel: TickRowsKernel, dialect: Dialect) {
    const { buffer } = kernel.memory;
    this.#kernel = kernel;
    this.#numbers = new Float64Array(buffer);
    this.#start = kernel.input.value;
    this.#input = Buffer.from(buffer, this.#start, kernel.inputBytes.value);
    this.useDialect(dialect);
  }

  /** Number of rows that the last {@link read} took. */
  get rows(): number {
    return this.#kernel.rows.value;
  }

  /** Time of the last tick. */
  get timestamp(): number {
    return this.#kernel.timestamp.value;
  }

  /** Uses this dialect from here on. */
  useDialect(dialect: Dialect): void {
    const states = new Uint8Array(this.#kernel.memory.buffer, this.#kernel.states.value, STATE_NUMBERS);
    for (let number = 0; number < STATE_NUMBERS; number++) {
      const state = translateState(dialect, number);
      states[number] = state === UNKNOWN_STATE ? NO_STATE : state;
    }
    this.#kernel.setRowLimit(dialect.rowLimit);
  }

  /** Whether bytes are in the kernel's input memory. */
  holds(bytes: Buffer): boolean {
    return bytes.buffer === this.#input.buffer;
  }

  /**
   * Copies bytes of the log into the input memory, part by part, and calls `take` with each copy, which is valid
   * until the next one. A part begins with the open row of `lines`, since only whole rows can be read.
   */
  putAll(bytes: Uint8Array, lines: Pick<LineSplitter, "takeRest">, take: (part: Buffer) => void): void {
    for (let from = 0; from < bytes.length; ) {
      // A few bytes are not worth copying an open row again and again.
      const isWorthIt = bytes.length - from >= OPEN_ROW_BYTES;
      const openRow = isWorthIt ? lines.takeRest(OPEN_ROW_BYTES) : undefined;
      const part = bytes.subarray(from, from + this.#input.length - (openRow?.length ?? 0));
      take(this.put(part, openRow));
      from += part.length;
    }
  }

  /**
   * Copies bytes of the log into the input memory, after those of an open row, and returns the copy, which is
   * valid until the next call.
   */
  put(bytes: Uint8Array, openRow?: Uint8Array): Buffer {
    const start = openRow?.length ?? 0;
    this.forget();
    if (openRow !== undefined) this.#input.set(openRow);
    this.#input.set(bytes, start);
    return this.#input.subarray(0, start + bytes.length);
  }

  /** Makes the next tick share nothing with the one before. */
  forget(): void {
    this.#kernel.forget();
  }

  /**
   * Reads ordinary tick rows between two offsets of the bytes put in last, as long as there is room for
   * ticks. Returns the offset where it stopped. {@link take} the ticks before the next call.
   */
  read(from: number, to: number): number {
    return this.#kernel.read(this.#start + from, this.#start + to) - this.#start;
  }

  /** Whether the last {@link read} stopped because there was no more room. */
  get wasFull(): boolean {
    return this.#kernel.wasFull.value !== 0;
  }

  /** Returns the ticks that were read, valid until the next {@link read}. */
  take(): TickFields {
    const { fields, filled } = this.#kernel;
    const start = fields.value / Float64Array.BYTES_PER_ELEMENT;
    const length = filled.value / Float64Array.BYTES_PER_ELEMENT;
    filled.value = 0;
    return this.#numbers.subarray(start, start + length);
  }
}
