import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { CALL_PATIENCE, type Inspector, type Json } from "./inspector.js";

/** How long a Node may take to close its inspector, in milliseconds. */
export const CLOSE_PATIENCE = 3000;

/** For how long the program keeps its inspector open without a word from here, and how often there is one, in seconds. */
const LEASE = 15;
const RENEWAL = 5;

/** Where a program keeps who holds its inspector open: several recordings may go on at once, and the last one closes it. */
export const HOLDERS = `process[Symbol.for("ticks.inspector")]`;

/**
 * What runs in the program: it closes the inspector if nobody renews the lease, so that none stays open if this process is killed. A second
 * look comes after a moment: the renewals wait too while the thread is blocked. It holds nothing open, and works in Node 8.
 */
const TAKE = `(id) => {
  const key = Symbol.for("ticks.inspector");
  if (!process[key]) {
    const holders = new Map();
    Object.defineProperty(process, key, { value: holders, configurable: true });
    const wait = (isSecond) => setTimeout(look, 1000, isSecond).unref();
    const look = (isSecond) => {
      if (process[key] !== holders) return;
      const isLate = Array.from(holders.values()).every((until) => process.uptime() > until);
      if (!isLate || !isSecond) return wait(isLate);
      delete process[key];
      process._debugEnd();
    };
    wait(false);
  }
  process[key].set(id, process.uptime() + ${LEASE});
}`;
const RENEW = `(id) => { if (${HOLDERS}) ${HOLDERS}.set(id, process.uptime() + ${LEASE}); }`;
/** Returns whether another recording holds the inspector open. */
const END = `(id, endsNow) => {
  const holders = ${HOLDERS};
  if (holders) holders.delete(id);
  if (holders && holders.size > 0) return true;
  delete ${HOLDERS};
  if (endsNow) process._debugEnd();
  else setImmediate(() => { if (!${HOLDERS}) process._debugEnd(); });
  return false;
}`;
/** What profiles call this code, so that it is none of the program. */
const CODE_NAME = "node:ticks";
/** A thread that never comes to the next turn, in an endless loop, must end it at once. While its session has the word, this would end Node 8 and 9. */
const OLDEST_FOR_NOW = 10;

/** An inspector that was opened for a time, here or by another recording. */
export class Lease {
  readonly #inspector: Inspector;
  readonly #id = JSON.stringify(randomUUID());
  #timer: NodeJS.Timeout | undefined;

  constructor(inspector: Inspector) {
    this.#inspector = inspector;
  }

  async start(): Promise<void> {
    await this.#do(TAKE, CALL_PATIENCE);
    this.#timer = setInterval(() => this.#do(RENEW).catch(() => {}), RENEWAL * 1000);
  }

  /** Stops the renewals. */
  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Closes the inspector, unless another recording needs it: returns whether that is so. If it cannot wait for the end, that comes
   * nevertheless, as what was sent is read later.
   */
  async end(facts: { readonly node: string } | undefined): Promise<boolean> {
    this.stop();
    const isDone = () =>
      Promise.race([this.#inspector.closed.then(() => true), pause(CLOSE_PATIENCE).then(() => false)]);
    // It may have gone already, or be busy.
    if (await this.#do(END).catch(() => false)) return true;
    if (await isDone()) return false;
    const major = Number(/^v(\d+)/.exec(facts?.node ?? "")?.[1] ?? 0);
    return major >= OLDEST_FOR_NOW && this.#do(END, CLOSE_PATIENCE, true).catch(() => false);
  }

  async #do(code: string, patience = CLOSE_PATIENCE, endsNow = false): Promise<boolean> {
    const expression = `(${code})(${this.#id}, ${endsNow})\n//# sourceURL=${CODE_NAME}`;
    const answer = await this.#inspector.call(
      "Runtime.evaluate",
      { expression, returnByValue: true },
      patience,
    );
    return (answer.result as Json | undefined)?.value === true;
  }
}
