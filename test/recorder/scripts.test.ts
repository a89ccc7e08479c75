import { describe, expect, it } from "vitest";
import { sourceLines } from "../../src/profile/source-lines.ts";
import { Scripts } from "../../src/recorder/scripts.ts";
import { withoutKernels } from "../helpers/kernels.ts";

const LINES = 40_000;
const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", ",": "\\x2C", 日: "\\u65e5" };

/** Returns the row's text of a script as V8 escapes it, but for some letters, and the script's text. */
function longScript(
  line: (number: number) => string,
  raw = "",
): {
  readonly row: Uint8Array<ArrayBuffer>;
  readonly text: string;
} {
  const text = Array.from({ length: LINES }, (_, number) => line(number)).join("");
  const row = text.replace(/[\\\n\r,日]/g, (letter) =>
    raw.includes(letter) ? letter : (ESCAPES[letter] ?? "\\x0D"),
  );
  return { row: new Uint8Array(Buffer.from(row)), text };
}

function scriptsOf(row: Uint8Array<ArrayBuffer>): Scripts {
  const scripts = new Scripts();
  // A script is decoded in the place of its row.
  scripts.add({ type: "script-source", id: 1, url: "long.js", source: row.slice() }, 1);
  return scripts;
}

const SCRIPTS: [name: string, line: (number: number) => string, raw?: string][] = [
  ["of bytes", (number) => `call(${number}, "\\n");\n`],
  ["of wide letters", (number) => `call(${number}, "日");\n`],
  ["with carriage returns", (number) => `call(${number});\r\n`],
  ["with wide letters near its end", (number) => `call(${number < 39_000 ? "x" : "日"});\n`],
  ["that is not escaped", (number) => `call(${number});é\n`],
  ["with raw carriage returns", (number) => `call(${number});\r`, "\r"],
];

describe.each(SCRIPTS)("a long script %s", (_, line, raw) => {
  const { row, text } = longScript(line, raw);
  const lines = sourceLines(text);

  /** Checks parts and lines of the script, from before and after what was asked for first. */
  function checkAll(): void {
    const script = scriptsOf(row).get(1)!;
    for (const start of [0, 70_000, 5, 200_000, 131_060, text.length - 3, text.length + 5]) {
      expect(script.slice(start, start + 20)).toBe(text.slice(start, start + 20));
    }
    expect(script.slice(9, 9)).toBe("");
    expect(script.slice(9, 5)).toBe("");
    expect(script.slice(-5, text.length)).toBe(text.slice(-5));
    expect(script.source === text).toBe(true);
    expect(script.slice(70_000, 70_020)).toBe(text.slice(70_000, 70_020));

    const scripts = scriptsOf(row);
    for (const number of [1, 7_000, 2, 14_000, 39_500, LINES]) {
      const offset = lines.slice(0, number - 1).join("\n").length + (number > 1 ? 1 : 0);
      const start = line(0).endsWith("\r\n") ? offset + number - 1 : offset;
      expect(scripts.position(1, start)).toEqual({ line: number, column: 1 });
      expect(scripts.position(1, start + 7)).toEqual({ line: number, column: 8 });
      expect(scripts.offset(1, { line: number, column: 8 })).toBe(start + 7);
      expect(scripts.get(1)!.line(number)).toBe(lines[number - 1]);
    }
    expect(scripts.position(1, text.length + 9)).toEqual({ line: LINES + 1, column: 10 });
    // Nothing follows the last line end.
    for (const number of [-1, 0, LINES + 1, LINES + 2]) expect(scripts.get(1)!.line(number)).toBeUndefined();
    for (const number of [0, LINES + 2]) expect(scripts.offset(1, { line: number, column: 1 })).toBe(-1);
    const { lineCount } = scripts.get(1)!;
    expect(lineCount).toBe(LINES + 1);
    for (const [first, last] of [
      [1, 1],
      [7_000, 7_020],
      [LINES - 1, LINES],
      [LINES, LINES + 1],
      [LINES + 1, LINES + 1],
    ] as const) {
      expect(scripts.get(1)!.linesBetween(first, last)).toEqual(lines.slice(first - 1, last));
    }
    // All of it once only parts were asked for.
    expect(scripts.get(1)!.source === text).toBe(true);
    expect(scripts.get(1)!.line(3)).toBe(lines[2]);
  }

  it("has the same parts and lines whichever are asked for first", checkAll);

  it("has them without kernels, too", () => withoutKernels(checkAll));
});

describe("a long script", () => {
  const { row, text } = longScript((number) => `call(${number}); // mark ${number}\n`);

  it("has the occurrences of a word, before and after parts of it were asked for", () => {
    const scripts = [scriptsOf(row), scriptsOf(row), scriptsOf(row)];
    scripts[1]!.get(1)!.slice(text.length - 9, text.length);
    expect(scripts[2]!.get(1)!.source === text).toBe(true);
    for (const each of scripts) {
      const [last, before, ...others] = each.get(1)!.occurrences("mark 2000");
      expect(text.endsWith(last!)).toBe(true);
      expect(last).toContain("mark 20009\n");
      expect(before!.endsWith("mark 20008\ncall(20009); // ")).toBe(true);
      expect(others).toHaveLength(9); // To 20000, and 2000.
      expect(Array.from(each.get(1)!.occurrences("mark x"))).toEqual([]);
    }
  });

  it("that does not end with a line end has a last line", () => {
    const short = scriptsOf(new Uint8Array(row.subarray(0, row.length - 2)));
    expect(short.get(1)!.line(LINES)).toBe("call(39999); // mark 39999");
    expect(short.get(1)!.line(LINES + 1)).toBeUndefined();
  });
});
