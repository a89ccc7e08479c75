function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/**
 * The words in V8's names of builtins, bytecode handlers, stubs and memory chunks, from V8 4 to 14.
 *
 * Source: V8, src/builtins/builtins-definitions.h, src/interpreter/bytecodes.h, src/code-stubs.h; logs of
 * each version.
 */
const WORDS = wordsOf(`
  ADD ALLOCATION AND ANY API AT Abort Abs Abstract Access Accessor Acos Acosh Acquire Adaptor Add Adopt
  Advance After Again Aggregate All Allocate Allocation Already Anchor And Any Api Apply Args Argument
  Arguments Argv Array As Asin Asinh Asm Assembly Assert Assertion Assign Async At Atan Atanh Atom Atomic
  Atomics Await BIT Background Bailout Barrier Base Baseline Be Big Binary Bind Bitwise Blank Blink Block
  Boilerplate Bold Bool Boolean Both Bound Bounds Box Br Break Budget Buffer Builtin Builtins By Byte Bytecode
  C COW CSA Calendar Calendars Call Callback Called Caller Can Canonical Capabilities Capability Capture
  Case Cast Catch Category Caught Cbrt Ceil Cell Cells Char Check Checks Chunk Clamped Class Cleanup Clear
  Clone Close Closed Closure Clz Code Collapsed Collation Collations Collator Collect Collection Column
  Compact Compare Compatible Compile Component Computed Concat Concurrent Condition Configure Console
  Const Constant Construct Constructable Constructed Constructor Containing Context Continuation Continue
  Convert Copy Cos Cosh Count Counter Create Current Cycle Cycles DISABLE DIV DOUBLE Data Date Day Days
  Dcheck Debug Debugger Dec Decode Decrement Default Defer Define Delegate Delete Deopt Deoptimization
  Deoptimized Deref Dereference Derived Description Descriptor Descriptors Deserialize Detach Detached
  Dictionary Difference Dir Direct Disable Disjoint Dispatch Display Disposable Dispose Disposed Div
  Divide Do Done Dont Dot Double Doubles Drop Dropped Dropper Dummy Duration Dynamic ELEMENTS Each Eager
  Edit Elem Element Elements Embedded Embedder Emit Empty Enabled Enclosing Encode End Ends Enqueue Enter
  Entries Entry Enumerable Enumerate Enumerated Ephemeron Epoch Eq Equal Equals Era Error Errors Escape
  Eval Evaluate Even Every Exception Exchange Excluded Exec Executed Execution Executor Exit Exn Exp
  Experimental Explicit Expm Exponential Exponentiate Extensible Extensions Extern External Extra Extract
  Extras F FAST FP FUNCTION FX Failed Failure False Fan Fast Feedback Field Fields File Fill Filling
  Filter Final Finalization Finally Find Finish Finite First Fixed Flags Flat Flatten Float Floor Fn
  Following Fontcolor Fontsize For Format Formed Forward Frame Free Freeze Fresh From Fround Frozen
  Fulfill Fulfilled Full Func Function GC Gallop Generation Generator Generic Get Getter Global Greater
  Group Grow Growable Guard HOLEY HTML Handle Handled Handler Has Hash Heal Heap Helper Hex Hole Holes
  Holey Hour Hours Hypot I IC ISO Id If Ignition Ignore Illegal Immutable Impl Import Imul In Inc Includes
  Increment Index Indexed Indices Indirect Info Init Initialize Inline Input Insert Inside Instance
  Instanceof Instant Instantiate Instants Int Integer Interceptor Internal Internalize Internalized
  Interpreter Interrupt Intersection Intl Into Intrinsic Invalid Invocation Invoke Is Italics Iter
  Iterable Iterator JS JSON Java Job Join Js Json Jump Key Keyed Keys Kind Landing Language Large Last
  Lazy Lda Ldar Leap Leave Left Legacy Length Less Lhs Liftoff Like Line Linear Link List Literal Live
  Load Locale Locales Lock Log Logical Lookup Loop Lower METHOD MOD MUL Maglev Make Map Mapped Maps Mark
  Marker Marking Match Math Max Maximize May Measure Megamorphic Mem Mementos Memory Merge Message Meta
  Method Microsecond Microseconds Microtask Microtasks Millisecond Milliseconds Min Minimize Minus Minute
  Minutes Mismatch Miss Mod Modified Module Modulus Monomorphic Month Months Mov Move Mul Multiline
  Multiply Mutable Mutex N NULL Na Name Named Names Nanosecond Nanoseconds Native Negate Negated Never New
  Next Nil No Non None Nonexistent Noninlined Normal Normalize Not Notify Now Null Number Numbering
  Numbers Numeric OOB OR Object Octogenarian Odd Of Offset Old Omit On Once Only Op Opt Optimization
  Optimize Optimized Options Or Ordered Ordinary Origin Osr Out Overflow Override Own Packed Pad Pair
  Parameter Paren Parse Parser Parts Patch Path Pause Pending Perform Pill Plain Plural Plus Point Pointer
  Poison Polymorphic Pop Position Possible Pow Pre Preceding Precise Precision Prepare Preparse Preserve
  Preserved Prevent Previous Primitive Print Private Profile Profiling Prologue Promise Promising
  Propagate Properties Property Proto Prototype Prototypes Proxy Ptr Push Quadragenarian Queue Quick
  Quinquagenarian ROR Race Random Range Raw Re Reaction Read Realm Receiver Record Recording Reduce Ref
  Reference Reflect Reg Region Register Registers Registry Regs Regular Reject Rejected Relative Release
  Rem Remembered Reoptimize Repeat Replace Replacement Reset Resizable Resize Resolve Resolved Resolvers
  Rest Restart Restore Restricted Result Resume Rethrow Return Returns Reverse Reversed Revocable Revoke
  Rewind Rhs Right Round Rtt Rules Run Runtime SAR SHL SHR SITES SMI SUB Safe Same Save Script Seal Sealed
  Search Second Seconds Segment Segmenter Segments Select Septuagenarian Sequence Set Sets Setter Settled
  Setup Sexagenarian Shadow Shallow Shared Shift Sig Sign Signed Sin Since Single Sinh Site Sites Size
  Slice Sloppy Slot Slow Small Smi Soft Some Sort Sorted Source Space Spec Species Splice Spliced Split
  Spread Sqrt Sta Stack Stacks Stamp Standard Star Start Starts State Statement Step Sticky Store Stress
  Strict Strike String Stringify Strong Struct Stub Sub Subset Substr Substring Subtract Subtype Sum Sup
  Super Superset Supported Suppressed Suspend Switch Symbol Symbols Symmetric Sync Syntax System Systems
  Table Tag Tagged Tail Take Tan Tanh Target Template Temporal Tenured Test Text Than The Then Thenable
  This Throw Thrower Thunk Tier Tim Time Timeline Timeout Timezone To Too Toplevel Total Trace Track
  Trampoline Transfer Transition Trap Trigger Trim True Trunc Truncate Try Turbo Turbofan Turboshaft Twice
  Two Type Typed Typeof UNDEFINED URI URL USV UT UTC UTF Uint Unaligned Unary Uncaught Uncurry Undefined
  Undetectable Unescape Unicode Uninitialized Union Unit Unlock Unmapped Unreachable Unregister
  Unrepresentable Unrestricted Unshared Unshift Unsupported Until Unused Unwrap Up Update Upper Use User
  Utf Utils V Valid Value Values Varargs Variable Variants Vector View Wait Wake Warn Wasm Weak Web Week
  Weeks Well Wide With Within Without Word Wrap Wrapped Wrapper Write Wtf XOR Xml Xor Year Years Yield
  Young Zero Zeroed Zone Zoned Zones args p round
`);

