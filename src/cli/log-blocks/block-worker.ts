import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { settledAtExit } from "../exit.js";
import { openSharedInput } from "../log-input.js";
import { BlockQueue, resultOf } from "./block-queue.js";
import { columnsOf, portableProfile } from "./portable-profile.js";
import { readBlock } from "./read-block.js";
import type { BlockThreadData } from "./read-blocks.js";

/** Reads blocks until there are no more, and sends what they have. */
async function work(port: MessagePort, { blocks, options, memory }: BlockThreadData): Promise<void> {
  const queue = new BlockQueue(blocks.length, memory);
  const shared = await openSharedInput(options.flags);
  for (const block of queue.take()) {
    const { outcome } = await resultOf(queue, block, () => readBlock(blocks[block]!, options, shared));
    const profile = "profile" in outcome && outcome.profile ? portableProfile(outcome.profile) : undefined;
    const sent = profile === undefined ? outcome : { ...outcome, profile };
    port.postMessage({ block, outcome: sent }, profile === undefined ? [] : columnsOf(profile));
  }
  await settledAtExit();
}

if (parentPort !== null) await work(parentPort, workerData as BlockThreadData);
