import { CODE_POSITIONS, LAST_CODE_ADDRESS, LAST_POSITION } from "../../base/limits.js";
import type { Address, Micros } from "../../base/units.js";
import type { Dialect } from "../dialect.js";
import {
  COMMA,
  HEX_DIGIT,
  isNullPointer,
  LOWER_O,
  LOWER_X,
  QUOTE,
  type Row,
  unescapeText,
  ZERO,
} from "../fields.js";

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

interface FunctionFields {
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

/** Code, or a SharedFunctionInfo, moved to another address. */
interface MoveRecord<Type extends string> {
  readonly type: Type;
  readonly from: Address;
  readonly to: Address;
}

/** `from,to`. Source: V8, src/logging/log.cc, `V8FileLogger::CodeMoveEvent`. */
export function decodeCodeMove(row: Row): MoveRecord<"code-move"> | undefined {
  return decodeMove("code-move", row);
}

/** `from,to`. Source: V8, src/logging/log.cc, `V8FileLogger::SharedFunctionInfoMoveEvent`. */
export function decodeSfiMove(row: Row): MoveRecord<"sfi-move"> | undefined {
  return decodeMove("sfi-move", row);
}

function decodeMove<Type extends string>(type: Type, row: Row): MoveRecord<Type> | undefined {
  const from = row.codeAddress();
  const to = row.codeAddress();
  return Number.isNaN(from + to) ? undefined : { type, from, to };
}

/** Code was deleted. Written only by V8 3.x. */
interface CodeDeleteRecord {
  readonly type: "code-delete";
  readonly address: Address;
}

export function decodeCodeDelete(row: Row): CodeDeleteRecord | undefined {
  const address = row.codeAddress();
  return Number.isNaN(address) ? undefined : { type: "code-delete", address };
}

/** Optimized code was discarded, or left for a slower tier. */
export interface CodeDeoptRecord {
  readonly type: "code-deopt";
  readonly timestamp: Micros;
  /** Size of the code in bytes. */
  readonly size: number;
  /** Which code, where and why; undefined in V8 3.2x, whose rows end at the size. */
  readonly details: DeoptDetails | undefined;
}

interface DeoptDetails {
  /** Where the code starts. */
  readonly address: Address;
  /** The inlined call in which it happened, counted from 0; -1 for the function itself. */
  readonly inliningId: number;
  /** In UTF-16 units from the start of the script. */
  readonly scriptOffset: number;
  /** `eager`, `soft` or `lazy` up to Node 14, `deopt-eager` and the like later. */
  readonly kind: string;
  /** `<script:line:column>`, followed by ` inlined at <…>` for each caller it was inlined into. */
  readonly position: string;
  readonly reason: string;
}

/** The three texts as Node 8 writes them, without escapes. Kinds and reasons contain no quotes. */
const QUOTED_TEXTS = /^"([^"]*)","(.*)","([^"]*)"$/s;
/** The three texts as later versions write them. Only a position can contain commas. */
const PLAIN_TEXTS = /^([^,]*),(.*),([^,]*)$/s;
/** The line and column at the end of each `<…>` of a position. */
const POSITION_END = /:(\d+):(\d+)>/g;

/**
 * `µs,size,address,inlining,offset,kind,position,reason`, or `µs,size` alone in V8 3.2x.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::ProcessDeoptEvent`.
 */
export function decodeCodeDeopt(row: Row): CodeDeoptRecord | undefined {
  const timestamp = row.natural();
  const size = row.natural();
  if (Number.isNaN(timestamp + size)) return undefined;
  if (!row.hasMore()) return { type: "code-deopt", timestamp, size, details: undefined };
  const address = row.codeAddress();
  const inliningId = row.position();
  const scriptOffset = row.position();
  if (Number.isNaN(address + inliningId + scriptOffset)) return undefined;
  const texts = row.isQuoted() ? QUOTED_TEXTS.exec(row.rest()) : unescaped(PLAIN_TEXTS.exec(row.rest()));
  if (texts === null) return undefined;
  const [kind, position, reason] = [texts[1]!, texts[2]!, texts[3]!];
  if (!hasPossiblePositions(position)) return undefined;
  return {
    type: "code-deopt",
    timestamp,
    size,
    details: { address, inliningId, scriptOffset, kind, position, reason },
  };
}

/** Returns whether the lines and columns in a position are possible in a script. */
function hasPossiblePositions(position: string): boolean {
  for (const [, line, column] of position.matchAll(POSITION_END)) {
    if (Number(line) > LAST_POSITION || Number(column) > LAST_POSITION) return false;
  }
  return true;
}

function unescaped(texts: readonly string[] | null): readonly string[] | null {
  return texts === null ? null : texts.map(unescapeText);
}

/** The source positions of the code at an address. Written by Node 16 and later. */
export interface CodeSourceInfoRecord {
  readonly type: "code-source-info";
  /** Where the code starts. */
  readonly address: Address;
  /** The id of a script-source row, which may come before or after this one. */
  readonly script: number;
  /** Offset of the function in its script, in UTF-16 units. */
  readonly start: number;
  /** Offset of the first unit past the function. */
  readonly end: number;
  /**
   * A sequence of `C<code offset>O<source offset>`, followed by `I<inlining>` inside an inlined call. Empty
   * for Sparkplug code, whose offsets V8 does not log.
   */
  readonly positions: string;
  /**
   * The inlined calls: `F<index into functions>O<source offset>`, followed by `I<inlining>` inside another
   * one.
   */
  readonly inlinings: string;
  /** The inlined functions, by address of their SharedFunctionInfo. */
  readonly functions: readonly Address[];
}

/**
 * `address,script,start,end,positions,inlinings,functions`.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::LogSourceCodeInformation`.
 */
export function decodeCodeSourceInfo(row: Row): CodeSourceInfoRecord | undefined {
  const address = row.codeAddress();
  const script = row.position();
  const start = row.position();
  const end = row.position();
  if (Number.isNaN(address + script + start + end) || !row.hasMore()) return undefined;
  const positions = positionsOf(row, POSITION_ENTRY);
  const inlinings = positionsOf(row, INLINED_ENTRY);
  const functions = addresses(row.rawText());
  if (positions === undefined || inlinings === undefined || functions === undefined) return undefined;
  return { type: "code-source-info", address, script, start, end, positions, inlinings, functions };
}

/** First byte of each position (`C`) and of each inlined call (`F`). */
const POSITION_ENTRY = 67;
const INLINED_ENTRY = 70;
/** Characters in the shortest entry, `FO0`. */
const ENTRY_LENGTH = 3;

/**
 * Reads the next field as written; undefined if a number in it is too high for a position, or if it has too
 * many entries.
 */
function positionsOf(row: Row, entry: number): string | undefined {
  const { bytes, at } = row;
  const text = row.rawText();
  const end = row.at - 1;
  // A number that is too long covers one of these offsets.
  for (let i = at + LONG_DIGITS - 1; i < end; i += LONG_DIGITS) {
    let from = i;
    while (from >= at && isDigit(bytes[from]!)) from--;
    if (from === i) continue;
    while (i < end && isDigit(bytes[i]!)) i++;
    if (i - from > LONG_DIGITS && Number(bytes.toString("latin1", from + 1, i)) > LAST_POSITION)
      return undefined;
  }
  if (text.length <= ENTRY_LENGTH * CODE_POSITIONS) return text;
  let entries = 0;
  for (let i = at; i < end; i++) if (bytes[i] === entry) entries++;
  return entries > CODE_POSITIONS ? undefined : text;
}

/**
 * Parses `S0x12ab…S0x34cd…`, which may be empty. Returns undefined if one is not an address or there are too
 * many.
 */
function addresses(text: string): Address[] | undefined {
  if (text === "") return [];
  const list = text.slice(1).split("S", CODE_POSITIONS + 1);
  if (list.length > CODE_POSITIONS) return undefined;
  const numbers = list.map((address) => (address.startsWith("0x") ? Number(address) : Number.NaN));
  return numbers.every((address) => address <= LAST_CODE_ADDRESS) ? numbers : undefined;
}
