import { describe, expect, it } from "vitest";
import { decodeArm64, decodeX64, framelessRanges, frameRange } from "../../../src/native/machine-code.ts";
import { createRandom } from "../../helpers/random.ts";

const NOP = 0xd503201f;
const STP = 0xa9bf7bfd;

// stp x29, x30, [sp, #-16]!
const MOV = 0x910003fd;

// mov x29, sp
const LDP = 0xa8c17bfd;

// ldp x29, x30, [sp], #16
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

describe("x64", () => {
  const bytes = (hex: string) => Buffer.from(hex.replaceAll(/\s/g, ""), "hex");

  /** Where some code has no frame, as `from-to`. */
  function ranges(...instructions: readonly string[]): string {
    const found = framelessRanges(bytes(instructions.join("")), decodeX64);
    return found
      .map((at, i) => (i % 2 === 0 ? `${at}-` : `${at} `))
      .join("")
      .trim();
  }

  const PUSH = "55";
  const MOV = "4889e5";
  const LEAVE = "488be5 5d";
  const RET = "c3";
  const NOP = "90";

  describe("where code of x64 has no frame", () => {
    it("is before its prologue has run, and after it was undone", () => {
      expect(ranges(NOP, PUSH, MOV, NOP, LEAVE, RET)).toBe("0-5 10-11");
      expect(ranges(NOP, RET)).toBe("0-2");
      expect(ranges(PUSH, "488bec", "c9", RET)).toBe("0-4 5-6");
    });

    it("is on each path, whatever the order of its parts", () => {
      // test al, 1; jne +2; nop; ret; push rbp; mov rbp, rsp; call; mov rsp, rbp; pop rbp; jmp -13
      expect(ranges("a801", "7502", NOP, RET, PUSH, MOV, "e800000000", LEAVE, "ebed")).toBe("0-10 19-21");
    });

    it("is after a frame that is left for another function", () => {
      expect(ranges(PUSH, MOV, "ff7508", "488b6d00", "ffe1")).toBe("0-4 11-13");
    });

    it("is unknown where paths with a frame and without meet", () => {
      // jne to the nop behind the prologue
      expect(ranges("7504", PUSH, MOV, NOP, RET)).toBe("0-6");
    });

    it("is unknown once something else is in rbp", () => {
      expect(ranges("488b6908", NOP, RET)).toBe("0-4");
      expect(ranges("bd01000000", RET)).toBe("0-5");
      expect(ranges("4801dd", RET)).toBe("0-3");
      expect(ranges("5d", RET)).toBe("0-1");
      expect(ranges(PUSH, MOV, PUSH, MOV, LEAVE, RET)).toBe("0-4");
    });

    it("goes on where rbp is only read", () => {
      for (const code of [
        "488945f8",
        "4889eb",
        "4839e5",
        "4885ed",
        "ff7508",
        "55",
        "4d8b6d00",
        "49ffcd",
        "f30f106d08",
      ]) {
        expect([code, ranges(code, RET)]).toEqual([code, `0-${code.length / 2 + 1}`]);
      }
    });

    it("ends where an instruction is not known, or cut", () => {
      expect(ranges(NOP, "62f1fe48")).toBe("0-1");
      expect(ranges(NOP, "06", NOP)).toBe("0-1");
      expect(ranges(NOP, "e80000")).toBe("0-1");
      expect(ranges("")).toBe("");
    });
  });

  describe("the size of instructions of x64", () => {
    it.each([
      ["endbr64", "f30f1efa"],
      ["add al, 1", "0401"],
      ["xor eax, ecx", "33c1"],
      ["pop [rax]", "8f00"],
      ["mov edi, imm32", "bf01000000"],
      ["std", "fd"],
      ["bswap edi", "0fcf"],
      ["mov rax, [r13+0x1234]", "498b8534120000"],
      ["mov rax, [rip+8]", "488b0508000000"],
      ["mov rax, [rbx+rcx*8]", "488b04cb"],
      ["mov rax, [rcx*8+0x10]", "488b04cd10000000"],
      ["mov rax, imm64", "48b8 0102030405060708"],
      ["mov word [rax], imm16", "66c7003412"],
      ["add ax, imm16", "66053412"],
      ["test byte [rax+8], 1", "f6400801"],
      ["test eax, imm32", "f7c001000000"],
      ["not eax", "f7d0"],
      ["shl eax, 3", "c1e003"],
      ["imul eax, ecx, 100", "6bc164"],
      ["movzx eax, word [rbx+0xb]", "0fb7430b"],
      ["cmovne rax, rcx", "480f45c1"],
      ["bt eax, 5", "0fbae005"],
      ["movsd xmm0, [rax+7]", "f20f104007"],
      ["pshufd xmm0, xmm1, 1", "660f70c101"],
      ["pinsrq xmm0, rax, 1", "66480f3a22c001"],
      ["pshufb xmm0, xmm1", "660f3800c1"],
      ["vmovsd xmm0, [rax+7]", "c5fb104007"],
      ["vaddsd xmm0, xmm0, xmm1", "c5fb58c1"],
      ["vroundsd xmm0, xmm0, xmm1, 1", "c4e3790bc101"],
      ["shlx rax, rcx, rdx", "c4e2e9f7c1"],
      ["lock cmpxchg [rax], rcx", "f0480fb108"],
      ["rep movsq", "f348a5"],
    ])("%s", (_, code) => {
      const size = bytes(code).length;
      expect(decodeX64(Buffer.concat([bytes(code), Buffer.alloc(16)]), 0)).toEqual({
        size,
        framePointer: "kept",
        target: undefined,
        isEnd: false,
      });
      for (let cut = 0; cut < size; cut++) {
        const instruction = decodeX64(bytes(code).subarray(0, cut), 0);
        expect(instruction === undefined || instruction.size <= cut).toBe(true);
      }
    });
  });
});

describe("frameRange", () => {
  it("finds the range around each offset, as a look at all of them does", () => {
    const random = createRandom(3);
    for (let round = 0; round < 50; round++) {
      const frameless: number[] = [];
      for (let at = random(3); frameless.length < 2 * (round % 6); ) {
        const end = at + 1 + random(4);
        frameless.push(at, end);
        at = end + random(3);
      }
      for (let offset = 0; offset < 50; offset++) {
        const { start, end, isFrameless } = frameRange(frameless, offset);
        const isIn = frameless.some((from, i) => i % 2 === 0 && from <= offset && offset < frameless[i + 1]!);
        expect(isFrameless).toBe(isIn);
        expect(start).toBe(Math.max(0, ...frameless.filter((at) => at <= offset)));
        expect(end).toBe(Math.min(Number.POSITIVE_INFINITY, ...frameless.filter((at) => at > offset)));
      }
    }
  });

  it("takes no longer for a builtin with a million ranges", () => {
    const frameless = Array.from({ length: 2_000_000 }, (_, i) => i);
    let found = 0;
    for (let offset = 0; offset < 1_000_000; offset++)
      found += Number(frameRange(frameless, offset).isFrameless);
    // Starts are even: half of the offsets. A look at all ranges would take hours.
    expect(found).toBe(500_000);
  });
});
