/**
 * The limits on what a log, a source map or a file of symbols may ask of this program. What is past a limit counts as
 * malformed: it is reported, and what stands beside it is read on. Each is far above what V8 or any tool is known to write.
 */

const KIB = 2 ** 10;
const MIB = 2 ** 20;

/** Bytes of one row of a log. The largest are `script-source` rows: one holds the text of a whole script. */
export const ROW_BYTES = 64 * MIB;

/** UTF-16 units of a name that are shown; the rest is cut, with a mark that says so. */
export const SHOWN_NAME_LENGTH = 64 * KIB;

/** Lines, columns and offsets in a script: those past it cannot be told apart by the formats that are exported to. */
export const LAST_POSITION = 2 ** 31 - 1;

/**
 * Addresses that code may end at: past it, a double does not hold every address. V8's code lies in user space, below 2^57 on
 * paper and 2^47 in every log seen. What a stack holds may be any word of 64 bits, and libraries of the kernel lie at the end
 * of those; they are rounded to doubles.
 */
export const LAST_CODE_ADDRESS = Number.MAX_SAFE_INTEGER;
export const WORD_END = 2 ** 64;

/** Microseconds of a sampling interval, and of the time of a row: 2^53 - 1 µs are 285 years. */
export const LAST_INTERVAL = 2 ** 31 - 1;
export const LAST_TIME = Number.MAX_SAFE_INTEGER;

/** Frames of one stack that are kept, from the leaf. V8 writes at most 255. */
export const STACK_DEPTH = 16 * KIB;

/** Positions, inlined calls and inlined functions that the tables of one piece of code may hold, each. */
export const CODE_POSITIONS = 4 * MIB;

/** Calls inlined into each other that are shown. V8 stops at 50. Source: V8, src/compiler/js-inlining-heuristic.cc. */
export const INLINING_DEPTH = 64;

/** Bytes of a source map, inside a script or in a file of its own. */
export const SOURCE_MAP_BYTES = 256 * MIB;

/** Bytes of a source text that is read from disk. */
export const SOURCE_FILE_BYTES = 64 * MIB;

/** Bytes of a file of saved symbols, uncompressed. */
export const SYMBOLS_FILE_BYTES = 512 * MIB;

/** Segments of a source map, each of which is from 4 to 16 bytes of text and takes 20 bytes of memory. */
export const SOURCE_MAP_SEGMENTS = 16 * MIB;

/** Sections of a source map. Bundlers write one a module. */
export const SOURCE_MAP_SECTIONS = 64 * KIB;

/** Arrays and objects in the JSON of a source map, and how deep they are in each other. */
export const SOURCE_MAP_VALUES = 4 * MIB;
export const SOURCE_MAP_NESTING = 128;

/** Maps inside the sections of maps: the standard has one level, some bundlers write two. */
export const SOURCE_MAP_DEPTH = 8;

/** UTF-16 units of a path or a name out of a source map: each function that it stands for repeats it. */
export const SOURCE_MAP_NAME_LENGTH = 4 * KIB;

/** UTF-16 units of a name that a pattern of the user is matched against: such a pattern can take the square of it. */
export const MATCHED_NAME_LENGTH = 2 * KIB;

/** Functions that `ticks function --all` describes: for each it looks at the whole profile once. */
export const DESCRIBED_FUNCTIONS = 500;
