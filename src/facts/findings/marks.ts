import { ROOT } from "../../profile/call-tree.js";
import type { Frame } from "../../profile/frame.js";
import { icBuiltin } from "../../profile/inline-caches.js";
import { type LoggedName, parseFrameName } from "../../profile/logged-name.js";
import { oncePerLongName } from "../../profile/long-names.js";
import type { Analysis } from "../analysis.js";
import { isLoaderFile } from "../loader-phases.js";
import type { Origin } from "../origin.js";
import {
  ARRAY_COPY,
  DYNAMIC_IMPORT,
  EVENTS,
  MEGAMORPHIC,
  MEMORY_COPY,
  MIXED,
  RULES,
  type Rule,
  SEARCH,
  SLOW,
  TEXT_REPLACE,
} from "./rules.js";

/** The role of functions that look for an element. */
const SEARCHES = /\.(?:find|findIndex|findLast|findLastIndex|some|every) callback$/;

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

export function nameOf(frame: Frame): string {
  if (frame.kind === "js") return lastPart(parseFrameName(frame).name);
  if (frame.kind === "native") return frame.symbol ?? "";
  return frame.kind === "code" ? `${frame.type}: ${frame.name}` : "";
}

export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

/** What the frames above a node say of it. */
export interface NodeMarks {
  /** By node: the rule, an index into {@link RULES}, {@link LOADING} or {@link NONE}. */
  readonly rule: Uint8Array;
  /** By node: the frame that tells its rule. */
  readonly evidence: Int32Array;
  /** By node: the innermost frame of the program, or else of a package; -1 for none. */
  readonly place: Int32Array;
  /** By node: the innermost frame of the program or of a package; -1 for none. */
  readonly inner: Int32Array;
  /** By node: the place of what called the function of its place; -1 for none. */
  readonly outer: Int32Array;
  /** By node: {@link IN_SERVER}, {@link IN_MAIN}. */
  readonly context: Uint8Array;
  /** By node: the row of {@link RULES}, from 1, that called the innermost function of the program back; 0 for none. */
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

/** Node's module loader comes before all rules: it reads, and compiles, for a `require`. */
export const LOADING = 0;

export const NONE = 255;

/** A server of Node called the program. */
export const IN_SERVER = 1;

/** The code of a module called it, as it loads. */
export const IN_MAIN = 2;

/** What a frame is: its rule, and what it says of all that it calls. */
interface FrameMarks {
  readonly rule: number;
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
  /** Whether it copies memory. */
  readonly isMemoryCopy: boolean;
  /** Whether it is optimized code of the program or of a package. */
  readonly isOptimized: boolean;
  /** Whether it is the function of Node that calls the code of a module. */
  readonly runsModule: boolean;
}

export function marksOf({ frames, tree, origins, table }: Analysis): NodeMarks {
  const { length } = tree;
  const of = frameMarks(frames, origins);
  const marks: NodeMarks = {
    rule: new Uint8Array(length).fill(NONE),
    evidence: new Int32Array(length).fill(-1),
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
  const { rule, evidence, place, inner, outer, context, callback, caller, called: back } = marks;
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
    const isCallback = own > 0 && above >= 0 && RULES[rule[parent]! - 1]?.hasCallbacks === true;
    // What a search calls has its own reasons.
    const isOther = own > 0 || mark.isNode || mark.isNodeNative;
    const kept = isOther && callback[parent] === SEARCH + 1 ? 0 : callback[parent]!;
    callback[node] = isSearch ? SEARCH + 1 : isCallback ? rule[parent]! : kept;
    caller[node] = isSearch || isCallback ? above : caller[parent]!;
    back[node] = isSearch || isCallback ? frame : back[parent]!;
    isByNode[node] = own > 0 ? 0 : mark.isNode ? 1 : isByNode[parent]!;
    if (own > 0) {
      handler[node] = above >= 0 && rule[parent] === EVENTS + 1 ? frame : handler[parent]!;
      isRecursive[node] = isSame(table, frame, inner[parent]!) ? 1 : 0;
      inner[node] = frame;
      place[node] = own === 1 && above >= 0 && of[above]!.own === 2 ? above : frame;
      const isOtherPlace = above >= 0 && table.ofFrame[place[node]!] !== table.ofFrame[above];
      outer[node] = isOtherPlace ? above : outer[parent]!;
      if (RULES[rule[parent]! - 1]?.keepsCallbacks === true) {
        rule[node] = rule[parent]!;
        evidence[node] = evidence[parent]!;
      }
      continue;
    }
    inner[node] = inner[parent]!;
    outer[node] = outer[parent]!;
    place[node] = above;
    handler[node] = handler[parent]!;
    isRecursive[node] = isRecursive[parent]!;
    const isSlow = mark.isPlainIc && of[tree.frame[parent]!]?.isOptimized === true;
    const isMixed = mark.isGeneric && of[tree.frame[parent]!]?.isOptimized === true;
    // The builtins that copy arrays call it, and the sampler skips them.
    const isCopy = mark.isMemoryCopy && of[tree.frame[parent]!]?.isOptimized === true;
    const fitting = isSlow ? SLOW + 1 : isMixed ? MIXED + 1 : isCopy ? ARRAY_COPY + 1 : mark.rule;
    const outside = RULES[rule[parent]! - 1];
    const isOver = outside?.isLeaf === true || (outside?.isShallow === true && mark.isNode);
    // The sampler skips the function that has the cache: here that is the code of the module.
    const isOfModule = mark.rule === MEGAMORPHIC + 1 && of[tree.frame[parent]!]?.runsModule === true;
    const calling = isOver || isOfModule ? NONE : rule[parent]!;
    const isForNode = isByNode[parent] === 1 && RULES[fitting - 1]?.isDirect === true;
    // What is asked for by import() is loaded once, and looked up each time.
    const isAsked = fitting === LOADING && calling === DYNAMIC_IMPORT + 1;
    const called = (isForNode && fitting !== rule[parent]) || isAsked ? NONE : fitting;
    rule[node] = Math.min(called, calling);
    // The code of a regular expression has its text, unlike the builtin that calls it.
    const isInner = mark.isRegExp || RULES[called - 1]?.tellsInnermost === true;
    const isEvidence =
      called < calling || (called === calling && isInner) || (mark.isRegExp && calling === TEXT_REPLACE + 1);
    evidence[node] = isEvidence ? frame : evidence[parent]!;
  }
  return marks;
}

/** Returns whether two frames are of one function; -1 is no frame. */
function isSame({ ofFrame }: Analysis["table"], a: number, b: number): boolean {
  return b >= 0 && ofFrame[a] === ofFrame[b];
}

const UNMARKED: FrameMarks = {
  rule: NONE,
  context: 0,
  own: 0,
  isNode: false,
  isNodeNative: false,
  isSearch: false,
  isRegExp: false,
  isPlainIc: false,
  isGeneric: false,
  isMemoryCopy: false,
  isOptimized: false,
  runsModule: false,
};

function frameMarks(frames: readonly Frame[], origins: readonly Origin[]): FrameMarks[] {
  const ofNode = oncePerLongName((name) =>
    nodeMarks(parseFrameName({ kind: "js", type: "", tier: "", name, line: 0, inlined: false })),
  );
  const ofNative = oncePerLongName((symbol) => ruleOf(({ native }) => native?.test(symbol)));
  const ofCode = oncePerLongName((name) => ruleOf(({ code }) => code?.test(name)));
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
      const isMemoryCopy = isNodeNative && MEMORY_COPY.test(frame.symbol!);
      const rule = isMegamorphic ? MEGAMORPHIC + 1 : ofNative(frame.symbol!);
      return { ...UNMARKED, rule, isNodeNative, isMemoryCopy };
    }
    return {
      ...UNMARKED,
      rule: isMegamorphic ? MEGAMORPHIC + 1 : ofCode(`${frame.type}: ${frame.name}`),
      isRegExp: frame.type === "RegExp",
      isPlainIc: frame.type === "Builtin" && PLAIN_IC.test(frame.name),
      isGeneric: frame.type === "Builtin" && GENERIC.test(frame.name),
    };
  });
}