/** Longer names are not V8's. */
const LENGTH_LIMIT = 150;
const CHARACTERS = /^[A-Za-z0-9_.:()*>, -]+$/;
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

/**
 * Returns whether a name consists only of V8's words. A list of whole names would have to cover every
 * version. Program text that a torn row put into such a name has other words.
 */
export function isV8Name(name: string): boolean {
  if (name.length > LENGTH_LIMIT || !CHARACTERS.test(name)) return false;
  const words = name.match(WORD);
  return words?.every((word) => WORDS.has(word)) ?? false;
}

/**
 * The words of JavaScript, and the names of its standard objects, of their properties and of a few of Node's. In a program's
 * text, they tell what it does, and nothing of its own names.
 *
 * Source: ECMA-262, ECMA-402; Node 26.
 */
export const SOURCE_WORDS = wordsOf(`
  AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean Buffer Collator DataView
  Date DateTimeFormat DisplayNames DurationFormat E EPSILON Error EvalError FinalizationRegistry Float32Array
  Float64Array Function Infinity Int16Array Int32Array Int8Array Intl JSON LN10 LN2 LOG10E LOG2E ListFormat
  Locale Map Math NaN Number NumberFormat Object PI PluralRules Promise Proxy RangeError ReferenceError Reflect
  RegExp RelativeTimeFormat SQRT1_2 SQRT2 Segmenter Set SharedArrayBuffer String Symbol SyntaxError TypeError
  URIError UTC Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet abs abstract acos
  acosh add all allSettled anchor and any apply arguments as asIntN asUintN asin asinh assign async asyncDispose
  asyncIterator at atan atan2 atanh await big bind blink bold break buffer byteLength byteOffset call caller
  captureStackTrace case catch cbrt ceil charAt charCodeAt class clear clearInterval clearTimeout clz32
  codePointAt compareExchange compile concat console const construct constructor continue copyWithin cos cosh
  create debugger decodeURIComponent default defineProperties defineProperty delete deleteProperty deref
  description detached difference dispose do dotAll drop else encodeURIComponent endsWith entries enum escape
  eval every exchange exec exp expm1 export exports extends f16round false fill filter finally find findIndex
  findLast findLastIndex fixed flags flat flatMap floor fontcolor fontsize for forEach freeze from fromAsync
  fromBase64 fromCharCode fromCodePoint fromEntries fromHex fround function get getBigInt64 getBigUint64
  getCanonicalLocales getDate getDay getFloat16 getFloat32 getFloat64 getFullYear getHours getInt16 getInt32
  getInt8 getMilliseconds getMinutes getMonth getOrInsert getOrInsertComputed getOwnPropertyDescriptor
  getOwnPropertyDescriptors getOwnPropertyNames getOwnPropertySymbols getPrototypeOf getSeconds getTime
  getTimezoneOffset getUTCDate getUTCDay getUTCFullYear getUTCHours getUTCMilliseconds getUTCMinutes getUTCMonth
  getUTCSeconds getUint16 getUint32 getUint8 getYear global globalThis groupBy grow growable has hasIndices
  hasInstance hasOwn hasOwnProperty hrtime hypot if ignoreCase implements import imul in includes indexOf input
  instanceof interface intersection is isArray isConcatSpreadable isDisjointFrom isError isExtensible isFinite
  isFrozen isInteger isLockFree isNaN isPrototypeOf isRawJSON isSafeInteger isSealed isSubsetOf isSupersetOf
  isView isWellFormed italics iterator join keyFor keys lastIndexOf lastMatch lastParen leftContext length let
  link load localeCompare log log10 log1p log2 map match matchAll max maxByteLength message meta min module
  multiline name new next nextTick normalize notify now null of or ownKeys package padEnd padStart parse
  parseFloat parseInt pause performance pop pow prepareStackTrace preventExtensions primordials private process
  propertyIsEnumerable protected prototype public push queueMicrotask race random raw rawJSON reduce reduceRight
  register reject repeat replace replaceAll require resizable resize resolve return reverse revocable
  rightContext round seal search set setBigInt64 setBigUint64 setDate setFloat16 setFloat32 setFloat64
  setFromBase64 setFromHex setFullYear setHours setImmediate setInt16 setInt32 setInt8 setInterval
  setMilliseconds setMinutes setMonth setPrototypeOf setSeconds setTime setTimeout setUTCDate setUTCFullYear
  setUTCHours setUTCMilliseconds setUTCMinutes setUTCMonth setUTCSeconds setUint16 setUint32 setUint8 setYear
  shift sign sin sinh size slice small some sort source species splice split sqrt stackTraceLimit startsWith
  static sticky store strike stringify sub subarray substr substring sup super supportedValuesOf switch
  symmetricDifference take tan tanh target test then this throw toArray toBase64 toDateString toExponential
  toFixed toGMTString toHex toISOString toJSON toLocaleDateString toLocaleLowerCase toLocaleString
  toLocaleTimeString toLocaleUpperCase toLowerCase toPrecision toPrimitive toReversed toSorted toSpliced
  toString toStringTag toTemporalInstant toTimeString toUTCString toUpperCase toWellFormed transfer
  transferToFixedLength trim trimEnd trimLeft trimRight trimStart true trunc try typeof undefined unicode
  unicodeSets union unregister unscopables unshift using valueOf values var void wait waitAsync while with
  withResolvers xor yield
`);

