import { SHOWN_NAME_LENGTH } from "../limits.js";

/** Room for the mark that ends a cut name. */
const MARK_LENGTH = 64;

/** A name as it is shown: what is past {@link SHOWN_NAME_LENGTH} is cut, with a mark that says how much. */
export function cutName(name: string): string {
  if (name.length <= SHOWN_NAME_LENGTH) return name;
  const kept = cutUnits(name, SHOWN_NAME_LENGTH - MARK_LENGTH);
  const left = (name.length - kept.length).toLocaleString("en-US");
  return `${kept}… (${left} more characters)`;
}

/** At most so many UTF-16 units of a text from its start; a character of two is not split. */
export function cutUnits(text: string, units: number): string {
  const isSplit =
    /[\ud800-\udbff]/.test(text.charAt(units - 1)) && /[\udc00-\udfff]/.test(text.charAt(units));
  return text.slice(0, isSplit ? units - 1 : units);
}

const PLAIN = /^[ -~]*$/;
/**
 * What a terminal obeys, what turns the direction of text round, what ends a line, and what nobody sees: control
 * characters, halves of characters, and all that Unicode lets a program show as nothing.
 */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
const NAMED_CONTROLS: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Text from a log, a path or a command line as it may be shown: what cannot be seen or would change what stands around
 * it becomes `\n`, `\r`, `\t`, `\xNN`, `\uNNNN` or `\u{NNNNN}`. What joins emoji, or letters of scripts that need it,
 * stays. It is cut as {@link cutName} does.
 */
export function printable(text: string): string {
  const shown = cutName(text);
  if (PLAIN.test(shown)) return shown;
  return cutName(
    shown.replace(HIDDEN, (character, at) =>
      isJoining(shown, character, at) ? character : escaped(character),
    ),
  );
}

/** The same of a text of several lines, which stay lines. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

function escaped(character: string): string {
  const named = NAMED_CONTROLS[character];
  if (named !== undefined) return named;
  const code = character.codePointAt(0)!;
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, "0")}`;
  return code > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`;
}

const JOINERS = "\u200c\u200d";
const VARIATIONS = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;

/** Whether a character that is not seen has an effect on those beside it, as in emoji of several parts. */
function isJoining(text: string, character: string, at: number): boolean {
  const before = text.charAt(at - 1);
  const after = text.charAt(at + character.length);
  if (JOINERS.includes(character)) return canJoin(before) && canJoin(after);
  if (!VARIATIONS.test(character)) return false;
  // ©️ and ®️, and 1️⃣, are the only ones of Latin characters.
  return canJoin(before) || before === "©" || before === "®" || after === "\u20e3";
}

/** Latin letters are never joined. */
function canJoin(character: string): boolean {
  return character > "\u02ff" && !JOINERS.includes(character);
}

/**
 * JSON of a value as it may be written anywhere: its texts are cut as names are and have no half characters, its numbers
 * are numbers, and what {@link printable} escapes is escaped, so that it is the same to a parser.
 */
export function jsonText(value: unknown): string {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value === "string" && value.length < 1000 && UNESCAPED.test(value)) return `"${value}"`;
  return safeJson(JSON.stringify(value, (_, part) => soundPart(part)) ?? "null");
}

/** The same without cutting: for texts that are no names. */
export function wholeJsonText(value: unknown): string {
  return safeJson(JSON.stringify(value));
}

function soundPart(part: unknown): unknown {
  if (typeof part === "string") return cutName(part);
  return typeof part === "number" && !Number.isFinite(part) ? finite(part) : part;
}

/** JSON has no word for these, and `null` is no number. */
function finite(number: number): number {
  return Number.isNaN(number) ? 0 : Math.sign(number) * Number.MAX_SAFE_INTEGER;
}

/** What stands for itself in JSON. */
const UNESCAPED = /^[ !#-[\]-~]*$/;
const PLAIN_JSON = /^[\n -~]*$/;
/** Halves of characters as `JSON.stringify` writes them; a backslash before one would be of the text. */
const HALVES = /\\(?:u(d[89a-f][\da-f]{2})|.)/gs;

function safeJson(json: string): string {
  const whole = json.includes("\\ud")
    ? json.replace(HALVES, (written, half?: string) => (half === undefined ? written : "\ufffd"))
    : json;
  if (PLAIN_JSON.test(whole)) return whole;
  return whole.replace(HIDDEN, (character, at) =>
    character === "\n" || isJoining(whole, character, at) ? character : unitsOf(character),
  );
}

/** A character in the only escapes that JSON has. */
function unitsOf(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
