import { createHash } from "node:crypto";

/** What `ticks redact` writes below a script's text. */
export interface Placeholders {
  /**
   * By the hash of a function's name: the word that stands for it in the texts of the log's scripts. Names that rows of functions
   * keep have hashes by {@link publicHash}; those of others are in the rows.
   */
  readonly words: ReadonlyMap<string, string>;
  /** A hash of the original text. */
  readonly text: string;
}

/** A script's text and what it says of its words. */
interface SplitText {
  readonly text: string;
  readonly placeholders: Placeholders | undefined;
}

/** 60 bits: the chance that any two of a million names collide is about one in two million. */
export const HASH_LENGTH = 12;
const DIGITS = "abcdefghijklmnopqrstuvwxyz234567";
const MARK = "\n//# redacted=";
const LINE = /^(t_[a-z2-7]{12})((?:;[\w$#]+=[fw]_[a-z2-7]{12})*)$/;

/** Writes the first bits of a digest as letters and digits. */
export function hashDigits(digest: Uint8Array): string {
  let digits = "";
  for (let i = 0; i < HASH_LENGTH; i++) digits += DIGITS[digest[i]! & 31];
  return digits;
}

/** Returns the hash of a word that anybody may read. */
export function publicHash(word: string): string {
  return `w_${hashDigits(createHash("sha256").update(word).digest())}`;
}

/** Returns a redacted script's text and, apart from it, what the line below says of its words. */
export function splitPlaceholders(whole: string): SplitText {
  const at = whole.lastIndexOf(MARK);
  const match = at < 0 ? null : LINE.exec(whole.slice(at + MARK.length));
  if (match === null) return { text: whole, placeholders: undefined };
  const [, text = "", entries = ""] = match;
  const words = new Map<string, string>();
  for (const entry of entries.split(";").slice(1)) {
    const end = entry.lastIndexOf("=");
    words.set(entry.slice(end + 1), entry.slice(0, end));
  }
  return { text: whole.slice(0, at), placeholders: { words, text } };
}

/** Returns the line below a redacted script's text; see {@link splitPlaceholders}. */
export function placeholderLine({ words, text }: Placeholders): string {
  const entries = Array.from(words, ([hash, word]) => `;${word}=${hash}`);
  return `${MARK}${text}${entries.join("")}`;
}
