import { LAST_CODE_ADDRESS, LAST_POSITION } from "../../limits.js";
import type { Address, Micros } from "../../profile/units.js";
import { COMMA, LOWER_O, LOWER_X, QUOTE, ZERO } from "../bytes.js";
import type { Dialect } from "../dialect.js";
import { HEX_DIGIT, unescapeText } from "../escapes.js";
import { isNullPointer, type Row } from "../fields.js";

/** New code at an address. */
export interface CodeCreationRecord {
  readonly type: "code-creation";
  /** V8's word for the kind of code: `Builtin`, `JS`, `LazyCompile`, `RegExp`, … */
  readonly codeType: string;
  /** 0 in layouts without a time. */
  readonly timestamp: Micros;
  readonly address: Address;
  /** In bytes. */
  readonly size: number;
  /** Unescaped; may hold any character. */
  readonly name: string;
  /** Only for the code of functions. */
  readonly function: FunctionFields | undefined;
}

export interface FunctionFields {
  /**
   * Address of the SharedFunctionInfo, which identifies the function until it moves; undefined in V8 1 and 2,
   * whose rows end at the name.
   */
  readonly sfi: Address | undefined;
  /** V8's mark of the tier: ``, `~`, `^`, `+`, `*`, also `o*`, `*'` and the like. */
  readonly mark: string;
  /** Set if the name has no column, as up to V8 3.20. */
  readonly lacksColumn?: true | undefined;
}

