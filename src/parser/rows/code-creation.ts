import { LAST_CODE_ADDRESS, LAST_POSITION } from "../../limits.js";
import type { Address, Micros } from "../../profile/units.js";
import { COMMA, LOWER_O, LOWER_X, QUOTE, ZERO } from "../bytes.js";
import type { Row } from "../fields.js";
import { HEX_DIGIT, unescapeText } from "../fields.js";

/** New code at an address. */
export interface CodeCreationRecord {
  readonly type: "code-creation";
  /** The word of the log: `Builtin`, `JS`, `LazyCompile`, `RegExp`, … */
  readonly codeType: string;
  /** 0 in layouts that have none. */
  readonly timestamp: Micros;
  readonly address: Address;
  /** In bytes. */
  readonly size: number;
  /** Unescaped; may hold any character. */
  readonly name: string;
  /** What tells a function's code from other code; undefined for the latter. */
  readonly function: FunctionFields | undefined;
}

export interface FunctionFields {
  /** The address of the SharedFunctionInfo, which is the function's identity while it does not move. */
  readonly sfi: Address;
  /** The mark of the log: ``, `~`, `^`, `+`, `*`, also `o*`, `*'` and the like. */
  readonly mark: string;
}

const FUNCTION_TYPES = new Set(["JS", "Function", "LazyCompile", "Script", "Eval"]);
const FUNCTION_HEAD = /^(\w+),\d+,(?:\d+,)?0x[0-9a-fA-F]+,\d+,("?)/;
/** No tier has a longer mark than `o*'`; one character more is left for tiers to come. */
const MARK_LIMIT = 4;
/** Digits of an address of 64 bits. */
const ADDRESS_DIGITS = 16;
/** Numbers of fewer digits are below {@link LAST_POSITION}. */
const LONG_DIGITS = 10;
const POSITION = /^:(\d+):(\d+)$/;

/**
 * Decodes all layouts of the row:
 *
 *     type,address,size,name[,sfi,tier]             V8 to 3.14
 *     type,kind,address,size,name[,sfi,tier]        to Node 6
 *     type,kind,µs,address,size,name[,sfi,tier]     Node 8 and later
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::CodeCreateEvent`.
 */
export function decodeCodeCreation(row: Row): CodeCreationRecord | undefined {
  const codeType = row.rawText();
  if (!row.isAddress()) row.skip();
  // A time can have 16 digits too.
  const timestamp = row.isAddress() && !row.isBeforeMarked() ? 0 : row.natural();
  if (!row.isAddress()) return undefined;
  const address = row.codeAddress();
  const size = row.natural();
  if (Number.isNaN(timestamp) || !(address + size <= LAST_CODE_ADDRESS) || !row.hasMore()) return undefined;
  const code = { type: "code-creation", codeType, timestamp, address, size } as const;
  if (row.isQuoted() || !FUNCTION_TYPES.has(codeType)) {
    const name = row.text();
    const fields = functionFields(codeType, row);
    return fields !== undefined && !hasPossiblePosition(name)
      ? undefined
      : { ...code, name, function: fields };
  }
  const tail = functionTail(row.bytes, row.at, row.end);
  if (tail < 0) return { ...code, name: unescapeText(row.rest()), function: undefined };
  const name = unescapeText(row.textUntil(tail));
  if (!hasPossiblePosition(name)) return undefined;
  return { ...code, name, function: { sfi: row.hex(), mark: row.rawText() } };
}

/**
 * Whether `bytes[start..end)`, a row without its name, begins as rows of functions do, up to where their names begin.
 */
export function opensFunction(bytes: Buffer, start: number, end: number, hasQuotes: boolean): boolean {
  const match = FUNCTION_HEAD.exec(bytes.toString("latin1", start, Math.min(end, start + 120)));
  return match !== null && FUNCTION_TYPES.has(match[1]!) && (!hasQuotes || match[2] === '"');
}

/** Whether `bytes[start..end)` ends as rows of functions do: a newline in a name hides that. */
export function endsFunction(bytes: Buffer, start: number, end: number, hasQuotes: boolean): boolean {
  const tail = functionTail(bytes, start, end);
  return tail >= 0 && (!hasQuotes || bytes[tail - 1] === QUOTE);
}

/**
 * Where the two fields begin that every row of a function ends in, the comma before them counted in: the address of its
 * SharedFunctionInfo, and a mark of up to four characters that is no word but for the `o` of code entered in a loop.
 * -1 where `bytes[start..end)` does not end so.
 */
function functionTail(bytes: Buffer, start: number, end: number): number {
  let at = end - 1;
  while (at >= start && bytes[at] !== COMMA) {
    if (end - at > MARK_LIMIT || isWordCharacter(bytes[at]!)) return -1;
    at--;
  }
  const digitsEnd = at;
  at--;
  while (at >= start && HEX_DIGIT[bytes[at]!] !== 255 && digitsEnd - at <= ADDRESS_DIGITS) at--;
  const hasDigits = digitsEnd - at > 1;
  const isHex = at - 2 >= start && bytes[at] === LOWER_X && bytes[at - 1] === ZERO && bytes[at - 2] === COMMA;
  return hasDigits && isHex ? at - 2 : -1;
}

function isWordCharacter(byte: number): boolean {
  const letter = byte | 32;
  return isDigit(byte) || (letter >= 97 && letter <= 122 && byte !== LOWER_O);
}

/** Whether the `:line:column` that a name may end in are numbers that a script can have. */
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
  if (codeType === "RegExp" || !row.hasMore()) return undefined;
  const sfi = row.hex();
  return row.hasMore() && !Number.isNaN(sfi) ? { sfi, mark: row.rawText() } : undefined;
}
