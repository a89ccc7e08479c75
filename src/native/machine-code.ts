import { upperBound } from "../base/sorted.js";

/** What an instruction does to the frame pointer. */
type FramePointer =
  /** Leaves it alone. */
  | "kept"
  /** Sets it to the frame of the code itself. */
  | "own"
  /** Restores that of the caller. */
  | "callers"
  /** Does something else. */
  | "lost";

/** What matters of a machine instruction. */
interface Instruction {
  /** Bytes. */
  readonly size: number;
  readonly framePointer: FramePointer;
  /** Where it may jump to, in bytes from the start of the code; undefined for nowhere, or if that is unknown. */
  readonly target: number | undefined;
  /** Whether the next instruction never runs after it. */
  readonly isEnd: boolean;
}

/** Reads the instruction at an offset of some code; undefined if it is cut or not known. */
type Decode = (code: Buffer, at: number) => Instruction | undefined;

// The opcodes of x64 by what belongs to them.
//
// Source: Intel's manual, volume 2, appendix A, "Opcode Map".

/** Opcodes of one byte that have a ModR/M byte. */
const HAS_MODRM = opcodes(
  "00-03 08-0b 10-13 18-1b 20-23 28-2b 30-33 38-3b 63 69 6b 80-81 83-8f c0-c1 c6-c7 d0-d3 d8-df f6-f7 fe-ff",
);
/** Those without ModR/M and operands in the code. */
const IS_PLAIN = opcodes("50-5f 90-99 9b-9f a4-a7 aa-af c3 c9 cc f4 f5 f8-fd");
/** Those with one byte, and with four bytes in the code. */
const HAS_BYTE = opcodes("04 0c 14 1c 24 2c 34 3c 6a 6b 80 83 a8 b0-b7 c0-c1 c6");
const HAS_WORD = opcodes("05 0d 15 1d 25 2d 35 3d 68 69 81 a9 b8-bf c7");
/** Opcodes after 0F: without ModR/M; with a byte in the code; whose first operand is a general register. */
const IS_PLAIN_0F = opcodes("05 0b 31 77 a2 c8-cf");
const HAS_BYTE_0F = opcodes("70-73 a4 ac ba c2 c4-c6");
const SETS_REGISTER_0F = opcodes("2c-2d 40-50 af b6-b8 bc-bf c5 d7");
/** Opcodes after 0F whose second operand, if it is a register, may be a changed general register. */
const SETS_OPERAND_0F = opcodes("7e 90-9f a3-a5 ab-ad b0-b1 b3 ba-bb c0-c1 c7");
const KNOWN_0F = opcodes(
  "05 0b 0d 10-17 18 1e-1f 28-2f 31 40-7f 90-9f a2-a5 ab-b1 b3 b6-b8 ba-c7 c8-cf d0-ff",
);

/** Returns a table with 1 for some opcodes: numbers and ranges, in hex. */
function opcodes(ranges: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const range of ranges.split(" ")) {
    const [first = 0, last = first] = range.split("-").map((hex) => Number.parseInt(hex, 16));
    table.fill(1, first, last + 1);
  }
  return table;
}

// The instructions of x64, as far as it takes to follow the code of V8's builtins: how long each is, where it
// jumps, and whether it changes rbp. What is not known ends the reading, and what may change rbp counts as if
// it did.
//
// Source: Intel's manual, volume 2, appendix A, "Opcode Map".

const RBP = 5;

const MOV_RBP_RSP = [0x4889e5, 0x488bec];
const MOV_RBP_AT_RBP = 0x488b6d00;

/** Prefixes before the REX byte. */
interface Prefixes {
  readonly size: number;
  /** The REX byte; 0 if there is none. */
  readonly rex: number;
  /** Whether operands have two bytes. */
  readonly isShort: boolean;
}

