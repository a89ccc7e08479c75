import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { TicksError, type TicksErrorCode } from "../../errors.js";
import { type ReadRun, type RunOptions, readRun } from "./read-run.js";

/** Asks a thread to read a run. */
export interface RunQuestion {
  readonly run: number;
  readonly paths: readonly string[];
}

/** A run that was read, or why it could not be. */
export type RunAnswer =
  | { readonly run: number; readonly read: ReadRun }
  | {
      readonly run: number;
      readonly failure: {
        readonly code: TicksErrorCode;
        readonly message: string;
        readonly hint: string | undefined;
      };
    };

/** A run, or the error of its logs. */
export type RunResult = ReadRun | TicksError;

/** More threads take more memory than they save time. */
const MOST_THREADS = 8;

/**
 * Reads runs, several at a time if there are processors for it and `isLarge`. Returns them in their order. Calls
 * `onRead` after each.
 */
export async function readInPool(
  runs: readonly (readonly string[])[],
  options: RunOptions,
  { isLarge, onRead }: { readonly isLarge: boolean; readonly onRead: (run: number) => void },
): Promise<RunResult[]> {
  const threads = isLarge ? Math.min(availableParallelism(), runs.length, MOST_THREADS) : 1;
  if (threads < 2) return readHere(runs, options, onRead);
  const results = new Array<RunResult | undefined>(runs.length);
  let next = 0;
  const work = async () => {
    const reader = new RunThread(options);
    try {
      while (next < runs.length) {
        const run = next++;
        results[run] = await reader.read({ run, paths: runs[run]! });
        onRead(run);
      }
    } finally {
      await reader.close();
    }
  };
  await Promise.all(Array.from({ length: threads }, work));
  return results.map((result) => result!);
}

async function readHere(
  runs: readonly (readonly string[])[],
  options: RunOptions,
  onRead: (run: number) => void,
): Promise<RunResult[]> {
  const results: RunResult[] = [];
  for (const [run, paths] of runs.entries()) {
    try {
      results.push(await readRun(paths, options));
    } catch (error) {
      if (!(error instanceof TicksError)) throw error;
      results.push(error);
    }
    onRead(run);
  }
  return results;
}

/** A thread that reads runs. */
class RunThread {
  readonly #worker: Worker;
  #settle: { resolve(result: RunResult): void; reject(error: unknown): void } | undefined;

  constructor(options: RunOptions) {
    const workerData: RunOptions = { ...options, inOneThread: true };
    this.#worker = new Worker(new URL("./run-worker.js", import.meta.url), { workerData });
    this.#worker.on("message", (answer: RunAnswer) => {
      if ("read" in answer) this.#settle?.resolve(answer.read);
      else {
        const { code, message, hint } = answer.failure;
        this.#settle?.resolve(new TicksError(code, message, hint));
      }
    });
    this.#worker.on("error", (error) => this.#settle?.reject(error));
    this.#worker.on("exit", () => this.#settle?.reject(new Error("a thread that reads logs ended early")));
  }

  read(question: RunQuestion): Promise<RunResult> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#worker.postMessage(question);
    });
  }

  async close(): Promise<void> {
    this.#settle = undefined;
    await this.#worker.terminate();
  }
}
