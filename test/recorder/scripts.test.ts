import { describe, expect, it } from "vitest";
import { Scripts } from "../../src/recorder/scripts.ts";

const LINES = 40_000;

/** Returns the row's text of a script as V8 escapes it, and the script's text. */
function longScript(line: (number: number) => string): {
  readonly row: Uint8Array<ArrayBuffer>;
  readonly text: string;
} {
  const text = Array.from({ length: LINES }, (_, number) => line(number)).join("");
  const row = text
    .replaceAll("\\", "\\\\")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\x0D")
    .replaceAll(",", "\\x2C")
    .replaceAll("日", "\\u65e5");
  return { row: new Uint8Array(Buffer.from(row)), text };
}

function scriptsOf(row: Uint8Array<ArrayBuffer>): Scripts {
  const scripts = new Scripts();
  scripts.add({ type: "script-source", id: 1, url: "long.js", source: row }, 1);
  return scripts;
}

describe.each([
  ["of bytes", (number: number) => `call(${number}, "\\n");\n`],
  ["of wide letters", (number: number) => `call(${number}, "日");\n`],
  ["with carriage returns", (number: number) => `call(${number});\r\n`],
  ["that is not escaped", (number: number) => `call(${number});é\n`],
])("a long script %s", (_, line) => {
  const { row, text } = longScript(line);

  it("has the same parts whichever part is asked for first", () => {
    const script = scriptsOf(row).get(1)!;
    for (const start of [0, 70_000, 5, 200_000, 131_060, text.length - 3, text.length + 5]) {
      expect(script.slice(start, start + 20)).toBe(text.slice(start, start + 20));
    }
    expect(script.source).toBe(text);
    expect(script.slice(70_000, 70_020)).toBe(text.slice(70_000, 70_020));
  });

  it("has the same lines whichever line is asked for first", () => {
    const whole = scriptsOf(row);
    whole.offset(1, { line: 1, column: 1 });
    const scripts = scriptsOf(row);
    for (const offset of [0, 65_530, 9, 131_070, 131_072, 300_000, text.length + 1]) {
      const position = scripts.position(1, offset);
      expect(position).toEqual(whole.position(1, offset));
      if (offset < text.length) expect(scripts.offset(1, position!)).toBe(offset);
    }
  });
});
