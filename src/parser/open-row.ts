import { ROW_BYTES } from "../limits.js";
import type { Address, Micros } from "../profile/units.js";
import { endsFunction, opensFunction } from "./rows/code-creation.js";

const NEWLINE = Buffer.from("\n");
/** A name with more newlines than this is taken for a torn row. */
const LINE_LIMIT = 50;
/** Rows of several threads can be out of order by this much. */
const TIME_BACK: Micros = 5_000;
/** A program can be silent for this long. */
const TIME_AHEAD: Micros = 60_000_000;
/** No system maps anything below this address, so that a null pointer faults. */
const FIRST_MAPPED: Address = 0x10000;
// tick,0x7f20…,15592,0,        code-creation,JS,10,15592,0x7f20…,        code-creation,Stub,2,0x7f20…,84,"
//      vvvvvvv vvvvv                               vvvvv vvvvvvv                              vvvvvvv
const TICK = /^tick,(0x[0-9a-f]+),(\d+),[01],/;
const CODE = /^code-creation,\w+,\d+,(\d+),(0x[0-9a-f]+),/;
const OLD_CODE = /^code-creation,\w+,\d+,(0x[0-9a-f]+),\d+,"/;

/**
 * The row of a function whose name holds newlines, while its lines come in. V8 to Node 8 and from Node 16 on writes names
 * as they are, so a line of a name can look like anything, even like another row. Two things tell that the row was
 * torn instead, and the lines after it are rows of their own: one of them is a row whose time and address fit, or there are
 * too many of them.
 */
export class OpenRow {
  #lines: Buffer[] = [];
  #length = 0;
  #hasQuotes = false;
  /** Where V8 cuts rows; 0 when it does not. */
  #limit = 0;
  /** The times that a row after this one can be near: that of this row, and of the last line that looked like a row. */
  #times: Micros[] = [];

  get isOpen(): boolean {
    return this.#lines.length > 0;
  }

  /**
   * Whether the row in `bytes[start..end)` goes on in the next line; if so it is kept. Its fields begin at `fields`;
   * `limit` is where V8 cuts rows, 0 when it does not.
   */
  open(
    bytes: Buffer,
    start: number,
    fields: number,
    end: number,
    hasQuotes: boolean,
    limit: number,
  ): boolean {
    if (endsFunction(bytes, start, end, hasQuotes) || !opensFunction(bytes, fields, end, hasQuotes))
      return false;
    if (limit > 0 && end - start >= limit) return false;
    this.#lines = [Buffer.from(bytes.subarray(start, end))];
    this.#length = end - start;
    this.#hasQuotes = hasQuotes;
    this.#limit = limit;
    const time = timedRow(bytes, start, end)?.time;
    this.#times = time === undefined ? [] : [time];
    return true;
  }

  /** Whether a line would end the row. */
  isEndedBy(bytes: Buffer, start: number, end: number): boolean {
    const isCut = this.#limit > 0 && this.#length + 1 + end - start >= this.#limit;
    return isCut || endsFunction(bytes, start, end, this.#hasQuotes);
  }

  /** Takes the next line; `now` is the time of the last tick. Torn rows keep their lines for {@link close}. */
  add(bytes: Buffer, start: number, end: number, now: Micros): "open" | "ended" | "torn" {
    this.#lines.push(Buffer.from(bytes.subarray(start, end)));
    const isEnded = this.isEndedBy(bytes, start, end);
    this.#length += 1 + end - start;
    const isTooLong = this.#lines.length > LINE_LIMIT || this.#length > ROW_BYTES;
    if (isTooLong || this.#isRow(bytes, start, end, now)) return "torn";
    return isEnded ? "ended" : "open";
  }

  /** The lines that came, and an empty place for the next row. */
  close(): Buffer[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /** Whether a line is a row whose time and address can be true. */
  #isRow(bytes: Buffer, start: number, end: number, now: Micros): boolean {
    const row = timedRow(bytes, start, end);
    if (row === undefined) return this.#hasQuotes && isOldCode(bytes, start, end);
    if (!isMapped(row.address) && row.address !== 0) return false;
    const { time } = row;
    const isNear = (other: Micros) => time >= other - TIME_BACK && time <= other + TIME_AHEAD;
    if (isNear(now) || this.#times.some(isNear)) return true;
    // After a long silence, the second one tells.
    if (isMapped(row.address)) this.#times[1] = time;
    return false;
  }
}

/** The lines of a row with their newlines back. */
export function joinLines(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line, i) => (i === 0 ? [line] : [NEWLINE, line])));
}

/** The address and the time of a line that begins as rows with both do. */
function timedRow(
  bytes: Buffer,
  start: number,
  end: number,
): { readonly address: Address; readonly time: Micros } | undefined {
  const line = headOf(bytes, start, end);
  const [, address, time] = TICK.exec(line) ?? [];
  const [, codeTime, codeAddress] = CODE.exec(line) ?? [];
  if (address === undefined && codeAddress === undefined) return undefined;
  return { address: Number(address ?? codeAddress), time: Number(time ?? codeTime) };
}

/** Whether a line begins as rows of code do to Node 6, which have no time. */
function isOldCode(bytes: Buffer, start: number, end: number): boolean {
  const match = OLD_CODE.exec(headOf(bytes, start, end));
  return match !== null && isMapped(Number(match[1]));
}

function headOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString("latin1", start, Math.min(end, start + 80));
}

function isMapped(address: Address): boolean {
  return address >= FIRST_MAPPED;
}
