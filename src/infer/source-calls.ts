import { valueAt } from "../base/maps.js";
import { parseLoggedName } from "../profile/logged-name.js";
import { type LoggedFunction, PositionTable } from "../replay/logged-functions.js";
import type { OffsetFrame } from "../replay/replayed-frame.js";
import type { Scripts } from "../replay/scripts.js";
import type { InlineStacks } from "./inline-stacks.js";

// Where the text of a function calls something, as far as single characters tell. This is no parser: it may
// take a text or a comment for a call.

const OPEN = 40;
const DOT = 46;
const QUESTION = 63;
const BACKTICK = 96;
/** No name or gap that matters is longer. */
const LONGEST = 256;

/** UTF-16 units from an offset on that tell whether a call is there. */
const CALL_REACH: number = 2 * LONGEST + 4;

/** Words before a parenthesis that is no call. The position of a loop stands for those of copied code in it. */
const KEYWORDS: ReadonlySet<string> = new Set([
  "for",
  "while",
  "do",
  "if",
  "switch",
  "catch",
  "with",
  "return",
]);
const CONSTRUCTS: ReadonlySet<string> = new Set(["new", "super"]);

/**
 * Returns whether a text has a call at an offset, where V8 says that one is: at the last name of what is
 * called, or at the parenthesis. Returns undefined for a statement, whose position says nothing of a call in
 * it.
 *
 * Source: V8, src/parsing/parser-base.h, `ParserBase::ParseLeftHandSideContinuation`.
 */
export function isCallAt(text: string, offset: number): boolean | undefined {
  const end = endOfWord(text, offset);
  const word = text.slice(offset, end);
  if (KEYWORDS.has(word)) return undefined;
  return !CONSTRUCTS.has(word) && opensCall(text, end);
}

/** Returns the names that a text calls, without those that it constructs or declares. */
export function calledNames(text: string): ReadonlySet<string> {
  const called = new Set<string>();
  const others = new Set<string>();
  let isOther = false;
  for (let at = 0; at < text.length; ) {
    const end = endOfWord(text, at);
    if (end > at) {
      const word = text.slice(at, end);
      if (opensCall(text, end)) (isOther ? others : called).add(word);
      // `new a.b.C()` constructs C.
      isOther = word === "new" || word === "function" || (isOther && text.charCodeAt(end) === DOT);
      at = end;
    } else {
      const code = text.charCodeAt(at++);
      isOther &&= code === DOT || isSpace(code);
    }
  }
  for (const name of others) called.delete(name);
  return called;
}

/** Returns whether a parenthesis or a template follows. */
function opensCall(text: string, from: number): boolean {
  let at = from;
  const last = Math.min(text.length, from + LONGEST);
  while (at < last && isSpace(text.charCodeAt(at))) at++;
  if (text.charCodeAt(at) === QUESTION && text.charCodeAt(at + 1) === DOT) at += 2;
  const code = text.charCodeAt(at);
  return code === OPEN || code === BACKTICK;
}

function endOfWord(text: string, from: number): number {
  const last = Math.min(text.length, from + LONGEST);
  let at = from;
  while (at < last && isInWord(text.charCodeAt(at))) at++;
  return at;
}

