import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readElfFile } from "../../../src/native/binary-file.ts";
import {
  calledBuiltins,
  findBuiltins,
  framesText,
  parseFrames,
  readBuiltinFrames,
} from "../../../src/native/builtin-frames.ts";
import { elfImage } from "../../helpers/elf-image.ts";
import { testFolder } from "../../helpers/folder.ts";

const folder = testFolder();

const bytes = (hex: string) => Buffer.from(hex.replaceAll(/\s/g, ""), "hex");
const START = 0x1000;
// At 0: nop; push rbp; mov rbp, rsp; call B; pop rbp; ret. At 16: B: jmp C. At 32: C: nop; ret. At 48: D: call rax; ret.
const CODE = Buffer.concat([
  bytes("90 55 4889e5 e806000000 5d c3 cc cc cc cc"),
  bytes("e90b000000 cc cc cc cc cc cc cc cc cc cc cc"),
  bytes("90 c3 cc cc cc cc cc cc cc cc cc cc cc cc cc cc"),
  bytes("ffd0 c3 cc cc cc cc cc cc cc cc cc cc cc cc cc"),
]);
const BUILTINS = ["A", "B", "C", "D"].map((name, i) => ({ name, start: START + 16 * i, size: 16 }));

function fileOf(name: string, machine = 62): string {
  const path = join(folder, name);
  const image = elfImage({ symbols: [], machine });
  // The code is at the same offset in the file as in memory.
  writeFileSync(path, Buffer.concat([image, Buffer.alloc(Math.max(0, START - image.length)), CODE]));
  return path;
}

describe("the frames of builtins", () => {
  it("are read from their code in the file", () => {
    const file = fileOf("x64");
    const { segments } = readElfFile(file)!;
    const frames = readBuiltinFrames({ file, segments }, BUILTINS, new Set(["A", "C", "D", "E"]));
    expect(Array.from(frames)).toEqual([
      ["A", { size: 16, isCalled: false, frameless: [0, 5, 11, 12] }],
      ["C", { size: 16, isCalled: true, frameless: [0, 2] }],
      ["D", { size: 16, isCalled: false, frameless: [0, 3] }],
    ]);
  });

  it("are unknown for other processors, for a file without the code, and for builtins that overlap", () => {
    const wanted = new Set(["A"]);
    const all = readElfFile(fileOf("all"))!;
    const empty = (file: string, builtins = BUILTINS) =>
      expect(readBuiltinFrames({ file, segments: all.segments }, builtins, wanted).size).toBe(0);
    empty(fileOf("riscv", 243));
    empty(join(folder, "none"));
    empty(fileOf("twice"), [...BUILTINS, { name: "E", start: START + 8, size: 16 }]);
    empty(fileOf("outside"), [...BUILTINS, { name: "E", start: 0x40000, size: 16 }]);
    empty(fileOf("huge"), [{ name: "A", start: START, size: 2 ** 40 }]);
    empty(fileOf("no"), []);
  });

  it("say which builtins another one calls, on arm64 too", () => {
    // A: bl C; ret. B: b A. C: b.eq B; ret
    const words = [0x94000004, 0xd65f03c0, 0x17fffffe, 0xd65f03c0, 0x54ffffc0, 0xd65f03c0];
    const code = Buffer.alloc(24);
    for (const [i, word] of words.entries()) code.writeUInt32LE(word, 4 * i);
    const ranges = [0, 8, 16].map((start) => ({ start: START + start, end: START + start + 8 }));
    expect(Array.from(calledBuiltins({ bytes: code, start: START }, ranges, "arm64"))).toEqual([1, 1, 1]);
    const alone = code.subarray(0, 16);
    expect(Array.from(calledBuiltins({ bytes: alone, start: START }, ranges.slice(0, 2), "arm64"))).toEqual([
      0, 0,
    ]);
  });

  it("come back from text as they were written", () => {
    for (const frameless of [[], [0, 5, 11, 12]]) {
      for (const isCalled of [false, true]) {
        const frames = { size: 4242, isCalled, frameless };
        expect(parseFrames(framesText(frames))).toEqual(frames);
      }
    }
    for (const text of [
      "",
      "10 called",
      "10 maybe 0-5",
      "10 called 5-",
      "10 called 0-5,3-4",
      "10 called 0-5,",
      "x alone -",
    ]) {
      expect([text, parseFrames(text)]).toEqual([text, undefined]);
    }
  });
});

describe("a copy of the builtins", () => {
  const sizes = Array.from({ length: 100 }, (_, i) => 32 * (1 + ((i * 7) % 13)));
  const starts = sizes.map((_, i) => sizes.slice(0, i).reduce((sum, size) => sum + size, 0x5000));

  it("is found by the distances between them, also with other functions between", () => {
    const logged = starts.map((start) => start + 0x7f0000000000);
    const others = [0x1000, 0x1040, 0x2000, ...starts, starts[3]! + 8, 0x90000].sort((a, b) => a - b);
    expect(findBuiltins(logged, Float64Array.from(others))).toBe(0x7f0000000000);
  });

  it("is not found among other functions, or by a few builtins", () => {
    const logged = starts.map((start) => start + 0x7f0000000000);
    expect(findBuiltins(logged, Float64Array.from(starts.filter((_, i) => i !== 50)))).toBeUndefined();
    expect(findBuiltins(logged.slice(0, 10), Float64Array.from(starts))).toBeUndefined();
    expect(findBuiltins([], Float64Array.from(starts))).toBeUndefined();
  });

  it("takes linear time to miss among functions at equal distances", () => {
    const logged = Array.from({ length: 64 }, (_, i) => (i === 63 ? 1e9 : 16 * i));
    const many = Float64Array.from({ length: 200_000 }, (_, i) => 16 * i);
    expect(findBuiltins(logged, many)).toBeUndefined();
  });
});
