import { unlinkSync } from "node:fs";

/** The usual signals that end a process and let it clean up. */
const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

const unfinished = new Set<string>();
let isListening = false;

/** Removes a file if a signal ends the process. */
export function removeIfStopped(path: string): void {
  unfinished.add(path);
  if (isListening) return;
  isListening = true;
  for (const signal of SIGNALS) process.on(signal, removeAndEnd);
}

/** Undoes {@link removeIfStopped}: the file is complete, or gone. */
export function forgetUnfinished(path: string): void {
  unfinished.delete(path);
  // A signal that came during a write is delivered in the next turn of the event loop.
  if (unfinished.size === 0) void signalsDelivered().then(stopListening);
}

/**
 * Resolves when the signals received so far have been delivered. Code that never waits for the event loop
 * must await this now and then, or signals cannot stop it.
 */
export async function signalsDelivered(): Promise<void> {
  // The first turn may already be past its signals.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function stopListening(): void {
  if (unfinished.size > 0 || !isListening) return;
  isListening = false;
  for (const signal of SIGNALS) process.off(signal, removeAndEnd);
}

/** Removes the files and ends the process by the signal, as if it had no handler. */
function removeAndEnd(signal: NodeJS.Signals): void {
  for (const path of unfinished) {
    try {
      unlinkSync(path);
    } catch {
      // It was not created yet, or is gone.
    }
  }
  unfinished.clear();
  stopListening();
  // If others listen, they decide what to do.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}
