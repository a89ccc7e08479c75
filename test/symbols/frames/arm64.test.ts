import { describe, expect, it } from "vitest";
import { decodeArm64, framelessRanges } from "../../../src/symbols/machine-code.ts";

const NOP = 0xd503201f;
const STP = 0xa9bf7bfd; // stp x29, x30, [sp, #-16]!
const MOV = 0x910003fd; // mov x29, sp
const LDP = 0xa8c17bfd; // ldp x29, x30, [sp], #16
const RET = 0xd65f03c0;

/** Where some code has no frame, in instructions. */
function ranges(...words: readonly number[]): number[] {
  const code = Buffer.alloc(4 * words.length);
  for (const [i, word] of words.entries()) code.writeUInt32LE(word, 4 * i);
  return framelessRanges(code, decodeArm64).map((at) => at / 4);
}

describe("where code of arm64 has no frame", () => {
  it("is before its prologue has run, and after it was undone", () => {
    expect(ranges(NOP, STP, MOV, NOP, LDP, RET)).toEqual([0, 3, 5, 6]);
    // add x29, sp, #32; ldp x29, x30, [x29]
    expect(ranges(STP, 0x910083fd, NOP, 0xa9407bbd, RET)).toEqual([0, 2, 4, 5]);
  });

  it("is on each path", () => {
    // cbz x0, +3; ret; brk; stp; mov; bl; ldp; b -6
    expect(ranges(0xb4000060, RET, 0xd4200000, STP, MOV, 0x94000000, LDP, 0x17fffffa)).toEqual([
      0, 2, 3, 5, 7, 8,
    ]);
    // tbnz w0, #0, +2; ret; b.eq +2; ret; ret
    expect(ranges(0x37000040, RET, 0x54000040, RET, RET)).toEqual([0, 5]);
  });

  it("ends at br, brk and udf, and goes on after blr", () => {
    expect(ranges(0xd61f0200, NOP)).toEqual([0, 1]);
    expect(ranges(0xd4200000, NOP)).toEqual([0, 1]);
    expect(ranges(0, NOP)).toEqual([0, 1]);
    expect(ranges(0xd63f0200, RET)).toEqual([0, 2]);
  });

  it("is unknown once something else is in x29", () => {
    // add x29, x0, x1; mov x29, #1; ldr x29, [x0]; ldp x29, x1, [x0]; ldr x0, [x29], #8
    for (const word of [0x8b01001d, 0xd280003d, 0xf940001d, 0xa940041d, 0xf84087a0]) {
      expect(ranges(word, RET)).toEqual([0, 1]);
    }
  });

  it("goes on where x29 is only read", () => {
    // str x29, [x0]; stp x29, x1, [x0]; ldr x0, [x29, #8]; cmp x29, x0; add x0, x29, #8; ldr d29, [x0]
    for (const word of [0xf900001d, 0xa900041d, 0xf94007a0, 0xeb0003bf, 0x910023a0, 0xfd40001d]) {
      expect(ranges(word, RET)).toEqual([0, 2]);
    }
  });
});
