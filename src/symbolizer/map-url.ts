import { posix, win32 } from "node:path";
import { SOURCE_MAP_BYTES } from "../limits.js";

/** How the comment that names a source map begins, after `//# `. */
export const MAP_URL_COMMENT = "sourceMappingURL=";
/** How the comment that names a script without a name of its own begins, after `//# `. */
export const SOURCE_URL_COMMENT = "sourceURL=";
/** A comment begins at most this far before its word: `//# `, with a few more spaces. */
const COMMENT_REACH = 10;
const COMMENT_START = /(?:\/\/|\/\*)[#@][ \t]*$/;
const BLANKS = /[ \t]*/y;
const COMMENT_VALUE = /[^\s'"`]+/y;
const REST_OF_LINE = /[^\n\r\u2028\u2029]*/y;

/**
 * Returns the value of the last comment of a script that begins with a word: `//# sourceMappingURL=app.js.map`; undefined if
 * there is none. `parts` are the script's occurrences of the word, the last one first: each is text from shortly before it up
 * to the next one. As for V8, the comment can be anywhere, and nothing follows the value in its line. The word is often in
 * texts of programs too, which write such comments: most of these have quotes.
 *
 * Source: V8, src/parsing/scanner.cc, `Scanner::TryToParseMagicComment`; Node, lib/internal/source_map/source_map_cache.js.
 */
export function commentValue(word: string, parts: Iterable<string>): string | undefined {
  let isLast = true;
  for (const part of parts) {
    const mayEnd = isLast;
    isLast = false;
    const at = part.lastIndexOf(word);
    if (!COMMENT_START.test(part.slice(Math.max(0, at - COMMENT_REACH), at))) continue;
    const blanks = textAt(part, at + word.length, BLANKS);
    const start = at + word.length + blanks.length;
    const value = textAt(part, start, COMMENT_VALUE);
    const rest = textAt(part, start + value.length, REST_OF_LINE);
    // A line that goes on in the next part has more than a value.
    if (value === "" || (start + value.length + rest.length === part.length && !mayEnd)) continue;
    const end = value.endsWith("*/") ? "" : rest.trim();
    if ((end === "" || end === "*/") && !value.includes("${")) return value.replace(/\*\/$/, "");
  }
  return undefined;
}

/** Returns what a sticky pattern matches at an offset; empty if it does not. */
function textAt(text: string, offset: number, pattern: RegExp): string {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? "";
}

/** Returns the text of a data URL. Throws an `Error` if it cannot be read. */
export function dataText(url: string): string {
  if (url.length > SOURCE_MAP_BYTES) throw new Error("it is too long");
  const comma = url.indexOf(",");
  if (comma < 0) throw new Error("it has no data");
  const data = url.slice(comma + 1);
  const isBase64 = url.slice(0, comma).endsWith(";base64");
  return isBase64 ? Buffer.from(data, "base64").toString("utf8") : decodeURIComponent(data);
}

/** Resolves a path or URL relative to a script. Throws an `Error` if it is invalid. */
export function besideScript(script: string, named: string): string {
  if (/^[a-z][a-z0-9+.-]+:/i.test(named)) return named;
  if (script.startsWith("file:")) return new URL(named, script).href;
  const path = /^[A-Za-z]:[\\/]|^\\\\/.test(script) ? win32 : posix;
  const decoded = decodeURI(named);
  return path.isAbsolute(decoded) ? path.normalize(decoded) : path.join(path.dirname(script), decoded);
}
