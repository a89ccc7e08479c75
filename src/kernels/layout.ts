// What the kernels and their hosts must agree on. Both the TypeScript and the AssemblyScript compiler read
// this file, so it contains only plain whole numbers below 2^31, without types. Offsets are in bytes.

// Ticks. Their layout is drawn in src/log/rows/tick-fields.ts.

/** Deeper stacks are left to the parser. */
export const MAX_DEPTH = 4096;
/** Longest beginning of a row that is put before the next chunk of the log. */
export const OPEN_ROW_BYTES = 1 << 13;
/** Bytes of ticks that are passed on at once. */
export const TICK_BUFFER_BYTES = 1 << 18;

// The first four bytes of a tick.
export const IS_EXTERNAL = 1;
export const HAS_TOS = 4;
export const STATE_SHIFT = 3;
export const STATE_MASK = 31;
export const FRESH_SHIFT = 8;

// Offsets of the rest of a tick.
export const TICK_SHARED = 4;
export const TICK_PC = 8;
export const TICK_TIME = 16;
/** The top of the stack if HAS_TOS, else the first frame that is not shared. */
export const TICK_TOS = 24;

/** State numbers that a row may contain. */
export const STATE_NUMBERS = 256;
/** The VM state of an unknown state number. */
export const NO_STATE = 255;

// Cached answers about addresses.

/**
 * Address bits within a grain. If a grain lies in one frame, its addresses share one cached answer. V8 aligns
 * bytecode to 8 bytes, and other code to more.
 */
export const GRAIN_BITS = 3;
/**
 * Address bits within a region, whose grains are next to each other in the cache, and whose other answers are
 * invalidated together. V8's pieces of code are some hundred to some ten thousand bytes long.
 */
export const REGION_BITS = 10;
/** A power of two. Regions whose addresses differ only in higher bits are invalidated together, too. */
export const REGIONS = 1 << 12;

// What an answer is valid for, if not for whole grains: one address, one return address.
export const FOR_ADDRESS = 0;
export const FOR_RETURN = 1;
/** Number of kinds of answers. */
export const ANSWER_KINDS = 2;

// The result for each tick, written over the ticks that came in.
export const RESULT_NODE = 0;
/** The VM state, plus HAS_STACK if the tick has frames. */
export const RESULT_STATE = 4;
export const HAS_STACK = 1 << 8;
export const RESULT_TIME = 8;
export const RESULT_BYTES = 16;

// A node of the call tree.
export const NODE_PARENT = 0;
export const NODE_FRAME = 4;
/** The child that was looked up last, plus {@link ONLY_CHILD} if there is no other; 0 for none. */
export const NODE_CHILD = 8;
export const ONLY_CHILD = 1 << 30;
export const NODE_BYTES = 12;
