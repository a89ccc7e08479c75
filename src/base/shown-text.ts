import { SHOWN_NAME_LENGTH } from "./limits.js";

/** Room for the mark that ends a cut name. */
const MARK_LENGTH = 64;

/** Cuts a name at {@link SHOWN_NAME_LENGTH} and notes how much is missing. */
export function cutName(name: string): string {
  if (name.length <= SHOWN_NAME_LENGTH) return name;
  const kept = cutUnits(name, SHOWN_NAME_LENGTH - MARK_LENGTH);
  const left = (name.length - kept.length).toLocaleString("en-US");
  return `${kept}… (${left} more characters)`;
}

/** Returns at most `units` UTF-16 units from the start of a text, without splitting a character. */
export function cutUnits(text: string, units: number): string {
  const isSplit =
    /[\ud800-\udbff]/.test(text.charAt(units - 1)) && /[\udc00-\udfff]/.test(text.charAt(units));
  return text.slice(0, isSplit ? units - 1 : units);
}

const PLAIN = /^[ -~]*$/;
/**
 * Characters that control a terminal, change the direction of text, end a line or are invisible: control
 * characters, lone surrogates, and what Unicode lets a program display as nothing.
 */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
/** What begins a command to a CI anywhere in a line that is printed: `##[error]` to GitHub, `##vso[…]` to Azure, `##teamcity[…]`. */
const CI_COMMAND = /##(?=\w*\[)/g;
const NAMED_CONTROLS: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Returns text from a log, a path or a command line that is safe to show. Characters that are invisible or
 * affect the text around them become `\n`, `\r`, `\t`, `\xNN`, `\uNNNN` or `\u{NNNNN}`. Joiners between
 * emoji, or between letters of scripts that need them, stay. `##[`, a command to a CI, becomes `#\x23[`. Cuts the text as
 * {@link cutName} does.
 */
export function printable(text: string): string {
  const shown = cutName(text).replace(CI_COMMAND, "#\\x23");
  if (PLAIN.test(shown)) return shown;
  return cutName(
    shown.replace(HIDDEN, (character, at) =>
      isJoining(shown, character, at) ? character : escaped(character),
    ),
  );
}

/** Applies {@link printable} to each line of a text. */
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

/** Returns whether an invisible character joins those beside it, as in emoji of several parts. */
function isJoining(text: string, character: string, at: number): boolean {
  const before = text.charAt(at - 1);
  const after = text.charAt(at + character.length);
  if (JOINERS.includes(character)) return canJoin(before) && canJoin(after);
  if (!VARIATIONS.test(character)) return false;
  // The only such sequences of Latin characters are ©️, ®️ and 1️⃣.
  return canJoin(before) || before === "©" || before === "®" || after === "\u20e3";
}

/** Latin letters are never joined. */
function canJoin(character: string): boolean {
  return character > "\u02ff" && !JOINERS.includes(character);
}

/**
 * Returns JSON that is safe to print. Strings are cut as names are and have no lone surrogates, numbers are
 * finite, and the characters that {@link printable} escapes are written as JSON escapes, which parse to the
 * same text.
 */
export function jsonText(value: unknown): string {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value === "string" && value.length < 1000 && UNESCAPED.test(value)) return `"${value}"`;
  return safeJson(JSON.stringify(value, (_, part) => printablePart(part)) ?? "null");
}

/** Returns {@link jsonText} without cutting, for texts that are not names. */
export function wholeJsonText(value: unknown): string {
  return safeJson(JSON.stringify(value));
}

function printablePart(part: unknown): unknown {
  if (typeof part === "string") return cutName(part);
  return typeof part === "number" && !Number.isFinite(part) ? finite(part) : part;
}

/** Replaces NaN and infinities, which JSON cannot express. */
function finite(number: number): number {
  return Number.isNaN(number) ? 0 : Math.sign(number) * Number.MAX_SAFE_INTEGER;
}

/** Text that needs no escape in JSON. */
const UNESCAPED = /^[ !#-[\]-~]*$/;
/** Lone surrogates as `JSON.stringify` escapes them. The second branch skips other escapes, such as `\\`. */
const HALVES = /\\(?:u(d[89a-f][\da-f]{2})|.)/gs;

function safeJson(json: string): string {
  const whole = json.includes("\\ud")
    ? json.replace(HALVES, (written, half?: string) => (half === undefined ? written : "\ufffd"))
    : json;
  if (PLAIN.test(whole)) return whole;
  return whole.replace(HIDDEN, (character, at) =>
    isJoining(whole, character, at) ? character : unitsOf(character),
  );
}

/** Returns a character as JSON escapes, one per UTF-16 unit. */
function unitsOf(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** Quotes a text as one word of a POSIX shell, if necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
