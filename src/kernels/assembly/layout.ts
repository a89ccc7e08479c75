// What the two kernels of ticks have to agree on. src/parser/rows/tick-cells.ts draws the layout of a tick and reads it.

/** Deeper stacks are left to the parser. */
export const MAX_DEPTH: i32 = 4096;
/** Bytes of ticks that are handed on at once. */
export const CELL_BYTES: i32 = 1 << 18;

// The first four bytes of a tick.
export const IS_EXTERNAL: u32 = 1;
export const HAS_TOS: u32 = 4;
export const STATE_SHIFT: u32 = 3;
export const STATE_MASK: u32 = 31;
export const FRESH_SHIFT: u32 = 8;
