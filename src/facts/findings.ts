import { columnOf } from "../base/columns.js";
import { addTo, valueAt } from "../base/maps.js";
import { counted, named, type Text, TICKS, text } from "../base/text.js";
import type { Micros, Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import type { Frame } from "../profile/frame.js";
import { icBuiltin } from "../profile/inline-caches.js";
import { isEvaluated, type LoggedName, parseFrameName } from "../profile/logged-name.js";
import { oncePerLongName } from "../profile/long-names.js";
import type { ThreadInfo } from "../profile/profile.js";
import { GC, isIdle, vmState } from "../profile/vm-state.js";
import type { Analysis } from "./analysis.js";
import type { DeoptRow } from "./deopts.js";
import type { ProfiledFunction } from "./function-table.js";
import type { HotLine } from "./hot-lines.js";
import { isLoaderFile } from "./loader-phases.js";
import { codeMadeAt, deletedAt, type MadeAt, programTexts, regexpMadeAt } from "./made-at.js";
import type { Origin } from "./origin.js";
import { SourceTexts } from "./source-texts.js";

/** What a finding is about: a row of {@link SIGHTS}, or what is not seen on a single stack. */
export type FindingKind =
  | "console"
  | "child-process-sync"
  | "zlib-sync"
  | "crypto-sync"
  | "fs-sync"
  | "hashing"
  | "intl"
  | "code-from-text"
  | "regexp-compile"
  | "json"
  | "array-search"
  | "array-shift"
  | "array-splice"
  | "spread"
  | "text-replace"
  | "regexp"
  | "collections"
  | "prototypes"
  | "buffer-concat"
  | "buffers"
  | "streams"
  | "events"
  | "buffer-text"
  | "copies"
  | "stack-trace"
  | "inspect"
  | "system"
  | "timers"
  | "urls"
  | "files"
  | "dates"
  | "number-text"
  | "spread-call"
  | "keys"
  | "array-copy"
  | "sort"
  | "proxy"
  | "bigint"
  | "flatten"
  | "generators"
  | "promises"
  | "strings"
  | "megamorphic"
  | "slow-properties"
  | "sparse-elements"
  | "recursion"
  | "own-code"
  | "text-split"
  | "text-search"
  | "text-case"
  | "locks"
  | "mixed-types"
  | "late-loading"
  | "package"
  | "gc"
  | "loading"
  | "deopt-loop"
  | "optimizing"
  | "one-worker"
  | "spinning"
  | "tick-chain"
  | "idle";

/** Something that stands out, with what is known about its kind. */
export interface Finding {
  readonly kind: FindingKind;
  /** What a fix would save: the ticks of all stacks on which this work is seen below the program's lines, and with {@link FindingPlace.isRow} their rest. */
  readonly ticks: Ticks;
  /** Of the ticks that are shown; of `idle`, of all ticks, or of the time. */
  readonly percent: number;
  /** Where in the program most of it is; undefined if the log does not tell. */
  readonly place: FindingPlace | undefined;
  /** All lines that it is at, most ticks first. Their ticks are no more than those of the finding. */
  readonly places: readonly FindingPlace[];
  /** The line of another function that calls the place most often; undefined if none does. It is often the one to change. */
  readonly caller: FindingPlace | undefined;
  /** Where the regular expression is made, or the code at its place; undefined if it is at the place, or not known. */
  readonly made: MadeAt | undefined;
  /** The hottest line near it, where the log does not tell the places of most ticks; undefined otherwise. */
  readonly likely: FindingPlace | undefined;
  /** The line of a package that does most of it, if the program only calls that; undefined otherwise. */
  readonly inPackage: FindingPlace | undefined;
  /** The threads that it is about, most ticks first. */
  readonly threads: readonly BusyThread[];
  /** Whether much garbage is collected just after the place: its ticks come on top. */
  readonly makesGarbage: boolean;
  /** What it is and does, as the end of a sentence. */
  readonly what: Text;
  /** What to do instead, or how to see more. */
  readonly advice: string | undefined;
}

/** A thread, and how much of its time it was busy. */
export interface BusyThread {
  readonly name: string;
  /** Those that did not wait. */
  readonly ticks: Ticks;
  /** In percent. */
  readonly busy: number;
}

/** A line of the program or, if none of it is on the stack, of a package. */
export interface FindingPlace {
  readonly function: ProfiledFunction;
  /** From 1: the line that called it, or where the function begins if that is not known. */
  readonly line: number;
  /** Ticks of the finding at this line. */
  readonly ticks: Ticks;
  /** The column in the line, from 1; undefined if it is not known. */
  readonly column: number | undefined;
  /** Whether the line is known, and not only its function. */
  readonly isLineKnown: boolean;
  /** Whether a row of the program's lines, or of packages', has the same ticks. */
  readonly isRow: boolean;
}

/**
 * Where code runs that blocks: in a server's request or event, in another callback, in the code of a script as it loads, or in a
 * worker.
 */
type Context = "server" | "callback" | "main" | "worker";

/** What the words of a finding are made of. */
interface Seen {
  /** The names of the frames that tell its kind, those with most ticks first, and their part of it: 0 to 1. */
  readonly names: readonly { readonly name: string; readonly part: number }[];
  readonly context: Context;
  /** The source of its line; empty if the log has none. */
  readonly source: string;
}

interface Words {
  readonly what: Text;
  readonly advice?: string | undefined;
}

/** What is said of a kind of work: always the same, or by what was seen; undefined if there is nothing to say. */
type SightWords = Words | { words(seen: Seen): Words | undefined };

/** How a kind of work is seen on a stack, below the last function of the program or of a package, and what is said of it. */
type Sight = SightWords & {
  readonly kind: FindingKind;
  /** The least share of the ticks that is said, in percent. */
  readonly least: number;
  /** A function of Node: its file without `node:` and `.js`, and the last part of its name. */
  readonly node?: (file: string, name: string) => boolean;
  /** The symbol of a native function. */
  readonly native?: RegExp;
  /** V8's own code: `Builtin: StringPrototypeReplace`. */
  readonly code?: RegExp;
  /** Whether it is only code itself, and not all that this calls. Default: no. */
  readonly isLeaf?: boolean;
  /** Whether functions of the program that it calls are part of it, if they do nothing else that is seen. Default: no. */
  readonly hasCallbacks?: boolean;
  /** Whether it is this work only if the program calls it, and not Node for it. Default: no. */
  readonly isDirect?: boolean;
  /** Whether functions of Node that it calls are other work. Default: no. */
  readonly isShallow?: boolean;
  /** Whether it is part of the sort whose comparison does it: the sort says better what to do. Default: no. */
  readonly isOfSort?: boolean;
  /** Whether the innermost frame that fits tells what it is, and not the outermost. Default: no. */
  readonly tellsInnermost?: boolean;
};

/** A tenth of the time is what a server gains at once if it blocks no longer. */
const BLOCKING = 10;
/** Work that the program may well need: it stands out from a fifth on. */
const WORK = 20;

const SYNC = /^\w{1,40}Sync$/;

const NO_BIGINT = "numbers are many times faster, and exact up to 2^53";
/** A BigInt in a source: `BigInt(1)`, `1n`, `0xffn`. */
const BIGINTS = /\bBigInt\b|\b(?:\d[\d_]{0,40}|0[xX][\da-fA-F_]{1,40})n\b/;

/**
 * What stands out, one row a kind. Of several rows that fit a stack, the first one counts: modules are read with
 * `fs.readFileSync`, and the console writes with `fs.writeSync`.
 *
 * Sources: Node's documentation of `process` I/O (when the console blocks), of `crypto`, `zlib` and `fs` (what uses the thread
 * pool); V8, src/builtins/builtins-definitions.h (names of builtins).
 */
const SIGHTS: readonly Sight[] = [
  {
    kind: "console",
    least: BLOCKING,
    node: (file) => file.startsWith("internal/console/") || file === "console",
    native: /InspectorConsoleCall\(/,
    words: ({ context }) => ({
      what: `writing to the console ${blocks(context)}`,
      advice: "log less, or in batches",
    }),
  },
  {
    kind: "child-process-sync",
    least: BLOCKING,
    node: (file, name) => file.endsWith("child_process") && SYNC.test(name),
    words: (seen) => orKept(insteadOf("child_process", seen, "runs beside it"), seen),
  },
  {
    kind: "zlib-sync",
    least: BLOCKING,
    node: (file, name) => file === "zlib" && (SYNC.test(name) || name.startsWith("syncBuffer")),
    words: (seen) => insteadOf("zlib", { ...seen, names: [] }, USES_POOL),
  },
  {
    kind: "crypto-sync",
    least: BLOCKING,
    node: (file, name) =>
      /^(?:internal\/)?crypto\b/.test(file) && (SYNC.test(name) || /^random(?:Bytes|Int|UUID)$/.test(name)),
    words: (seen) => {
      const random = seen.names[0]?.name ?? "";
      if (!random.startsWith("random") || SYNC.test(random)) return insteadOf("crypto", seen, USES_POOL);
      return {
        what: `crypto.${random} ${blocks(seen.context)}`,
        advice: "get random bytes for many at once",
      };
    },
  },
  {
    kind: "fs-sync",
    least: BLOCKING,
    node: (file, name) => /^(?:internal\/)?fs\b/.test(file) && SYNC.test(name),
    words: (seen) => orKept(insteadOf("fs", seen, USES_POOL), seen),
  },
  {
    kind: "hashing",
    least: WORK,
    node: (file) => /^internal\/crypto\/(?:hash|sig|cipher)$/.test(file),
    words: ({ context }) => ({
      what: `hashing, signing or encrypting with crypto ${blocks(context)}`,
      advice: context === "worker" ? undefined : "a worker thread could do it",
    }),
  },
  {
    kind: "intl",
    least: BLOCKING,
    native:
      /^v8::internal::Builtin_(?:Impl_)?(?:(?:NumberFormat|DateTimeFormat|Collator|PluralRules|RelativeTimeFormat|ListFormat|Segmenter|DisplayNames|DurationFormat|Locale)[A-Z]\w*|(?:Number|BigInt|Date)PrototypeToLocale\w*|StringPrototypeLocaleCompare\w*)\(/,
    words: intlWords,
  },
  {
    kind: "code-from-text",
    least: BLOCKING,
    node: (file, name) => file === "vm" && /^(?:run|create|Script)/.test(name),
    native:
      /^v8::internal::(?:Builtin_(?:Impl_)?(?:\w*FunctionConstructor|GlobalEval)|Runtime_ResolvePossiblyDirectEval|Bootstrapper::CreateEnvironment|Genesis::Genesis)\(|^node::contextify::Contextify(?:Script::New|Context::(?:New|MakeContext|CreateV8Context|InitializeContext))\b/,
    what: "code is made from text here (new Function, eval or vm), and compiled",
    advice: "make it once, and keep the function",
  },
  {
    kind: "regexp-compile",
    least: BLOCKING,
    native:
      /^v8::internal::(?:Runtime_RegExpInitializeAndCompile|RegExpImpl::Compile|RegExpCompiler::|RegExpParser|RegExpBytecodeGenerator::|(?:Native)?RegExpMacroAssembler)/,
    code: /^Builtin: RegExpConstructor$/,
    what: "regular expressions are made here again and again, and compiled",
    advice: "make each once, outside of the function that uses it",
  },
  {
    kind: "json",
    least: 15,
    native: /^v8::internal::(?:Builtin_(?:Impl_)?Json(?:Parse|Stringify)\(|Json(?:Parser|Stringifier)\b)/,
    words: ({ names, context, source }) => {
      if (/JSON\.parse\(\s*JSON\.stringify\(/.test(source))
        return {
          what: `a deep copy by JSON.parse(JSON.stringify(…)) ${blocks(context)}`,
          advice: "copy only what changes, or nothing",
        };
      const parts = ["Parse", "Stringify"].filter((part) =>
        names.some((one) => one.name.includes(part) && one.part >= 0.1),
      );
      const calls = parts.map((part) => `JSON.${part.toLowerCase()}`).join(" and ") || "JSON";
      return {
        what: `${calls} ${blocks(context, parts.length > 1)}`,
        advice: "work on smaller values, or keep the result",
      };
    },
  },
  {
    kind: "array-search",
    least: WORK,
    code: /^Builtin: Array(?:Prototype)?(?:Includes|IndexOf|LastIndexOf|Find|Some|Every)/,
    isDirect: true,
    words: ({ source }) => {
      const call = /\.(find|findIndex|findLast|findLastIndex|some|every)\(/.exec(source)?.[1];
      return {
        what: `${call ?? "includes or indexOf"} looks through an array each time`,
        advice:
          call === undefined
            ? "a Set or a Map finds it at once"
            : "if it looks for a key, a Set or a Map finds it at once",
      };
    },
  },
  {
    kind: "array-shift",
    least: BLOCKING,
    isDirect: true,
    native: /^v8::internal::Builtin_(?:Impl_)?Array(?:Shift|Unshift)\(/,
    what: "shift or unshift moves all elements of an array each time",
    advice: "keep the index of the first one instead",
  },
  {
    kind: "array-splice",
    least: WORK,
    isDirect: true,
    native: /^v8::internal::(?:Builtin_(?:Impl_)?ArraySplice\(|Runtime_ArraySplice)/,
    code: /^Builtin: ArrayPrototypeSplice$/,
    what: "splice moves all elements of an array that come after its place",
    advice: "use a Map, or mark what is removed and filter once",
  },
  {
    kind: "spread",
    least: WORK,
    isDirect: true,
    native:
      /^v8::internal::(?:Runtime_(?:CopyDataProperties\w*|ObjectAssign\w*)|JSReceiver::SetOrCopyDataProperties)\(/,
    code: /^Builtin: (?:CopyDataProperties|SetDataProperties|ObjectAssign|CloneObjectIC|CreateDataProperty$)/,
    what: "an object's properties are copied each time ({ ...object } or Object.assign)",
    advice: "add to one object instead",
  },
  {
    kind: "text-replace",
    least: WORK,
    isDirect: true,
    code: /^Builtin: StringPrototypeReplace(?:All)?$/,
    tellsInnermost: true,
    words: (seen) =>
      badRegexp(seen) ?? {
        what: "texts are searched, and parts of them replaced, each time (replace)",
        advice: "replace all in one pass, or test first if there is anything to replace",
      },
  },
  {
    kind: "regexp",
    least: WORK,
    native: /^v8::internal::(?:Builtin_|Runtime_)?RegExp/,
    code: /^RegExp: |^Builtin: RegExp/,
    words: regexpWords,
  },
  {
    kind: "buffer-concat",
    least: BLOCKING,
    node: (file, name) => file === "buffer" && name === "concat",
    what: "Buffer.concat copies all bytes each time",
    advice: "collect the chunks in an array, and join them once",
  },
  {
    kind: "collections",
    least: WORK,
    isDirect: true,
    native: /^v8::internal::Runtime_(?:Set|Map)(?:Grow|Shrink)\(/,
    code: /^Builtin: (?:(?:Set|Map|WeakMap|WeakSet)Constructor|SetOrSetIteratorToList|MapIteratorToList|Set(?:PrototypeAdd|PrototypeUnion\w*)|MapPrototypeSet)$/,
    tellsInnermost: true,
    words: ({ names, source }) =>
      /new (?:Set|Map)\(/.test(source) && names.some(({ name }) => /Constructor|ToList/.test(name))
        ? {
            what: "a Set or a Map is made of a list or another one each time (new Set(list), new Map(list))",
            advice: "make it once, and add to it",
          }
        : { what: "elements are added to a Set or a Map", advice: undefined },
  },
  {
    kind: "prototypes",
    least: BLOCKING,
    isDirect: true,
    native:
      /^v8::internal::(?:JSObject::SetPrototype|Runtime_InternalSetPrototype|Builtin_(?:Impl_)?(?:ObjectSetPrototypeOf|ObjectPrototypeSetProto))/,
    code: /^Builtin: (?:ObjectSetPrototypeOf|ReflectSetPrototypeOf)$/,
    what: "objects get another prototype (Object.setPrototypeOf): V8 makes a new shape each time",
    advice: "make them with it: a class, or Object.create(prototype)",
  },
  {
    kind: "buffer-text",
    least: WORK,
    native:
      /^(?:void )?node::(?:Buffer::\(anonymous namespace\)::String(?:Slice|Write)|StringBytes::(?:Encode|Write))/,
    what: "Buffers become strings, or strings Buffers",
    advice: "keep the bytes where no text is needed",
  },
  {
    kind: "buffers",
    least: WORK,
    node: (file, name) => file === "buffer" && /^(?:from|alloc|allocUnsafe|allocUnsafeSlow|of)$/.test(name),
    what: "Buffers are made again and again",
    advice: "make fewer and larger ones, or write into one",
  },
  {
    kind: "copies",
    least: BLOCKING,
    node: (file, name) =>
      (file === "internal/worker/js_transferable" && name === "structuredClone") ||
      (file === "internal/worker" && name === "postMessage"),
    native:
      /^node::worker::(?:Message::(?:Des|S)erialize|(?:\(anonymous namespace\)::)?StructuredClone|MessagePort::PostMessage)|^v8::internal::Value(?:Des|S)erializer::/,
    words: ({ source }) => {
      const call = /\b(structuredClone|postMessage)\(/.exec(source)?.[1];
      return {
        what: `${call ?? "structuredClone or postMessage"} copies values`,
        advice: call === "structuredClone" ? "copy only what changes" : "copy less, or transfer ArrayBuffers",
      };
    },
  },
  {
    kind: "stack-trace",
    least: BLOCKING,
    node: (file, name) =>
      file === "internal/errors" && /prepareStackTrace|^captureLargerStackTrace$/i.test(name),
    native:
      /^v8::internal::(?:Builtin_(?:Impl_)?(?:ErrorConstructor|ErrorCaptureStackTrace|CallSitePrototype\w+)|ErrorUtils::|Isolate::Capture(?:And)?\w*StackTrace|Runtime_(?:Re)?Throw\()/,
    code: /^Builtin: ErrorConstructor$/,
    words: ({ names }) => {
      const isRead = names.some(({ name, part }) => part >= 0.05 && READS_STACK.test(name));
      if (isRead)
        return {
          what: "errors are made and their stack is read: each walks the stack, and finds its lines",
          advice: "make fewer, or set Error.stackTraceLimit lower",
        };
      const isThrown = names.some(({ name, part }) => part >= 0.05 && THROWS.test(name));
      return {
        what: `errors are made${isThrown ? " and thrown" : ""} again and again: each notes the stack that it was made on`,
        advice: "return a value for what is expected, or set Error.stackTraceLimit lower",
      };
    },
  },
  {
    kind: "inspect",
    least: BLOCKING,
    node: (file) => file === "internal/util/inspect",
    what: "objects become text for people (util.inspect, util.format)",
    advice: "do so only if it is written",
  },
  {
    kind: "system",
    least: BLOCKING,
    node: (file, name) => systemCallOf(file, name) !== undefined,
    words: ({ names }) => {
      const all = new Set(names.map(({ name }) => systemCallOf("os", name) ?? `process.${name}`));
      const calls = Array.from(all).slice(0, 2);
      const verb = calls.length > 1 ? "ask" : "asks";
      return {
        what: `${calls.join(" and ")} ${verb} the operating system each time`,
        advice: "ask once in a while, and keep the answer",
      };
    },
  },
  {
    kind: "timers",
    least: BLOCKING,
    node: (file, name) => file === "timers" && /^(?:set|clear)(?:Timeout|Interval)$/.test(name),
    what: "timers are set and cleared again and again",
    advice: "timer.refresh() starts one again, and one timer can serve many",
  },
  {
    kind: "urls",
    least: WORK,
    node: (file) => /^(?:internal\/)?url$/.test(file),
    what: "URLs are parsed again and again (new URL, url.parse)",
    advice: "parse each once, and keep the parts",
  },
  {
    kind: "files",
    least: WORK,
    node: (file, name) => /^(?:internal\/)?fs\b/.test(file) && !SYNC.test(name),
    // A program that copies files does nothing else.
    words: ({ context }) =>
      context === "server"
        ? { what: "each request reads or writes files", advice: "keep in memory what is always the same" }
        : undefined,
  },
  {
    kind: "dates",
    least: WORK,
    native:
      /^v8::internal::(?:DateParser|\(anonymous namespace\)::ParseDateTimeString|ParseDateTimeString|Builtin_(?:Impl_)?DateConstructor)\b/,
    tellsInnermost: true,
    words: ({ names }) => {
      const parsing = names.reduce((sum, { name, part }) => (/Parse/.test(name) ? sum + part : sum), 0);
      if (parsing < 0.3) return undefined; // The time of now needs no text.
      return {
        what: "dates are read from text each time (new Date(text) or Date.parse)",
        advice: "read each once, and keep the number",
      };
    },
  },
  {
    kind: "number-text",
    least: WORK,
    native:
      /^v8::internal::(?:Builtin_(?:Impl_)?NumberPrototypeTo(?:Fixed|Precision|Exponential)\(|DoubleTo(?:Fixed|Precision|Exponential)\w*String|Runtime_String(?:Parse(?:Float|Int)|ToNumber)\()/,
    code: /^Builtin: (?:NumberPrototypeToString|StringPrototypePad(?:Start|End))$/,
    words: ({ names, source }) => {
      if (source.includes(".toString(16)"))
        return {
          what: "numbers become hexadecimal text, one by one (toString(16))",
          advice: 'Buffer.from(bytes).toString("hex") converts all at once, or make a table of the 256 texts',
        };
      const intoText = names.reduce(
        (sum, { name, part }) => (/To(?:Fixed|Prec|Exp|String)/.test(name) ? sum + part : sum),
        0,
      );
      if (intoText >= 0.2 && intoText <= 0.8)
        return {
          what: "numbers become text, and text numbers",
          advice: "keep the numbers, or make a table of the texts if there are few",
        };
      const call = /\b(toFixed|toPrecision|toExponential|parseInt|parseFloat|Number)\(/.exec(source)?.[1];
      if (call === undefined || call.startsWith("to"))
        return {
          what: `numbers become text, or text numbers (${call ?? "toFixed, parseFloat, Number"})`,
          advice: "calculate with numbers (Math.round(x * 100) / 100), and make text where it is shown",
        };
      return {
        what: `text becomes numbers each time (${call})`,
        advice: "convert each once, and keep the number",
      };
    },
  },
  {
    kind: "text-split",
    least: WORK,
    isDirect: true,
    native: /^v8::internal::Runtime_StringSplit\(/,
    code: /^Builtin: StringPrototypeSplit$/,
    what: "a text is split into a list each time",
    advice: "split it once and keep the list, or look for the part with indexOf",
  },
  {
    kind: "text-search",
    least: WORK,
    isDirect: true,
    isOfSort: true,
    native:
      /^(?:v8::internal::(?:SearchStringRaw|StringSearch<|String::(?:Last)?IndexOf|Runtime_String(?:LastIndexOf|IndexOf|Includes)|Builtin_(?:Impl_)?StringPrototypeLastIndexOf)|__memchr)/,
    code: /^Builtin: String(?:IndexOf|Prototype(?:Includes|(?:Last)?IndexOf))$/,
    what: "texts are searched from their start each time (includes, indexOf)",
    advice: "search for all words at once with one regular expression, or look whole words up in a Set",
  },
  {
    kind: "text-case",
    least: WORK,
    isDirect: true,
    isOfSort: true,
    native:
      /^v8::internal::(?:Runtime_StringTo(?:Lower|Upper)Case|(?:Intl::)?Convert(?:OneByte)?To(?:Lower|Upper)|FastAsciiConvert|Builtin_(?:Impl_)?StringPrototypeTo(?:Locale)?(?:Lower|Upper)Case)/,
    code: /^Builtin: String(?:Prototype)?To(?:Lower|Upper)Case(?:Intl)?$/,
    what: "texts become lower or upper case each time (toLowerCase, toUpperCase)",
    advice: "convert each once, and keep it",
  },
  {
    kind: "locks",
    least: BLOCKING,
    native: /^v8::internal::Builtin_(?:Impl_)?Atomics(?:Notify|Wait)/,
    what: "threads wait for each other at a lock (Atomics.wait and Atomics.notify), one after the other",
    advice: "hold it for less work, or give each thread data of its own",
  },
  {
    kind: "spread-call",
    least: WORK,
    isDirect: true,
    code: /^Builtin: (?:Math(?:Max|Min)|Call(?:OrConstruct)?(?:Varargs|ForwardVarargs|WithSpread|WithArrayLike)\w*)$/,
    words: ({ names, source }) => {
      if (source !== "" && !/\.\.\.|\b(?:apply|construct)\(/.test(source)) return undefined;
      const most = names.find(({ name }) => /^Builtin: Math/.test(name));
      if (most === undefined || most.part < 0.2)
        return {
          what: "a list is passed as the arguments of a call (f(...list) or apply)",
          advice: "pass the list itself",
        };
      const name = most.name.endsWith("Max") ? "max" : "min";
      return {
        what: `Math.${name} looks at all of a list each time (Math.${name}(...list))`,
        advice: `keep the ${name === "max" ? "largest" : "smallest"} as elements come`,
      };
    },
  },
  {
    kind: "keys",
    least: WORK,
    isDirect: true,
    native:
      /^v8::internal::(?:Runtime_(?:Object(?:Keys|Values|Entries)|ForInEnumerate|GetOwnPropertyKeys)|(?:Fast)?KeyAccumulator::|Builtin_(?:Impl_)?(?:ObjectGetOwnPropertyNames|ReflectOwnKeys)\()/,
    code: /^Builtin: Object(?:Keys|Values|Entries|GetOwnPropertyNames)$/,
    what: "a list of all properties of an object is made each time (Object.keys, values or entries, for…in)",
    advice: "keep the list or its length, or use a Map, which has a size",
  },
  {
    kind: "array-copy",
    least: WORK,
    isDirect: true,
    native: /^v8::internal::(?:Builtin_(?:Impl_)?ArrayConcat\(|Fast_ArrayConcat|Slow_ArrayConcat)/,
    code: /^Builtin: (?:GrowFast\w*Elements|CloneFastJSArray|ExtractFastJSArray|ArrayPrototypeSlice$|IterableTo(?:List|FixedArray)|ArrayConcat|CopyFast\w*)/,
    words: ({ source }) =>
      /\.slice\(/.test(source)
        ? { what: "an array is copied each time (slice)", advice: "change one array in place, or use a Map" }
        : {
            what: "an array is copied each time it grows ([...array, one] or concat)",
            advice: "push to one array instead",
          },
  },
  {
    kind: "sort",
    least: WORK,
    code: /^Builtin: (?:(?:Array|TypedArray)Prototype(?:Sort|ToSorted)|ArrayTimSort|TypedArrayMergeSort)$/,
    hasCallbacks: true,
    words: ({ names }) => {
      const compare = names.find(({ name, part }) => part >= 0.5 && !name.startsWith("Builtin: "))?.name;
      if (compare === undefined)
        return { what: "an array is sorted", advice: "sort once, or put new elements where they belong" };
      return {
        what: text`an array is sorted, and most of that is what ${compare === "" ? "its callback" : named(compare)} calls to compare two elements`,
        advice: "calculate once for each element what is compared, before the sort",
      };
    },
  },
  {
    kind: "proxy",
    least: WORK,
    native: /^v8::internal::(?:JSProxy::|Runtime_[GS]etPropertyWithReceiver\()/,
    code: /^Builtin: (?:Proxy(?:Get|Set|Has|Delete)Property|[GS]etPropertyWithReceiver)$/,
    hasCallbacks: true,
    what: "properties are read or written through a Proxy, which calls its handler each time",
    advice: "read once what is needed often, or use the object itself",
  },
  {
    kind: "bigint",
    least: WORK,
    native: /^v8::(?:bigint::|internal::(?:BigInt|MutableBigInt|Runtime_BigInt))/,
    code: /^Builtin: BigInt(?!(?:64|U64)Array|Constructor)/,
    what: "arithmetic with BigInt",
    advice: NO_BIGINT,
  },
  {
    kind: "flatten",
    least: WORK,
    native: /^v8::internal::(?:Runtime_StringCharCodeAt|String::(?:SlowFlatten|WriteToFlat))\b/,
    what: "a string made of many pieces is copied into one (flattened) when it is read",
    advice: "collect the pieces in an array and join them once, or read the pieces",
  },
  {
    kind: "generators",
    least: BLOCKING,
    isLeaf: true,
    code: /^Builtin: (?:ResumeGeneratorTrampoline|SuspendGeneratorBaseline|GeneratorPrototype(?:Next|Return|Throw))$/,
    what: "generators themselves (function*, yield): each step enters the function and leaves it",
    advice: "use arrays and plain loops where this is hot",
  },
  {
    kind: "promises",
    least: BLOCKING,
    isLeaf: true,
    code: /^Builtin: (?:Async(?:Function|Generator|Iterator)\w*|PerformPromiseThen|EnqueueMicrotask|RunMicrotasks|FulfillPromise|ResolvePromise|RejectPromise|TriggerPromiseReactions|Promise(?:FulfillReactionJob|RejectReactionJob|ResolveThenableJob|Resolve|PrototypeThen|Constructor)\w*|NewPromiseCapability|AwaitPromises?Init\w*)$/,
    what: "async functions and await themselves, each await with a turn of the microtask queue",
    advice: "await only what is not there yet",
  },
  {
    kind: "megamorphic",
    least: BLOCKING,
    words: ({ names, source }) =>
      BY_INDEX.test(source) && names.every(({ name, part }) => part < 0.1 || name.includes("Keyed"))
        ? {
            what: "elements are read by an index that is not always in the array: below 0 or past its end; or in arrays of many kinds (megamorphic inline caches)",
            advice: "test the index first, and read only what the array has",
          }
        : {
            what: "property accesses see objects of many shapes (megamorphic inline caches)",
            advice: "make the objects with the same properties in the same order",
          },
  },
  {
    kind: "slow-properties",
    least: BLOCKING,
    isLeaf: true,
    what: "properties are looked up by name, even from optimized code: objects with deleted or very many properties are dictionaries",
    advice: "set to undefined instead of delete, or use a Map",
  },
  {
    kind: "sparse-elements",
    least: BLOCKING,
    native:
      /^v8::internal::(?:Runtime_SetKeyedProperty\(|JSObject::AddDataElement|HashTable<v8::internal::NumberDictionary|Dictionary<v8::internal::NumberDictionary|\(anonymous namespace\)::(?:ElementsAccessorBase<v8::internal::\(anonymous namespace\)::Dictionary|DictionaryElementsAccessor)|NumberDictionary::)/,
    tellsInnermost: true,
    words: ({ names }) => {
      const slow = names.reduce((sum, { name, part }) => (/Dictionary/.test(name) ? sum + part : sum), 0);
      if (slow < 0.15) return undefined;
      return {
        what: "elements of an array are far apart, so it is a slow table (a dictionary): each access calculates a hash",
        advice: "use a Map, or fill the array from 0 on",
      };
    },
  },
  {
    kind: "events",
    least: WORK,
    node: (file, name) => file === "events" && /^(?:emit|arrayClone)$/.test(name),
    isDirect: true,
    isShallow: true,
    what: "an event calls its handlers: many are registered, or it is emitted very often",
    advice: "remove handlers that are no longer needed (off), or emit less",
  },
  {
    kind: "streams",
    least: WORK,
    node: (file) => file.startsWith("internal/streams/"),
    // Each response ends a stream.
    words: ({ context, source }) =>
      context === "server" && source !== "" && !/\b(?:write|push|pipe|pipeline)\(|\byield\b/.test(source)
        ? undefined
        : {
            what: "streams themselves: each chunk that is pushed or written goes through them",
            advice: "push and write fewer, larger chunks",
          },
  },
  {
    kind: "mixed-types",
    least: BLOCKING,
    words: ({ names }) => {
      const objects = names.filter(({ name }) => name.includes("ToPrimitive"));
      const part = objects.reduce((sum, one) => sum + one.part, 0);
      return {
        what: `arithmetic gets numbers and ${part >= 0.05 ? "strings or objects" : "strings"} here: V8 looks at each, and converts it`,
        advice: "convert values once, where they come in: Number(value)",
      };
    },
  },
];

const MEGAMORPHIC = SIGHTS.findIndex(({ kind }) => kind === "megamorphic");
const COPIES = SIGHTS.findIndex(({ kind }) => kind === "copies");
const SLOW = SIGHTS.findIndex(({ kind }) => kind === "slow-properties");
const MIXED = SIGHTS.findIndex(({ kind }) => kind === "mixed-types");
const SEARCH = SIGHTS.findIndex(({ kind }) => kind === "array-search");
const SORT = SIGHTS.findIndex(({ kind }) => kind === "sort");
const EVENTS = SIGHTS.findIndex(({ kind }) => kind === "events");
const TEXT_REPLACE = SIGHTS.findIndex(({ kind }) => kind === "text-replace");
const NUMBER_TEXT = SIGHTS.findIndex(({ kind }) => kind === "number-text");
const DELETES = /^(?:Builtin: DeleteProperty|v8::internal::Runtime_DeleteProperty\()/;
/** An element at an index that is calculated, and not the name of a property: `data[i + k]`, `row[x - 1]`. */
const BY_INDEX = /\[\s?\w{1,40}\s?[-+*]\s?\w{1,40}\s?\]/;
/** Stores that give an object its shape. */
const STORES = /Store|Define/;
/** The role of functions that look for an element. */
const SEARCHES = /\.(?:find|findIndex|findLast|findLastIndex|some|every) callback$/;
const BIGINT = SIGHTS.findIndex(({ kind }) => kind === "bigint");
/**
 * Optimized code of numbers alone, or of strings alone, calculates itself; it calls these only where operands were of several types, or
 * BigInts. What code of other tiers calls has more in its name: `Add_Baseline`. Sums of numbers and texts (`"n" + i`) are not among them.
 *
 * Source: V8, src/compiler/js-generic-lowering.cc, and src/builtins/builtins-definitions.h.
 */
const GENERIC =
  /^(?:Subtract|Multiply|Divide|Modulus|Exponentiate|Increment|Decrement|Negate|Bitwise(?:And|Or|Xor|Not)|Shift(?:Left|Right|RightLogical)|NonNumberToNumeric|NonPrimitiveToPrimitive_(?:Default|Number)|OrdinaryToPrimitive_Number(?:_Inline)?)$/;
/** Optimized code loads by these only what it cannot load itself. StoreIC is no sign: before V8 13 all stores to objects of many shapes go there. */
const PLAIN_IC = /^(?:Keyed)?LoadIC(?:Trampoline)?$/;

/** The rows of which the sampler often skips the caller, since V8's code has no frame; or that Node does before it calls the program. */
const WITHOUT_PLACE = new Set<FindingKind>([
  "megamorphic",
  "generators",
  "promises",
  "copies",
  "spread-call",
  "array-copy",
]);

/** What asks the system for facts, which takes files of `/proc` on Linux. */
const SYSTEM_CALLS: Readonly<Record<string, RegExp>> = {
  process: /^(?:memoryUsage|cpuUsage|threadCpuUsage|resourceUsage)$/,
  os: /^(?:cpus|networkInterfaces|totalmem|freemem|loadavg|getUserInfo|userInfo)$/,
};

/** What makes the text of a stack, or the list of its calls; V8 does so when it is read. */
const READS_STACK = /prepareStackTrace|CallSitePrototype|ErrorUtils::(?:Get|Format)|ErrorCaptureStackTrace/i;
const THROWS = /Runtime_(?:Re)?Throw\(/;

/** Returns `os.cpus`; undefined for what does not ask the system. */
function systemCallOf(file: string, name: string): string | undefined {
  const owner = file === "internal/process/per_thread" ? "process" : file;
  return SYSTEM_CALLS[owner]?.test(name) === true ? `${owner}.${name}` : undefined;
}

const USES_POOL = "uses the thread pool";

/** What blocking means. A script that only works has nobody who waits. */
function blocks(context: Context, isPlural = false): string {
  const verb = isPlural ? "block" : "blocks";
  switch (context) {
    case "server":
      return `${verb} the event loop: no other request is served meanwhile`;
    case "callback":
      return `${verb} the event loop: nothing else runs meanwhile`;
    case "main":
      return "in the script's main code";
    case "worker":
      return "in a worker, where only that worker waits for it";
  }
}

/** What is said of a synchronous function of Node that has a twin which does not block. */
function insteadOf(module: string, { names, context, source }: Seen, does: string): Words {
  const known = names.find(({ name }) => SYNC.test(name))?.name;
  const inLine = new Set(source.match(/\b\w{1,40}Sync(?=\()/g));
  const name = known ?? (inLine.size === 1 ? Array.from(inLine)[0]! : undefined);
  const twin = name === undefined ? `${module}'s other functions` : `${module}.${name.slice(0, -4)}`;
  const verb = name === undefined ? does.replace(/s\b/, "") : does;
  const advice = `${twin} ${verb}`;
  return {
    what: `${name === undefined ? `a synchronous function of ${module}` : `${module}.${name}`} ${blocks(context)}`,
    advice: context === "worker" || name === "existsSync" ? undefined : advice,
  };
}

/** Adds that a request can have the result of another, which helps more than to wait for it elsewhere. */
function orKept({ what, advice }: Words, { context }: Seen): Words {
  if (advice === undefined || context !== "server") return { what, advice };
  return { what, advice: `keep the result if it is always the same, else ${advice}` };
}

function intlWords({ names }: Seen): Words {
  if (names.some(({ name, part }) => part >= 0.5 && name.includes("LocaleCompare")))
    return {
      what: "localeCompare compares texts by a language",
      advice: "make one Intl.Collator, and use its compare",
    };
  const constructed = names.filter(({ name }) => /[a-z]Constructor\(/.test(name));
  const part = constructed.reduce((sum, one) => sum + one.part, 0);
  const kind = /^v8::internal::Builtin_(?:Impl_)?([A-Za-z]{1,40})Constructor\(/.exec(
    constructed[0]?.name ?? "",
  )?.[1];
  // One object is made in a millisecond or two: what is seen this often is made again and again.
  if (kind !== undefined && part >= 0.2)
    return { what: `Intl.${kind} objects are made again and again`, advice: "make one, and keep it" };
  return {
    what: "numbers, dates or texts are formatted for a language (Intl)",
    advice: "keep one Intl object, and call its format",
  };
}

/** Of a longer pattern only the start is looked at. */
const LONGEST_PATTERN = 1000;

/** Returns the group of `RegExp: source` with a repeat that is repeated itself, with that: `(a+)+`, `([^,]*,?)*`; undefined if there is none. */
function nestedRepeat(name: string): string | undefined {
  const groups: { readonly start: number; hasRepeat: boolean }[] = [];
  let after: (typeof groups)[number] | undefined;
  const pattern = name.slice(0, LONGEST_PATTERN);
  const source = pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, (escaped) => "x".repeat(escaped.length));
  for (let i = 0; i < source.length; i++) {
    const character = source[i]!;
    const isRepeat = character === "*" || character === "+" || /^\{\d+,\d*\}/.test(source.slice(i, i + 16));
    if (isRepeat && after?.hasRepeat)
      return pattern.slice(after.start, (character === "{" ? source.indexOf("}", i) : i) + 1);
    after = undefined;
    if (isRepeat && groups.length > 0) groups.at(-1)!.hasRepeat = true;
    if (character === "(") groups.push({ start: i, hasRepeat: false });
    else if (character === ")") {
      after = groups.pop();
      if (after?.hasRepeat && groups.length > 0) groups.at(-1)!.hasRepeat = true;
    }
  }
  return undefined;
}

/** Longer patterns are cut in sentences. */
const SHOWN_PATTERN = 60;

/** Returns the text of a regular expression as it stands in a source: `/^(a+)+$/`. */
function patternText(name: string): Text {
  const source = name.slice(REGEXP.length);
  return named(`/${source.length > SHOWN_PATTERN ? `${source.slice(0, SHOWN_PATTERN)}…` : source}/`);
}

const REGEXP = "RegExp: ";

/** Returns the regular expression that most of the ticks are in, as `RegExp: source`; undefined if there is none. */
function mostRegexp(names: Seen["names"]): string | undefined {
  return names.find(({ name, part }) => name.startsWith(REGEXP) && part >= 0.1)?.name;
}

/** Returns what is said of a regular expression that repeats a repeat; undefined if none of them does. */
function badRegexp({ names }: Seen): Words | undefined {
  const bad = names.find(({ name, part }) => part >= 0.1 && nestedRepeat(name) !== undefined)?.name;
  if (bad === undefined) return undefined;
  return {
    what: text`${patternText(bad)} repeats a repeat, ${named(nestedRepeat(bad)!)}: it may try a text in very many ways (backtracking)`,
    advice: "write it so that there is one way to match",
  };
}

function regexpWords(seen: Seen): Words {
  const bad = badRegexp(seen);
  if (bad !== undefined) return bad;
  const most = mostRegexp(seen.names);
  return {
    what:
      most === undefined
        ? "regular expressions search text here"
        : text`${patternText(most)} searches text here`,
  };
}

/** The most findings that are shown. */
const MOST = 5;
/** Fewer ticks are noise, whatever their share. */
const LEAST_TICKS = 20;
/**
 * The least shares, in percent: of garbage that is said of what makes it; of garbage collection itself, which calm programs have up to a tenth of; of loading, which short commands
 * always have some of; of a function below itself; of a function that has itself called again; of the code of one line; of deoptimizations that repeat; of optimizing, which ends in most programs; of a package's code; of idle ticks; of the workers' ticks in one of them.
 */
const LEAST = {
  garbage: 5,
  gc: 20,
  recursion: 40,
  chain: 30,
  ownCode: 20,
  loading: 30,
  deopts: 5,
  optimizing: 15,
  package: 40,
  idle: 70,
  oneWorker: 70,
};

const COMPILER = vmState("compiler");

/** What is known already about a profile. */
interface KnownTicks {
  /** Of loading packages and Node's modules. */
  readonly loading: Ticks;
  readonly deopts: readonly DeoptRow[];
  /** The lines that the page has a row for, those of the program first. */
  readonly rows?: readonly HotLine[];
  /** Ticks by package, as the page has them. */
  readonly packages?: ReadonlyMap<string, Ticks>;
}

/** Ticks, by frame of the program or a package that they are at; those of no place are left out there. */
interface TicksAt {
  readonly ticks: Ticks;
  readonly places: ReadonlyMap<number, Ticks>;
  /** By frame of a place: the frames that called its function, by ticks. */
  readonly calls?: CallTicks;
}

type CallTicks = Map<number, Map<number, Ticks>>;

/** Counts a call of the function of a place. */
function addCall(calls: CallTicks, place: number, caller: number, ticks: Ticks): void {
  if (caller >= 0)
    addTo(
      valueAt(calls, place, () => new Map<number, Ticks>()),
      caller,
      ticks,
    );
}

/** Ticks that may stand out: enough of them, and as many of all in percent. */
interface Much {
  readonly ticks: Ticks;
  readonly least: number;
  /** Returns where they are. */
  readonly where: () => Where;
}

/** Where the ticks of a finding are. */
interface Where {
  readonly places: readonly FindingPlace[];
  readonly caller?: FindingPlace | undefined;
}

/** A place with so much of a finding is all that is said of: a part of 0 to 1. */
const NEARLY_ALL = 0.9;
/** What so much of the garbage collection follows makes garbage: a part of 0 to 1. */
const MUCH_GARBAGE = 0.3;
/** What has so much of a line's ticks is the line, with what it does to call it: a part of 0 to 1. */
const OF_LINE = 0.8;

/** What tells a kind of work beside its places: the names of its frames, and what makes the objects that it is about. */
interface Tellers {
  readonly names: Seen["names"];
  readonly makers: ReadonlyMap<number, Ticks>;
  readonly inside: ReadonlyMap<number, Ticks>;
}

const NO_TELLERS: Tellers = { names: [], makers: new Map(), inside: new Map() };

/** Returns what stands out in a profile and is known well enough to say what it means, the largest share first, idleness last. */
export function findings(of: Analysis, known: KnownTicks): Finding[] {
  const shown = of.info.ticks - of.info.excluded;
  if (shown < LEAST_TICKS || of.info.memory !== undefined) return []; // They speak of time.
  const marks = marksOf(of);
  const counted = countSights(of, marks);
  const share = (ticks: Ticks) => (ticks * 100) / shown;
  const texts = new SourceTexts(of.sources, () => undefined);
  const found: Finding[] = [];
  const { ticks: collected } = ticksInState(of, marks, GC);
  const garbage = share(collected) < LEAST.garbage ? [] : placesOfGarbage(of, marks);
  /** Adds a finding, unless it has too few ticks or there is nothing to say. */
  const tell = (
    kind: FindingKind,
    { ticks: seen, least, where }: Much,
    wordsOf: (place: FindingPlace | undefined) => Pick<Finding, "what" | "advice"> | undefined,
    { names, makers, inside }: Tellers = NO_TELLERS,
  ) => {
    if (seen < LEAST_TICKS || share(seen) < least) return;
    const { places: all, caller } = where();
    const [place] = all;
    const words = wordsOf(all.find((one) => one.function === place!.function && one.isLineKnown) ?? place);
    if (words === undefined) return;
    const isAlone = all.length > 0 && !isPartOfPlace(kind) && place!.ticks >= NEARLY_ALL * seen;
    const places = isAlone ? all.slice(0, 1) : all;
    const sum = places.reduce((total, one) => total + one.ticks, 0);
    const ticks = isAlone ? sum : Math.max(seen, sum);
    const isOf = (one: FindingPlace | undefined) =>
      one !== undefined && one.function === place?.function && one.line === place.line;
    const [most] = garbage;
    const makesGarbage = !isPartOfPlace(kind) && isOf(most) && most!.ticks >= MUCH_GARBAGE * collected;
    const made = madeOf(of, kind, { place, names }) ?? makerOf(of, { kind, place }, makers);
    const isHidden = kind === "megamorphic" && sum < NEARLY_ALL * seen;
    const isOfPlace = (one: FindingPlace) => one.isLineKnown && one.function === place?.function;
    const likely = isHidden
      ? likelyPlace(of, marks)
      : isAlone && !place!.isLineKnown
        ? (all.find(isOfPlace) ?? placesOf(of, counted.own.places).find(isOfPlace))
        : undefined;
    const [inPackage] = inside.size === 0 ? [] : placesOf(of, inside);
    const isMost = inPackage !== undefined && inPackage.ticks * 2 >= seen;
    const at = { place, places, caller, made, likely, inPackage: isMost ? inPackage : undefined };
    found.push({ kind, ticks, percent: share(ticks), ...at, threads: [], makesGarbage, ...words });
  };
  const ofPage = rowsByLine(known.rows ?? []);
  const at = (seen: TicksAt, least: number, rows?: RowsByLine): Much => {
    return { ticks: seen.ticks, least, where: () => whereOf(of, seen, rows) };
  };
  join(counted.sights, share, { from: "regexp", to: "regexp-compile" });
  join(counted.sights, share, { from: "generators", to: "promises" });
  // What works with BigInts calls the same code.
  const [bigint, mixed] = [counted.sights[BIGINT]!, counted.sights[MIXED]!];
  if (bigint.ticks * 5 >= mixed.ticks) mixed.ticks = 0;
  const conversions = counted.sights[NUMBER_TEXT]!;
  if (share(mixed.ticks) >= MUCH && ranked(mixed.places)[0]?.[0] === ranked(conversions.places)[0]?.[0])
    join(counted.sights, share, { from: "number-text", to: "mixed-types" });
  const most = counted.sights.reduce((largest, { ticks }) => Math.max(largest, ticks), 0);
  for (const [i, sight] of SIGHTS.entries()) {
    const { names, contexts, makers, inside, ...seen } = counted.sights[i]!;
    const isLargest = seen.ticks === most && sight.hasCallbacks !== true && sight.kind !== "streams";
    const least = isLargest ? BLOCKING : sight.least;
    if (seen.ticks < LEAST_TICKS || share(seen.ticks) < least) continue;
    const named = ranked(names).map(([frame, own]) => {
      return { name: nameOf(of.frames[frame]!), part: own / seen.ticks };
    });
    const wordsAt = (place: FindingPlace | undefined) => {
      const words =
        "what" in sight
          ? sight
          : sight.words({
              names: named,
              context: ranked(contexts)[0]![0],
              source: place === undefined ? "" : (texts.lineOf(place.function.file, place.line) ?? ""),
            });
      return words && { what: words.what, advice: words.advice };
    };
    tell(sight.kind, at(seen, least, ofPage), wordsAt, { names: named, makers, inside });
  }
  const [deepest] = Array.from(counted.recursion.values()).toSorted((a, b) => b.ticks - a.ticks);
  if (deepest !== undefined)
    tell("recursion", at(deepest, LEAST.recursion, ofPage), (place) => ({
      what: text`${named(place?.function.title ?? "a function")} calls itself, and most is done in it`,
      advice: "if it is asked for the same again, keep its results",
    }));
  const nameOfPackage = new Map<Finding | undefined, string>();
  const isTold = ({ ticks, place }: Finding, { inPackage, ...other }: Finding) =>
    inPackage !== undefined && other.place?.function === place?.function && other.ticks >= NEARLY_ALL * ticks;
  for (const [name, seen] of counted.packages) {
    const ticks = Math.max(seen.ticks, known.packages?.get(name) ?? 0);
    if (share(seen.ticks) < LEAST.package) continue;
    tell("package", { ...at(seen, LEAST.package), ticks }, (place) => ({
      what: text`the package ${named(name)}${place === undefined ? "" : ", called from here"}`,
      advice: "ticks top --only deps shows where in it",
    }));
    const one = found.at(-1);
    if (one?.kind !== "package") continue;
    nameOfPackage.set(one, name);
    if (found.some((other) => isTold(one, other))) found.pop();
  }
  tell("late-loading", at(counted.late, BLOCKING, ofPage), () => ({
    what: "modules are loaded while requests are served: require looks for the file each time",
    advice: "require once, when the program starts",
  }));
  tell("late-loading", at(counted.reloading, BLOCKING, ofPage), (place) => {
    const source = place === undefined ? undefined : texts.lineOf(place.function.file, place.line);
    if (!source?.includes("require.cache")) return undefined; // Programs also start in callbacks.
    return {
      what: "modules are loaded again and again, as require.cache is cleared",
      advice: "keep them, or read again only what changed",
    };
  });
  tell("gc", { ticks: collected, least: LEAST.gc, where: () => ({ places: garbage }) }, () => ({
    what: "garbage collection",
    advice: "ticks record --allocations shows what allocates",
  }));
  const loading = { ticks: known.loading, places: counted.loading };
  const whereLoading = () => ({
    places: withRows(placesOf(of, loading.places), { rows: ofPage, most: known.loading }),
  });
  tell("loading", { ticks: known.loading, least: LEAST.loading, where: whereLoading }, () => {
    // A package that is only there to run another program waits for it as it loads.
    const isRunning = ({ kind, place, ticks }: Finding) =>
      kind === "child-process-sync" && place?.function.origin.kind === "deps" && ticks * 2 >= known.loading;
    if (found.some(isRunning)) return undefined;
    // Packages that do other work too have a finding of their own.
    const isLoaded = (one: Finding) => one.kind === "package" && one.ticks <= known.loading;
    const inPackage = found.find((one) => isLoaded(one) && one.ticks * 2 >= known.loading);
    if (inPackage !== undefined) found.splice(found.indexOf(inPackage), 1);
    const name = inPackage === undefined ? undefined : nameOfPackage.get(inPackage);
    const mostly = name === undefined ? "" : text`, mostly those of the package ${named(name)}`;
    return {
      what: text`start-up: modules are found, read, compiled and run${mostly}`,
      advice: "ticks startup shows which",
    };
  });
  const loop = known.deopts.find(({ isLoop }) => isLoop); // The costliest.
  if (loop !== undefined) {
    const { title, count, reason, cost } = loop;
    const where = () => ({ places: placeOfDeopt(of, loop) });
    tell("deopt-loop", { ticks: cost, least: LEAST.deopts, where }, () => ({
      what: text`${named(title)} is optimized and thrown away again, ${String(count)} times: ${named(reason)}`,
      advice: "ticks deopts shows where",
    }));
  }
  if ((of.deopts?.entries.length ?? 0) === 0)
    tell("optimizing", at(ticksInState(of, marks, COMPILER), LEAST.optimizing), () => ({
      what: "V8 optimizes functions here: many, or the same ones again and again",
      advice: "ticks record --deopts tells which are thrown away",
    }));
  for (const one of [spinning(of), tickChain(of, share, texts), oneWorker(of, marks, share)])
    if (one !== undefined) found.push(one);
  const [hottest] = placesOf(of, counted.own.places, ofPage);
  // What is known well enough says more than that code is hot.
  const [row] = known.rows ?? [];
  const isFirst = row === undefined || (row.function === hottest?.function && row.line === hottest.line);
  if (hottest !== undefined && isFirst && found.every(({ ticks }) => ticks < hottest.ticks)) {
    const { caller } = whereOf(of, counted.own, ofPage);
    tell(
      "own-code",
      { ticks: hottest.ticks, least: LEAST.ownCode, where: () => ({ places: [hottest], caller }) },
      (place) => {
        const isBigInt = BIGINTS.test(texts.lineOf(place?.function.file, place?.line ?? 0) ?? "");
        return {
          what: `this is the line's own code, and not what it calls${isBigInt ? ": it calculates with BigInt" : ""}`,
          advice: isBigInt ? NO_BIGINT : "run it less often, or with less",
        };
      },
    );
  }
  const largest = found
    .filter((one) => !isToldGarbage(one, found))
    .sort((a, b) => b.percent - a.percent)
    .slice(0, MOST);
  const idle = idleFinding(of); // Shares are of what is not idle.
  return idle === undefined ? largest : [...largest.slice(0, MOST - 1), idle];
}

/** Returns whether garbage collection is nearly all that of another finding, which says so. */
function isToldGarbage({ kind, places }: Finding, found: readonly Finding[]): boolean {
  const [most] = places;
  if (kind !== "gc" || most === undefined) return false;
  const sum = places.reduce((total, { ticks }) => total + ticks, 0);
  const isIts = ({ makesGarbage, place }: Finding) =>
    makesGarbage && place?.function === most.function && place.line === most.line;
  return most.ticks >= NEARLY_ALL * sum && found.some(isIts);
}

/** What has so much of the ticks, in percent, is done again and again. */
const MUCH = 3;

/**
 * Counts a kind as part of another one, if there is much of that. If regular expressions are made again and again, what they do is
 * part of that: each is compiled when it runs first. An async function is continued as a generator is.
 */
function join(
  sights: readonly SightTicks[],
  share: (ticks: Ticks) => number,
  kinds: { readonly from: FindingKind; readonly to: FindingKind },
): void {
  const ofKind = (wanted: FindingKind) => sights[SIGHTS.findIndex(({ kind }) => kind === wanted)]!;
  const [from, to] = [ofKind(kinds.from), ofKind(kinds.to)];
  if (to.ticks < LEAST_TICKS || share(to.ticks) < MUCH) return;
  to.ticks += from.ticks;
  for (const part of ["places", "names"] as const)
    for (const [frame, ticks] of from[part]) addTo(to[part], frame, ticks);
  for (const [place, callers] of from.calls)
    for (const [caller, ticks] of callers) addCall(to.calls, place, caller, ticks);
  for (const [context, ticks] of from.contexts) addTo(to.contexts, context, ticks);
  from.ticks = 0;
}

function ranked<Key>(counts: ReadonlyMap<Key, Ticks>): [Key, Ticks][] {
  return Array.from(counts).sort((a, b) => b[1] - a[1]);
}

function nameOf(frame: Frame): string {
  if (frame.kind === "js") return lastPart(parseFrameName(frame).name);
  if (frame.kind === "native") return frame.symbol ?? "";
  return frame.kind === "code" ? `${frame.type}: ${frame.name}` : "";
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

/** What the frames above a node say of it. */
interface NodeMarks {
  /** By node: the sight, an index into {@link SIGHTS}, {@link LOADING} or {@link NONE}. */
  readonly sight: Uint8Array;
  /** By node: the frame that tells its sight. */
  readonly teller: Int32Array;
  /** By node: the innermost frame of the program, or else of a package; -1 for none. */
  readonly place: Int32Array;
  /** By node: the innermost frame of the program or of a package; -1 for none. */
  readonly inner: Int32Array;
  /** By node: the place of what called the function of its place; -1 for none. */
  readonly outer: Int32Array;
  /** By node: {@link IN_SERVER}, {@link IN_MAIN}. */
  readonly context: Uint8Array;
  /** By node: the row of {@link SIGHTS}, from 1, that called the innermost function of the program back; 0 for none. */
  readonly callback: Uint8Array;
  /** By node: the place of that call. */
  readonly caller: Int32Array;
  /** By node: the frame that was called back. */
  readonly called: Int32Array;
  /** By node: the frame of a handler of an event that the program emits; -1 for none. */
  readonly handler: Int32Array;
  /** By node: whether the innermost function of the program or of a package called itself. */
  readonly isRecursive: Uint8Array;
}

/** Node's module loader comes before all sights: it reads, and compiles, for a `require`. */
const LOADING = 0;
const NONE = 255;
/** A server of Node called the program. */
const IN_SERVER = 1;
/** The code of a module called it, as it loads. */
const IN_MAIN = 2;

/** What a frame is: its sight, and what it says of all that it calls. */
interface FrameMarks {
  readonly sight: number;
  readonly context: number;
  /** 2 for the program, 1 for a package. */
  readonly own: 0 | 1 | 2;
  /** Whether it is a function of Node. */
  readonly isNode: boolean;
  /** Whether it is native code that is not V8's. */
  readonly isNodeNative: boolean;
  /** Whether it is called for each element that is looked at, until one fits. */
  readonly isSearch: boolean;
  /** Whether it is the code of a regular expression. */
  readonly isRegExp: boolean;
  /** Whether it is V8's code for a property of any object. */
  readonly isPlainIc: boolean;
  /** Whether it is V8's code for arithmetic with values of any type. */
  readonly isGeneric: boolean;
  /** Whether it is optimized code of the program or of a package. */
  readonly isOptimized: boolean;
  /** Whether it is the function of Node that calls the code of a module. */
  readonly runsModule: boolean;
}

function marksOf({ frames, tree, origins, table }: Analysis): NodeMarks {
  const { length } = tree;
  const of = frameMarks(frames, origins);
  const marks: NodeMarks = {
    sight: new Uint8Array(length).fill(NONE),
    teller: new Int32Array(length).fill(-1),
    place: new Int32Array(length).fill(-1),
    inner: new Int32Array(length).fill(-1),
    outer: new Int32Array(length).fill(-1),
    context: new Uint8Array(length),
    callback: new Uint8Array(length),
    caller: new Int32Array(length),
    called: new Int32Array(length),
    handler: new Int32Array(length).fill(-1),
    isRecursive: new Uint8Array(length),
  };
  const { sight, teller, place, inner, outer, context, callback, caller, called: back } = marks;
  const { handler, isRecursive } = marks;
  /** By node: whether its innermost JavaScript is Node's. */
  const isByNode = new Uint8Array(length);
  for (let node = ROOT + 1; node < length; node++) {
    const frame = tree.frame[node]!;
    const parent = tree.parent[node]!;
    const mark = of[frame]!;
    const { own } = mark;
    const above = place[parent]!;
    context[node] = context[parent]! | mark.context;
    const isSearch = own > 0 && above >= 0 && mark.isSearch;
    const isCallback = own > 0 && above >= 0 && SIGHTS[sight[parent]! - 1]?.hasCallbacks === true;
    // What a search calls has its own reasons.
    const isOther = own > 0 || mark.isNode || mark.isNodeNative;
    const kept = isOther && callback[parent] === SEARCH + 1 ? 0 : callback[parent]!;
    callback[node] = isSearch ? SEARCH + 1 : isCallback ? sight[parent]! : kept;
    caller[node] = isSearch || isCallback ? above : caller[parent]!;
    back[node] = isSearch || isCallback ? frame : back[parent]!;
    isByNode[node] = own > 0 ? 0 : mark.isNode ? 1 : isByNode[parent]!;
    if (own > 0) {
      handler[node] = above >= 0 && sight[parent] === EVENTS + 1 ? frame : handler[parent]!;
      isRecursive[node] = isSame(table, frame, inner[parent]!) ? 1 : 0;
      inner[node] = frame;
      place[node] = own === 1 && above >= 0 && of[above]!.own === 2 ? above : frame;
      const isOtherPlace = above >= 0 && table.ofFrame[place[node]!] !== table.ofFrame[above];
      outer[node] = isOtherPlace ? above : outer[parent]!;
      continue;
    }
    inner[node] = inner[parent]!;
    outer[node] = outer[parent]!;
    place[node] = above;
    handler[node] = handler[parent]!;
    isRecursive[node] = isRecursive[parent]!;
    const isSlow = mark.isPlainIc && of[tree.frame[parent]!]?.isOptimized === true;
    const isMixed = mark.isGeneric && of[tree.frame[parent]!]?.isOptimized === true;
    const fitting = isSlow ? SLOW + 1 : isMixed ? MIXED + 1 : mark.sight;
    const outside = SIGHTS[sight[parent]! - 1];
    const isOver = outside?.isLeaf === true || (outside?.isShallow === true && mark.isNode);
    // The sampler skips the function that has the cache: here that is the code of the module.
    const isOfModule = mark.sight === MEGAMORPHIC + 1 && of[tree.frame[parent]!]?.runsModule === true;
    const calling = isOver || isOfModule ? NONE : sight[parent]!;
    const isForNode = isByNode[parent] === 1 && SIGHTS[fitting - 1]?.isDirect === true;
    const called = isForNode && fitting !== sight[parent] ? NONE : fitting;
    sight[node] = Math.min(called, calling);
    // The code of a regular expression has its text, unlike the builtin that calls it.
    const isInner = mark.isRegExp || SIGHTS[called - 1]?.tellsInnermost === true;
    const isTelling =
      called < calling || (called === calling && isInner) || (mark.isRegExp && calling === TEXT_REPLACE + 1);
    teller[node] = isTelling ? frame : teller[parent]!;
  }
  return marks;
}

/** Returns whether two frames are of one function; -1 is no frame. */
function isSame({ ofFrame }: Analysis["table"], a: number, b: number): boolean {
  return b >= 0 && ofFrame[a] === ofFrame[b];
}

const UNMARKED: FrameMarks = {
  sight: NONE,
  context: 0,
  own: 0,
  isNode: false,
  isNodeNative: false,
  isSearch: false,
  isRegExp: false,
  isPlainIc: false,
  isGeneric: false,
  isOptimized: false,
  runsModule: false,
};

function frameMarks(frames: readonly Frame[], origins: readonly Origin[]): FrameMarks[] {
  const ofNode = oncePerLongName((name) =>
    nodeMarks(parseFrameName({ kind: "js", type: "", tier: "", name, line: 0, inlined: false })),
  );
  const ofNative = oncePerLongName((symbol) => sightOf(({ native }) => native?.test(symbol)));
  const ofCode = oncePerLongName((name) => sightOf(({ code }) => code?.test(name)));
  return frames.map((frame, i): FrameMarks => {
    if (frame.kind === "unknown" || (frame.kind === "native" && frame.symbol === undefined)) return UNMARKED;
    if (frame.kind === "js") {
      const { kind } = origins[i]!;
      if (kind === "node") return { ...UNMARKED, ...ofNode(frame.name), isNode: true };
      const isSearch = frame.role !== undefined && SEARCHES.test(frame.role);
      const isOptimized = frame.tier === "*" || frame.tier === "+";
      const own = kind === "app" ? 2 : kind === "deps" ? 1 : 0;
      return { ...UNMARKED, context: isTopLevel(frame.name) ? IN_MAIN : 0, own, isSearch, isOptimized };
    }
    const isMegamorphic = icBuiltin(frame)?.isMegamorphic === true;
    if (frame.kind === "native") {
      const isNodeNative = !frame.symbol!.startsWith("v8::internal::");
      return { ...UNMARKED, sight: isMegamorphic ? MEGAMORPHIC + 1 : ofNative(frame.symbol!), isNodeNative };
    }
    return {
      ...UNMARKED,
      sight: isMegamorphic ? MEGAMORPHIC + 1 : ofCode(`${frame.type}: ${frame.name}`),
      isRegExp: frame.type === "RegExp",
      isPlainIc: frame.type === "Builtin" && PLAIN_IC.test(frame.name),
      isGeneric: frame.type === "Builtin" && GENERIC.test(frame.name),
    };
  });
}

/** Returns the first row of {@link SIGHTS} that fits, from 1; {@link NONE} for none. */
function sightOf(isSeen: (sight: Sight) => boolean | undefined): number {
  const row = SIGHTS.findIndex((sight) => isSeen(sight) === true);
  return row < 0 ? NONE : row + 1;
}

/** The file that loads Node's own modules. */
export const NODES_LOADER = /^(?:node:)?internal\/bootstrap\/(?:realm|loaders)(?:\.js)?$/;
/** Files of Node that call a server's handlers, and its function in `net`. */
const SERVER = /^(?:_http_server|internal\/http2\/(?:compat|core))$/;

function nodeMarks({ name, file = "" }: LoggedName): Pick<FrameMarks, "sight" | "context" | "runsModule"> {
  const short = file.replace(/^node:/, "").replace(/\.js$/, "");
  const own = lastPart(name);
  if (isLoaderFile(file) || NODES_LOADER.test(short))
    return { sight: LOADING, context: 0, runsModule: own === "_compile" };
  const isServer = SERVER.test(short) || (short === "net" && own === "onconnection");
  return {
    sight: sightOf(({ node }) => node?.(short, own)),
    context: isServer ? IN_SERVER : 0,
    runsModule: false,
  };
}

/** Returns whether a function is the code of a whole module: it has no name, and begins at its first column. */
function isTopLevel(name: string): boolean {
  if (!name.endsWith(":1:1")) return false;
  return parseFrameName({ kind: "js", type: "", tier: "", name, line: 0, inlined: false }).name === "";
}

/** Ticks of a sight. */
interface SightTicks {
  ticks: Ticks;
  /** By frame of the program or a package. */
  readonly places: Map<number, Ticks>;
  readonly calls: CallTicks;
  /** By frame that tells the sight. */
  readonly names: Map<number, Ticks>;
  readonly contexts: Map<Context, Ticks>;
  /** By frame of a package that the program called: where in it the work is done. */
  readonly inside: Map<number, Ticks>;
  /** By frame: what gives objects their shape, deletes from them, or handles the event. */
  readonly makers: Map<number, Ticks>;
}

interface CountedSights {
  /** Indexed as {@link SIGHTS}. */
  readonly sights: readonly SightTicks[];
  /** By package: its ticks without those of loading modules, and the frames of the program that called it. */
  readonly packages: ReadonlyMap<string, TicksAt>;
  /** The places of the module loader. */
  readonly loading: ReadonlyMap<number, Ticks>;
  /** What of that was while a server served. */
  readonly late: TicksAt;
  /** What of it was in other callbacks. */
  readonly reloading: TicksAt;
  /** The ticks in the code of the program and of packages itself, by frame. */
  readonly own: TicksAt;
  /** By function of the program or a package: the ticks in it below itself, with its frames. */
  readonly recursion: ReadonlyMap<number, TicksAt>;
}

function countSights(
  { samples, origins, info, tree, frames, table }: Analysis,
  marks: NodeMarks,
): CountedSights {
  const isStore = columnOf(Uint8Array, frames, (one) =>
    one.kind !== "js" && STORES.test(nameOf(one)) ? 1 : 0,
  );
  const isDelete = columnOf(Uint8Array, frames, (one) =>
    one.kind !== "js" && DELETES.test(nameOf(one)) ? 1 : 0,
  );
  const sights = SIGHTS.map(
    (): SightTicks => ({
      ticks: 0,
      places: new Map(),
      calls: new Map(),
      names: new Map(),
      contexts: new Map(),
      makers: new Map(),
      inside: new Map(),
    }),
  );
  const recursion = new Map<number, { ticks: Ticks; places: Map<number, Ticks> }>();
  const packages = new Map<string, { ticks: Ticks; places: Map<number, Ticks> }>();
  const loading = new Map<number, Ticks>();
  const late = { ticks: 0, places: new Map<number, Ticks>() };
  const reloading = { ticks: 0, places: new Map<number, Ticks>() };
  const own = { ticks: 0, places: new Map<number, Ticks>(), calls: new Map() as CallTicks };
  const servers = new Set<number>();
  for (let i = 0; i < samples.length; i++)
    if ((marks.context[samples.node[i]!]! & IN_SERVER) !== 0) servers.add(samples.thread[i]!);
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    const ticks = samples.ticks[i]!;
    const { sight, place } = seenAt(marks, node);
    const inner = marks.inner[node]!;
    const thread = samples.thread[i]!;
    const context = contextOf(marks.context[node]!, info.threads[thread], servers.has(thread));
    if (place >= 0 && sight === LOADING) {
      addTo(loading, place, ticks);
      const found = context === "server" ? late : context === "callback" ? reloading : undefined;
      if (found !== undefined) {
        found.ticks += ticks;
        addTo(found.places, place, ticks);
      }
    }
    const origin = inner < 0 || sight === LOADING ? undefined : origins[inner]!;
    if (origin?.kind === "deps") {
      const found = valueAt(packages, origin.name, () => ({ ticks: 0, places: new Map<number, Ticks>() }));
      found.ticks += ticks;
      if (origins[place]!.kind === "app") addTo(found.places, place, ticks);
    }
    if (marks.isRecursive[node] === 1 && sight === NONE) {
      const found = valueAt(recursion, table.ofFrame[inner]!, () => ({
        ticks: 0,
        places: new Map<number, Ticks>(),
      }));
      found.ticks += ticks;
      addTo(found.places, inner, ticks);
    }
    const leaf = tree.frame[node]!;
    if (sight === NONE && inner === leaf) {
      own.ticks += ticks;
      addTo(own.places, inner, ticks);
      addCall(own.calls, inner, marks.outer[node]!, ticks);
    }
    const handler = marks.handler[node]!;
    if (handler >= 0) addTo(sights[EVENTS]!.makers, handler, ticks);
    if (isDelete[leaf] === 1 && inner >= 0) addTo(sights[SLOW]!.makers, inner, ticks);
    // Node itself, and the recorder, do such work too. Of inline caches the sampler often skips the caller.
    if (sight === NONE || sight === LOADING) continue;
    const found = sights[sight - 1]!;
    if (sight === MEGAMORPHIC + 1 && place >= 0 && isStore[leaf] === 1) addTo(found.makers, place, ticks);
    if (place < 0 && !WITHOUT_PLACE.has(SIGHTS[sight - 1]!.kind)) continue;
    found.ticks += ticks;
    const teller = marks.sight[node] === sight ? marks.teller[node]! : calledBack(marks, node, leaf);
    if (teller >= 0) addTo(found.names, teller, ticks);
    if (place >= 0) {
      addTo(found.places, place, ticks);
      if (place !== inner && origins[inner]?.kind === "deps") addTo(found.inside, inner, ticks);
      if (place === marks.place[node]) addCall(found.calls, place, marks.outer[node]!, ticks);
    }
    addTo(found.contexts, context, ticks);
  }
  return { sights, packages, loading, late, reloading, recursion, own };
}

/** Returns the frame that was called back, if it called what runs; -1 if it runs itself. */
function calledBack({ called }: NodeMarks, node: number, leaf: number): number {
  return called[node] === leaf ? -1 : called[node]!;
}

/** Returns the sight of a node, and its place: that of what called the program back, if the program does nothing else there. */
function seenAt(marks: NodeMarks, node: number): { readonly sight: number; readonly place: number } {
  const sight = marks.sight[node]!;
  const callback = marks.callback[node]!;
  const isOfSort = callback === SORT + 1 && SIGHTS[sight - 1]?.isOfSort === true;
  if ((sight !== NONE && !isOfSort) || callback === 0) return { sight, place: marks.place[node]! };
  return { sight: callback, place: marks.caller[node]! };
}

function contextOf(bits: number, thread: ThreadInfo | undefined, isServer: boolean): Context {
  if (thread?.kind === "worker") return "worker";
  if ((bits & IN_SERVER) !== 0) return "server";
  if ((bits & IN_MAIN) !== 0) return "main";
  return isServer ? "server" : "callback"; // What comes back from an await has no request above it.
}

/** The frames at one line of a function; frames differ in tiers and inlining too. */
interface LineOfFrames {
  /** The frame with most ticks. */
  frame: number;
  most: Ticks;
  ticks: Ticks;
}

/** Returns lines of places, most ticks first. */
function linesOfFrames({ frames, table }: Analysis, places: ReadonlyMap<number, Ticks>): LineOfFrames[] {
  const lines = new Map<string, LineOfFrames>();
  for (const [frame, ticks] of places) {
    const one = frames[frame]!;
    const key = `${table.ofFrame[frame]} ${one.kind === "js" ? `${one.line} ${one.loop ?? ""}` : 0}`;
    const line = valueAt(lines, key, () => ({ frame, most: 0, ticks: 0 }));
    line.ticks += ticks;
    if (ticks > line.most) {
      line.frame = frame;
      line.most = ticks;
    }
  }
  return Array.from(lines.values()).sort((a, b) => b.ticks - a.ticks || a.frame - b.frame);
}

/** The rows of the page, by function and {@link lineKey}. */
type RowsByLine = ReadonlyMap<ProfiledFunction, ReadonlyMap<string, HotLine>>;

function lineKey(line: number, loop: number | undefined): string {
  return line > 0 ? String(line) : `${loop ?? ""}+`;
}

/** Returns rows by their lines; of several rows of one, the first. */
function rowsByLine(rows: readonly HotLine[]): RowsByLine {
  const found = new Map<ProfiledFunction, Map<string, HotLine>>();
  for (const row of rows) {
    const lines = valueAt(found, row.function, () => new Map<string, HotLine>());
    const key = lineKey(row.line, row.loop);
    if (!lines.has(key)) lines.set(key, row);
  }
  return found;
}

/** Returns the places of frames, most ticks first, with the ticks of their rows where these are nearly the same. */
function placesOf(of: Analysis, places: ReadonlyMap<number, Ticks>, rows?: RowsByLine): FindingPlace[] {
  const { frames, table } = of;
  const lines = linesOfFrames(of, places);
  return lines
    .flatMap(({ frame: index, ticks }): FindingPlace[] => {
      const frame = frames[index]!;
      const owner = table.functions[table.ofFrame[index]!]!;
      if (frame.kind !== "js") return [];
      const { column, loop } = frame;
      const line = frame.line > 0 ? frame.line : (loop ?? owner.line);
      if (line === undefined || owner.file === undefined || owner.file === "") return [];
      const row = rows?.get(owner)?.get(lineKey(frame.line, loop));
      const ofRow = rowTicks(row, ticks, lines.length === 1);
      return [
        {
          function: owner,
          line,
          ticks: ofRow ?? ticks,
          column,
          isLineKnown: frame.line > 0 || loop !== undefined,
          isRow: ofRow !== undefined,
        },
      ];
    })
    .sort((a, b) => b.ticks - a.ticks);
}

/**
 * Returns the ticks of a row that are of a finding, but for the little that its line does beside; undefined if there are none. Callbacks
 * are in the total of a row alone, and rows have that in common.
 */
function rowTicks(row: HotLine | undefined, ticks: Ticks, isAlone: boolean): Ticks | undefined {
  if (row === undefined) return undefined;
  const all = ticks <= row.ticks ? row.ticks : isAlone ? row.total : 0;
  return ticks <= all && ticks >= OF_LINE * all ? all : undefined;
}

/** Returns places with all ticks of their rows, as long as these are together no more than `most`. */
function withRows(
  places: readonly FindingPlace[],
  { rows, most }: { readonly rows: RowsByLine; readonly most: Ticks },
): FindingPlace[] {
  let rest = most;
  return places.map((one) => {
    const row = one.isLineKnown ? rows.get(one.function)?.get(lineKey(one.line, undefined)) : undefined;
    if (row === undefined || row.ticks < one.ticks || row.ticks > rest) return one;
    rest -= row.ticks;
    return { ...one, ticks: row.ticks, isRow: true };
  });
}

/**
 * Returns the hottest line of the program's optimized code that is called by what calls inline caches without a known caller: the sampler
 * skips the function that has the cache, so that its caller is on the stack in its place.
 */
function likelyPlace(of: Analysis, { sight, inner }: NodeMarks): FindingPlace | undefined {
  const { tree, samples, frames, origins } = of;
  const isCaller = new Uint8Array(tree.length);
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    if (sight[node] === MEGAMORPHIC + 1) isCaller[tree.parent[node]!] = 1;
  }
  const isBelow = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const parent = tree.parent[node]!;
    isBelow[node] = isBelow[parent]! | isCaller[parent]!;
  }
  const own = new Map<number, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    const frame = frames[tree.frame[node]!]!;
    if (isBelow[node] !== 1 || inner[node] !== tree.frame[node] || frame.kind !== "js") continue;
    const isOptimized = frame.tier === "*" || frame.tier === "+";
    if (isOptimized && origins[tree.frame[node]!]!.kind !== "node")
      addTo(own, tree.frame[node]!, samples.ticks[i]!);
  }
  const texts = new SourceTexts(of.sources, () => undefined);
  return placesOf(of, own).find(({ function: { file }, line }) =>
    ACCESSES.test(texts.lineOf(file, line) ?? "a.b"),
  );
}

/** What loads a property of an object. */
const ACCESSES = /[\w)\]]\.[A-Za-z_$#]|\w\[|\} =/;

/** Returns where ticks are, and what calls the first of these places most. */
function whereOf(of: Analysis, { places, calls = new Map() }: TicksAt, rows?: RowsByLine): Where {
  const found = placesOf(of, places, rows);
  const [best] = found;
  const { frames, table } = of;
  const callers = new Map<number, Ticks>();
  for (const [place, from] of calls) {
    const frame = frames[place]!;
    const owner = table.functions[table.ofFrame[place]!]!;
    const line = frame.kind === "js" && frame.line > 0 ? frame.line : owner.line;
    if (owner !== best?.function || line !== best.line) continue;
    for (const [caller, ticks] of from) addTo(callers, caller, ticks);
  }
  return { places: found, caller: placesOf(of, callers)[0] };
}

/** The kinds with the regular expression that does most. */
const TELLS_REGEXP = new Set<FindingKind>(["regexp", "regexp-compile", "text-replace"]);

/** Returns where the regular expression of a finding is made, or the code that it is in. */
function madeOf(
  { sources, table }: Analysis,
  kind: FindingKind,
  { place, names }: { readonly place: FindingPlace | undefined; readonly names: Seen["names"] },
): MadeAt | undefined {
  if (place === undefined) return undefined;
  const { file = "" } = place.function;
  const regexp = TELLS_REGEXP.has(kind) ? mostRegexp(names) : undefined;
  if (regexp === undefined && !isEvaluated(file)) return undefined;
  const texts = programTexts(sources, table);
  const made = regexp === undefined ? codeMadeAt(texts) : regexpMadeAt(texts, regexp.slice(REGEXP.length));
  return made?.file === file && made.line === place.line ? undefined : made;
}

/** Returns the line of the makers with most ticks, unless it is the place. */
function makerOf(
  of: Analysis,
  { kind, place }: Pick<Finding, "kind" | "place">,
  makers: ReadonlyMap<number, Ticks>,
): MadeAt | undefined {
  const [most] = makers.size === 0 ? [] : placesOf(of, makers);
  if (most === undefined && kind === "slow-properties") return deletedAt(programTexts(of.sources, of.table));
  if (most === undefined || (most.function === place?.function && most.line === place.line)) return undefined;
  return { file: most.function.file ?? "", line: most.line, column: most.column ?? 1 };
}

/** Whether ticks of a kind are beside those of its places: it follows them, or is made for them. */
function isPartOfPlace(kind: FindingKind): boolean {
  return kind === "gc" || kind === "loading" || kind === "optimizing" || kind === "package";
}

/** Returns the ticks in which V8 did something, with the places that they came from. */
function ticksInState({ samples }: Analysis, { place }: NodeMarks, state: number): TicksAt {
  const places = new Map<number, Ticks>();
  let ticks = 0;
  for (let i = 0; i < samples.length; i++) {
    if (samples.vmState[i] !== state) continue;
    ticks += samples.ticks[i]!;
    const at = place[samples.node[i]!]!;
    if (at >= 0) addTo(places, at, samples.ticks[i]!);
  }
  return { ticks, places };
}

/** Returns where a function begins that was deoptimized. */
function placeOfDeopt({ table }: Analysis, { position, cost }: DeoptRow): FindingPlace[] {
  const owner = table.functions.find(
    ({ file, line, column }) =>
      file === position?.file && line === position?.line && column === position?.column,
  );
  if (owner?.line === undefined) return [];
  return [
    { function: owner, line: owner.line, ticks: cost, column: owner.column, isLineKnown: true, isRow: true },
  ];
}

/** Returns where garbage was made: V8 collects when memory is asked for, so it is what ran just before, more often than not. */
function placesOfGarbage(of: Analysis, { place }: NodeMarks): FindingPlace[] {
  const before = new Map<number, Ticks>();
  const { samples, timeline } = of;
  /** By thread: the place of its last tick that collected nothing. */
  const last = new Int32Array(of.info.threads.length).fill(-1);
  for (let i = 0; i < (timeline?.length ?? 0); i++) {
    const sample = timeline!.sample[i]!;
    const thread = samples.thread[sample]!;
    if (samples.vmState[sample] !== GC) last[thread] = place[samples.node[sample]!]!;
    else if (last[thread]! >= 0) addTo(before, last[thread]!, timeline!.ticks?.[i] ?? 1);
  }
  return placesOf(of, before);
}

/** What is said of a finding that is at no line. */
const NOWHERE = {
  place: undefined,
  places: [],
  caller: undefined,
  made: undefined,
  likely: undefined,
  inPackage: undefined,
  threads: [],
  makesGarbage: false,
} as const;

/** How much a single thread worked, in percent of its time: as its ticks say, and as its CPU time does if that was measured. */
function busyness({ info, samples }: Analysis): {
  readonly idle: Ticks;
  readonly byTicks: number;
  readonly byCpu: number | undefined;
} {
  const byState = info.waited?.byState;
  let idle = byState?.reduce((sum, ticks, state) => (isIdle(state) ? sum + ticks : sum), 0) ?? 0;
  if (byState === undefined)
    for (let i = 0; i < samples.length; i++) if (isIdle(samples.vmState[i]!)) idle += samples.ticks[i]!;
  const isFiltered = info.excluded !== (info.waited?.ticks ?? 0);
  const all = byState === undefined ? info.ticks - info.excluded : info.ticks;
  const { cpu, sampling } = info;
  const isMeasured = cpu !== undefined && info.threads.length === 1 && !isFiltered && sampling.span > 0;
  return {
    idle,
    byTicks: all === 0 ? 100 : 100 - (100 * idle) / all,
    byCpu: isMeasured ? (100 * cpu.sampled) / sampling.span : undefined,
  };
}

/** So much more CPU than ticks that did not wait, in points of percent, is no chance. */
const UNSEEN_CPU = 40;

/**
 * A loop that has nothing to do but to ask again. V8 is told that Node is idle when it asks the system for events, even
 * if it does not wait for any; so nearly all ticks of such a thread are idle, though it takes a whole CPU.
 */
function spinning(of: Analysis): Finding | undefined {
  const { idle, byTicks, byCpu = 0 } = busyness(of);
  if (byCpu - byTicks < UNSEEN_CPU) return undefined;
  const called = calledByNode(of, "processImmediate");
  const { samples } = of;
  const places = new Map<number, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    const frame = called[samples.node[i]!]!;
    if (frame >= 0) addTo(places, frame, samples.ticks[i]!);
  }
  const [place] = placesOf(of, places);
  if (place === undefined) return undefined;
  return {
    ...NOWHERE,
    kind: "spinning",
    ticks: idle,
    percent: byCpu,
    place,
    places: [place],
    what: text`of a CPU goes into an event loop that turns without a rest (setImmediate again and again), though its ${TICKS} look idle`,
    advice: "wait for an event or a promise, or ask less often by a timer",
  };
}

/** Returns by node: the frame of the program that a function of Node called, the outermost one; below 0 for none. */
function calledByNode({ frames, tree, origins }: Analysis, name: string): Int32Array {
  const isCaller = framesOfNode({ frames, origins }, name);
  const called = new Int32Array(tree.length).fill(-1);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    const above = called[tree.parent[node]!]!;
    if (isCaller[frame] === 1) called[node] = -2;
    else called[node] = above === -2 && origins[frame]!.kind === "app" ? frame : above;
  }
  return called;
}

/** Returns by frame: 1 for a function of Node with this name. */
function framesOfNode({ frames, origins }: Pick<Analysis, "frames" | "origins">, name: string): Uint8Array {
  return columnOf(Uint8Array, frames, (frame, i) =>
    frame.kind === "js" && origins[i]!.kind === "node" && lastPart(parseFrameName(frame).name) === name
      ? 1
      : 0,
  );
}

/** Finds a function that has itself called again by `process.nextTick`, at the line that does so: nothing else gets a turn before it ends. */
function tickChain(of: Analysis, share: (ticks: Ticks) => number, texts: SourceTexts): Finding | undefined {
  const { tree, samples, table } = of;
  const called = calledByNode(of, "processTicksAndRejections");
  const isNextTick = framesOfNode(of, "nextTick");
  /** By node: the frame that called `nextTick`; -1 for none. */
  const asking = new Int32Array(tree.length).fill(-1);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const parent = tree.parent[node]!;
    const isAsking = isNextTick[tree.frame[node]!] === 1 && called[parent] === tree.frame[parent];
    asking[node] = isAsking ? tree.frame[parent]! : asking[parent]!;
  }
  /** By function: all ticks of it that Node called so, and of its lines that ask for the next turn. */
  const chains = new Map<number, { ticks: Ticks; readonly lines: Map<number, Ticks> }>();
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    if (called[node]! < 0) continue;
    const owner = table.ofFrame[called[node]!]!;
    const chain = valueAt(chains, owner, () => ({ ticks: 0, lines: new Map<number, Ticks>() }));
    chain.ticks += samples.ticks[i]!;
    if (asking[node]! >= 0) addTo(chain.lines, asking[node]!, samples.ticks[i]!);
  }
  const [longest] = Array.from(chains).sort((a, b) => b[1].ticks - a[1].ticks);
  if (longest === undefined) return undefined;
  const [owner, { lines }] = longest;
  const ticks = totalOf(of, owner); // As its row has.
  if (share(ticks) < LEAST.chain || ticks < LEAST_TICKS) return undefined;
  const [place] = placesOf(of, lines);
  const { name = "", file } = place?.function ?? {};
  const source = texts.lineOf(file, place?.line ?? 0) ?? "";
  // What it asks to be called may be another function.
  if (place === undefined || name === "" || !source.includes(`nextTick(${lastPart(name)}`)) return undefined;
  return {
    ...NOWHERE,
    kind: "tick-chain",
    ticks,
    percent: share(ticks),
    place,
    places: [place],
    what: text`${named(name)} has itself called again by process.nextTick: no I/O and no timer gets a turn before that ends`,
    advice: "setImmediate lets them in between",
  };
}

/** Returns the ticks of all stacks that a function is on. */
function totalOf({ tree, samples, table }: Analysis, owner: number): Ticks {
  const isOn = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++)
    isOn[node] = table.ofFrame[tree.frame[node]!] === owner ? 1 : isOn[tree.parent[node]!]!;
  let ticks = 0;
  for (let i = 0; i < samples.length; i++) if (isOn[samples.node[i]!] === 1) ticks += samples.ticks[i]!;
  return ticks;
}

/** Idle ticks; or of a single thread the time without CPU, if that was measured: a thread that sleeps gets hardly any ticks. */
function idleFinding(of: Analysis): Finding | undefined {
  const { idle, byTicks, byCpu } = busyness(of);
  const percent = 100 - (byCpu ?? byTicks);
  if (percent < LEAST.idle) return undefined;
  return {
    ...NOWHERE,
    kind: "idle",
    ticks: idle,
    percent,
    what: "idle: it waits for I/O, the thread pool, timers, other processes or a CPU",
    advice: "ticks timeline shows when",
  };
}

/** Finds a worker that does most of the work of all workers of its process. */
function oneWorker(of: Analysis, marks: NodeMarks, share: (ticks: Ticks) => number): Finding | undefined {
  const { info, samples } = of;
  const ticks = new Float64Array(info.threads.length);
  for (let i = 0; i < samples.length; i++) ticks[samples.thread[i]!]! += samples.ticks[i]!;
  const span = info.threads.reduce((longest, one) => Math.max(longest, one.span), 0);
  const workers = info.threads.flatMap(({ kind, pid, name }, i) =>
    kind === "worker"
      ? [{ pid, name, ticks: ticks[i]!, busy: busyPart(info, { thread: i, ticks: ticks[i]!, span }) }]
      : [],
  );
  const [most] = workers.toSorted((a, b) => b.ticks - a.ticks);
  if (most === undefined) return undefined;
  const siblings = workers.filter(({ pid }) => pid === most.pid);
  const all = siblings.reduce((sum, one) => sum + one.ticks, 0);
  const part = (most.ticks * 100) / all;
  if (siblings.length < 2 || part < LEAST.oneWorker || most.ticks < LEAST_TICKS || share(most.ticks) < WORK)
    return undefined;
  return {
    ...NOWHERE,
    kind: "one-worker",
    ticks: most.ticks,
    percent: share(most.ticks),
    caller: placesOf(of, postedAt(of, marks))[0],
    threads: siblings
      .map(({ name, ticks, busy }) => ({ name, ticks, busy }))
      .sort((a, b) => b.ticks - a.ticks),
    what: text`${named(most.name)} does most of the work of ${counted(siblings.length, "worker")}, while the others wait`,
    advice: "give a job to a worker that is free",
  };
}

/** Returns how much of its time a thread was busy, in percent: of its ticks, or of the time of the longest thread where those that sleep get no ticks. */
function busyPart(
  { threads, sampling }: Analysis["info"],
  { thread, ticks, span }: { readonly thread: number; readonly ticks: Ticks; readonly span: Micros },
): number {
  const { ticks: all, sampling: own = sampling } = threads[thread]!;
  const ofTicks = all === 0 ? 0 : (ticks * 100) / all;
  const ofTime = own.got === undefined || span === 0 ? 100 : (ticks * own.got * 100) / span;
  return Math.min(100, ofTicks, ofTime);
}

/** Returns where threads that are no workers post messages, by frame of the program. */
function postedAt({ info, samples }: Analysis, { sight, place }: NodeMarks): Map<number, Ticks> {
  const places = new Map<number, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    const isPost = sight[node] === COPIES + 1 && info.threads[samples.thread[i]!]?.kind !== "worker";
    if (isPost && place[node]! >= 0) addTo(places, place[node]!, samples.ticks[i]!);
  }
  return places;
}