function isInWord(code: number): boolean {
  const isLetter = (code | 32) >= 97 && (code | 32) <= 122;
  return isLetter || (code >= 48 && code <= 57) || code === 36 || code === 95 || code >= 128;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

/** UTF-16 units of functions that are searched for calls, in total: nested functions share their text. */
const SEARCHED = 1 << 25;

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Where the source of a function calls another one: at a frame's position; or somewhere, where the position is
 * not known; or not as far as is known.
 */
export type SourceCall = "here" | "somewhere" | "none";

/** What the source has where a frame is: a call of a function by its name, a call, or something else or what is not known. */
type CallOf = "named" | "call" | "other";

/** A place in a script where a function calls something. */
export interface CallPlace {
  /** The function that runs there, which may be inlined. */
  readonly function: LoggedFunction;
  /** In UTF-16 units from the start of the script; -1 if it is not known. */
  readonly offset: number;
  /** The name of what is called; empty if the text has none there, or it is not known. */
  readonly name: string;
}

/** Tells whether the source of a program calls a function itself, rather than V8 on its behalf. */
export class SourceCalls {
  readonly #scripts: Scripts;
  readonly #stacks: InlineStacks;
  readonly #names = new Map<LoggedFunction, ReadonlySet<string>>();
  readonly #onlyNames = new Map<LoggedFunction, ReadonlySet<string> | undefined>();
  #searched = 0;

  constructor(scripts: Scripts, stacks: InlineStacks) {
    this.#scripts = scripts;
    this.#stacks = stacks;
  }

  /**
   * Returns whether a frame is at a call in the source. Where the position is not known, as in Sparkplug's code
   * before Node 25, returns whether the frame's function calls one of the callee's name.
   */
  callAt(frame: OffsetFrame, callee: LoggedFunction): SourceCall {
    const position = this.#stacks.callAt(frame);
    const found = position && this.#isCallAt(position.function.script, position.offset);
    if (found !== undefined) return found ? "here" : "none";
    const caller = position?.function ?? frame.code.function;
    const name = ownName(callee, this.#scripts);
    return caller !== undefined && this.#namesIn(caller).has(name) ? "somewhere" : "none";
  }

  /** Returns what the source has where a frame is that was seen to call a function. */
  callOf(frame: OffsetFrame, callee: LoggedFunction): CallOf {
    const call = this.callAt(frame, callee);
    if (call !== "here") return call === "none" ? "other" : "call";
    const position = this.#stacks.callAt(frame)!;
    const name = ownName(callee, this.#scripts);
    const end = position.offset + name.length;
    const text = this.#scripts.get(position.function.script)?.slice(position.offset, end + 1) ?? "";
    return name !== "" && text.startsWith(name) && endOfWord(text, name.length) === name.length
      ? "named"
      : "call";
  }

  /** Returns where in its source a frame calls something; undefined if it is not known which function it is in. */
  placeOf(frame: OffsetFrame): CallPlace | undefined {
    const position = this.#stacks.callAt(frame);
    if (position === undefined || position.offset < 0) {
      const logged = position?.function ?? frame.code.function;
      return logged && { function: logged, offset: -1, name: "" };
    }
    const { function: logged, offset } = position;
    const text = this.#scripts.get(logged.script)?.slice(offset, offset + CALL_REACH);
    // The position of a loop stands for those of copied code in it.
    if (text !== undefined && isCallAt(text, 0) === undefined)
      return { function: logged, offset: -1, name: "" };
    return { function: logged, offset, name: text?.slice(0, endOfWord(text, 0)) ?? "" };
  }

  /** Returns the names that a function calls; undefined if it may call something without a name, or not all are known. */
  onlyNames(caller: LoggedFunction): ReadonlySet<string> | undefined {
    return valueAt(this.#onlyNames, caller, () => {
      const called = this.#namesIn(caller);
      if (called.size === 0) return undefined;
      const { script, start, end } = caller;
      const text = this.#scripts.get(script)!.slice(Math.max(0, start), Math.max(0, end));
      if (/[\])][ \n]?(?:\?\.)?[(`]|\b(?:call|apply)\b/.test(text)) return undefined;
      return new Set(Array.from(called).filter((name) => !KEYWORDS.has(name)));
    });
  }

  /** Long texts are decoded no further than needed. */
  #isCallAt(id: number, offset: number): boolean | undefined {
    const script = this.#scripts.get(id);
    if (offset < 0) return script && false;
    return script && isCallAt(script.slice(offset, offset + CALL_REACH), 0);
  }

  #namesIn(caller: LoggedFunction): ReadonlySet<string> {
    return valueAt(this.#names, caller, () => {
      if (this.#searched > SEARCHED) return NO_NAMES; // To take a text from its script costs time, too.
      const { script, start, end } = caller;
      const text = this.#scripts.get(script)?.slice(Math.max(0, start), Math.max(0, end)) ?? "";
      this.#searched += text.length;
      return this.#searched <= SEARCHED ? calledNames(text) : NO_NAMES;
    });
  }
}

/** Returns the last word of a function's name, by which the source may call it. */
export function ownName({ name }: LoggedFunction, scripts: Scripts): string {
  return scripts.wordOf(parseLoggedName(name).name.replace(/^.*[. ]/s, ""));
}

/** UTF-16 units of functions that are looked at, in total: nested functions share their text. */
const LOOKED_AT = 1 << 25;
/** Operands are looked at no further than this. */
const NEAR = 64;

/**
 * Whether a function's own code does what leads to a builtin. It may, if it calls something of which nothing is known: a
 * bound function, or one that it was given.
 */
export type Does = "yes" | "maybe" | "no";

/** What leads to a builtin: a call of one of some names, in lower case, or an operation. */
type Need = readonly string[] | Operation;

type Operation =
  | "compare"
  | "equal"
  | "add"
  | "load"
  | "standard-load"
  | "store"
  | "keyed-load"
  | "keyed-store";

/**
 * What leads to builtins that are often at the top of stacks, by the beginning of their names. Of all others nothing is known.
 *
 * Source: V8, src/builtins/builtins-definitions.h; src/compiler/js-call-reducer.cc.
 */
const NEEDS: readonly (readonly [RegExp, Need])[] = [
  [/^String(?:Less|Greater)Than/, "compare"],
  [/^StringEqual/, "equal"],
  [/^StringAdd/, "add"],
  [/^LoadIC/, "load"],
  [/^KeyedLoadIC/, "keyed-load"],
  [/^(?:StoreIC|DefineNamedOwnIC)/, "store"],
  [/^(?:KeyedStoreIC|StoreFastElementIC|ElementsTransitionAndStore)/, "keyed-store"],
  [/^ArrayIncludes/, ["includes"]],
  [/^ArrayIndexOf/, ["indexof"]],
  [/^StringIndexOf/, ["indexof", "includes"]],
  [/^FindOrderedHashMapEntry/, ["get", "has", "set", "delete"]],
  [/^FindOrderedHashSetEntry/, ["has", "add", "delete"]],
  [/^WeakMapLookupHashIndex/, ["get", "has"]],
  [
    /^(?:Array|TypedArray|String|Number|BigInt|Date|Object|Map|Set|WeakMap|WeakSet)Prototype(?!\w*Iterator)([A-Z]\w*)/,
    [],
  ],
];

/** Syntax that reads elements by an iterator calls these without a name. */
const BY_SYNTAX: ReadonlySet<string> = new Set(["values", "keys", "entries", "size", "tostring"]);

/** Characters between an operand and what is done with it, at most. */
const GAP = 9;
const CLOSE = 41;
const CLOSE_INDEX = 93;

/** Words before a parenthesis that call nothing. */
const STATEMENTS: ReadonlySet<string> = new Set([
  ...KEYWORDS,
  "throw",
  "case",
  "await",
  "yield",
  "typeof",
  "function",
  "new",
  "super",
]);
/** Objects of the language and of Node whose properties are read everywhere: a place that reads them sees one shape. */
const STANDARD: ReadonlySet<string> = new Set(
  "Array Atomics BigInt Buffer Date Intl JSON Math Number Object Promise Reflect String Symbol console performance process".split(
    " ",
  ),
);
const PROTOTYPE = "prototype";
/** Methods of functions that call them. */
const FORWARDING: ReadonlySet<string> = new Set(["call", "apply"]);

/** What the text has at the positions of a function's code. */
interface Operations {
  /** The names of properties that it reads, and of what it calls, in lower case: of `arrayPrototypeJoin` also `join`. */
  readonly words: Set<string>;
  readonly done: Set<Operation>;
  /** Whether it calls something of which the text tells nothing. */
  callsUnknown: boolean;
}

/** Tells what functions do by the text at the positions of their bytecode, which are those of all that can call a builtin. */
export class SourceOperations {
  readonly #scripts: Scripts;
  /** The names of functions of the program. */
  readonly #names: Pick<ReadonlySet<string>, "has">;
  readonly #operations = new Map<LoggedFunction, Operations | undefined>();
  readonly #needs = new Map<string, Need | undefined>();
  #lookedAt = 0;
  #searched = 0;

  constructor(scripts: Scripts, names: Pick<ReadonlySet<string>, "has">) {
    this.#scripts = scripts;
    this.#names = names;
  }

  /** Returns whether it is known what leads to a builtin. */
  knows(builtin: string): boolean {
    return this.#needOf(builtin) !== undefined;
  }

  #needOf(builtin: string): Need | undefined {
    return valueAt(this.#needs, builtin, () => needOf(builtin));
  }

  /** Returns whether a function's own code leads to a builtin; undefined without its text, or if it is not known what does. */
  does(logged: LoggedFunction, builtin: string): Does | undefined {
    const need = this.#needOf(builtin);
    const found = need && valueAt(this.#operations, logged, () => this.#read(logged));
    if (need === undefined || found === undefined) return undefined;
    if (need === "load" && !builtin.includes("Megamorphic") && found.done.has("standard-load")) return "yes";
    if (typeof need === "string") return found.done.has(need) ? "yes" : "no";
    if (need.some((name) => found.words.has(name))) return "yes";
    return found.callsUnknown ? "maybe" : "no";
  }

  /**
   * Returns where in its script the only call in a function's text is that leads to a builtin; undefined if another one
   * may, or if it is not known what does.
   */
  onlyCall(logged: LoggedFunction, builtin: string): number | undefined {
    const { script, start, end, bytecodePositions } = logged;
    if (this.does(logged, builtin) !== "yes" || bytecodePositions === "") return undefined;
    const need = this.#needOf(builtin);
    if (!Array.isArray(need) || this.#operations.get(logged)!.callsUnknown) return undefined;
    this.#searched += end - start;
    if (this.#searched > LOOKED_AT) return undefined;
    const text = this.#scripts.get(script)!.slice(start, end);
    let only: number | undefined;
    for (const { 0: word, index } of text.matchAll(/\w+/g)) {
      if (!isNamed(word.toLowerCase(), need)) continue;
      if (only !== undefined) return undefined;
      only = start + index;
    }
    return only;
  }

  /** Returns whether a function is of one of Node's own scripts. */
  isOfNode({ script }: LoggedFunction): boolean {
    return this.#scripts.isOfNode(script);
  }

  #read({ script: id, start, end, bytecodePositions }: LoggedFunction): Operations | undefined {
    const script = this.#scripts.get(id);
    if (script === undefined || start < 0 || end <= start || this.#lookedAt > LOOKED_AT) return undefined;
    const text = script.slice(start, end);
    this.#lookedAt += text.length;
    if (text === "" || this.#lookedAt > LOOKED_AT) return undefined;
    const reader = new OperationReader(text, this.#names);
    const offsets = new Set(new PositionTable(bytecodePositions).offsets());
    if (offsets.size === 0) reader.readAll();
    for (const offset of offsets) if (offset > start && offset < end) reader.readAt(offset - start);
    return reader.found;
  }
}

/** Adds a word in lower case, and the method that it calls: Node's own code calls `ArrayPrototypeIncludes` and the like. */
function addWord(words: Set<string>, word: string): void {
  words.add(word);
  const method = methodIn(word);
  if (method !== "") words.add(method);
}

function methodIn(word: string): string {
  const at = word.lastIndexOf(PROTOTYPE);
  return at < 0 ? "" : word.slice(at + PROTOTYPE.length);
}

/** Returns whether a word in lower case calls a method of one of these names. */
function isNamed(word: string, names: readonly string[]): boolean {
  return names.includes(word) || names.includes(methodIn(word));
}

function needOf(builtin: string): Need | undefined {
  for (const [pattern, need] of NEEDS) {
    const match = pattern.exec(builtin);
    if (match === null) continue;
    const [, method] = match;
    if (method === undefined) return need;
    const name = method.toLowerCase();
    return BY_SYNTAX.has(name) ? undefined : [name];
  }
  return undefined;
}

/** Reads operations off the text of a function. */
class OperationReader {
  readonly found: Operations = { words: new Set(), done: new Set(), callsUnknown: false };
  readonly #text: string;
  readonly #names: Pick<ReadonlySet<string>, "has">;
  /** Names that the text counts up or down, which are numbers. */
  readonly #counters = new Set<string>();

  constructor(text: string, names: Pick<ReadonlySet<string>, "has">) {
    this.#text = text;
    this.#names = names;
    for (const { index } of text.matchAll(/\+\+|--/g)) {
      const before = wordBefore(text, index, isInWord);
      const name = before === "" ? text.slice(index + 2, endOfWord(text, index + 2)) : before;
      if (name !== "") this.#counters.add(name);
    }
    const { done } = this.found;
    // These have no positions of their own.
    if (/\+=\s{0,9}[^\s\d]|`/.test(text)) done.add("add");
    if (/\bswitch\b/.test(text)) done.add("equal");
  }

  /** Reads all of the text, also that of nested functions. */
  readAll(): void {
    const text = this.#text;
    for (let at = 1; at < text.length; ) {
      const end = endOfWord(text, at);
      this.readAt(at);
      at = Math.max(end, at + 1);
    }
  }

  /** Reads what is at a position. */
  readAt(at: number): void {
    const text = this.#text;
    if (isInWord(text.charCodeAt(at))) {
      this.#readWord(at, endOfWord(text, at));
      return;
    }
    const { done } = this.found;
    switch (text[at]) {
      case ".":
        this.#addLoad(at);
        break;
      case "[":
        done.add("keyed-load");
        if (/["'`]/.test(text[at + 1] ?? "")) this.#addLoad(at);
        break;
      case "(":
      case "`":
        this.#readCall(at);
        break;
      default:
        this.#readOperator(at, /^[-+*/%&|^<>?=!]{0,4}/.exec(text.slice(at, at + 4))![0]);
    }
  }

  #readOperator(at: number, operator: string): void {
    const { done } = this.found;
    if (operator.startsWith("?")) this.#addLoad(at); // `a?.b`
    if (/^[=!]=/.test(operator)) this.#readEquality(at);
    else if (/^[<>]=?$/.test(operator)) {
      if (!this.#isNumeric(at)) done.add("compare");
    } else if (operator.endsWith("=")) this.#addStore(at);
    else if (/^(?:\+\+|--)/.test(operator)) {
      // Before its operand or after it.
      if (/^..\s{0,9}[\w$]{1,60}\s{0,9}[.[]/.test(this.#text.slice(at, at + NEAR + 20))) {
        done.add("store");
        done.add("keyed-store");
      } else this.#addStore(at);
    }
    if (/^\+(?!\+)/.test(operator)) done.add("add");
  }

  #readWord(at: number, end: number): void {
    const text = this.#text;
    const { words, done } = this.found;
    const word = text.slice(at, end);
    const before = this.#before(at);
    const isProperty = before === ".";
    // `{ a, b } = c` reads properties.
    if (isProperty) this.#addLoad(at);
    else if ((before === "{" || before === ",") && /^\s{0,9}[,}:]/.test(text.slice(end, end + NEAR)))
      done.add("load");
    const isCall = opensCall(text, end);
    if (isProperty || isCall) addWord(words, word.toLowerCase());
    if (!isCall || (!isProperty && STATEMENTS.has(word))) return;
    if (isProperty ? FORWARDING.has(word) : !this.#names.has(word)) this.found.callsUnknown = true;
  }

  /** Reads a call whose callee is no name, or before whose parenthesis is more than a name. */
  #readCall(at: number): void {
    const text = this.#text;
    let end = at;
    while (end > at - NEAR && end > 0 && /[\s?.]/.test(text[end - 1]!)) end--;
    let start = end;
    while (start > at - NEAR && start > 0 && isInWord(text.charCodeAt(start - 1))) start--;
    if (start === end) this.found.callsUnknown = true;
    else this.#readWord(start, end);
  }

  /** Adds the read of a property before or behind an offset. Standard objects have one shape each. */
  #addLoad(at: number): void {
    const end = endBefore(this.#text, at, (code) => isSpace(code) || code === QUESTION || code === DOT);
    const object = wordBefore(
      this.#text,
      end,
      (code) => isInWord(code) || code === CLOSE || code === CLOSE_INDEX,
    );
    this.found.done.add(STANDARD.has(object) ? "standard-load" : "load");
  }

  /** Adds the write of what is before an offset, if it is no variable. */
  #addStore(at: number): void {
    const text = this.#text;
    const end = endBefore(text, at, isSpace, NEAR);
    const last = text[end - 1] ?? "";
    if (!isInWord(text.charCodeAt(end - 1))) {
      // `a["b"] = c` writes a property; a pattern may write anything.
      if (last === "]") this.found.done.add("keyed-store");
      if (last !== "]" || /["'`]/.test(text[end - 2] ?? "")) this.found.done.add("store");
      return;
    }
    const start = endBefore(text, end, isInWord, NEAR - (at - end));
    if (start > 0 && this.#before(start) === ".") this.found.done.add("store");
  }

  #readEquality(at: number): void {
    const right = this.#text.slice(at, at + NEAR);
    if (!/^[=!]==?\s{0,9}(?:-?\d|null\b|undefined\b|true\b|false\b|void\b)/.test(right))
      this.found.done.add("equal");
  }

  /** Returns whether a side of a comparison is a number by all appearances: then strings are not compared as such. */
  #isNumeric(at: number): boolean {
    const text = this.#text;
    const right = /^[<>]=?\s{0,9}([\w$.]*)/.exec(text.slice(at, at + NEAR))?.[1] ?? "";
    const end = endBefore(text, at, isSpace);
    const call = text.startsWith("now()", end - 5) ? "now()" : "";
    const left = wordBefore(text, end - call.length, (code) => isInWord(code) || code === DOT) + call;
    return [left, right].some((side) => /^\d|\.length$|\bnow\(\)$/.test(side) || this.#counters.has(side));
  }

  /** Returns the character before an offset, without white space; empty at the start. */
  #before(at: number): string {
    return this.#text[endBefore(this.#text, at, isSpace, NEAR - 1) - 1] ?? "";
  }
}

/** Returns the offset of the first of a few characters that are all before another offset, such as white space. */
function endBefore(text: string, at: number, isGap: (code: number) => boolean, most = GAP): number {
  let end = at;
  while (end > 0 && end > at - most && isGap(text.charCodeAt(end - 1))) end--;
  return end;
}

/** Returns the characters of a kind before an offset, at most as many as are looked at. */
function wordBefore(text: string, end: number, isIn: (code: number) => boolean): string {
  return text.slice(endBefore(text, end, isIn, NEAR), end);
}
