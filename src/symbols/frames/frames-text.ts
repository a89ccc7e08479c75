import type { BuiltinFrames } from "./builtin-frames.js";

const FIELDS = /^([0-9a-f]{1,8}) (called|alone) ([0-9a-f,-]+)$/;
const RANGE = /^([0-9a-f]{1,8})-([0-9a-f]{1,8})$/;
/** Stands for no ranges. */
const NONE = "-";

/**
 * Returns what is known of a builtin as text without a space at either end: its size, `called` or `alone`, and
 * the ranges without a frame. Numbers are hexadecimal: `1258 called 0-390,40b-414`.
 */
export function framesText({ size, isCalled, frameless }: BuiltinFrames): string {
  const ranges: string[] = [];
  for (let i = 0; i < frameless.length; i += 2) {
    ranges.push(`${frameless[i]!.toString(16)}-${frameless[i + 1]!.toString(16)}`);
  }
  const where = ranges.length === 0 ? NONE : ranges.join(",");
  return `${size.toString(16)} ${isCalled ? "called" : "alone"} ${where}`;
}

/** Reads what {@link framesText} returns; undefined for any other text. */
export function parseFrames(text: string): BuiltinFrames | undefined {
  const [, size, called, where] = FIELDS.exec(text) ?? [];
  if (where === undefined) return undefined;
  const frameless: number[] = [];
  for (const range of where === NONE ? [] : where.split(",")) {
    const [, from = NaN, to = NaN] = (RANGE.exec(range) ?? []).map((hex) => Number.parseInt(hex, 16));
    if (!(from >= (frameless.at(-1) ?? 0) && to > from)) return undefined;
    frameless.push(from, to);
  }
  return { size: Number.parseInt(size!, 16), isCalled: called === "called", frameless };
}
