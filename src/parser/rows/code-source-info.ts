import { CODE_POSITIONS, LAST_CODE_ADDRESS, LAST_POSITION } from "../../limits.js";
import type { Address } from "../../profile/units.js";
import { ZERO } from "../bytes.js";
import type { Row } from "../fields.js";

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
  const positions = positionsOf(row, POSITION);
  const inlinings = positionsOf(row, INLINED_CALL);
  const functions = addresses(row.rawText());
  if (positions === undefined || inlinings === undefined || functions === undefined) return undefined;
  return { type: "code-source-info", address, script, start, end, positions, inlinings, functions };
}

/** First byte of each position (`C`) and of each inlined call (`F`). */
const POSITION = 67;
const INLINED_CALL = 70;
/** Characters in the shortest entry, `FO0`. */
const ENTRY_LENGTH = 3;
/** Numbers of fewer digits are below {@link LAST_POSITION}. */
const LONG_DIGITS = 10;

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

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 57;
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