const FUNCTION_TYPES = new Set(["JS", "Function", "LazyCompile", "Script", "Eval"]);
const FUNCTION_HEAD = /^(\w+),\d+,(?:\d+,)?0x[0-9a-fA-F]+,\d+,("?)/;
const OLD_FUNCTION_HEAD = /^(\w+),(?:\d+,){0,2}0x[0-9a-fA-F]+,\d+,("?)/;
/** The columns between the type and the name: kind, µs, address, size. */
const MOST_COLUMNS = 4;
/** The longest mark of a tier is `o*'`. One more character is left for future tiers. */
const MARK_LIMIT = 4;
/** Hexadecimal digits of a 64-bit address. */
const ADDRESS_DIGITS = 16;
/** Numbers of fewer digits are below {@link LAST_POSITION}. */
const LONG_DIGITS = 10;
/** `)`, the end of a null pointer in words. */
const CLOSING = 41;
const POSITION = /:(\d+):(\d+)$/;

/**
 * Decodes all layouts of the row:
 *
 *     type,address,size,name[,sfi,tier]             V8 up to 3.14
 *     type,kind,address,size,name[,sfi,tier]        up to Node 6
 *     type,kind,µs,address,size,name[,sfi,tier]     Node 8 and later
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::CodeCreateEvent`.
 */
export function decodeCodeCreation(row: Row): CodeCreationRecord | undefined {
  const codeType = row.rawText();
  const timestamp = readTime(row);
  const address = row.codeAddress();
  const size = row.natural();
  if (Number.isNaN(timestamp) || !(address + size <= LAST_CODE_ADDRESS) || !row.hasMore()) return undefined;
  const code = { type: "code-creation", codeType, timestamp, address, size } as const;
  if (row.isQuoted() || !FUNCTION_TYPES.has(codeType)) {
    const name = row.text();
    const fields = functionFields(codeType, row);
    if (fields === undefined) return { ...code, name, function: undefined };
    if (!hasPossiblePosition(name)) return undefined;
    return { ...code, name, function: withColumns(fields, name, row) };
  }
  const tail = functionTail(row.bytes, row.at, row.end, row.hasQuotes);
  if (tail < 0) return { ...code, name: unescapeText(row.rest()), function: undefined };
  const name = unescapeText(row.textUntil(tail));
  if (!hasPossiblePosition(name)) return undefined;
  const fields = { sfi: row.hex(), mark: row.rawText() };
  return { ...code, name, function: withColumns(fields, name, row) };
}

/** Returns the fields of a function with whether its name has a column, which later versions always write. */
function withColumns(fields: FunctionFields, name: string, { isUnversioned }: Row): FunctionFields {
  return isUnversioned && !POSITION.test(name) ? { ...fields, lacksColumn: true } : fields;
}

/**
 * Moves to the address and returns the time before it; 0 if the layout has none. A quoted name tells the
 * layout by its column.
 */
function readTime(row: Row): Micros {
  const columns = row.fieldsBeforeQuote(MOST_COLUMNS);
  if (columns > 2) row.skip();
  if (columns > 3) return row.natural();
  if (columns >= 0) return 0;
  if (!row.isAddress()) row.skip();
  // A time can have 16 digits too.
  const timestamp = row.isAddress() && !row.isBeforeMarked() ? 0 : row.natural();
  return row.isAddress() ? timestamp : Number.NaN;
}

/**
 * Returns whether `bytes[start..end)`, a row without its row name, begins like the row of a function, up to
 * the function's name.
 */
export function opensFunction(
  bytes: Buffer,
  start: number,
  end: number,
  { hasQuotes, isUnversioned }: Dialect,
): boolean {
  const pattern = isUnversioned ? OLD_FUNCTION_HEAD : FUNCTION_HEAD;
  const match = pattern.exec(bytes.toString("latin1", start, Math.min(end, start + 120)));
  return match !== null && FUNCTION_TYPES.has(match[1]!) && (!hasQuotes || match[2] === '"');
}

/**
 * Returns whether `bytes[start..end)` ends like the row of a function. It does not if a newline in the name
 * cuts it.
 */
export function endsFunction(
  bytes: Buffer,
  start: number,
  end: number,
  { hasQuotes, isUnversioned }: Dialect,
): boolean {
  // V8 1 and 2 write nothing after the name. A quote after a comma is the one that opens the name.
  if (isUnversioned && bytes[end - 1] === QUOTE && bytes[end - 2] !== COMMA) return true;
  const tail = functionTail(bytes, start, end, hasQuotes);
  return tail >= 0 && (!hasQuotes || bytes[tail - 1] === QUOTE);
}

/**
 * Returns the offset of the comma before the last two fields of a function row: the address of its
 * SharedFunctionInfo, and a mark of up to four characters, which are not letters or digits except for the `o`
 * of code entered in a loop. Returns -1 if `bytes[start..end)` does not end like that. The address may be a
 * null pointer in words if `hasNulls`.
 */
function functionTail(bytes: Buffer, start: number, end: number, hasNulls: boolean): number {
  let at = end - 1;
  while (at >= start && bytes[at] !== COMMA) {
    if (end - at > MARK_LIMIT || isWordCharacter(bytes[at]!)) return -1;
    at--;
  }
  const digitsEnd = at;
  if (hasNulls && bytes[digitsEnd - 1] === CLOSING) return nullTail(bytes, start, digitsEnd);
  at--;
  while (at >= start && HEX_DIGIT[bytes[at]!] !== 255 && digitsEnd - at <= ADDRESS_DIGITS) at--;
  const hasDigits = digitsEnd - at > 1;
  const isHex = at - 2 >= start && bytes[at] === LOWER_X && bytes[at - 1] === ZERO && bytes[at - 2] === COMMA;
  return hasDigits && isHex ? at - 2 : -1;
}

/** Returns the offset of the comma before a field that ends at `end` and is a null pointer in words; else -1. */
function nullTail(bytes: Buffer, start: number, end: number): number {
  const comma = bytes.lastIndexOf(COMMA, end - 1);
  return comma >= start && isNullPointer(bytes, comma + 1, end) ? comma : -1;
}

function isWordCharacter(byte: number): boolean {
  const letter = byte | 32;
  return isDigit(byte) || (letter >= 97 && letter <= 122 && byte !== LOWER_O);
}

/** Returns whether the `:line:column` at the end of a name, if any, is possible in a script. */
function hasPossiblePosition(name: string): boolean {
  const column = name.lastIndexOf(":");
  const line = column <= 0 ? -1 : name.lastIndexOf(":", column - 1);
  if (line < 0 || (column - line <= LONG_DIGITS && name.length - column <= LONG_DIGITS)) return true;
  const [, lineNumber, columnNumber] = POSITION.exec(name.slice(line)) ?? [];
  return !(Number(lineNumber) > LAST_POSITION || Number(columnNumber) > LAST_POSITION);
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 57;
}

function functionFields(codeType: string, row: Row): FunctionFields | undefined {
  if (codeType === "RegExp") return undefined;
  if (!row.hasMore()) {
    const isFunction = row.isUnversioned && FUNCTION_TYPES.has(codeType);
    return isFunction ? { sfi: undefined, mark: "" } : undefined;
  }
  const sfi = row.hex();
  return row.hasMore() && !Number.isNaN(sfi) ? { sfi, mark: row.rawText() } : undefined;
}
