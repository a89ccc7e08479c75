import { frameRange } from "../native/machine-code.js";
import { tableOf } from "./logged-functions.js";
import type { Code } from "./replayed-frame.js";

/**
 * By this offset, compiled code has set up its frame: on x64 after 1 to 18 bytes, in logs of Node 16 to 26.
 *
 * Source: V8, src/compiler/backend/x64/code-generator-x64.cc, `AssembleConstructFrame`.
 */
export const LONGEST_ENTRY = 32;

/**
 * Before this offset, code that begins with a check whether it was deoptimized has no frame yet, on x64 and arm64; nor has
 * Sparkplug's, which first calls a builtin that sets up the frame. On x64 the check takes 14 or 23 bytes, and what leads to the
 * return from the builtin 17 to 22.
 *
 * Source: V8, src/compiler/backend/x64/code-generator-x64.cc, `CodeGenerator::BailoutIfDeoptimized`;
 * src/baseline/x64/baseline-compiler-x64-inl.h, `BaselineCompiler::Prologue`; disassembled code of Node 10 to 26.
 */
export const WITHOUT_FRAME = 14;
const SPARKPLUG_WITHOUT_FRAME = 16;

/** Returns before which offset code of a tier has no frame if it has a prologue as above. */
export function framelessStart({ tier }: Pick<Code, "tier">): number {
  return tier === "^" ? SPARKPLUG_WITHOUT_FRAME : WITHOUT_FRAME;
}

/** By index of a part of a position: where it begins and ends. */
function partsOf(code: Code): readonly number[] {
  return [0, framelessStart(code), LONGEST_ENTRY, Number.POSITIVE_INFINITY];
}

function partAt(code: Code, offset: number): number {
  if (offset >= LONGEST_ENTRY) return 2;
  return offset < framelessStart(code) ? 0 : 1;
}

/**
 * Returns a number that is the same for all offsets in a piece of code that stand for the same frames if a tick is
 * there: those with one position in the source, before the frame can be set up, before it must be, or after; in builtins, those with a frame,
 * or without. As long as that is not known, each offset is a place of its own. So it is in bytecode, where the offsets
 * of callers are no others.
 */
export function leafPlace(code: Code, offset: number): number {
  const { source, tier, isBuiltin, frameless } = code;
  if (isBuiltin)
    return frameless === undefined ? offset : frameRange(frameless, offset).isFrameless ? -1 : -2;
  if (source === undefined || tier === "~") return offset;
  const table = tableOf(source);
  if (table.length === 0) return offset;
  // Negative, as offsets are not.
  return -3 * (table.indexAt(offset) + 2) + partAt(code, offset);
}

/** Returns the offsets around one, from `start` to before `end`, that are one place. */
export function leafRange(code: Code, offset: number): { readonly start: number; readonly end: number } {
  if (!code.hasPlaces) return { start: 0, end: Number.POSITIVE_INFINITY };
  if (leafPlace(code, offset) >= 0) return { start: offset, end: offset + 1 };
  if (code.isBuiltin) return frameRange(code.frameless!, offset);
  const table = tableOf(code.source!);
  const index = table.indexAt(offset);
  const start = index < 0 ? 0 : table.startOf(index);
  const end = index + 1 < table.length ? table.startOf(index + 1) : Number.POSITIVE_INFINITY;
  const parts = partsOf(code);
  const part = partAt(code, offset);
  return { start: Math.max(start, parts[part]!), end: Math.min(end, parts[part + 1]!) };
}
