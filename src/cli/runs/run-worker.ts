import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { TicksError } from "../../errors.js";
import { settledAtExit } from "../exit.js";
import { type RunOptions, readRun } from "./read-run.js";
import type { RunAnswer, RunQuestion } from "./run-pool.js";

/** Answers questions of the main thread, one after the other. */
function serve(port: MessagePort, options: RunOptions): void {
  port.on("message", async ({ run, paths }: RunQuestion) => {
    port.postMessage(await answer(run, paths, options));
  });
}

async function answer(run: number, paths: readonly string[], options: RunOptions): Promise<RunAnswer> {
  try {
    const read = await readRun(paths, options);
    await settledAtExit();
    return { run, read };
  } catch (error) {
    if (!(error instanceof TicksError)) throw error;
    // Errors lose their class and their fields on the way.
    return { run, failure: { code: error.code, message: error.message, hint: error.hint } };
  }
}

if (parentPort !== null) serve(parentPort, workerData as RunOptions);
