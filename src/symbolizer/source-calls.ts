import { parseLoggedName } from "../profile/logged-name.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { OffsetFrame } from "../recorder/recorded-frame.js";
import type { Scripts } from "../recorder/scripts.js";
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
export const KEYWORDS: ReadonlySet<string> = new Set([
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
export function opensCall(text: string, from: number): boolean {
  let at = from;
  const last = Math.min(text.length, from + LONGEST);
  while (at < last && isSpace(text.charCodeAt(at))) at++;
  if (text.charCodeAt(at) === QUESTION && text.charCodeAt(at + 1) === DOT) at += 2;
  const code = text.charCodeAt(at);
  return code === OPEN || code === BACKTICK;
}

export function endOfWord(text: string, from: number): number {
  const last = Math.min(text.length, from + LONGEST);
  let at = from;
  while (at < last && isInWord(text.charCodeAt(at))) at++;
  return at;
}

export function isInWord(code: number): boolean {
  const isLetter = (code | 32) >= 97 && (code | 32) <= 122;
  return isLetter || (code >= 48 && code <= 57) || code === 36 || code === 95 || code >= 128;
}

export function isSpace(code: number): boolean {
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
export type CallOf = "named" | "call" | "other";

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

  /** Long texts are decoded no further than needed. */
  #isCallAt(id: number, offset: number): boolean | undefined {
    const script = this.#scripts.get(id);
    if (offset < 0) return script && false;
    return script && isCallAt(script.slice(offset, offset + CALL_REACH), 0);
  }

  #namesIn(caller: LoggedFunction): ReadonlySet<string> {
    let names = this.#names.get(caller);
    if (names === undefined) {
      // To take a text from its script costs time, too.
      const text = this.#searched <= SEARCHED ? this.#textOf(caller) : "";
      this.#searched += text.length;
      names = this.#searched <= SEARCHED ? calledNames(text) : NO_NAMES;
      this.#names.set(caller, names);
    }
    return names;
  }

  #textOf({ script, start, end }: LoggedFunction): string {
    return this.#scripts.get(script)?.slice(Math.max(0, start), Math.max(0, end)) ?? "";
  }
}

/** Returns the last word of a function's name, by which the source may call it. */
export function ownName({ name }: LoggedFunction, scripts: Scripts): string {
  return scripts.wordOf(parseLoggedName(name).name.replace(/^.*[. ]/s, ""));
}
