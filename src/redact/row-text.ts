import type { Dialect } from "../parser/dialect.js";
import type { CodeCreationRecord } from "../parser/rows/code-creation.js";
import type { CodeDeoptRecord } from "../parser/rows/code-deopt.js";
import type { CodeSourceInfoRecord } from "../parser/rows/code-source-info.js";
import type { TickRecord } from "../parser/rows/tick.js";
import type { Address } from "../profile/units.js";
import { UNKNOWN_STATE } from "../profile/vm-state.js";

/** More than a double can hold: it is read as infinite again. */
const INFINITE_DIGITS = 400;
/** No dialect has so many VM states. */
const NO_STATE = 99;

/** A number as it stands in a row, read back as the same. */
export function decimal(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  if (Number.isFinite(value)) return BigInt(value).toString();
  return (value < 0 ? "-" : "") + "9".repeat(INFINITE_DIGITS);
}

/** An address without its `0x`. */
export function hexDigits(value: Address): string {
  if (Number.isSafeInteger(value)) return value.toString(16);
  return Number.isFinite(value) ? BigInt(value).toString(16) : "f".repeat(INFINITE_DIGITS);
}

/** An address as it stands in a row. */
export function hex(value: Address): string {
  return `0x${hexDigits(value)}`;
}

/**
 * A text as a dialect has it: between quotes, in which nothing is escaped; else with what would end it escaped. Texts here
 * are printable ASCII, but for the replacement character, and hold no quotes.
 */
export function quoted(text: string, { hasQuotes }: Dialect): string {
  if (hasQuotes) return `"${text}"`;
  return /[\\,]/.test(text) ? text.replaceAll("\\", "\\\\").replaceAll(",", "\\x2C") : text;
}

/** What was wrong with a tick that could be read. */
export interface TickFlaws {
  readonly hasMalformedFrame: boolean;
  readonly isCut: boolean;
  /** More frames than are kept were at its root. */
  readonly isTooDeep: boolean;
}

/** The row of a tick, in the layout of Node 4 and later. */
export function tickRow(tick: TickRecord, dialect: Dialect, flaws: TickFlaws): string {
  const more = (flaws.isTooDeep ? ",0x0" : "") + (flaws.hasMalformedFrame ? ",?" : "");
  const row = tickFields(tick, dialect, "0x") + more;
  const { rowLimit } = dialect;
  // V8 has cut it, so its last frame does not count: one that is none stands there.
  if (flaws.isCut) return `${row},0`.padEnd(rowLimit, "0");
  // Rows of Windows have no 0x, and must not come to look as if they were cut.
  return rowLimit > 0 && row.length >= rowLimit ? tickFields(tick, dialect, "") : row;
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
/** Marks of tiers, with what says how code was entered or specialised. */
const MARK = /^o?[~^+*-]?'?$/;
/** Stands where bytes were no UTF-8. */
const REPLACEMENT = "\ufffd";

/** What a code-creation row may show of its texts. */
export interface CodeTexts {
  readonly type: string;
  readonly name: string;
}

/** The row of new code. */
export function codeCreationRow(record: CodeCreationRecord, texts: CodeTexts, dialect: Dialect): string {
  const { timestamp, address, size, function: made } = record;
  // A function's row that does not end as they do was cut: without a number here it is not taken to go on in the next line.
  const kind = made === undefined && FUNCTION_TYPES.has(record.codeType) ? "-" : "0";
  const head = `code-creation,${texts.type},${kind},${decimal(timestamp)},${hex(address)},${decimal(size)}`;
  const row = `${head},${quoted(texts.name, dialect)}`;
  if (made === undefined) return row;
  const unknown = made.mark.includes(REPLACEMENT) ? REPLACEMENT : "?";
  return `${row},${hex(made.sfi)},${MARK.test(made.mark) ? made.mark : unknown}`;
}

const POSITIONS = /C\d+O-?\d+(?:I\d+)?/g;
const INLININGS = /F\d*O-?\d+(?:I\d+)?/g;

/**
 * The row that says which source code is made of: what its texts have that is no position is left out, but that there were
 * bytes that are no UTF-8.
 */
export function codeSourceInfoRow(record: CodeSourceInfoRecord, hasInvalidText: boolean): string {
  const { address, script, start, end, positions, inlinings, functions } = record;
  const only = (text: string, entries: RegExp) => text.match(entries)?.join("") ?? "";
  const called = functions.map((sfi) => (Number.isNaN(sfi) ? "S" : `S${hex(sfi)}`)).join("");
  const numbers = [hex(address), ...[script, start, end].map(decimal)].join();
  return `code-source-info,${numbers},${only(positions, POSITIONS)}${hasInvalidText ? REPLACEMENT : ""},${only(inlinings, INLININGS)},${called}`;
}

/** What a code-deopt row may show of its texts. */
export interface DeoptTexts {
  readonly kind: string;
  readonly position: string;
  readonly reason: string;
}

/** The row of code that was left. `texts` is undefined where the row has none. */
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

/** What ends a line, and U+FFFD, which stands for bytes that were no UTF-8. */
const NOT_BLANK = /[^\n\r\u2028\u2029\ufffd]/g;
const LINE_ENDS: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\r": "\\x0d",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** A script's text with a space for each UTF-16 unit but those that end lines, so that places in it stay what they are. */
export function blankText(text: string): string {
  return text.replace(NOT_BLANK, " ");
}

/** The same as it stands in a row. */
export function blankField(text: string): string {
  return blankText(text).replace(/[\n\r\u2028\u2029]/g, (end) => LINE_ENDS[end]!);
}
