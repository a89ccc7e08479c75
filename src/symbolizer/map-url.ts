import { posix, win32 } from "node:path";
import { SOURCE_MAP_BYTES } from "../limits.js";

/** How the comment that names a source map begins, after `//# `. */
export const MAP_URL_COMMENT = "sourceMappingURL=";
/** The comment begins at most this far before it: `//# `, with a few more spaces. */
const COMMENT_REACH = 10;
const COMMENT_START = /(?:\/\/|\/\*)[#@][ \t]*$/;
const COMMENT_VALUE = /[^\s'"]+/y;

/** Returns the source map URL on the last non-empty line of a script; undefined if there is none. */
export function mapUrl(source: string): string | undefined {
  const at = source.lastIndexOf(MAP_URL_COMMENT);
  if (at < 0 || !COMMENT_START.test(source.slice(Math.max(0, at - COMMENT_REACH), at))) return undefined;
  COMMENT_VALUE.lastIndex = at + MAP_URL_COMMENT.length;
  const value = COMMENT_VALUE.exec(source)?.[0];
  if (value === undefined) return undefined;
  const rest = source.slice(at + MAP_URL_COMMENT.length + value.length).trim();
  if (rest !== "" && rest !== "*/") return undefined;
  return value.endsWith("*/") ? value.slice(0, -2) : value;
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
