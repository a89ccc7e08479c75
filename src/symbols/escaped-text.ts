// Characters that a terminal could take for commands, an editor for the end of a line, or a reader for other
// text: control characters, marks of direction, characters without a width, unpaired surrogates, replacement
// characters, and the backslash itself.
const SPECIAL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal.
  /[\\\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffd\p{Surrogate}]/gu;
const NAMED: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r" };
const ESCAPE = /\\(?:([\\nr])|u\{([0-9a-f]{1,6})\})?/g;
const MEANINGS: Readonly<Record<string, string>> = { "\\": "\\", n: "\n", r: "\r" };
const LAST_CODE_POINT = 0x10ffff;

/** Returns text on one line that is safe to show: special characters become `\\`, `\n`, `\r` or `\u{HEX}`. */
export function escapeText(text: string): string {
  return text.replace(SPECIAL, (c) => NAMED[c] ?? `\\u{${c.codePointAt(0)!.toString(16)}}`);
}

/** Undoes {@link escapeText}. Returns undefined for text that it does not write. */
export function unescapeText(escaped: string): string | undefined {
  if (!escaped.includes("\\")) return escaped;
  let isWhole = true;
  const text = escaped.replace(ESCAPE, (_, named: string | undefined, hex: string | undefined) => {
    const code = Number.parseInt(hex ?? "", 16);
    if (named !== undefined) return MEANINGS[named]!;
    if (code <= LAST_CODE_POINT) return String.fromCodePoint(code);
    isWhole = false;
    return "";
  });
  return isWhole ? text : undefined;
}