/** Reads an instruction of x64; undefined if it is cut or not known. */
export function decodeX64(code: Buffer, at: number): Instruction | undefined {
  const { size, rex, isShort } = prefixesAt(code, at);
  const start = at + size;
  const opcode = code[start];
  if (opcode === undefined) return undefined;
  if (opcode === 0xc4 || opcode === 0xc5) return size === 0 ? vectorAt(code, at, opcode) : undefined;
  if (opcode === 0x0f) return twoByteAt(code, at, { start: start + 1, rex });
  if (opcode >= 0x70 && opcode <= 0x7f) return jump(code, at, { start: start + 1, bytes: 1, isEnd: false });
  if (opcode >= 0xe0 && opcode <= 0xe3) return jump(code, at, { start: start + 1, bytes: 1, isEnd: false });
  if (opcode === 0xeb) return jump(code, at, { start: start + 1, bytes: 1, isEnd: true });
  if (opcode === 0xe9) return jump(code, at, { start: start + 1, bytes: 4, isEnd: true });
  if (opcode === 0xe8) return plain(code, at, start + 5);
  if (opcode === 0xc2) return plain(code, at, start + 3, { isEnd: true });
  if (opcode === 0xc3 || opcode === 0xcc || opcode === 0xf4)
    return plain(code, at, start + 1, { isEnd: true });
  if (opcode === 0xc9) return plain(code, at, start + 1, { framePointer: "callers" });
  if (IS_PLAIN[opcode]) return plain(code, at, start + 1, { framePointer: plainEffect(opcode, rex) });
  const immediate = immediateBytes(opcode, { isWide: (rex & 8) !== 0, isShort });
  if (!HAS_MODRM[opcode]) {
    if (immediate === 0) return undefined;
    const isRbp = opcode >= 0xb0 && opcode <= 0xbf && (opcode & 7) === RBP && (rex & 1) === 0;
    return plain(code, at, start + 1 + immediate, { framePointer: isRbp ? "lost" : "kept" });
  }
  const operand = operandAt(code, start + 1, rex);
  if (operand === undefined) return undefined;
  const { modrm } = operand;
  const kind = (modrm >> 3) & 7;
  // Only the test of this group has an operand in the code.
  const extra =
    (opcode === 0xf6 || opcode === 0xf7) && kind < 2 ? (opcode === 0xf6 ? 1 : isShort ? 2 : 4) : 0;
  const end = operand.end + immediate + extra;
  const isJump = opcode === 0xff && (kind === 4 || kind === 5);
  return plain(code, at, end, {
    isEnd: isJump,
    framePointer: operandEffect(code, { at, opcode, operand, end }),
  });
}

function prefixesAt(code: Buffer, at: number): Prefixes {
  let size = 0;
  let isShort = false;
  // An instruction has at most 15 bytes.
  for (; size < 14; size++) {
    const byte = code[at + size]!;
    if (byte === 0x66) isShort = true;
    else if (![0xf2, 0xf3, 0xf0, 0x2e, 0x3e, 0x64, 0x65].includes(byte)) break;
  }
  const rex = code[at + size]!;
  return (rex & 0xf0) === 0x40 ? { size: size + 1, rex, isShort } : { size, rex: 0, isShort };
}

/** Returns how many bytes of an operand are in the code, after an opcode of one byte and its ModR/M. */
function immediateBytes(opcode: number, { isWide, isShort }: { isWide: boolean; isShort: boolean }): number {
  if (HAS_BYTE[opcode]) return 1;
  if (!HAS_WORD[opcode]) return 0;
  if (isWide && opcode >= 0xb8 && opcode <= 0xbf) return 8;
  return isShort && opcode !== 0x68 ? 2 : 4;
}

/** What is known of a ModR/M byte. */
interface Operand {
  readonly modrm: number;
  /** Where what follows the operand begins. */
  readonly end: number;
  /** Whether the register, and the other operand, is rbp. */
  readonly isRegisterRbp: boolean;
  readonly isOtherRbp: boolean;
}

function operandAt(code: Buffer, at: number, rex: number): Operand | undefined {
  const modrm = code[at];
  if (modrm === undefined) return undefined;
  const mode = modrm >> 6;
  const other = modrm & 7;
  let end = at + 1;
  if (mode !== 3 && other === 4) {
    const base = code[end++];
    if (base === undefined) return undefined;
    if (mode === 0 && (base & 7) === 5) end += 4;
  } else if (mode === 0 && other === 5) {
    end += 4;
  }
  end += mode === 1 ? 1 : mode === 2 ? 4 : 0;
  const isRegisterRbp = ((modrm >> 3) & 7) === RBP && (rex & 4) === 0;
  return { modrm, end, isRegisterRbp, isOtherRbp: mode === 3 && other === RBP && (rex & 1) === 0 };
}

function plainEffect(opcode: number, rex: number): FramePointer {
  if ((opcode & 7) !== RBP || (rex & 1) !== 0) return "kept";
  if (opcode === 0x58 + RBP) return "callers";
  return opcode === 0x90 + RBP ? "lost" : "kept";
}

