import { describe, expect, it, vi } from "vitest";
import { ESCAPED_PIECE_BYTES } from "../../src/kernels/layout.ts";
import { EscapeKernel, unescapeInKernel } from "../../src/parser/escape-kernel.ts";
import { unescapeBytes, unescapeText } from "../../src/parser/escapes.ts";
import { lineStarts } from "../../src/profile/source-lines.ts";
import { withoutKernels } from "../helpers/kernels.ts";
import { createRandom } from "../helpers/random.ts";

/** Letters, escapes of each kind and length, and what only looks like one. */
const NARROW = [
  ..."azF9",
  ...["\\n", "\\\\", "\\x2C", "\\xe4", "\\xFF", "\\xffffffe4", "\\xffffffff", "\\xfFFffFc3"],
  ...[
    "\\",
    "\\q",
    "\\x",
    "\\xg0",
    "\\x0g",
    "\\x/0",
    "\\x:0",
    "\\x@0",
    "\\xffffff",
    "\\xffffffg4",
    "\\N",
    "\\X2C",
  ],
  ...["\\u", "\\u12", "\\u00e4", "\\u00g4", "\\u`000"],
];
const WIDE = [...NARROW, "\\u65e5", "\\uD83D", "\\uffff", "\\u0100"];

function randomText(fragments: readonly string[], letters: number, seed: number): string {
  const random = createRandom(seed);
  const parts: string[] = [];
  for (let left = letters; left > 0; left -= parts.at(-1)!.length)
    parts.push(fragments[random(fragments.length)]!);
  return parts.join("").slice(0, letters);
}

/** The types of Node 20 do not include it. */
const { WebAssembly } = globalThis as unknown as { WebAssembly: { validate(bytes: Uint8Array): boolean } };

function loadKernel(hasSimd: boolean): EscapeKernel {
  const spy = vi.spyOn(WebAssembly, "validate").mockReturnValue(hasSimd);
  const kernel = EscapeKernel.load()!;
  spy.mockRestore();
  return kernel;
}

/** Expects a kernel to find what JavaScript alone finds. */
async function expectSame(kernel: EscapeKernel, text: string): Promise<void> {
  const bytes = new Uint8Array(Buffer.from(text));
  const slow = await withoutKernels(() => unescapeBytes(bytes));
  expect(unescapeInKernel(bytes, kernel) === slow).toBe(true);
}

/** Returns the lines that a kernel finds piece by piece, by their offsets. */
function linesIn(kernel: EscapeKernel, text: string): number[] {
  const letters = Buffer.from(text);
  const found = [0];
  let length = 0;
  for (let at = 0; at < letters.length; ) {
    const { taken, units, isWide, lineStarts } = kernel.decode(letters, at);
    for (const start of lineStarts) found.push(length + start);
    length += units.length / (isWide ? 2 : 1);
    at += taken;
  }
  return found;
}

describe.each([true, false])("the kernel of escapes, with SIMD: %s", (hasSimd) => {
  const kernel = loadKernel(hasSimd);

  it.each([
    ["of one byte", NARROW],
    ["of two bytes", WIDE],
    ["of two bytes, just", ["a", "\\xff", "\\u0100"]],
  ])("finds the units %s that JavaScript finds", async (_, fragments) => {
    for (const length of [1 << 16, ESCAPED_PIECE_BYTES, 3 * ESCAPED_PIECE_BYTES + 12_345]) {
      await expectSame(kernel, randomText(fragments, length, length));
    }
  });

  it("puts together an escape that is cut anywhere between two pieces, and keeps one that the end cuts", async () => {
    for (const escaped of ["\\n", "\\\\", "\\x2C", "\\u65e5", "\\xffffffe4", "\\xffffffg"]) {
      for (let cut = 1; cut <= escaped.length; cut++) {
        const start = "a".repeat(ESCAPED_PIECE_BYTES - cut);
        await expectSame(kernel, `${start}${escaped}b`);
        await expectSame(kernel, `${start}a${escaped.slice(0, cut)}`);
        await expectSame(kernel, start + escaped.slice(0, cut));
      }
    }
  });

  it.each([
    ["of one byte", ["a", "bcd", "\\n", "\\x0D", "\\x0d\\n", "\\x0a", "\\xffffff0d", "\\\\n", "\\x2C"]],
    ["of two bytes", ["a", "\\n", "\\x0D", "\\u2027", "\\u2028", "\\u2029", "\\u202a", "\\u000d", "\\x85"]],
  ])("finds the lines of units %s", (_, fragments) => {
    for (const length of [1 << 16, ESCAPED_PIECE_BYTES + 20, 3 * ESCAPED_PIECE_BYTES]) {
      const text = randomText(fragments, length, length);
      expect(linesIn(kernel, text)).toEqual([...lineStarts(unescapeText(text))]);
    }
  });

  it("takes a carriage return and a line feed for one end wherever a piece is cut", () => {
    for (const end of ["\\x0D\\n", "\\xffffff0d\\x0a", "\\x0D\\x0D\\n\\n", "\\x0D"]) {
      for (let cut = 0; cut <= end.length + 10; cut++) {
        const text = `${"a".repeat(ESCAPED_PIECE_BYTES - cut)}${end}b\\nc`;
        expect(linesIn(kernel, text)).toEqual([...lineStarts(unescapeText(text))]);
        const last = "a".repeat(ESCAPED_PIECE_BYTES - cut) + end;
        expect(linesIn(kernel, last)).toEqual([...lineStarts(unescapeText(last))]);
      }
    }
  });

  it("finds at any letter of a window what begins, goes on or ends there", async () => {
    for (const unit of [
      "\\\\",
      "\\n",
      "\\x2C",
      "\\x0A",
      "\\xFF",
      "\\xffffffe4",
      "\\q",
      "\\x2",
      "\\",
      "\\x0D\\n",
      "\\x0D",
    ]) {
      const parts: string[] = [];
      for (let before = 0; before < 40; before++) {
        for (let times = 1; times < 20; times++) parts.push("b".repeat(before), unit.repeat(times), "x2C");
      }
      const text = parts.join("");
      await expectSame(kernel, text);
      expect(linesIn(kernel, text)).toEqual([...lineStarts(unescapeText(text))]);
    }
  });
});

describe("EscapeKernel.for", () => {
  it("leaves short texts, and those where there are no kernels, to JavaScript", async () => {
    expect(unescapeInKernel(Buffer.from("\\n".repeat(1000)))).toBeUndefined();
    const long = Buffer.from("\\n".repeat(100_000));
    expect(await withoutKernels(() => unescapeInKernel(long))).toBeUndefined();
    expect(unescapeInKernel(long)).toBeDefined();
  });

  it("takes texts that are long only together", () => {
    const text = Buffer.from("a\\n".repeat(15_000));
    expect([unescapeInKernel(text), unescapeInKernel(text)].at(-1)).toBe("a\n".repeat(15_000));
  });
});
