import { parseLoggedName } from "../profile/logged-name.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { OffsetFrame } from "../recorder/recorded-frame.js";
import type { Scripts } from "../recorder/scripts.js";
import { CALL_REACH, calledNames, isCallAt, isNameEnd } from "./call-text.js";
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
    const name = shortName(callee);
    return caller !== undefined && this.#namesIn(caller).has(name) ? "somewhere" : "none";
  }

  /** Returns what the source has where a frame is that was seen to call a function. */
  callOf(frame: OffsetFrame, callee: LoggedFunction): CallOf {
    const call = this.callAt(frame, callee);
    if (call !== "here") return call === "none" ? "other" : "call";
    const position = this.#stacks.callAt(frame)!;
    const name = shortName(callee);
    const end = position.offset + name.length;
    const text = this.#scripts.get(position.function.script)?.slice(position.offset, end + 1) ?? "";
    return name !== "" && text.startsWith(name) && isNameEnd(text, name.length) ? "named" : "call";
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

/** Returns a function's name without what it belongs to. */
function shortName({ name }: LoggedFunction): string {
  return parseLoggedName(name).name.replace(/^.*[. ]/s, "");
}
