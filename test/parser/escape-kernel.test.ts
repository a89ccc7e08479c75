import { describe, expect, it } from "vitest";
import { ESCAPED_PIECE_BYTES } from "../../src/kernels/layout.ts";
import { unescapeInKernel } from "../../src/parser/escape-kernel.ts";
import { unescapeBytes } from "../../src/parser/escapes.ts";
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

/** Returns what JavaScript alone finds, which has to be found with a kernel too. */
async function sameWithoutKernel(text: string): Promise<string> {
  const bytes = new Uint8Array(Buffer.from(text));
  const slow = await withoutKernels(() => unescapeBytes(bytes));
  expect(unescapeInKernel(bytes, Number.POSITIVE_INFINITY) === slow).toBe(true);
  return slow;
}

describe("the kernel of escapes", () => {
  it.each([
    ["of one byte", NARROW],
    ["of two bytes", WIDE],
    ["of two bytes, just", ["a", "\\xff", "\\u0100"]],
  ])("finds the units %s that JavaScript finds", async (_, fragments) => {
    for (const length of [1 << 16, ESCAPED_PIECE_BYTES, 3 * ESCAPED_PIECE_BYTES + 12_345]) {
      await sameWithoutKernel(randomText(fragments, length, length));
    }
  });

  it("puts together an escape that is cut anywhere between two pieces, and keeps one that the end cuts", async () => {
    for (const escaped of ["\\n", "\\\\", "\\x2C", "\\u65e5", "\\xffffffe4", "\\xffffffg"]) {
      for (let cut = 1; cut <= escaped.length; cut++) {
        const start = "a".repeat(ESCAPED_PIECE_BYTES - cut);
        await sameWithoutKernel(`${start}${escaped}b`);
        await sameWithoutKernel(`${start}a${escaped.slice(0, cut)}`);
        await sameWithoutKernel(start + escaped.slice(0, cut));
      }
    }
  });

  it("decodes no more than the pieces that have the beginning", () => {
    const text = "a\\n\\u65e5".repeat(ESCAPED_PIECE_BYTES / 4);
    const bytes = new Uint8Array(Buffer.from(text));
    const whole = unescapeInKernel(bytes, Number.POSITIVE_INFINITY)!;
    const beginning = unescapeInKernel(bytes, 1000)!;
    expect(beginning.length).toBeGreaterThanOrEqual(1000);
    expect(beginning.length).toBeLessThan(ESCAPED_PIECE_BYTES);
    expect(whole.startsWith(beginning)).toBe(true);
    expect(whole).toHaveLength((3 * ESCAPED_PIECE_BYTES) / 4);
  });

  it("leaves short texts, and those where there are no kernels, to JavaScript", async () => {
    const bytes = new Uint8Array(Buffer.from("\\n".repeat(1000)));
    expect(unescapeInKernel(bytes, 10)).toBeUndefined();
    const long = new Uint8Array(Buffer.from("\\n".repeat(100_000)));
    expect(await withoutKernels(() => unescapeInKernel(long, 10))).toBeUndefined();
    expect(unescapeInKernel(long, 10)).toBeDefined();
  });
});
