import type { SharedQueue } from "./shared-queue.js";

type Output = Pick<SharedQueue<unknown>, "isUnused">;

/** What the thread that was started last writes to, until it ends. */
let output: Output | undefined;

/** Notes that a thread starts, which writes to a queue as soon as it runs. */
export function noteStart(queue: Output): void {
  output = queue;
}

/** Notes that the thread that writes to a queue ends. */
export function noteEnd(queue: Output): void {
  if (output === queue) output = undefined;
}

/** Whether the thread that was started last does not run yet. */
export function isThreadStarting(): boolean {
  return output?.isUnused === true;
}
