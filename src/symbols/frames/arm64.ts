import type { FramePointer, Instruction } from "./instruction.js";

// The instructions of arm64, as far as it takes to follow the code of V8's builtins: where each jumps, and
// whether it changes the frame pointer, x29. What may change it counts as if it did.
//
// Source: Arm Architecture Reference Manual, "Top-level encodings for A64".

const FP = 29;
const SP = 31;
const SIZE = 4;

/** Reads an instruction of arm64; undefined if it is cut. */
export function decodeArm64(code: Buffer, at: number): Instruction | undefined {
  if (at % SIZE !== 0 || at + SIZE > code.length) return undefined;
  const word = code.readUInt32LE(at);
  return { size: SIZE, framePointer: effectOf(word), target: targetOf(word, at), isEnd: isEnd(word) };
}

function targetOf(word: number, at: number): number | undefined {
  if (word >>> 26 === 0b000101) return at + SIZE * signed(word, 26, 0);
  const isConditional = word >>> 24 === 0b01010100 || (word & 0x7e000000) === 0x34000000;
  if (isConditional) return at + SIZE * signed(word, 19, 5);
  if ((word & 0x7e000000) === 0x36000000) return at + SIZE * signed(word, 14, 5);
  return undefined;
}

/** Returns whether an instruction is b, br, ret, brk, udf or one like them. */
function isEnd(word: number): boolean {
  if (word >>> 26 === 0b000101) return true;
  // Branches to a register that return nowhere: br and ret, with and without authentication.
  const isBranch = word >>> 25 === 0b1101011 && (word & 0x00600000) !== 0x00200000;
  return isBranch || word >>> 21 === 0b11010100001 || word >>> 16 === 0;
}

function effectOf(word: number): FramePointer {
  const [first, base, second] = [word & 31, (word >>> 5) & 31, (word >>> 10) & 31];
  // add x29, sp, #n, of which mov x29, sp is one.
  if (word >>> 22 === 0b1001000100 && first === FP && base === SP) return "own";
  const group = (word >>> 25) & 15;
  if ((group & 0b0101) === 0b0100) return loadEffect(word, { first, base, second });
  const isData = (group & 0b1110) === 0b1000 || (group & 0b0111) === 0b0101;
  if (isData && first === FP) return comparesOnly(word) ? "kept" : "lost";
  return "kept";
}

function loadEffect(
  word: number,
  { first, base, second }: { readonly first: number; readonly base: number; readonly second: number },
): FramePointer {
  if ((word & 0x04000000) !== 0) return "kept"; // Registers of vectors.
  const isPair = (word & 0x38000000) === 0x28000000;
  const isLoad = (word & 0x00400000) !== 0;
  if (isPair) {
    const writesBase = (word & 0x00800000) !== 0 && base === FP;
    if (writesBase) return "lost";
    if (!isLoad || (first !== FP && second !== FP)) return "kept";
    // ldp x29, x30, [sp], #n, or [x29].
    return first === FP && second === 30 && (base === SP || base === FP) && word >>> 30 === 2
      ? "callers"
      : "lost";
  }
  const isIndexed = (word & 0x3b200400) === 0x38000400;
  if (isIndexed && base === FP) return "lost";
  // Stores keep it; of the rest, whatever has x29 as its register may load it.
  const isStore =
    (word & 0x3b000000) === 0x39000000 || (word & 0x3b000000) === 0x38000000
      ? (word & 0x00c00000) === 0
      : false;
  return first === FP && !isStore ? "lost" : "kept";
}

/** Returns whether an instruction of arithmetic only sets flags: ccmp and ccmn have flags where others have a register. */
function comparesOnly(word: number): boolean {
  return (word & 0x1fe00000) === 0x1a400000;
}

/** Reads a signed number of some bits. */
function signed(word: number, bits: number, from: number): number {
  return (word << (32 - bits - from)) >> (32 - bits);
}
