/**
 * Limits on what a log, a source map or a symbols file may ask of this program. Anything beyond a limit
 * counts as malformed: it is reported, and the rest is still read. Each limit is far above what V8 or any
 * known tool writes.
 */

const KIB = 2 ** 10;
const MIB = 2 ** 20;

/** Bytes in one row of a log. The longest are `script-source` rows, which hold the text of a whole script. */
export const ROW_BYTES = 64 * MIB;

/** Longer lines of a source, in UTF-16 units, are shown around the place that matters. */
export const LONG_LINE = 200;

/** UTF-16 units of a name that are shown. Longer names are cut, and marked as cut. */
export const SHOWN_NAME_LENGTH = 64 * KIB;

/** Highest line, column or offset in a script. The export formats cannot represent higher ones. */
export const LAST_POSITION = 2 ** 31 - 1;

/**
 * Highest address at which code may end; beyond it, a double cannot hold every address. V8's code lies in
 * user space, below 2^57 on paper and 2^47 in every log seen. A stack may hold any 64-bit word, and kernel
 * libraries lie at the top of that range; such addresses are rounded to doubles.
 */
export const LAST_CODE_ADDRESS = Number.MAX_SAFE_INTEGER;
export const WORD_END = 2 ** 64;

/** Inline caches of a log that are kept, each with what its rows say: about a thousand bytes. */
export const IC_SITES = 128 * KIB;

/** Longest sampling interval and latest time of a row, in microseconds. 2^53 - 1 µs are 285 years. */
export const LAST_INTERVAL = 2 ** 31 - 1;
export const LAST_TIME = Number.MAX_SAFE_INTEGER;

/** Frames kept from one stack, counted from the leaf. V8 writes at most 255. */
export const STACK_DEPTH = 16 * KIB;

/**
 * Frames of one stack of a profile that is no log: of deeper ones, those in the middle are one frame. V8 writes at most 255, Go 128,
 * Firefox 1,024.
 */
export const INPUT_STACK_DEPTH = KIB;

/**
 * Maximum number of positions, of inlined calls and of inlined functions in the tables of one piece of code.
 */
export const CODE_POSITIONS = 4 * MIB;

/**
 * Levels of inlined calls that are shown. V8 stops at 50. Source: V8, src/compiler/js-inlining-heuristic.cc.
 */
export const INLINING_DEPTH = 64;

/** Bytes in a source map, inline or in a file of its own. */
export const SOURCE_MAP_BYTES = 256 * MIB;

/** Bytes in a source file that is read from disk. */
export const SOURCE_FILE_BYTES = 64 * MIB;

/** Bytes in a file of saved symbols, uncompressed. */
export const SYMBOLS_FILE_BYTES = 512 * MIB;

/** Segments in a source map. Each is 2 to 16 bytes of text and takes up to 110 bytes of memory. */
export const SOURCE_MAP_SEGMENTS = 8 * MIB;

/** Sections in a source map. Bundlers write one per module. */
export const SOURCE_MAP_SECTIONS = 64 * KIB;

/** Number of arrays and objects in the JSON of a source map, and how deeply they may nest. */
export const SOURCE_MAP_VALUES = 4 * MIB;
export const SOURCE_MAP_NESTING = 128;

/**
 * How deeply maps may nest inside the sections of maps. The standard allows one level; some bundlers write
 * two.
 */
export const SOURCE_MAP_DEPTH = 8;

/** UTF-16 units in a path or name from a source map. Every function that uses it repeats it. */
export const SOURCE_MAP_NAME_LENGTH = 4 * KIB;

/** UTF-16 units of a name that a user's pattern is matched against. Matching can take quadratic time. */
export const MATCHED_NAME_LENGTH = 2 * KIB;

/** Functions that `ticks function --all` describes. Each one needs a pass over the whole profile. */
export const DESCRIBED_FUNCTIONS = 500;

/** UTF-16 units, and nodes of the syntax tree, of a script that is parsed. A node takes some 150 bytes. */
export const PARSED_SCRIPT_LENGTH = 16 * MIB;
export const PARSED_SCRIPT_NODES = MIB;

/** Nodes of the tree of `ticks tree --heavy`, 2 KB each on a page. Without a limit it can have as many as the stacks have frames together. */
export const HEAVY_TREE_NODES = 64 * KIB;

/** Lines of functions that are told apart in a profile. The page of `top` takes some 2.5 KB of memory for each. */
export const SAMPLED_LINES = 48 * KIB;

/** Logs that `ticks live` follows at a time, the newest. Each takes some 0.4 MB and an open file. */
export const FOLLOWED_LOGS = 256;

/** Bytes of a name in a pprof profile, which needs a byte to repeat it: stacks of a MiB could have some 60 GB of names. */
export const PPROF_NAME_BYTES = 4 * KIB;

/** Bytes in a pprof profile, uncompressed. */
export const PPROF_BYTES = 256 * MIB;
/** Bytes that what is read of it may take in memory, with what reports make of it: its functions, stacks and rows. */
export const PPROF_MADE_BYTES = 1024 * MIB;

/** Profiles, and names of threads, of one trace. */
export const TRACE_PROFILES = 4096;

/** Bytes of one value in a JSON profile that are in memory at once, such as a node of a stack. `JSON.parse` may take 16 times as many. */
export const JSON_VALUE_BYTES = 32 * MIB;

/**
 * Bytes that a compressed profile may unpack to: so many in any case, and so many times its own. Those of V8 reach some 20 times. gzip can reach
 * 1,000, and zstd far more: without this limit, 60 KB can take 600 MB of memory.
 */
export const UNPACKED_BYTES = 4 * MIB;
export const UNPACKED_TIMES = 64;
