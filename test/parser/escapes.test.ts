import { describe, expect, it } from "vitest";
import { unescapeBytes, unescapeText } from "../../src/parser/fields.ts";

describe.each([
  ["unescapeText", unescapeText],
  ["unescapeBytes", (text: string) => unescapeBytes(new Uint8Array(Buffer.from(text)))],
])("%s", (_, unescaped) => {
  it("undoes V8's escapes and leaves other backslashes", () => {
    expect(unescaped(String.raw`\n\\n\x2C\u65e5\xffffffe4\q\x2`)).toBe("\n\\n,日ä\\q\\x2");
  });

  it("keeps an escape that the end cuts", () => {
    for (const cut of ["\\", "\\x", "\\x2", "\\u", "\\u65e", "\\q"]) expect(unescaped(cut)).toBe(cut);
    expect(unescaped("\\xffffffe")).toBe("\xffffffe");
  });

  it("decodes texts that are longer than a piece, with one and two bytes a letter", () => {
    const narrow = "a\\x2Cb\\n".repeat(20_000);
    const wide = "\\u65e5".repeat(20_000);
    expect(unescaped(narrow + wide + narrow) === expected()).toBe(true);

    function expected(): string {
      const lines = "a,b\n".repeat(20_000);
      return lines + "日".repeat(20_000) + lines;
    }
  });

  it("keeps text beside escapes that is not ASCII", () => {
    expect(unescaped("ä日\\x2C")).toBe("ä日,");
  });
});