/** Returns what an instruction with operands does to rbp. */
function operandEffect(
  code: Buffer,
  { at, opcode, operand, end }: { at: number; opcode: number; operand: Operand; end: number },
): FramePointer {
  const { isRegisterRbp, isOtherRbp, modrm } = operand;
  if (!isRegisterRbp && !isOtherRbp) return "kept";
  if (end - at === 3 && MOV_RBP_RSP.includes(code.readUIntBE(at, 3))) return "own";
  // The end of a frame whose caller this code goes on for.
  if (end - at === 4 && code.readUInt32BE(at) === MOV_RBP_AT_RBP) return "callers";
  const kind = (modrm >> 3) & 7;
  // Compares and tests change nothing, nor does floating point.
  if ((opcode >= 0x38 && opcode <= 0x3b) || opcode === 0x84 || opcode === 0x85) return "kept";
  if (opcode >= 0xd8 && opcode <= 0xdf) return "kept";
  const isGroup = (opcode >= 0x80 && opcode <= 0x83) || (opcode >= 0xc0 && opcode <= 0xd3) || opcode >= 0xf6;
  if (isGroup || opcode === 0x8f) {
    if (!isOtherRbp) return "kept";
    if (opcode <= 0x83 && kind === 7) return "kept";
    if (opcode === 0xff && (kind === 2 || kind === 4 || kind === 6)) return "kept";
    return (opcode === 0xf6 || opcode === 0xf7) && kind < 2 ? "kept" : "lost";
  }
  // Even opcodes of arithmetic, and 88 and 89, change their second operand; the others the register.
  const changesOther = opcode === 0x88 || opcode === 0x89 || (opcode < 0x40 && (opcode & 2) === 0);
  if (changesOther) return isOtherRbp ? "lost" : "kept";
  if (opcode === 0x86 || opcode === 0x87) return "lost";
  return isRegisterRbp ? "lost" : "kept";
}

/** Reads an instruction whose opcode is behind 0F. */
function twoByteAt(
  code: Buffer,
  at: number,
  { start, rex }: { readonly start: number; readonly rex: number },
): Instruction | undefined {
  const opcode = code[start];
  if (opcode === undefined) return undefined;
  if (opcode >= 0x80 && opcode <= 0x8f) return jump(code, at, { start: start + 1, bytes: 4, isEnd: false });
  if (opcode === 0x38 || opcode === 0x3a) {
    const operand = operandAt(code, start + 2, rex);
    if (operand === undefined) return undefined;
    const isRbp = operand.isRegisterRbp || operand.isOtherRbp;
    // Of these, only a few change a general register.
    const mayChange =
      opcode === 0x3a ? code[start + 1]! >= 0x14 && code[start + 1]! <= 0x17 : code[start + 1]! >= 0xf0;
    return plain(code, at, operand.end + (opcode === 0x3a ? 1 : 0), {
      framePointer: isRbp && mayChange ? "lost" : "kept",
    });
  }
  if (!KNOWN_0F[opcode]) return undefined;
  if (IS_PLAIN_0F[opcode]) {
    const isRbp = opcode >= 0xc8 && (opcode & 7) === RBP && (rex & 1) === 0;
    return plain(code, at, start + 1, { isEnd: opcode === 0x0b, framePointer: isRbp ? "lost" : "kept" });
  }
  const operand = operandAt(code, start + 1, rex);
  if (operand === undefined) return undefined;
  const isLost =
    (SETS_REGISTER_0F[opcode] && operand.isRegisterRbp) || (SETS_OPERAND_0F[opcode] && operand.isOtherRbp);
  const isBoth =
    (opcode === 0xc0 || opcode === 0xc1 || opcode === 0xb0 || opcode === 0xb1) && operand.isRegisterRbp;
  return plain(code, at, operand.end + (HAS_BYTE_0F[opcode] ? 1 : 0), {
    framePointer: isLost || isBoth ? "lost" : "kept",
  });
}

