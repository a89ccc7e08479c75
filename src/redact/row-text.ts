import type { Dialect } from "../parser/dialect.js";
import type { CodeCreationRecord, CodeDeoptRecord, CodeSourceInfoRecord } from "../parser/rows/code.js";
import type {
  CompilationCacheRecord,
  FunctionEventRecord,
  ScriptDetailsRecord,
  ScriptEventRecord,
} from "../parser/rows/function-event.js";
import { IC_ROWS, type IcKind, type IcRecord } from "../parser/rows/ic.js";
import type { OptionalRow, ScriptSourceRecord } from "../parser/rows/row-decoders.js";
import type { TickRecord } from "../parser/rows/tick.js";
import type { Address } from "../profile/units.js";
import { UNKNOWN_STATE } from "../profile/vm-state.js";

/** A number of so many digits is more than a double can hold and is read as infinite. */
const INFINITE_DIGITS = 400;
/** Higher than any dialect's VM states. */
const NO_STATE = 99;

/** Formats a number for a row so that it is read back exactly. */
export function decimal(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  if (Number.isFinite(value)) return BigInt(value).toString();
  return (value < 0 ? "-" : "") + "9".repeat(INFINITE_DIGITS);
}

/** Formats an address without `0x`. */
export function hexDigits(value: Address): string {
  if (Number.isSafeInteger(value)) return value.toString(16);
  return Number.isFinite(value) ? BigInt(value).toString(16) : "f".repeat(INFINITE_DIGITS);
}

/** Formats an address for a row. */
export function hex(value: Address): string {
  return `0x${hexDigits(value)}`;
}

/**
 * Formats a text as in a dialect: in quotes without escapes, or else with the characters that would end it
 * escaped. Texts here are printable ASCII, except for the replacement character, without quotes.
 */
export function quoted(text: string, { hasQuotes }: Pick<Dialect, "hasQuotes">): string {
  if (hasQuotes) return `"${text}"`;
  return /[\\,]/.test(text) ? text.replaceAll("\\", "\\\\").replaceAll(",", "\\x2C") : text;
}

/** Returns the row of a step of V8's work on a function, without the function's name. */
export function functionEventRow(record: FunctionEventRecord, event: string): string {
  const { script, start, end, duration, timestamp } = record;
  const numbers = [decimal(script), decimal(start), decimal(end), String(duration), decimal(timestamp)];
  return `function,${event},${numbers.join()},`;
}

/** Returns the first fields of a row about a script: its id and its name, which V8 never quotes. */
export function scriptHead({ type, id }: ScriptDetailsRecord | ScriptSourceRecord, url: string): string {
  return `${type},${decimal(id)},${quoted(url, { hasQuotes: false })}`;
}

/** Returns the row of what happened to a script, or of a look-up in the cache of an isolate. */
export function scriptEventRow(record: ScriptEventRecord | CompilationCacheRecord, event: string): string {
  const time = decimal(record.timestamp);
  return record.type === "script"
    ? `script,${event},${decimal(record.id)},${time}`
    : `compilation-cache,${event},,,,,${time}`;
}

/** The flaws of a readable tick. */
export interface TickFlaws {
  readonly hasMalformedFrame: boolean;
  readonly isCut: boolean;
  /** It had more frames at its root than are kept. */
  readonly isTooDeep: boolean;
}

/** Returns the row of a tick, in the layout of Node 4 and later. */
export function tickRow(tick: TickRecord, dialect: Dialect, flaws: TickFlaws): string {
  const more = (flaws.isTooDeep ? ",0x0" : "") + (flaws.hasMalformedFrame ? ",?" : "");
  const row = tickFields(tick, dialect, "0x") + more;
  const { rowLimit } = dialect;
  // V8 cut it, so its last frame does not count: a dummy one is written there.
  if (flaws.isCut) return `${row},0`.padEnd(rowLimit, "0");
  // Rows from Windows have no 0x; with it they must not become so long that they look cut.
  return rowLimit > 0 && row.length >= rowLimit ? tickFields(tick, dialect, "") + more : row;
}

function tickFields(tick: TickRecord, { vmStates }: Dialect, mark: string): string {
  const { pc, timestamp, isExternal, tos, vmState, frames, depth } = tick;
  const state = vmState === UNKNOWN_STATE ? NO_STATE : vmStates.indexOf(vmState);
  let row = `tick,${mark}${hexDigits(pc)},${decimal(timestamp)},${isExternal ? 1 : 0},${mark}${hexDigits(tos)},${state}`;
  let relativeTo = isExternal ? tos : pc;
  for (let i = depth - 1; i >= 0; i--) {
    const frame = frames[i]!;
    if (frame >= 0) {
      row += `,${mark}${hexDigits(frame)}`;
    } else {
      row += `,-${hex(relativeTo - frame)}`;
      relativeTo = frame;
    }
  }
  return tick.hasOverflow ? `${row},overflow` : row;
}

const FUNCTION_TYPES: ReadonlySet<string> = new Set(["JS", "Function", "LazyCompile", "Script", "Eval"]);
/** Marks of tiers, with signs for how code was entered or specialised. */
const MARK = /^o?[~^+*-]?'?$/;
/** Stands for bytes that are not UTF-8. */
const REPLACEMENT = "\ufffd";

/** The redacted texts of a code-creation row. */
interface CodeTexts {
  readonly type: string;
  readonly name: string;
}