/**
 * V8's reasons for deoptimization, from V8 4 to 14.
 *
 * Source: V8, src/deoptimizer/deoptimize-reason.h and its ancestors.
 */
const DEOPT_REASONS: ReadonlySet<string> = new Set([
  "array buffer was detached",
  "the array length changed",
  "BigInt too big",
  "const tracking let constness invalidated",
  "failed to grow elements store",
  "copy-on-write array's elements changed",
  "%_DeoptimizeNow",
  "deprecated map",
  "division by zero",
  "float16 is not supported as machine operation",
  "length is greater than the maximum for fast elements array",
  "hole",
  "instance migration failed",
  "Insufficient type feedback for array literal",
  "Insufficient type feedback for binary operation",
  "Insufficient type feedback for call",
  "Insufficient type feedback for compare operation",
  "Insufficient type feedback for construct",
  "Insufficient type feedback for for-in",
  "Insufficient type feedback for generic global access",
  "Insufficient type feedback for generic keyed access",
  "Insufficient type feedback for generic named access",
  "Insufficient type feedback for instanceof",
  "Insufficient type feedback for object literal",
  "Insufficient type feedback for typeof",
  "Insufficient type feedback for unary operation",
  "unexpected name in keyed access",
  "lost precision",
  "lost precision or NaN",
  "minus zero",
  "NaN",
  "no cache",
  "no initial element",
  "not a BigInt",
  "not a BigInt64",
  "not a heap number",
  "not a JavaScript object",
  "not a JavaScript object, Null or Undefined",
  "not a Number",
  "not a Number or Boolean",
  "not a Number or Oddball",
  "not a Smi",
  "not a String",
  "not a sequential one-byte String",
  "not a String or a string wrapper",
  "not a string wrapper",
  "not a Symbol",
  "not AdditiveSafeInteger",
  "not an array index",
  "not a detectable receiver",
  "not int32",
  "not unsigned int32",
  "exit from OSR'd inner loop",
  "out of bounds",
  "overflow",
  "prepare for on stack replacement (OSR)",
  "Smi",
  "Storing to a constant field",
  "Result string larger than String::kMaxLength",
  "SuspendGenerator is in a dead branch",
  "unexpected context extension",
  "(unknown)",
  "First use of catch block",
  "value mismatch",
  "wrong call target",
  "wrong call target constructor",
  "wrong enum indices",
  "wrong feedback cell",
  "wrong instance type",
  "wrong map",
  "map changed during operation",
  "wrong name",
  "wrong value",
  "dependent map was deprecated",
  "dependent prototype chain changed",
  "dependent property cell changed",
  "dependent field type constness changed",
  "dependent field type changed",
  "dependent field representation changed",
  "dependent initial map changed",
  "dependent allocation site tenuring changed",
  "dependent allocation site transition changed",
  "dependent context cell state changed",
  "dependent empty context extension changed",
  "embedded weak objects cleared",
  "JS debugger attached",
  "for testing",
  "exception with omitted catch handler",
  "marked due to eager deopt",
  "value in stack frame was materialized",
  "array buffer was neutered",
  "receiver was not a global proxy",
  "no reason",
  "Constant global variable assignment",
  "conversion overflow",
  "ElementsKind unhandled in KeyedLoadGenericStub",
  "Expected heap number",
  "Expected smi",
  "Forced deopt to runtime",
  "Holey array despite packed elements_kind feedback",
  "Insufficient type feedback for call with arguments",
  "Insufficient type feedback for combined type of binary operation",
  "Insufficient type feedback for keyed load",
  "Insufficient type feedback for keyed store",
  "Insufficient type feedback for LHS of binary operation",
  "Insufficient type feedback for RHS of binary operation",
  "key is negative",
  "memento found",
  "Negative key encountered",
  "negative value",
  "non-strict elements in KeyedLoadGenericStub",
  "not a date object",
  "not a heap number/undefined/true/false",
  "not a heap number/undefined",
  "null",
  "Outside of range",
  "receiver was a global object",
  "too many arguments",
  "Too many undetectable types",
  "Tracing elements transitions",
  "Type mismatch between feedback and constant",
  "undefined",
  "Unexpected cell contents in constant global store",
  "Unexpected cell contents in global store",
  "unexpected object",
  "Unexpected RHS of binary operation",
  "Uninitialized boilerplate in fast clone",
  "Uninitialized boilerplate literals",
  "Unknown map in polymorphic access",
  "Unknown map in polymorphic call",
  "Unknown map in polymorphic element access",
  "Unknown map",
  "null or undefined in for-in",
  "Access check needed",
]);

