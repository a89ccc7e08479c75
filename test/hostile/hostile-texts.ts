/** Texts that a log, a path or a command line can hold to do something to what they are printed on or read by. */
export const HOSTILE: readonly string[] = [
  "\x1b]0;title\x07\x1b[2J",
  "\x00\x08\x7f\x9b31m\x85",
  "line\nbreak\r\ttab",
  "\u2028next\u2029next",
  "\u202eevil\u202c\u2066\u2067\u2068\u2069\u200e\u200f\u061c",
  "in\u200bvis\u2060i\ufeffble\u00ad\u034f\u180e\u3164\ufff9\u{e0041}\u{1d173}",
  "a\u200db\u200cc\ufe0fd",
  "half\ud83d and \ude00half",
  "<img src=x onerror=alert(1)><!-- </script><script>alert(1)</script>",
  "[click](https://evil.example) ![x](https://evil.example/x.png) [ref]: https://evil.example",
  "https://evil.example www.evil.example me@evil.example <https://evil.example>",
  "a|b\\|c\\\\|d|",
  "`a``b```c````",
  "``` \\` ~~~ ` ",
  "# h * _b_ **b** ~~s~~ &lt; &#60; 1. x",
  "f;g 12 3",
  "calls=1 2 fn=(1) x",
  "__proto__",
  "##[error]x ##vso[task.setvariable]y",
  "::error title=x::y",
  "]]> --> */ \\u003c/script>",
  "javascript:alert(1)//",
  `"' onload='alert(1)' style="x`,
  "&quot;&#x3c;script&#x3e;",
  "👨‍👩‍👧 ❤️‍🔥 1️⃣ नमस्‍ते",
];

/** A field of a log row that V8 could have written for a text. */
export function logged(text: string): string {
  return text.replace(/[^ -~]|[,\\]/g, (unit) => {
    if (unit === "\n") return "\\n";
    if (unit === "\\") return "\\\\";
    const code = unit.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
  });
}

/** What no line may have: what terminals obey or nobody sees, but for what holds emoji and letters together. */
const FORBIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;
const HELD_TOGETHER = /👨‍👩‍👧|❤️‍🔥|1️⃣|नमस्‍ते/gu;

/** The lines of a text that have a character that may not be printed. */
export function forbiddenLines(text: string): string[] {
  return text.split("\n").filter((line) => FORBIDDEN.test(line.replace(HELD_TOGETHER, "")));
}

/** The texts of a JSON document, keys too. */
export function textsOf(document: unknown): string[] {
  if (typeof document === "string") return [document];
  if (typeof document !== "object" || document === null) return [];
  return Object.entries(document).flatMap(([key, value]) => [key, ...textsOf(value)]);
}