/** Returns a code-creation row. */
export function codeCreationRow(
  record: CodeCreationRecord,
  texts: CodeTexts & { readonly hasOpenQuote: boolean },
  dialect: Dialect,
): string {
  const { timestamp, address, size, function: made } = record;
  // A function's row with an unusual end was cut, as was one without its last quote. Without a number here, the
  // parser does not join it with the next line.
  const isCut = made === undefined && FUNCTION_TYPES.has(record.codeType);
  const kind = isCut || texts.hasOpenQuote ? "-" : "0";
  const head = `code-creation,${texts.type},${kind},${decimal(timestamp)},${hex(address)},${decimal(size)}`;
  const row = `${head},${quoted(texts.name, dialect)}`;
  // Without a version, a row that ends at the name is whole.
  if (made === undefined) return isCut && dialect.isUnversioned ? `${row},` : row;
  if (made.sfi === undefined) return row;
  const unknown = made.mark.includes(REPLACEMENT) ? REPLACEMENT : "?";
  return `${row},${hex(made.sfi)},${MARK.test(made.mark) ? made.mark : unknown}`;
}

const POSITIONS = /C\d+O-?\d+(?:I\d+)?/g;
const INLININGS = /F\d*O-?\d+(?:I\d+)?/g;

/**
 * Returns a code-source-info row. Everything in its texts other than positions is dropped, except a mark for
 * bytes that are not UTF-8.
 */
export function codeSourceInfoRow(record: CodeSourceInfoRecord, hasInvalidText: boolean): string {
  const { address, script, start, end, positions, inlinings, functions } = record;
  const only = (text: string, entries: RegExp) => text.match(entries)?.join("") ?? "";
  const called = functions.map((sfi) => (Number.isNaN(sfi) ? "S" : `S${hex(sfi)}`)).join("");
  const numbers = [hex(address), ...[script, start, end].map(decimal)].join();
  return `code-source-info,${numbers},${only(positions, POSITIONS)}${hasInvalidText ? REPLACEMENT : ""},${only(inlinings, INLININGS)},${called}`;
}

/** The redacted texts of a code-deopt row. */
interface DeoptTexts {
  readonly kind: string;
  readonly position: string;
  readonly reason: string;
}

/** Returns a code-deopt row. `texts` is undefined if the row has none. */
export function codeDeoptRow(
  { timestamp, size, details }: CodeDeoptRecord,
  texts: DeoptTexts | undefined,
  dialect: Dialect,
): string {
  const head = `code-deopt,${decimal(timestamp)},${decimal(size)}`;
  if (details === undefined || texts === undefined) return head;
  const { address, inliningId, scriptOffset } = details;
  const fields = [texts.kind, texts.position, texts.reason].map((text) => quoted(text, dialect));
  return [head, hex(address), decimal(inliningId), decimal(scriptOffset), ...fields].join();
}

/** The units that are escaped at once: a script can have 60 million, and each match takes memory. */
const PIECE = 1 << 16;
/** Everything but printable ASCII, and what V8 escapes of that; U+FFFD stands for bytes that are not UTF-8. */
const ESCAPED = /[^ -+\--[\]-~\ufffd]/g;

/** Formats the text of a script for a row, with V8's escapes. */
export function sourceField(text: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += PIECE) {
    pieces.push(text.slice(at, at + PIECE).replace(ESCAPED, escapeUnit));
  }
  return pieces.join("");
}

function escapeUnit(letter: string): string {
  if (letter === "\n") return "\\n";
  if (letter === "\\") return "\\\\";
  const unit = letter.charCodeAt(0);
  if (unit < 256) return letter === "," ? "\\x2C" : `\\x${unit.toString(16).padStart(2, "0")}`;
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** The redacted texts of a row of an inline cache. */
interface IcTexts {
  readonly key: string;
  readonly modifier: string;
  readonly reason: string;
}

/** Returns a row of an inline cache. V8 quotes none of its texts. */
export function icRow(record: IcRecord, { key, modifier, reason }: IcTexts, dialect: Dialect): string {
  const { kind, pc, timestamp, line, column, from, to, map } = record;
  const times = timestamp === undefined ? [] : [decimal(timestamp)];
  const texts = [key, modifier, reason].map((text) => quoted(text, { ...dialect, hasQuotes: false }));
  const numbers = [hex(pc), ...times, decimal(line), decimal(column)];
  return [kind, ...numbers, from, to, hex(map), ...texts].join();
}

function icRows(): Record<IcKind, [string, string]> {
  const rows = IC_ROWS.map((kind) => [kind, [`${kind},`, `${kind},0x0,0,0,\ufffd`]] as const);
  return Object.fromEntries(rows) as Record<IcKind, [string, string]>;
}

/**
 * Malformed rows of optional types: without texts, and with a text that is not UTF-8. One row stands for all
 * other types.
 */
const MALFORMED_ROWS: ReadonlyMap<string, readonly [string, string]> = new Map(
  Object.entries({
    "code-deopt": ["code-deopt,", "code-deopt,0,0,0x0,0,0,\ufffd"],
    "code-source-info": ["code-source-info,", "code-source-info,0x1,0,0,0,\ufffd,,S"],
    "script-source": ["script-source,", "script-source,0,\ufffd"],
    function: ["function,", "function,\ufffd"],
    script: ["script,", "script,\ufffd"],
    "script-details": ["script-details,", "script-details,"],
    "compilation-cache": ["compilation-cache,", "compilation-cache,"],
    ...icRows(),
  } satisfies Record<OptionalRow, [string, string]>),
);

/**
 * Returns a row with the same diagnostic as a malformed one of this type, for every reader of the type;
 * `hasInvalidText` is whether it has a text that is not UTF-8.
 */
export function malformedRow(type: string, hasInvalidText: boolean, dialect: Dialect): string {
  const [plain, invalid] = MALFORMED_ROWS.get(type) ?? [];
  if (plain !== undefined && invalid !== undefined) return hasInvalidText ? invalid : plain;
  return `shared-library,${quoted(hasInvalidText ? "\ufffd" : "", dialect)}`;
}
