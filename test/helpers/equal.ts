import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/**
 * Expects two large values to be equal. Comparing columns of numbers one by one with `toEqual` takes seconds; Node compares
 * them whole. `toEqual` is left to say where they differ.
 */
export function expectEqual(found: unknown, expected: unknown, message?: string): void {
  if (!isDeepStrictEqual(found, expected)) expect(found, message).toStrictEqual(expected);
}