/** Returns the first row of {@link RULES} that fits, from 1; {@link NONE} for none. */
function ruleOf(isSeen: (rule: Rule) => boolean | undefined): number {
  const row = RULES.findIndex((rule) => isSeen(rule) === true);
  return row < 0 ? NONE : row + 1;
}

/** The file that loads Node's own modules. */
export const NODES_LOADER = /^(?:node:)?internal\/bootstrap\/(?:realm|loaders)(?:\.js)?$/;

/** Files of Node that call a server's handlers, and its function in `net`. */
const SERVER = /^(?:_http_server|internal\/http2\/(?:compat|core))$/;

/** V8 calls it for `import()`, also of what is there already. */
const ON_IMPORT = "importModuleDynamicallyCallback";

function nodeMarks({ name, file = "" }: LoggedName): Pick<FrameMarks, "rule" | "context" | "runsModule"> {
  const short = file.replace(/^node:/, "").replace(/\.js$/, "");
  const own = lastPart(name);
  if (own !== ON_IMPORT && (isLoaderFile(file) || NODES_LOADER.test(short)))
    return { rule: LOADING, context: 0, runsModule: own === "_compile" };
  const isServer = SERVER.test(short) || (short === "net" && own === "onconnection");
  return {
    rule: ruleOf(({ node }) => node?.(short, own)),
    context: isServer ? IN_SERVER : 0,
    runsModule: false,
  };
}

/** Returns whether a function is the code of a whole module: it has no name, and begins at its first column, or before Node 10 behind `(function `. */
export function isTopLevel(name: string): boolean {
  if (!name.endsWith(":1:1") && !name.endsWith(":1:11")) return false;
  return parseFrameName({ kind: "js", type: "", tier: "", name, line: 0, inlined: false }).name === "";
}