/** V8's kinds of deoptimization. Source: V8, src/deoptimizer/deoptimizer.cc, `Deoptimizer::MessageFor`. */
const DEOPT_KINDS = wordsOf(`
  eager lazy soft bailout debugger dependency-change deopt-eager deopt-lazy deopt-soft
`);

/** The types of code. Source: V8, src/objects/code-kind.h, src/logging/log-event-listener.h and their ancestors. */
export const CODE_TYPES = wordsOf(`
  JS Function LazyCompile Script Eval Builtin BytecodeHandler Stub Handler RegExp Native Callback Generic
  C_TYPE StoreInitialize StoreMegamorphic StorePolymorphicIC StorePreMonomorphic CallInitialize
  CallMegamorphic CallMiss CallNormal CallPreMonomorphic CallDebugBreak CallDebugPrepareStepIn BinaryOpIC
  CallIC CompareIC CompareNilIC KeyedCallIC KeyedLoadIC KeyedLoadPolymorphicIC KeyedStoreIC
  KeyedStorePolymorphicIC LoadGlobalIC LoadIC LoadPolymorphicIC StoreGlobalIC StoreIC ToBooleanIC
`);

/**
 * V8's names for inline caches and handlers without a property. Source: V8, src/logging/log.cc,
 * `LogCodeObject`.
 */
