import { posix, win32 } from "node:path";
import { SOURCE_MAP_BYTES } from "../limits.js";

const COMMENT = "sourceMappingURL=";
/** How far before it the comment begins: `//# `, with a few more spaces. */
const COMMENT_REACH = 10;
const COMMENT_START = /(?:\/\/|\/\*)[#@][ \t]*$/;
const COMMENT_VALUE = /[^\s'"]+/y;

/** What the last line of a script that is not empty says of where its source map is; undefined where it says nothing. */
export function mapUrl(source: string): string | undefined {
  const at = source.lastIndexOf(COMMENT);
  if (at < 0 || !COMMENT_START.test(source.slice(Math.max(0, at - COMMENT_REACH), at))) return undefined;
  COMMENT_VALUE.lastIndex = at + COMMENT.length;
  const value = COMMENT_VALUE.exec(source)?.[0];
  if (value === undefined) return undefined;
  const rest = source.slice(at + COMMENT.length + value.length).trim();
  if (rest !== "" && rest !== "*/") return undefined;
  return value.endsWith("*/") ? value.slice(0, -2) : value;
}

/** The text of a data URL. Throws an `Error` for one that cannot be read. */
export function dataText(url: string): string {
  if (url.length > SOURCE_MAP_BYTES) throw new Error("it is too long");
  const comma = url.indexOf(",");
  if (comma < 0) throw new Error("it has no data");
  const data = url.slice(comma + 1);
  const isBase64 = url.slice(0, comma).endsWith(";base64");
  return isBase64 ? Buffer.from(data, "base64").toString("utf8") : decodeURIComponent(data);
}

/** The path or URL that a script names, relative to itself. Throws an `Error` where that is none. */
export function besideScript(script: string, named: string): string {
  if (/^[a-z][a-z0-9+.-]+:/i.test(named)) return named;
  if (script.startsWith("file:")) return new URL(named, script).href;
  const path = /^[A-Za-z]:[\\/]|^\\\\/.test(script) ? win32 : posix;
  const decoded = decodeURI(named);
  return path.isAbsolute(decoded) ? path.normalize(decoded) : path.join(path.dirname(script), decoded);
}
