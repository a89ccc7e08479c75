/** What an instruction does to the frame pointer. */
export type FramePointer =
  /** Leaves it alone. */
  | "kept"
  /** Sets it to the frame of the code itself. */
  | "own"
  /** Restores that of the caller. */
  | "callers"
  /** Does something else. */
  | "lost";

/** What matters of a machine instruction. */
export interface Instruction {
  /** Bytes. */
  readonly size: number;
  readonly framePointer: FramePointer;
  /** Where it may jump to, in bytes from the start of the code; undefined for nowhere, or if that is unknown. */
  readonly target: number | undefined;
  /** Whether the next instruction never runs after it. */
  readonly isEnd: boolean;
}

/** Reads the instruction at an offset of some code; undefined if it is cut or not known. */
export type Decode = (code: Buffer, at: number) => Instruction | undefined;