export const CODE_PHRASES: ReadonlySet<string> = new Set([
  "A call IC from the snapshot",
  "A keyed load IC from the snapshot",
  "A keyed store IC from the snapshot",
  "A load global IC from the snapshot",
  "A load IC from the snapshot",
  "A store global IC from the snapshot",
  "A store IC from the snapshot",
  "An IC handler from the snapshot",
  "UnknownBytecodeHadler",
  "args_count: 0",
  "args_count: 1",
  "args_count: 2",
  "args_count: 3",
]);

/** Function names from the language or V8, which reveal nothing about a program. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set([
  "<anonymous>",
  "(anonymous)",
  "anonymous",
  "<computed>",
  "<instance_members_initializer>",
  "<static_initializer>",
  "[Symbol.asyncIterator]",
  "[Symbol.hasInstance]",
  "[Symbol.iterator]",
  "[Symbol.toPrimitive]",
  "[Symbol.toStringTag]",
  "Object",
  "constructor",
  "exports",
  "module",
  "prototype",
]);

/** Script names that are not files of the program. */
export const SCRIPT_WORDS: ReadonlySet<string> = new Set([
  "<anonymous>",
  "<unknown>",
  "unknown",
  "evalmachine.<anonymous>",
  "[eval]",
  "[eval]-wrapper",
  "[stdin]",
  "[stdin]-wrapper",
  "[worker eval]",
  // By these, reports know the thread and the loading of modules up to Node 10; their functions are hashed.
  "bootstrap_node.js",
  "module.js",
  "node.js",
]);

/** The systems of `v8-platform`. Source: V8, src/logging/log.cc, `LogV8Platform`. */
const PLATFORMS = wordsOf(`
  aix android cygwin darwin freebsd fuchsia ios linux mac macos openbsd posix qnx solaris starboard win32
  windows zos
`);

const PROFILER_EVENTS: ReadonlySet<string> = new Set(["begin", "end", "pause", "resume"]);

/**
 * What happens to functions and scripts, with `--log-function-events`.
 *
 * Source: V8, src/parsing/parser.cc, src/parsing/preparser.cc, `LogFunctionCompilation` in src/codegen/compiler.cc,
 * `V8FileLogger::ScriptEvent` and `V8FileLogger::CompilationCacheEvent` in src/logging/log.cc.
 */
const FUNCTION_EVENTS = wordsOf(`
  parse parse-script parse-eval parse-function full-parse preparse-no-resolution preparse-resolution
  compile compile-lazy compile-eval interpreter interpreter-lazy interpreter-eval baseline baseline-lazy
  maglev turboprop turbofan optimize optimize-lazy first-execution first-execution-BUILTIN first-execution-BASELINE
  first-execution-MAGLEV first-execution-TURBOFAN_JS create deserialize reserve-id background-compile
  streaming-compile hit miss put
`);

/** How inline caches access elements. Source: V8, src/ic/ic.cc, `GetModifier`. */
const IC_MODIFIERS = wordsOf(".IGNORE_OOB .HANDLE_HOLES .IGNORE_OOB+HANDLE_HOLES .COW .STORE+COW");

/** The words that have a place of their own in logs. */
export const V8_WORDS = {
  "deopt-kind": DEOPT_KINDS,
  "deopt-reason": DEOPT_REASONS,
  "function-event": FUNCTION_EVENTS,
  "ic-modifier": IC_MODIFIERS,
  platform: PLATFORMS,
  "profiler-event": PROFILER_EVENTS,
} satisfies Readonly<Record<string, ReadonlySet<string>>>;
