import { TicksError, type TicksErrorCode } from "../../errors.js";
import type { ReadProgress } from "../../log-feeder.js";
import { ProfileMerger } from "../../profile/merge.js";
import type { Profile } from "../../profile/profile.js";
import type { SharedInput } from "../log-input.js";
import type { GivenLog } from "../log-paths.js";
import type { BlockClaims } from "./block-claims.js";
import { type BlockOptions, type ReadBlock, readBlock } from "./read-block.js";

/** Blocks that follow each other, as one thread read them, or the error of the user that they have. */
export interface Piece {
  /** The number of its first block. */
  readonly first: number;
  readonly outcome: ReadPiece | PieceError;
}

/** A piece that was read. */
export interface ReadPiece extends ReadBlock {
  /** Undefined if no log could be read, or if it was merged already. */
  readonly profile: Profile | undefined;
}

/** What is left of a {@link TicksError} on its way from another thread: errors lose their class. */
export interface PieceError {
  readonly code: TicksErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

/** What {@link readPiece} works with. */
export interface PieceTools {
  readonly claims: BlockClaims;
  readonly shared: SharedInput;
  /** Takes the profiles of the logs. Default: they are merged into that of the piece. */
  readonly merger?: ProfileMerger | undefined;
  /** Called after each block with what it added to the progress. */
  readonly onRead: (progress: ReadProgress) => void;
}

/** Reads the piece that begins with a block that this thread has taken. After an error no later blocks are taken. */
export async function readPiece(
  blocks: readonly (readonly GivenLog[])[],
  first: number,
  options: BlockOptions,
  { claims, shared, merger, onRead }: PieceTools,
): Promise<Piece> {
  let block = first;
  let told: ReadProgress = { bytes: 0, ticks: 0 };
  let now = told;
  const tell = () => {
    onRead({ bytes: now.bytes - told.bytes, ticks: now.ticks - told.ticks });
    told = now;
  };
  async function* logs(): AsyncIterable<GivenLog> {
    for (;;) {
      yield* blocks[block]!;
      tell();
      await new Promise((resolve) => setImmediate(resolve)); // Lets in what other threads have sent.
      if (!claims.take(block + 1)) return;
      block++;
    }
  }
  const own = new ProfileMerger();
  const onProgress = (progress: ReadProgress) => {
    now = progress;
  };
  try {
    const read = await readBlock(logs(), options, { shared, merger: merger ?? own, onProgress });
    const isEmpty = merger !== undefined || read.infos.length === 0;
    return { first, outcome: { ...read, profile: isEmpty ? undefined : own.finish() } };
  } catch (error) {
    if (!(error instanceof TicksError)) throw error;
    claims.leaveFrom(block);
    const { code, message, hint } = error;
    return { first, outcome: { code, message, hint } };
  }
}
