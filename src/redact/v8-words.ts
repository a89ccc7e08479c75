/**
 * The words in V8's names of builtins, bytecode handlers, stubs and memory chunks, from V8 4 to 14.
 *
 * Source: V8, src/builtins/builtins-definitions.h, src/interpreter/bytecodes.h, src/code-stubs.h; logs of
 * each version.
 */
const WORDS: ReadonlySet<string> = new Set(
  `
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
`
    .trim()
    .split(/\s+/),
);

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
