import { unlinkSync } from "node:fs";

/** The signals by which people and systems end a process that could still tidy up. */
const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

const unfinished = new Set<string>();
let isListening = false;

/** Has a file removed when a signal ends the process. */
export function removeIfStopped(path: string): void {
  unfinished.add(path);
  if (isListening) return;
  isListening = true;
  for (const signal of SIGNALS) process.on(signal, removeAndEnd);
}

/** Takes back {@link removeIfStopped}: the file is whole, or gone. */
export function forgetUnfinished(path: string): void {
  unfinished.delete(path);
  // A signal that came while a file was written is told at the next turn of the event loop.
  if (unfinished.size === 0) void signalsDelivered().then(stopListening);
}

/**
 * Resolves when the signals that came before have been told. Code that never waits for the event loop has to wait
 * for this now and then, or it cannot be stopped.
 */
export async function signalsDelivered(): Promise<void> {
  // The first turn may be past its signals already.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function stopListening(): void {
  if (unfinished.size > 0 || !isListening) return;
  isListening = false;
  for (const signal of SIGNALS) process.off(signal, removeAndEnd);
}

/** Removes the files, and ends the process by the signal, as if nobody had listened. */
function removeAndEnd(signal: NodeJS.Signals): void {
  for (const path of unfinished) {
    try {
      unlinkSync(path);
    } catch {
      // It was not made yet, or is gone.
    }
  }
  unfinished.clear();
  stopListening();
  // Others that listen decide for themselves.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}
