import { isAscii, isUtf8 } from "node:buffer";
import { BACKSLASH, LOWER_F, LOWER_N, LOWER_U, LOWER_X, NEWLINE, ZERO } from "./bytes.js";

/** The value of each hexadecimal digit, by byte; 255 for any other byte. */
export const HEX_DIGIT: Uint8Array = hexDigits();
/** Length of `\xffffffe4` in UTF-16 units. */
const WIDENED_SIZE = 10;
/** UTF-16 units, or ASCII letters. */
type Units = Uint8Array | Uint16Array;

/** UTF-16 units of a text that are decoded at once. */
const PIECE = 1 << 14;

/**
 * Decodes V8's escapes: `\n`, `\\`, `\x2C`, `\u65e5`, and `\xffffffe4`, which Node 10 writes for `\xe4`
 * because it widens a signed char. Anything else is kept as it is.
 *
 * Source: V8, src/logging/log-file.cc, `LogFile::MessageBuilder::AppendCharacter`.
 */
export function unescapeText(text: string): string {
  if (!text.includes("\\")) return text;
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return unescapeUnits(units, 0, units.length);
}

/** No system has a longer path, even if each byte is escaped. */
const LONGEST_PATH = 1 << 16;
/** Bytes beyond ASCII of a path, and the other escapes that V8 writes in one. */
const PATH_ESCAPES = /(?:\\x(?:f{6})?[89a-f][0-9a-f])+|\\(?:[\\n]|x[0-9a-f]{2}|u[0-9a-f]{4})/gi;
/** The same for Node 10, which leaves backslashes as they are. */
const NODE_10_ESCAPES = /(?:\\xf{6}[89a-f][0-9a-f])+|\\x2C/g;
/** How paths of Windows begin if their backslashes are not escaped: with a drive or a server. */
const UNESCAPED_WINDOWS_PATH = /^(?:[A-Za-z]:\\(?!\\)|\\\\(?!\\))/;
/** What V8 writes if it escapes backslashes: commas, and no other character that can be printed. */
const WRITTEN_ESCAPES = /\\(?:[\\n]|x(?:[01][0-9a-f]|2C|7f|[89a-f][0-9a-f])|u[0-9a-f]{4})/g;

/**
 * Decodes the path of a library. V8 gets it from the system as bytes of UTF-8 and escapes each beyond ASCII:
 * `\xc3\xb6`, and `\xffffffc3\xffffffb6` in Node 10, where a byte is a signed char. Names of scripts and functions are
 * UTF-16 instead, where `\xf6` is a unit: {@link unescapeText}. Node 10 does not escape backslashes, so that `\n` in
 * `C:\new` is no newline. Bytes that are not UTF-8 become a character each.
 *
 * Source: V8, src/logging/log.cc, `SharedLibraryEvent`: `msg << library_path.c_str()`.
 */
export function unescapePath(path: string): string {
  if (path.length > LONGEST_PATH) return unescapeText(path);
  const isUnescaped = UNESCAPED_WINDOWS_PATH.test(path) || path.replace(WRITTEN_ESCAPES, "").includes("\\");
  return path.replace(isUnescaped ? NODE_10_ESCAPES : PATH_ESCAPES, (escapes) => {
    const bytes = Buffer.from(unescapeText(escapes), "latin1");
    return bytes[0]! >= 0x80 && isUtf8(bytes) ? bytes.toString() : unescapeText(escapes);
  });
}

/** Decodes the bytes of a text as {@link unescapeText} does. */
export function unescapeBytes(bytes: Uint8Array<ArrayBuffer>): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!isAscii(text)) return unescapeText(text.toString());
  if (!text.includes(BACKSLASH)) return text.toString("latin1");
  return unescapeUnits(text, 0, text.length);
}

/** Decodes the escapes of UTF-16 units, or of ASCII letters, from `start` up to `end`. */
function unescapeUnits(units: Units, start: number, end: number): string {
  // A script can have millions of escapes, so its units become text many at a time, which takes a byte for each
  // of them unless one needs two.
  const room = Math.min(end - start, PIECE);
  const narrow = Buffer.allocUnsafe(room);
  const wide = Buffer.allocUnsafe(2 * room);
  const pieces: string[] = [];
  for (let at = start; at < end; ) {
    let length = 0;
    let bits = 0;
    for (; length < room && at < end; length++) {
      let unit = units[at++]!;
      if (unit === BACKSLASH) {
        if (at < end && units[at] === LOWER_N) {
          unit = NEWLINE;
          at++;
        } else {
          const size = escapeSize(units, at, end);
          const next = at + size - 1;
          if (size > 2) unit = hexNumber(units, size === WIDENED_SIZE ? next - 2 : at + 1, next);
          at = next;
        }
      }
      narrow[length] = unit;
      wide[2 * length] = unit;
      wide[2 * length + 1] = unit >> 8;
      bits |= unit;
    }
    pieces.push(bits < 256 ? narrow.toString("latin1", 0, length) : wide.toString("utf16le", 0, 2 * length));
  }
  return pieces.length === 1 ? pieces[0]! : pieces.join("");
}

function hexNumber(units: Units, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) value = value * 16 + HEX_DIGIT[units[at]!]!;
  return value;
}

/**
 * Returns the length of the escape whose backslash is before `at`; 1 if it is not an escape. The caller
 * handles `\n`.
 */
function escapeSize(units: Units, at: number, end: number): number {
  if (at >= end) return 1;
  const letter = units[at]!;
  if (letter === BACKSLASH) return 2;
  if (letter === LOWER_U) return areHexDigits(units, at + 1, end, 4) ? 6 : 1;
  if (letter !== LOWER_X || !areHexDigits(units, at + 1, end, 2)) return 1;
  return isWidened(units, at + 1) && areHexDigits(units, at + 7, end, 2) ? WIDENED_SIZE : 4;
}

/** Returns whether six digits `f` follow, which start a widened number. */
function isWidened(units: Units, at: number): boolean {
  for (let i = at; i < at + 6; i++) if ((units[i]! | 32) !== LOWER_F) return false;
  return true;
}

function areHexDigits(units: Units, at: number, end: number, count: number): boolean {
  if (at + count > end) return false;
  for (let i = at; i < at + count; i++) if ((HEX_DIGIT[units[i]!] ?? 255) === 255) return false;
  return true;
}

function hexDigits(): Uint8Array {
  const table = new Uint8Array(256).fill(255);
  for (let i = 0; i < 10; i++) table[ZERO + i] = i;
  for (let i = 0; i < 6; i++) {
    table[65 + i] = 10 + i;
    table[97 + i] = 10 + i;
  }
  return table;
}
