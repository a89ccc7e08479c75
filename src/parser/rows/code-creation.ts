import type { Address, Micros } from "../../profile/units.js";
import type { Row } from "../fields.js";
import { unescapeText } from "../fields.js";

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
/** What every row of a function ends in: the address of its SharedFunctionInfo and a mark that is no word. */
const FUNCTION_TAIL = /,(0x[0-9a-fA-F]+),([^0-9a-np-zA-Z,]{0,4})$/;

const FUNCTION_HEAD = /^(\w+),\d+,(?:\d+,)?0x[0-9a-fA-F]+,\d+,("?)/;
const QUOTE = 34;

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
  const timestamp = row.isAddress() ? 0 : row.integer();
  if (!row.isAddress()) return undefined;
  const address = row.hex();
  const size = row.integer();
  if (Number.isNaN(timestamp + address + size) || !row.hasMore()) return undefined;
  const code = { type: "code-creation", codeType, timestamp, address, size } as const;
  if (row.isQuoted() || !FUNCTION_TYPES.has(codeType)) {
    const name = row.text();
    return { ...code, name, function: functionFields(codeType, row) };
  }
  const text = row.rest();
  const tail = FUNCTION_TAIL.exec(text);
  if (tail === null) return { ...code, name: unescapeText(text), function: undefined };
  const fields = { sfi: Number.parseInt(tail[1]!, 16), mark: tail[2]! };
  return { ...code, name: unescapeText(text.slice(0, tail.index)), function: fields };
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
  const match = FUNCTION_TAIL.exec(bytes.toString("latin1", Math.max(start, end - 32), end));
  return match !== null && (!hasQuotes || bytes[end - match[0].length - 1] === QUOTE);
}

function functionFields(codeType: string, row: Row): FunctionFields | undefined {
  if (codeType === "RegExp" || !row.hasMore()) return undefined;
  const sfi = row.hex();
  return row.hasMore() && !Number.isNaN(sfi) ? { sfi, mark: row.rawText() } : undefined;
}
