import type { LinkAddress } from "../../profile/units.js";

/** Where a builtin is in the file. */
export interface BuiltinRange {
  readonly start: LinkAddress;
  readonly end: LinkAddress;
}

/** The builtins' code, from the first to the last. */
export interface BuiltinCode {
  readonly bytes: Buffer;
  readonly start: LinkAddress;
}

/** A call or jump: where it goes, in bytes from the start of the code. */
interface Edge {
  readonly target: number;
  readonly isCall: boolean;
}

/**
 * Returns 1 for each builtin that another one may call, directly or by a jump at its end: such a builtin can
 * run for another builtin, not only for a function. `ranges` are sorted and do not overlap. Takes every byte
 * for the start of an instruction, so it may find calls that are none, but misses none.
 */
export function calledBuiltins(
  { bytes, start }: BuiltinCode,
  ranges: readonly BuiltinRange[],
  machine: "x64" | "arm64",
): Uint8Array {
  const { edgeAt, step } = machine === "x64" ? { edgeAt: edgeX64, step: 1 } : { edgeAt: edgeArm64, step: 4 };
  const numbers = new Map(ranges.map((range, i) => [range.start - start, i]));
  const called = new Uint8Array(ranges.length);
  /** By builtin: those that it jumps to. */
  const jumps = new Map<number, Set<number>>();
  for (const [from, range] of ranges.entries()) {
    const end = Math.min(range.end - start, bytes.length);
    for (let at = range.start - start; at < end; at += step) {
      const edge = edgeAt(bytes, at);
      const to = edge && numbers.get(edge.target);
      if (edge === undefined || to === undefined || (to === from && !edge.isCall)) continue;
      if (edge.isCall) called[to] = 1;
      else jumps.set(from, (jumps.get(from) ?? new Set()).add(to));
    }
  }
  const waiting = Array.from(called.keys()).filter((builtin) => called[builtin] === 1);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const to of jumps.get(next) ?? []) {
      if (called[to] === 1) continue;
      called[to] = 1;
      waiting.push(to);
    }
  }
  return called;
}

const CALL = 0xe8;
const JUMP = 0xe9;

function edgeX64(bytes: Buffer, at: number): Edge | undefined {
  const opcode = bytes[at]!;
  if (opcode === CALL || opcode === JUMP) {
    return at + 5 > bytes.length
      ? undefined
      : { target: at + 5 + bytes.readInt32LE(at + 1), isCall: opcode === CALL };
  }
  const isJump = opcode === 0x0f && ((bytes[at + 1] ?? 0) & 0xf0) === 0x80 && at + 6 <= bytes.length;
  return isJump ? { target: at + 6 + bytes.readInt32LE(at + 2), isCall: false } : undefined;
}

function edgeArm64(bytes: Buffer, at: number): Edge | undefined {
  if (at + 4 > bytes.length) return undefined;
  const word = bytes.readInt32LE(at);
  const opcode = word >>> 26;
  if (opcode === 0b100101 || opcode === 0b000101) {
    return { target: at + 4 * ((word << 6) >> 6), isCall: opcode === 0b100101 };
  }
  // Conditional branches reach 1 MB.
  const isJump = word >>> 24 === 0b01010100 || (word & 0x7e000000) === 0x34000000;
  return isJump ? { target: at + 4 * ((word << 8) >> 13), isCall: false } : undefined;
}
