import { LAST_POSITION } from "../../base/limits.js";
import type { Address, Micros } from "../../base/units.js";
import { COMMA, type Row, unescapeText } from "../fields.js";

/**
 * The rows of inline caches of properties and elements, by their names.
 *
 * Source: V8, src/ic/ic.cc, `IC::TraceIC`.
 */
export const IC_ROWS = [
  "LoadIC",
  "StoreIC",
  "KeyedLoadIC",
  "KeyedStoreIC",
  "LoadGlobalIC",
  "StoreGlobalIC",
  "StoreOwnIC",
  "StoreInArrayLiteralIC",
  "DefineKeyedOwnIC",
  "DefineNamedOwnIC",
  "CloneObjectIC",
] as const;

/** What an inline cache is for, in V8's words. */
export type IcKind = (typeof IC_ROWS)[number];

/** An inline cache missed: it learned a map, or has no way to learn more. */
export interface IcRecord {
  readonly type: "ic";
  readonly kind: IcKind;
  /** An address in the code that has the cache: in bytecode, that of the bytecode; else a return address. */
  readonly pc: Address;
  /** Undefined up to Node 14. */
  readonly timestamp: Micros | undefined;
  /** From 1; negative if unknown. */
  readonly line: number;
  /** From 1; negative if unknown. */
  readonly column: number;
  /** The mark of the state before: `0`, `1`, `P`, `N` and so on. */
  readonly from: string;
  /** The mark of the state after. */
  readonly to: string;
  /** The address of the object's map; 0 if the row has none. */
  readonly map: Address;
  /** The name or the index of the property; the beginning of a long one. */
  readonly key: string;
  /** How elements are accessed, in V8's words: `.IGNORE_OOB`; empty if as usual. */
  readonly modifier: string;
  /** Why V8 took the slow way, in its words; empty if it did not. */
  readonly reason: string;
}

/** The bytes of a text that are read; the others are of no use to anyone. */
const TEXT_BYTES = 256;
/** The mark of a state: one character. */
const MARK = /^[!-~]$/;
const NUMBER = /^-?\d{1,10}$/;
/** The first byte of a UTF-8 character is not one of these. */
const INSIDE_CHARACTER = 0x80;
const INSIDE_MASK = 0xc0;

/**
 * Returns the decoder of a kind's rows: `pc,line,column,from,to,map,key,modifier,reason`, from Node 16 on with the
 * time after the first field. Only a key can have commas.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::ICEvent`.
 */
export function icDecoder(kind: IcKind): (row: Row) => IcRecord | undefined {
  return (row) => {
    const pc = row.codeAddress();
    const first = row.integer();
    const second = row.integer();
    const third = shortText(row, row.fieldEnd());
    const fourth = shortText(row, row.fieldEnd());
    const isTimed = !row.isAddress();
    const fifth = isTimed ? shortText(row, row.fieldEnd()) : "";
    const timestamp = isTimed ? first : undefined;
    const line = isTimed ? second : first;
    const column = isTimed ? numberOf(third) : second;
    const from = isTimed ? fourth : third;
    const to = isTimed ? fifth : fourth;
    const map = row.hex();
    if (Number.isNaN(pc + line + column + map) || (timestamp !== undefined && !(timestamp >= 0)))
      return undefined;
    if (Math.abs(line) > LAST_POSITION || Math.abs(column) > LAST_POSITION) return undefined;
    if (!MARK.test(from) || !MARK.test(to)) return undefined;
    const modifierAt = commaBefore(row, commaBefore(row, row.end));
    if (modifierAt < row.at) return undefined;
    const key = unescapeText(shortText(row, modifierAt));
    const modifier = shortText(row, row.fieldEnd());
    const reason = shortText(row, row.end);
    return { type: "ic", kind, pc, timestamp, line, column, from, to, map, key, modifier, reason };
  };
}

function numberOf(text: string): number {
  return NUMBER.test(text) ? Number(text) : Number.NaN;
}

/** Returns the offset of the last comma before an offset; less than that of the next field if there is none. */
function commaBefore({ bytes, at }: Row, end: number): number {
  return end <= at ? -1 : bytes.lastIndexOf(COMMA, end - 1);
}

/** Reads the beginning of the text up to an offset, and moves past it. */
function shortText(row: Row, end: number): string {
  let cut = Math.min(end, row.at + TEXT_BYTES);
  if (cut < end) while (cut > row.at && (row.bytes[cut]! & INSIDE_MASK) === INSIDE_CHARACTER) cut--;
  const text = row.textUntil(cut);
  row.at = end + 1;
  return text;
}
