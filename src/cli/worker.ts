import { type MessagePort, parentPort, type Transferable, workerData } from "node:worker_threads";
import { TicksError } from "../base/errors.js";
import { settledAtExit } from "./exit.js";
import { openSharedInput } from "./log-input.js";
import type { GivenLog } from "./log-paths.js";
import { type BlockOptions, type ReadBlock, readBlock } from "./read-logs.js";
import { type ReadRun, type RunOptions, readRun } from "./read-runs.js";
import { columnsOf, portableProfile, type ThreadMessage } from "./workers.js";

/** What a thread of `answersOf` receives at its start: it reads blocks of logs, or runs. */
type WorkerData = { readonly blocks: BlockOptions } | { readonly runs: RunOptions };

type Send<Answer> = (message: ThreadMessage<Answer>, moved?: readonly Transferable[]) => void;

/** Answers the questions of the first thread. */
async function serve(port: MessagePort, data: WorkerData): Promise<void> {
  if ("runs" in data) {
    const send: Send<ReadRun> = (message) => port.postMessage(message);
    port.on("message", (paths: readonly string[]) =>
      tell(send, async () => {
        const answer = await readRun(paths, data.runs);
        await settledAtExit();
        send({ answer });
      }),
    );
    send("runs");
    return;
  }
  const send: Send<ReadBlock> = (message, moved = []) => port.postMessage(message, moved);
  const shared = await openSharedInput(data.blocks.flags);
  port.on("message", (logs: readonly GivenLog[]) =>
    tell(send, async () => {
      const answer = await readBlock(logs, data.blocks, { shared });
      await settledAtExit();
      const profile = answer.profile && portableProfile(answer.profile);
      send({ answer: { ...answer, profile } }, profile && columnsOf(profile));
    }),
  );
  send("runs");
}

async function tell(send: Send<never>, answer: () => Promise<void>): Promise<void> {
  try {
    await answer();
  } catch (error) {
    if (!(error instanceof TicksError)) throw error;
    const { code, message, hint } = error;
    send({ failure: { code, message, hint } });
  }
}

if (parentPort !== null) void serve(parentPort, workerData as WorkerData);
