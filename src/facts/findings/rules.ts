import { named, text } from "../../base/text.js";
import type { FindingKind } from "./finding.js";
import {
  badRegexp,
  blocks,
  type Evidence,
  insteadOf,
  intlWords,
  orKept,
  READS_STACK,
  regexpWords,
  SYNC,
  systemCallOf,
  THROWS,
  USES_POOL,
  type Words,
} from "./words.js";

/** What is said of a kind of work: always the same, or by what was evidence; undefined if there is nothing to say. */
type RuleWords = Words | { words(evidence: Evidence): Words | undefined };

/** How a kind of work is evidence on a stack, below the last function of the program or of a package, and what is said of it. */
export type Rule = RuleWords & {
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
  /** Whether functions of the program that it calls are part of it, if they do nothing else that is evidence. Default: no. */
  readonly hasCallbacks?: boolean;
  /** Whether all that functions of the program do that it calls is part of it, at their lines. Default: no. */
  readonly keepsCallbacks?: boolean;
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
export const BLOCKING = 10;

/** Work that the program may well need: it stands out from a fifth on. */
export const WORK = 20;
/** Fewer ticks are noise, whatever their share. */
export const LEAST_TICKS = 20;
/**
 * The least shares, in percent: of garbage that is said of what makes it; of garbage collection itself, which calm programs have up to a tenth of; of loading, which short commands
 * always have some of; of a function below itself; of a function that has itself called again; of the code of one line; of deoptimizations that repeat; of optimizing, which ends in most programs; of a package's code; of one line of that; of idle ticks; of the workers' ticks in one of them.
 */
export const LEAST = {
  garbage: 5,
  gc: 20,
  recursion: 40,
  chain: 30,
  ownCode: 20,
  loading: 30,
  deopts: 5,
  optimizing: 15,
  package: 40,
  packageLine: 3,
  idle: 70,
  oneWorker: 70,
};

/** What V8 does with a text that is a key for the first time. */
const HASHES_TEXT = /Runtime_InternalizeString|String::ComputeAndSet|StringTable::Lookup/;

/** Functions of Node and V8 that make a context of `node:vm`. */
const MAKES_CONTEXT =
  /^(?:runInNewContext|createContext)$|Bootstrapper::CreateEnvironment|Genesis::Genesis|ContextifyContext::/;

/** What V8 copies the elements of arrays with, in code that has no frame of its own. */
export const MEMORY_COPY = /^(?:__)?mem(?:cpy|move)(?![a-z])/;
/** What compares how many properties two objects have: `keys.length !== Object.keys(b).length`. */
const COMPARES = /\.length\s?[!=]==?\s?(?:Object\.keys\(|\w{1,40}\.length)/;

/** What V8 puts the numbers of elements in order with. */
const SORTS_INDICES = /SortIndices/;

/** What the program reads: nothing here asks for it. */
const ENVIRONMENT = ["process", "env"].join(".");

export const NO_BIGINT = "numbers are many times faster, and exact up to 2^53";

/** A BigInt in a source: `BigInt(1)`, `1n`, `0xffn`. */
export const BIGINTS = /\bBigInt\b|\b(?:\d[\d_]{0,40}|0[xX][\da-fA-F_]{1,40})n\b/;

/**
 * What stands out, one row a kind. Of several rows that fit a stack, the first one counts: modules are read with
 * `fs.readFileSync`, and the console writes with `fs.writeSync`.
 *
 * Sources: Node's documentation of `process` I/O (when the console blocks), of `crypto`, `zlib` and `fs` (what uses the thread
 * pool); V8, src/builtins/builtins-definitions.h (names of builtins).
 */
export const RULES: readonly Rule[] = [
  {
    kind: "async-hooks",
    least: BLOCKING,
    node: (file, name) =>
      file === "internal/async_hooks" &&
      /^(?:emit(?:Hook|Init|Before|After|Destroy)(?:Native|Script)?|promise(?:Init|Before|After|Resolve)Hook\w*|destroyTracking)$/.test(
        name,
      ) &&
      // Node calls these for each callback, also if nobody listens.
      !/^emit(?:Before|After)Script$/.test(name),
    keepsCallbacks: true,
    what: "async hooks (createHook of node:async_hooks, or AsyncLocalStorage) run for each promise and callback",
    advice: "use AsyncLocalStorage alone, which needs no hooks from Node 24 on, or make fewer promises",
  },
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
    kind: "dynamic-import",
    least: BLOCKING,
    // A module that is there already costs the same each time; to load one is no such work.
    node: (file, name) => file === "internal/modules/esm/utils" && name === "importModuleDynamicallyCallback",
    native: /^(?:v8::internal::Runtime_DynamicImportCall\(|node::loader::ImportModuleDynamically)/,
    words: ({ names }) => {
      const asked = names.reduce((sum, { name, part }) => (name.includes("::") ? sum + part : sum), 0);
      if (asked < 0.05) return undefined;
      return {
        what: "a module is asked for by import() each time, though it is there: Node looks it up, and makes promises",
        advice: "import it once, and keep it: in a variable or a Map",
      };
    },
  },
  {
    kind: "deep-equal",
    least: BLOCKING,
    node: (file) => file === "internal/util/comparisons",
    what: "values are compared with all that they have in them (isDeepStrictEqual, assert.deepEqual)",
    advice: "compare what may have changed, or a version of it",
  },
  {
    kind: "child-process-sync",
    least: BLOCKING,
    node: (file, name) => file.endsWith("child_process") && SYNC.test(name),
    words: (evidence) => orKept(insteadOf("child_process", evidence, "runs beside it"), evidence),
  },
  {
    kind: "zlib-sync",
    least: BLOCKING,
    node: (file, name) => file === "zlib" && (SYNC.test(name) || name.startsWith("syncBuffer")),
    words: (evidence) => {
      const { what, advice } = insteadOf("zlib", { ...evidence, names: [] }, USES_POOL);
      const more = "; each call makes a stream, so put many small ones together";
      return { what, advice: advice && `${advice}${more}` };
    },
  },
  {
    kind: "crypto-sync",
    least: BLOCKING,
    node: (file, name) =>
      /^(?:internal\/)?crypto\b/.test(file) && (SYNC.test(name) || /^random(?:Bytes|Int|UUID)$/.test(name)),
    words: (evidence) => {
      const random = evidence.names[0]?.name ?? "";
      if (!random.startsWith("random") || SYNC.test(random)) return insteadOf("crypto", evidence, USES_POOL);
      return {
        what: `crypto.${random} ${blocks(evidence.context)}`,
        advice: "get random bytes for many at once",
      };
    },
  },
  {
    kind: "fs-sync",
    least: BLOCKING,
    node: (file, name) => /^(?:internal\/)?fs\b/.test(file) && SYNC.test(name),
    words: (evidence) => orKept(insteadOf("fs", evidence, USES_POOL), evidence),
  },
  {
    kind: "hashing",
    least: WORK,
    node: (file) => /^internal\/crypto\/(?:hash|sig|cipher)$/.test(file),
    words: ({ names, context }) => {
      const made = names.reduce(
        (sum, { name, part }) => (/^(?:create)?Hash$/.test(name) ? sum + part : sum),
        0,
      );
      return made >= 0.2
        ? {
            what: `small values are hashed with crypto, each with a Hash object of its own, ${blocks(context).replace(/^blocks/, "which blocks")}`,
            advice: "crypto.hash does it in one call (from Node 20.12 on), or use the value itself as a key",
          }
        : {
            what: `hashing, signing or encrypting with crypto ${blocks(context)}`,
            advice: context === "worker" ? undefined : "a worker thread could do it",
          };
    },
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
    words: ({ names }) =>
      names.some(({ name, part }) => part >= 0.5 && MAKES_CONTEXT.test(name))
        ? {
            what: "a context with globals of its own is made for each run (vm.runInNewContext, vm.createContext)",
            advice: "make one context, and run each script in it (script.runInContext)",
          }
        : {
            what: "code is made from text here (new Function, eval or vm), and compiled",
            advice: "make it once, and keep the function",
          },
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
    words: (evidence) =>
      badRegexp(evidence) ?? {
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
    native:
      /^v8::internal::(?:Runtime_(?:(?:Set|Map)(?:Grow|Shrink)|InternalizeString)\(|String::ComputeAndSet(?:Raw)?Hash\()|^(?:\w+ )*v8::internal::StringTable::Lookup/,
    code: /^Builtin: (?:(?:Set|Map|WeakMap|WeakSet)Constructor|SetOrSetIteratorToList|MapIteratorToList|Set(?:PrototypeAdd|PrototypeUnion\w*)|MapPrototypeSet|FindOrderedHash(?:Set|Map)Entry)$/,
    tellsInnermost: true,
    words: ({ names, source }) => {
      if (/new (?:Set|Map)\(/.test(source) && names.some(({ name }) => /Constructor|ToList/.test(name)))
        return {
          what: "a Set or a Map is made of a list or another one each time (new Set(list), new Map(list))",
          advice: "make it once, and add to it",
        };
      if (names.some(({ name, part }) => part >= 0.5 && name.endsWith("ToList")))
        return {
          what: "all elements of a Set or a Map are copied into an array each time ([...map], [...map.keys()])",
          advice: "loop over it, or take what you need from its iterator: map.keys().next().value",
        };
      const partOf = (kind: RegExp) =>
        names.reduce((sum, { name, part }) => (kind.test(name) ? sum + part : sum), 0);
      if (partOf(HASHES_TEXT) >= 0.2)
        return {
          what: "texts that are made each time are keys of a Set, a Map or an object: each is hashed, and compared",
          advice: "make a key once and keep it, or use a number (y * width + x)",
        };
      // To look for a key is what they are there for.
      if (partOf(/FindOrderedHash/) > 0.8) return undefined;
      return { what: "elements are added to a Set or a Map, and looked for", advice: undefined };
    },
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
    kind: "classes",
    least: BLOCKING,
    native: /^v8::internal::Runtime_DefineClass\(/,
    what: "classes are made here again and again: code that used one before does not know the next",
    advice: "make each class once, outside of the function",
  },
  {
    kind: "define-property",
    least: BLOCKING,
    isDirect: true,
    native:
      /^v8::internal::(?:Builtin_(?:Impl_)?(?:Object|Reflect)DefinePropert(?:y|ies|yGetter|ySetter)\(|JSReceiver::DefineProperties\()/,
    code: /^Builtin: ObjectDefineProperty$/,
    what: "properties are defined one by one (Object.defineProperty): V8 reads a descriptor each time",
    advice: "assign them, or define them once: in a class or on a prototype",
  },
  {
    kind: "weak-references",
    least: BLOCKING,
    isDirect: true,
    native: /^v8::internal::(?:Runtime_JS(?:FinalizationRegistry|WeakRef)|JSFinalizationRegistry::)/,
    code: /^Builtin: (?:FinalizationRegistry(?:Register|Unregister)|WeakRef(?:Constructor|Deref))$/,
    what: "WeakRef and FinalizationRegistry keep a record for each object, which the garbage collector looks at",
    advice: "use a WeakMap, or say when an object is no longer needed",
  },
  {
    kind: "text-coding",
    least: BLOCKING,
    node: (file) => file === "internal/encoding",
    words: ({ names }) => {
      const made = names.find(({ name, part }) => /^Text(?:De|En)coder$/.test(name) && part >= 0.15)?.name;
      return made === undefined
        ? {
            what: "bytes become text, or text bytes (TextDecoder, TextEncoder)",
            advice: "convert larger pieces at once",
          }
        : { what: `${made} objects are made again and again`, advice: "make one, and keep it" };
    },
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
    kind: "environment",
    least: BLOCKING,
    native:
      /^(?:node::(?:Env(?:Getter|Setter|Query|Deleter|Enumerator|Definer)\b|TraceEnvVar|RealEnvStore::|MapKVStore::)|v8::internal::Runtime_(?:Load|Store)Property(?:With|Past)Interceptor\(|(?:uv_os_)?getenv\b)/,
    code: /^Builtin: CallNamedInterceptor/,
    tellsInnermost: true,
    words: ({ names, source }) =>
      // Globals of contexts made by node:vm are looked up so, too.
      source.includes(ENVIRONMENT) || names.some(({ name }) => /^node::.*Env/.test(name))
        ? {
            what: `${ENVIRONMENT} asks the operating system each time, and makes a string`,
            advice: "read it once, and keep the value",
          }
        : undefined,
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
      /^v8::internal::(?:Runtime_(?:Object(?:Keys|Values|Entries)|ForIn(?:Enumerate|HasProperty)|GetOwnPropertyKeys)|(?:Fast)?KeyAccumulator::|Builtin_(?:Impl_)?(?:ObjectGetOwnPropertyNames|ReflectOwnKeys)\(|\(anonymous namespace\)::SortIndices)|^(?:void )?std::__introsort_loop<v8::internal::AtomicSlot,/,
    code: /^Builtin: (?:Object(?:Keys|Values|Entries|GetOwnPropertyNames)|ForIn(?:Enumerate|Filter|Prepare))$/,
    tellsInnermost: true,
    words: ({ names, source }) => {
      // V8 sorts only those of a dictionary.
      const sorted = names.reduce((sum, { name, part }) => (SORTS_INDICES.test(name) ? sum + part : sum), 0);
      if (sorted >= 0.1)
        return {
          what: "a list of all elements is made each time (for…in or Object.keys), of numbers that are far apart: V8 keeps these in a slow table (a dictionary), and sorts them",
          advice: "use a Map, and loop over it with for…of",
        };
      return COMPARES.test(source)
        ? {
            what: "objects are compared with all properties that they have, of which lists are made each time",
            advice: "compare what may have changed, or a version of it",
          }
        : {
            what: "a list of all properties of an object is made each time (Object.keys, values or entries, for…in)",
            advice: "keep the list or its length, or use a Map, which has a size",
          };
    },
  },
  {
    kind: "array-copy",
    least: 15,
    isDirect: true,
    native: /^v8::internal::(?:Builtin_(?:Impl_)?ArrayConcat\(|Fast_ArrayConcat|Slow_ArrayConcat)/,
    code: /^Builtin: (?:GrowFast\w*Elements|CloneFastJSArray|ExtractFastJSArray|ArrayPrototypeSlice$|IterableTo(?:List|FixedArray)|ArrayConcat|CopyFast\w*)/,
    words: ({ names, source }) => {
      if (/\.slice\(/.test(source))
        return {
          what: "an array is copied each time (slice)",
          advice: "copy it once, change one array in place, or use a Map",
        };
      // Typed arrays, Buffers and objects are copied so, too.
      const isMemory = names.some(({ name, part }) => part >= 0.5 && MEMORY_COPY.test(name));
      if (
        isMemory &&
        !/\[\s?\.\.\.|\.(?:concat|toSorted|toReversed|toSpliced|with)\(|\bArray\.from\(/.test(source)
      )
        return undefined;
      return {
        what: "an array is copied each time it grows ([...array, one] or concat)",
        advice: "push to one array instead",
      };
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
    // The sampler skips the call of its handler, which is the larger part.
    least: BLOCKING,
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

export const DYNAMIC_IMPORT = RULES.findIndex(({ kind }) => kind === "dynamic-import");

export const MEGAMORPHIC = RULES.findIndex(({ kind }) => kind === "megamorphic");

export const COPIES = RULES.findIndex(({ kind }) => kind === "copies");

export const SLOW = RULES.findIndex(({ kind }) => kind === "slow-properties");

export const MIXED = RULES.findIndex(({ kind }) => kind === "mixed-types");

export const SEARCH = RULES.findIndex(({ kind }) => kind === "array-search");

export const ARRAY_COPY = RULES.findIndex(({ kind }) => kind === "array-copy");

export const SORT = RULES.findIndex(({ kind }) => kind === "sort");

export const EVENTS = RULES.findIndex(({ kind }) => kind === "events");

export const TEXT_REPLACE = RULES.findIndex(({ kind }) => kind === "text-replace");

export const NUMBER_TEXT = RULES.findIndex(({ kind }) => kind === "number-text");

/** An element at an index that is calculated, and not the name of a property: `data[i + k]`, `row[x - 1]`. */
const BY_INDEX = /\[\s?\w{1,40}\s?[-+*]\s?\w{1,40}\s?\]/;

export const BIGINT = RULES.findIndex(({ kind }) => kind === "bigint");
