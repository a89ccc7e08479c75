import type { FramePointer, Instruction } from "./instruction.js";
import {
  HAS_BYTE,
  HAS_BYTE_0F,
  HAS_MODRM,
  HAS_WORD,
  IS_PLAIN,
  IS_PLAIN_0F,
  KNOWN_0F,
  SETS_OPERAND_0F,
  SETS_REGISTER_0F,
} from "./x64-opcodes.js";

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
