import { isLong, NameKeys } from "./long-names.js";

/** The tier of a function's code: none, Ignition, Sparkplug, TurboProp (V8 8-9 only), Maglev, TurboFan. */
export type Tier = "" | "~" | "^" | "-" | "+" | "*";

/** Every tier, from the lowest up. Code without a mark cannot be optimized, or is of V8's first compiler. */
export const TIERS: readonly Tier[] = ["", "~", "^", "-", "+", "*"];

/** A JavaScript or WebAssembly function in one tier. */
export interface JsFrame {
  readonly kind: "js";
  /** The word of the log: `JS`, `Function`, `LazyCompile`, `Script` or `Eval`. */
  readonly type: string;
  readonly tier: Tier;
  /**
   * As logged: the function's name (empty for an anonymous one), a space, `script:line:column`. What a function is called
   * in all its tiers; where source maps apply, as its author wrote it.
   */
  readonly name: string;
  /** The line that runs, or that calls the next frame: in the file of `name`, from 1; 0 where it is not known. */
  readonly line: number;
  /** Whether the code of the function that calls it holds it. */
  readonly inlined: boolean;
}

/** Code that V8 generated or carries, other than a function of the program. */
export interface CodeFrame {
  readonly kind: "code";
  /** The word of the log: `Builtin`, `BytecodeHandler`, `RegExp`, `Stub`, `Handler`, … */
  readonly type: string;
  readonly name: string;
  /** 0 for the first code of this name that a stack led to, 1 for the second, …: `name {1}`. */
  readonly duplicate: number;
}

/** A place in a mapped file. */
export interface NativeFrame {
  readonly kind: "native";
  /** The path of the library as the log has it. */
  readonly library: string;
  /** The demangled name of the function; undefined where the library has no symbol there. */
  readonly symbol: string | undefined;
}

/**
 * Why an address belongs to nobody: the sampler had none (it is 0); it lies between the builtins that V8 copied; code
 * that was there has moved or died; it is in no code and no library that the log names.
 */
export type UnknownReason = "no-pc" | "builtin-gap" | "code-gone" | "unmapped";

/** An address that nothing in the log explains. */
export interface UnknownFrame {
  readonly kind: "unknown";
  readonly reason: UnknownReason;
}

/** A function at a place in a stack. Two frames are the same frame when all their fields are equal. */
export type Frame = JsFrame | CodeFrame | NativeFrame | UnknownFrame;

/** A string that two frames share exactly when they are the same frame. */
export function frameKey(frame: Frame): string {
  switch (frame.kind) {
    case "js":
      return `j\0${frame.type}\0${frame.tier}\0${frame.line}\0${frame.inlined ? 1 : 0}\0${frame.name}`;
    case "code":
      return `c\0${frame.type}\0${frame.name}\0${frame.duplicate}`;
    case "native":
      return `n\0${frame.library}\0${frame.symbol ?? "\0"}`;
    case "unknown":
      return `u\0${frame.reason}`;
  }
}

/** As {@link frameKey}, for all frames of a profile: of a long name each costs as little as of a short one. */
export function frameKeys(): (frame: Frame) => string {
  const names = new NameKeys();
  return (frame) => {
    switch (frame.kind) {
      case "js":
      case "code":
        return isLong(frame.name)
          ? `L${frameKey({ ...frame, name: names.of(frame.name) })}`
          : frameKey(frame);
      case "native": {
        const { kind, library, symbol = "" } = frame;
        if (!isLong(library) && !isLong(symbol)) return frameKey(frame);
        const known = frame.symbol === undefined ? undefined : names.of(symbol);
        return `L${frameKey({ kind, library: names.of(library), symbol: known })}`;
      }
      case "unknown":
        return frameKey(frame);
    }
  };
}

/** For the frames of a profile: a string that two of them share exactly when they are of the same function. */
export function functionKeys(): (frame: Frame) => string {
  const names = new NameKeys();
  return (frame) => {
    switch (frame.kind) {
      case "js":
        return `j\0${names.of(frame.name)}`;
      case "code":
        return `c\0${frame.type}\0${names.of(frame.name)}`;
      case "native":
        return `n\0${names.of(frame.library)}\0${frame.symbol === undefined ? "" : names.of(frame.symbol)}`;
      case "unknown":
        return "u";
    }
  };
}