/** Reads an instruction with a VEX prefix. */
function vectorAt(code: Buffer, at: number, prefix: number): Instruction | undefined {
  const size = prefix === 0xc5 ? 2 : 3;
  const second = code[at + 1];
  const opcode = code[at + size];
  if (second === undefined || opcode === undefined) return undefined;
  const map = prefix === 0xc5 ? 1 : second & 31;
  if (map < 1 || map > 3) return undefined;
  if (map === 1 && opcode === 0x77) return plain(code, at, at + size + 1);
  // The bits of REX, inverted.
  const rex = prefix === 0xc5 ? (~second >> 5) & 4 : (~second >> 5) & 7;
  const operand = operandAt(code, at + size + 1, rex);
  if (operand === undefined) return undefined;
  const hasByte = map === 3 || (map === 1 && HAS_BYTE_0F[opcode]);
  const third = prefix === 0xc5 ? second : code[at + 2]!;
  const isRbp = operand.isRegisterRbp || operand.isOtherRbp || ((~third >> 3) & 15) === RBP;
  const isGeneral =
    map === 1 ? SETS_REGISTER_0F[opcode] || opcode === 0x7e : opcode >= 0xf0 || (map === 3 && opcode <= 0x17);
  return plain(code, at, operand.end + (hasByte ? 1 : 0), {
    framePointer: isRbp && isGeneral ? "lost" : "kept",
  });
}

function jump(
  code: Buffer,
  at: number,
  { start, bytes, isEnd }: { readonly start: number; readonly bytes: 1 | 4; readonly isEnd: boolean },
): Instruction | undefined {
  const end = start + bytes;
  if (end > code.length) return undefined;
  return { size: end - at, framePointer: "kept", target: end + code.readIntLE(start, bytes), isEnd };
}

function plain(
  code: Buffer,
  at: number,
  end: number,
  { framePointer = "kept", isEnd = false }: { framePointer?: FramePointer; isEnd?: boolean } = {},
): Instruction | undefined {
  return end > code.length ? undefined : { size: end - at, framePointer, target: undefined, isEnd };
}

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

/** What is known at an instruction of where the frame pointer points to. */
const UNSEEN = 0;
const CALLERS = 1;
const OWN = 2;
const UNSURE = 3;

/**
 * Returns the ranges of code in which the frame pointer is still, or again, that of the caller: start and end
 * of each, in bytes from the start of the code. Follows all jumps from the start on. Leaves out what it does
 * not reach, does not know, or reaches both with a frame and without.
 */
export function framelessRanges(code: Buffer, decode: Decode): number[] {
  const states = new Uint8Array(code.length);
  const sizes = new Uint8Array(code.length);
  const waiting: [at: number, state: number][] = [[0, CALLERS]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    let [at, state] = next;
    while (at < code.length) {
      const known = states[at]!;
      if (known === state || known === UNSURE) break;
      if (known !== UNSEEN) state = UNSURE;
      const instruction = decode(code, at);
      if (instruction === undefined) {
        states[at] = UNSURE;
        break;
      }
      states[at] = state;
      sizes[at] = instruction.size;
      state = stateAfter(state, instruction.framePointer);
      const { target, isEnd } = instruction;
      if (target !== undefined && target >= 0 && target < code.length) waiting.push([target, state]);
      if (isEnd) break;
      at += instruction.size;
    }
  }
  return rangesOf(states, sizes);
}

function stateAfter(state: number, effect: "kept" | "own" | "callers" | "lost"): number {
  if (effect === "kept") return state;
  // What is restored without a frame is not what was saved here.
  if (effect === "callers") return state === OWN ? CALLERS : UNSURE;
  return effect === "own" && state === CALLERS ? OWN : UNSURE;
}

function rangesOf(states: Uint8Array, sizes: Uint8Array): number[] {
  const ranges: number[] = [];
  for (let at = 0; at < states.length; at++) {
    if (states[at] !== CALLERS) continue;
    const end = at + sizes[at]!;
    if (ranges.at(-1) === at) ranges[ranges.length - 1] = end;
    else ranges.push(at, end);
  }
  return ranges;
}

/** Offsets in a builtin for which one thing is true, from `start` to before `end`. */
interface FrameRange {
  readonly start: number;
  readonly end: number;
  /** Whether it has no frame of its own there. */
  readonly isFrameless: boolean;
}

/** Returns the range around an offset, of what {@link framelessRanges} returns. A file can have millions of ranges. */
export function frameRange(frameless: readonly number[], offset: number): FrameRange {
  const next = upperBound(frameless, offset);
  return {
    start: frameless[next - 1] ?? 0,
    end: frameless[next] ?? Number.POSITIVE_INFINITY,
    isFrameless: next % 2 === 1,
  };
}
