import { ROW_BYTES } from "../limits.js";
import type { Address, Micros } from "../profile/units.js";
import { type Dialect, NEWEST_DIALECT } from "./dialect.js";
import { endsFunction, opensFunction } from "./rows/code.js";

const NEWLINE = Buffer.from("\n");
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
export class OpenRow {
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
  return Buffer.concat(lines.flatMap((line, i) => (i === 0 ? [line] : [NEWLINE, line])));
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
