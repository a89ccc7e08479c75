import { type MessagePort, parentPort, type Transferable, workerData } from "node:worker_threads";
import type { ReadProgress } from "../../log-feeder.js";
import { settledAtExit } from "../exit.js";
import { openSharedInput } from "../log-input.js";
import { BlockClaims } from "./block-claims.js";
import { columnsOf, portableProfile } from "./portable-profile.js";
import type { BlockThreadData, BlockThreadMessage } from "./read-blocks.js";
import { readPiece } from "./read-piece.js";

/** Reads pieces until no block is left, and sends them. */
async function work(port: MessagePort, { blocks, options, memory }: BlockThreadData): Promise<void> {
  const claims = new BlockClaims(blocks.length, memory);
  const shared = await openSharedInput(options.flags);
  const send = (message: BlockThreadMessage, moved: readonly Transferable[] = []) =>
    port.postMessage(message, moved);
  const onRead = (progress: ReadProgress) => send({ progress });
  for (let first = claims.takeAnother(); first !== undefined; first = claims.takeAnother()) {
    const { outcome } = await readPiece(blocks, first, options, { claims, shared, onRead });
    if (!("profile" in outcome) || outcome.profile === undefined) send({ piece: { first, outcome } });
    else {
      const profile = portableProfile(outcome.profile);
      send({ piece: { first, outcome: { ...outcome, profile } } }, columnsOf(profile));
    }
  }
  await settledAtExit();
}

if (parentPort !== null) void work(parentPort, workerData as BlockThreadData);
