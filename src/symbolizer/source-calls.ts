import { parseLoggedName } from "../profile/logged-name.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { OffsetFrame } from "../recorder/recorded-frame.js";
import type { Scripts } from "../recorder/scripts.js";
import { CALL_REACH, calledNames, endOfWord, isCallAt } from "./call-text.js";
import type { InlineStacks } from "./inline-stacks.js";

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
