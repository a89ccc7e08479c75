import type { Frame, Tier, UnknownReason } from "../profile/frame.js";
import type { Address } from "../profile/units.js";
import type { CodeSource, LoggedFunction } from "./logged-functions.js";

/**
 * An address that gets its name after the last record: in a library (an index into the recording's libraries), or,
 * with library -1, in V8's code range, where a copy of the builtins may be. While it is not known where the libraries
 * are, -1 stands for every address outside of V8's code.
 */
export interface PendingFrame {
  readonly kind: "pending";
  readonly library: number;
  /** As the log has the addresses of libraries. */
  readonly address: Address;
  /** Why it belongs to nobody, if it turns out to be in no library and no copy. */
  readonly reason: UnknownReason;
}

/** A place in a function's code, which gets its line and the functions inlined there after the last record. */
export interface OffsetFrame {
  readonly kind: "offset";
  readonly code: Code;
  /** Where its position is looked up: in bytes from the start of the code. */
  readonly offset: number;
}

export type RecordedFrame = Frame | PendingFrame | OffsetFrame;

/** One piece of code, from its row until something takes its place. */
export interface Code {
  readonly type: string;
  readonly name: string;
  /** Undefined for code that is no function. */
  readonly tier: Tier | undefined;
  /** Its number in the frame table; -1 until a stack leads to it. */
  frame: number;
  /** Undefined where places are not asked for, and for code that is no function. */
  readonly function: LoggedFunction | undefined;
  /** Undefined while no row told. */
  source: CodeSource | undefined;
  /** The frame of each place, by its offset. */
  readonly frameAt: Map<number, number> | undefined;
}
