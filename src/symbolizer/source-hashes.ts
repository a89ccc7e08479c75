import { createHash } from "node:crypto";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { Scripts } from "../recorder/scripts.js";
import { PackedText } from "./packed-text.js";

/** As many hex digits tell 2^64 texts apart. */
const HASH_DIGITS = 16;
/** Functions of one script that contain each other are hashed up to this many times the script's length. */
const DEPTH = 64;

/**
 * Returns the hashes of functions' source texts without white space, as `FunctionIdentity.sourceHash` has them. Functions
 * whose text the log lacks have none.
 */
export function sourceHashes(
  functions: Iterable<LoggedFunction>,
  scripts: Scripts,
): Map<LoggedFunction, string> {
  const byScript = new Map<number, LoggedFunction[]>();
  for (const one of functions) {
    const known = byScript.get(one.script);
    if (known === undefined) byScript.set(one.script, [one]);
    else known.push(one);
  }
  const hashes = new Map<LoggedFunction, string>();
  for (const [script, all] of byScript) {
    const found = scripts.get(script);
    if (found === undefined) continue;
    const isRedacted = found.standIns !== undefined;
    hashScript(found.source, all, hashes, isRedacted ? (text) => scripts.withHashes(text) : undefined);
  }
  return hashes;
}

/** Adds the hashes of the functions of a script. */
function hashScript(
  text: string,
  functions: readonly LoggedFunction[],
  hashes: Map<LoggedFunction, string>,
  /** What a redacted text is in every log with the same key. */
  unnumbered?: (text: string) => string,
): void {
  // A forged log can state the same range for many functions.
  let left = DEPTH * text.length;
  const hashed: LoggedFunction[] = [];
  for (const one of functions) {
    const { start, end } = one;
    if (start < 0 || end <= start || end > text.length) continue;
    left -= end - start;
    if (left >= 0) hashed.push(one);
  }
  const total = hashed.reduce((sum, { start, end }) => sum + end - start, 0);
  // Functions contain each other, so most of a large script is often hashed many times.
  const packed = total > text.length && unnumbered === undefined ? new PackedText(text) : undefined;
  for (const one of hashed) {
    const own = packed?.between(one.start, one.end) ?? text.slice(one.start, one.end).replace(/\s+/g, "");
    const hashed = typeof own === "string" && unnumbered !== undefined ? unnumbered(own) : own;
    hashes.set(one, createHash("sha256").update(hashed).digest("hex").slice(0, HASH_DIGITS));
  }
}
