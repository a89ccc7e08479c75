import type { RunRow } from "../../src/compare/run-summary.ts";

/** Returns a row of a run with nothing but its ticks. */
export function runRow(key: string, self: number): RunRow;
