/** The tier of a function's code: none, Ignition, Sparkplug, TurboProp (V8 8-9 only), Maglev, TurboFan. */
export type Tier = "" | "~" | "^" | "-" | "+" | "*";

/** All tiers, lowest first. Code without a mark cannot be optimized, or comes from V8's first compiler. */
export const TIERS: readonly Tier[] = ["", "~", "^", "-", "+", "*"];
/** The tiers whose code is optimized: it has other functions inlined, and ends in exits. */
export const OPTIMIZED_TIERS: ReadonlySet<Tier | undefined> = new Set<Tier>(["-", "+", "*"]);

/** A JavaScript or WebAssembly function in one tier. */
export interface JsFrame {
  readonly kind: "js";
  /** As logged: `JS`, `Function`, `LazyCompile`, `Script` or `Eval`. */
  readonly type: string;
  readonly tier: Tier;
  /**
   * As logged: the function's name (empty if anonymous), a space, `script:line:column`. It is the same in all
   * tiers. With source maps, the name and position in the original source.
   */
  readonly name: string;
  /** Set if the position in `name` has no column, as V8 up to 3.20 logs it: `script:line`, or a script alone. */
  readonly lacksColumn?: true | undefined;
  /**
   * Where the script begins in `name`, if the log tells and the name alone does not: `run my script.js:1:1`.
   * Frames with equal names are the same function with and without it.
   */
  readonly scriptAt?: number | undefined;
  /**
   * What a function without a name is for, by the text around it: `app.get('/auth') handler`. Frames with equal names are the same
   * function with and without it.
   */
  readonly role?: string | undefined;
  /** The line that runs or that calls the next frame, in the file of `name`, from 1; 0 if unknown. */
  readonly line: number;
  /**
   * Set if the line is unknown but in a loop: the line where the loop begins. Maglev's code has no positions
   * for loops but for their first round.
   */
  readonly loop?: number | undefined;
  /** Where in the line it runs or calls, from 1; only if requested, and if the line is stated by the log. */
  readonly column?: number | undefined;
  /** Whether it was inlined into its caller's code. */
  readonly inlined: boolean;
  /** Set if the sampler skipped the frame, and other ticks show that it was there. */
  readonly inferred?: true | undefined;
  /** Set if the log does not say the line, but what is known allows no other. */
  readonly inferredLine?: true | undefined;
  /** Set if a V8 before 5.9 made the code: `~` is that of full-codegen, `*` that of Crankshaft. */
  readonly byOldCompilers?: true | undefined;
}

/** Code that V8 generated or ships, other than a function of the program. */
export interface CodeFrame {
  readonly kind: "code";
  /** As logged: `Builtin`, `BytecodeHandler`, `RegExp`, `Stub`, `Handler`, … */
  readonly type: string;
  readonly name: string;
  /** 0 for the first code of this name that was on a stack, 1 for the second, …: `name {1}`. */
  readonly duplicate: number;
}

/** A function in a mapped file. */
export interface NativeFrame {
  readonly kind: "native";
  /** The path of the library, as logged. */
  readonly library: string;
  /** The demangled name of the function; undefined if the library has no symbol there. */
  readonly symbol: string | undefined;
}

/**
 * Why an address has no owner: the sampler had no address (it is 0); it is between the builtins that V8
 * copied; the code there has moved or was freed; no code and no library of the log is there.
 */
export type UnknownReason = "no-pc" | "builtin-gap" | "code-gone" | "unmapped";

/** An address that nothing in the log explains. */
export interface UnknownFrame {
  readonly kind: "unknown";
  readonly reason: UnknownReason;
}

/** A function in a stack. Two frames are the same frame if all their fields but `scriptAt` and `role` are equal. */
export type Frame = JsFrame | CodeFrame | NativeFrame | UnknownFrame;

/** Returns a string that is equal for two frames exactly if they are the same frame. */
export function frameKey(frame: Frame): string {
  switch (frame.kind) {
    case "js":
      return `j\0${frame.type}\0${frame.tier}\0${frame.line}${loopKey(frame)}\0${jsMarks(frame)}\0${frame.name}`;
    case "code":
      return `c\0${frame.type}\0${frame.name}\0${frame.duplicate}`;
    case "native":
      return `n\0${frame.library}\0${frame.symbol ?? "\0"}`;
    case "unknown":
      return `u\0${frame.reason}`;
  }
}

function loopKey({ loop, column }: JsFrame): string {
  return `${loop === undefined ? "" : `,${loop}`}${column === undefined ? "" : `:${column}`}`;
}

/** Returns a number that has a bit for each of a frame's marks. */
export function jsMarks({ inlined, lacksColumn, inferred, inferredLine, byOldCompilers }: JsFrame): number {
  const lines = (inferred ? 4 : 0) + (inferredLine ? 8 : 0);
  return (inlined ? 1 : 0) + (lacksColumn ? 2 : 0) + lines + (byOldCompilers ? 16 : 0);
}

/** Returns whether a frame was inlined into its caller's code. */
export function isInlined(frame: Frame): boolean {
  return frame.kind === "js" && frame.inlined;
}

/** Returns whether a frame was inferred: the sampler skipped it. */
export function isInferred(frame: Frame): boolean {
  return frame.kind === "js" && frame.inferred === true;
}
