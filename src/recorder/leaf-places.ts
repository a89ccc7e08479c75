import { frameRange } from "../symbols/frames/frameless-ranges.js";
import type { Code } from "./recorded-frame.js";
import { tableOf } from "./source-positions.js";

/**
 * By this offset, compiled code has set up its frame: on x64 after 1 to 18 bytes, in logs of Node 16 to 26.
 *
 * Source: V8, src/compiler/backend/x64/code-generator-x64.cc, `AssembleConstructFrame`.
 */
export const LONGEST_ENTRY = 32;

/**
 * Returns a number that is the same for all offsets in a piece of code that stand for the same frames if a tick is
 * there: those with one position in the source, before the frame is set up or after; in builtins, those with a frame,
 * or without. As long as that is not known, each offset is a place of its own. So it is in bytecode, where the offsets
 * of callers are no others.
 */
export function leafPlace({ source, tier, isBuiltin, frameless }: Code, offset: number): number {
  if (isBuiltin)
    return frameless === undefined ? offset : frameRange(frameless, offset).isFrameless ? -1 : -2;
  if (source === undefined || tier === "~") return offset;
  const table = tableOf(source);
  if (table.length === 0) return offset;
  // Negative, as offsets are not.
  return -2 * (table.indexAt(offset) + 2) + Number(offset < LONGEST_ENTRY);
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
  return offset < LONGEST_ENTRY
    ? { start, end: Math.min(end, LONGEST_ENTRY) }
    : { start: Math.max(start, LONGEST_ENTRY), end };
}
