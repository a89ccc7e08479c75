import { reaching } from "../base/columns.js";
import { PairNumbers } from "../base/pair-numbers.js";
import type { Address } from "../base/units.js";
import { type Frame, type JsFrame, TIERS, type Tier, type UnknownReason } from "../profile/frame.js";
import type { CodeSource, LoggedFunction, SourcePosition } from "./logged-functions.js";

/** A set of places in one piece of code: see {@link PlaceFrames}. */
type PlaceSet = number;

/**
 * The frame numbers of places, which are integers, in sets of them. A set is never emptied: its user begins another
 * one. There can be a set for each piece of code, and most have few places, so all are in one table.
 */
export class PlaceFrames {
  #sets: PlaceSet = 0;
  readonly #places = new PairNumbers();
  /** By number of {@link #places}: 1 + the frame number; 0 if it has none yet. */
  #frames = new Int32Array(64);
  /** By set and place: the frame numbers of places that take more than 32 bits, in code as large as memory. */
  readonly #far = new Map<string, number>();

  /** Returns a new set. */
  open(): PlaceSet {
    return this.#sets++;
  }

  /** Returns the frame number of a place; -1 if it has none. */
  find(set: PlaceSet, place: number): number {
    if ((place | 0) !== place) return this.#far.get(farKey(set, place)) ?? -1;
    const number = this.#places.of(set, place);
    return (this.#frames[number] ?? 0) - 1;
  }

  add(set: PlaceSet, place: number, frame: number): void {
    if ((place | 0) !== place) {
      this.#far.set(farKey(set, place), frame);
      return;
    }
    const number = this.#places.of(set, place);
    this.#frames = reaching(this.#frames, number);
    this.#frames[number] = frame + 1;
  }
}

function farKey(set: PlaceSet, place: number): string {
  return `${set} ${place}`;
}

/**
 * An address that gets its name after the last record. It is in a library (an index into the replayed log's
 * libraries) or, with library -1, in V8's code range, where a copy of the builtins may be. While the
 * addresses of libraries are uncertain, -1 stands for every address outside V8's code.
 */
export interface PendingFrame {
  readonly kind: "pending";
  readonly library: number;
  /** In the address space of the logged libraries. */
  readonly address: Address;
  /** Why it has no owner, if it turns out to be in no library and no copy. */
  readonly reason: UnknownReason;
}

/** An offset in a function's code, which gets its line and inlined functions after the last record. */
export interface OffsetFrame {
  readonly kind: "offset";
  readonly code: Code;
  /** In bytes from the start of the code. Its position is looked up there. */
  readonly offset: number;
  /** Whether a call returns to the next byte. */
  readonly isReturn: boolean;
  /** How many lazy deoptimizations of the code came before. */
  readonly deopts: number;
}

/** A position in the source of a piece of code. */
export type CodePosition = SourcePosition;

/** An offset in the code of a builtin at the top of a stack. */
interface BuiltinFrame {
  readonly kind: "builtin";
  /** The number of the frame that stands for the whole builtin. */
  readonly whole: number;
  readonly name: string;
  /** In bytes from the start of the code. */
  readonly offset: number;
}

/** A function that was running, but that the sampler skipped. */
export interface HiddenFrame {
  readonly kind: "hidden";
  readonly code: Code;
  /** The functions inlined in the code that were running in it, outermost first; empty if it is the code's own. */
  readonly inlined: readonly LoggedFunction[];
  /** A call in the code that stands for the one it was at, for the functions that are inlined there; its line may differ. */
  readonly at?: OffsetFrame | undefined;
  /** Where the innermost function was in its script, in UTF-16 units from the start; undefined if it is not known. */
  readonly offset?: number | undefined;
}

/** A frame as it is replayed: final, or to be completed after the last record. */
export type ReplayedFrame = Frame | PendingFrame | OffsetFrame | BuiltinFrame | HiddenFrame;

/** One piece of code, from its row until it is moved over or freed. */
export interface Code {
  readonly type: string;
  readonly name: string;
  /** Undefined if the code is not a function. */
  readonly tier: Tier | undefined;
  /** Whether the position in the name has no column. */
  readonly lacksColumn?: true | undefined;
  /** Its number in the frame table; -1 until it is on a stack. */
  frame: number;
  /** Undefined without the option `inlines`, and if the code is not a function. */
  function: LoggedFunction | undefined;
  /** Undefined until a row states it. */
  source: CodeSource | undefined;
  /** The calls after whose return the code was deoptimized, in this order; undefined if there are none. */
  lazyDeopts: CodePosition[] | undefined;
  /** Whether it is not one frame, but one for each place. */
  readonly hasPlaces: boolean;
  /** Its places by `leafPlace`; undefined until there is one. */
  frameAt: PlaceSet | undefined;
  /** Whether it is a builtin with places: {@link frameAt} then has only the tops of stacks. */
  readonly isBuiltin: boolean;
  /**
   * Of a builtin with places: start and end of each range without a frame, in bytes from its start. Undefined until
   * known, when each offset is a place.
   */
  frameless: readonly number[] | undefined;
  /** Its places by return address, an offset, since the last of {@link lazyDeopts}; undefined until there is one. */
  callerAt: PlaceSet | undefined;
}

type CodeFacts = Pick<Code, "type" | "name" | "tier" | "lacksColumn" | "function" | "isBuiltin">;

/** Returns code that is on no stack yet. */
export function newCode({ type, name, tier, lacksColumn, function: logged, isBuiltin }: CodeFacts): Code {
  return {
    type,
    name,
    tier,
    lacksColumn,
    frame: -1,
    function: logged,
    source: undefined,
    lazyDeopts: undefined,
    hasPlaces: logged !== undefined || isBuiltin,
    frameAt: undefined,
    isBuiltin,
    frameless: undefined,
    callerAt: undefined,
  };
}

/** Returns the frame of an offset in a function's code, or of the call that returns there. */
export function offsetFrame(code: Code, offset: number, isReturn: boolean): OffsetFrame {
  const deopts = code.lazyDeopts?.length ?? 0;
  return { kind: "offset", code, offset: isReturn ? offset - 1 : offset, isReturn, deopts };
}

/** Returns the function that runs or calls at a frame; undefined for what is none of the log's. */
export function functionOf(frame: ReplayedFrame): LoggedFunction | undefined {
  return frame.kind === "offset" ? frame.code.function : undefined;
}

/** Returns the frame of a function's code as a whole. */
export function wholeFrame({ type, name, lacksColumn }: Code, tier: Tier): JsFrame {
  const frame: JsFrame = { kind: "js", type, tier, name, line: 0, inlined: false };
  return lacksColumn ? { ...frame, lacksColumn } : frame;
}

/**
 * Returns a mark without its signs for how the code was entered or specialised: `o*`, `*'` and `o*'` become
 * `*`.
 */
export function plainMark(mark: string): string {
  return mark.replace(/^o/, "").replace(/'$/, "");
}

const KNOWN_TIERS: ReadonlySet<string> = new Set(TIERS);

/** Returns the tier of a mark, undefined without one; code with a mark that is not known counts as code without tier. */
export function tierOf(logged: string | undefined): {
  readonly tier: Tier | undefined;
  readonly isKnown: boolean;
} {
  const mark = logged === undefined ? undefined : plainMark(logged);
  const isKnown = mark === undefined || KNOWN_TIERS.has(mark);
  return { tier: isKnown ? (mark as Tier | undefined) : "", isKnown };
}
