// What the kernels and their hosts have to agree on, once. The compilers of TypeScript and of AssemblyScript both read this
// file: it holds plain whole numbers below 2^31, without types. Places are offsets in bytes.

// Ticks. src/parser/rows/tick-fields.ts draws their layout.

/** Deeper stacks are left to the parser. */
export const MAX_DEPTH = 4096;
/** Bytes of ticks that are handed on at once. */
export const TICK_BUFFER_BYTES = 1 << 18;

// The first four bytes of a tick.
export const IS_EXTERNAL = 1;
export const HAS_TOS = 4;
export const STATE_SHIFT = 3;
export const STATE_MASK = 31;
export const FRESH_SHIFT = 8;

// Where the rest of a tick is.
export const TICK_SHARED = 4;
export const TICK_PC = 8;
export const TICK_TIME = 16;
/** The top of the stack if HAS_TOS, else the first of the frames that are not shared. */
export const TICK_TOS = 24;

/** Numbers that VM states may have in a row. */
export const STATE_NUMBERS = 256;
/** What stands for a VM state where a number has none. */
export const NO_STATE = 255;

// What addresses were found to be.

/** Bits of an address inside a grain: addresses that are looked up as one where they are one frame. V8 and compilers align code to 16 to 64. */
export const GRAIN_BITS = 5;
/** Bits of an address inside a region: addresses whose answers are voided together. Code of V8 is some hundred bytes to some ten thousand. */
export const REGION_BITS = 12;
/** A power of two. Regions whose addresses differ in higher bits only are voided together too. */
export const REGIONS = 1 << 12;

// What an answer holds for: all addresses of a grain, one address, one that is returned to.
export const FOR_GRAIN = 0;
export const FOR_ADDRESS = 1;
export const FOR_RETURN = 2;
/** How many kinds of answers those are. */
export const ANSWER_KINDS = 3;

// Ticks whose stacks have become nodes, one after the other where the ticks came in.
export const RESULT_NODE = 0;
export const RESULT_STATE = 4;
export const RESULT_TIME = 8;
export const RESULT_BYTES = 16;

// A node of the call tree.
export const NODE_PARENT = 0;
export const NODE_FRAME = 4;
/** The child that was looked for last; 0 for none. */
export const NODE_CHILD = 8;
/** The ticks that were counted here times 2^COUNT_SHIFT, plus their VM state plus 1; 0 before the first. */
export const NODE_COUNTED = 12;
export const NODE_SHIFT = 4;
export const COUNT_SHIFT = 4;

// What was found of the times of ticks that were placed, in numbers of eight bytes.
export const TIMES_FIRST = 0;
export const TIMES_LAST = 8;
/** Steps from tick to tick that are no gaps, and what they add up to. */
export const TIMES_STEPS = 16;
export const TIMES_STEP_TIME = 24;
export const TIMES_GAPS = 32;
export const TIMES_GAP_TIME = 40;
export const TIMES_LONGEST_GAP = 48;
/** Ticks without frames. */
export const TIMES_WITHOUT_STACK = 56;
export const TIMES_BYTES = 64;

// Symbol tables of ELF files.

/** Bytes of an entry, `Elf64_Sym`. */
export const ENTRY_BYTES = 24;
/** Numbers that sections have of their own; from here on a section number is none, but for those below. */
export const RESERVED_SECTIONS = 0xff00;
/** A symbol in no section. */
export const UNDEFINED_SECTION = 0;
export const COMMON_SECTION = 0xfff2;
/** The section of the symbol is written in another table. */
export const LATER_SECTION = 0xffff;

// What a symbol is taken for, by its binding and its type.
export const NO_FUNCTION = 0;
export const FUNCTION_IN_CODE = 1;
export const FUNCTION_ANYWHERE = 2;
