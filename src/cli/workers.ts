import { type Transferable, Worker } from "node:worker_threads";
import type { Column } from "../base/columns.js";
import { TicksError, type TicksErrorCode } from "../base/errors.js";
import type { Profile } from "../profile/profile.js";

/** What a thread sends: first that it runs, then an answer to each question. */
export type ThreadMessage<Answer> = "runs" | { readonly answer: Answer } | { readonly failure: Failure };

/** What is left of a {@link TicksError} on its way from another thread: errors lose their class. */
interface Failure {
  readonly code: TicksErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Work for several threads. */
export interface SharedWork<Question, Answer> {
  readonly questions: readonly Question[];
  /** How many threads, with this one. */
  readonly threads: number;
  /** Answers a question in this thread. */
  readonly answerHere: (question: Question) => Promise<Answer>;
  /** Whether this thread answers only what no other one could: its memory is needed for the answers. Default: it helps. */
  readonly isHereLast?: boolean;
  /** What `worker.ts` receives at its start, to answer the others. */
  readonly workerData: unknown;
}

/** A thread needs little memory for what is only of one log; V8's own limit is 48 MB. */
const YOUNG_MB = 12;
/** So many answers may wait for an earlier one. */
const MOST_WAITING = 64;

/**
 * Answers questions in several threads, of which this is one, and yields the answers, or the errors of the user, in the order of the
 * questions. Where a thread cannot run, the others answer all.
 */
export async function* answersOf<Question, Answer>(
  work: SharedWork<Question, Answer>,
): AsyncGenerator<Answer | TicksError> {
  const { questions, answerHere } = work;
  const answers = questions.map(() => promised<Answer | TicksError>());
  for (const { promise } of answers) promise.catch(() => {}); // It is thrown when its turn comes.
  let [next, taken] = [0, 0];
  const waiting: (() => void)[] = [];
  const wakeAll = () => {
    for (const wake of waiting.splice(0)) wake();
  };
  /** Answers questions until none is left. */
  const run = async (answer: (question: Question) => Promise<Answer | TicksError>) => {
    while (next < questions.length) {
      if (next >= taken + MOST_WAITING) {
        await new Promise<void>((wake) => waiting.push(wake));
        continue;
      }
      const number = next++;
      try {
        answers[number]!.resolve(await answer(questions[number]!));
      } catch (error) {
        next = questions.length;
        answers[number]!.reject(error);
        return;
      }
    }
  };
  const threads = startThreads<Question, Answer>(work);
  const others = threads.map(async (thread) => {
    if (await thread.runs) await run((question) => thread.ask(question));
  });
  const here = async () => {
    if (work.isHereLast) await Promise.all(others);
    await run((question) => answerHere(question).catch(errorOfUser));
  };
  const running = [...others, here()];
  try {
    for (const { promise } of answers) {
      yield await promise;
      taken++;
      wakeAll();
    }
  } finally {
    next = questions.length;
    wakeAll();
    await Promise.all(threads.map((thread) => thread.close()));
    await Promise.all(running);
  }
}

/** Returns a promise, and what settles it. */
function promised<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

function errorOfUser(error: unknown): TicksError {
  if (error instanceof TicksError) return error;
  throw error;
}

/** Starts the other threads. There may be fewer. */
function startThreads<Question, Answer>({
  threads: count,
  workerData,
}: SharedWork<Question, Answer>): ReaderThread<Question, Answer>[] {
  const threads: ReaderThread<Question, Answer>[] = [];
  try {
    while (threads.length < count - 1) threads.push(new ReaderThread(workerData));
  } catch {
    // Out of threads, or not permitted.
  }
  return threads;
}

const ENDED_EARLY = "a thread that reads logs ended early";

/** A thread that answers questions, one after the other. */
class ReaderThread<Question, Answer> {
  readonly #worker: Worker;
  #next = promised<ThreadMessage<Answer>>();
  #hasEnded = false;
  /** Resolves once it runs, to false if it cannot. */
  readonly runs: Promise<boolean>;

  constructor(workerData: unknown) {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    this.#worker = new Worker(new URL("./worker.js", import.meta.url), { workerData, resourceLimits });
    this.#worker.on("message", (message: ThreadMessage<Answer>) => this.#next.resolve(message));
    this.#worker.on("error", (error) => this.#next.reject(error));
    this.#worker.on("exit", () => {
      this.#hasEnded = true;
      this.#next.reject(new Error(ENDED_EARLY));
    });
    this.runs = this.#next.promise.then(
      () => true,
      () => false,
    );
  }

  async ask(question: Question): Promise<Answer | TicksError> {
    if (this.#hasEnded) throw new Error(ENDED_EARLY);
    this.#next = promised();
    this.#worker.postMessage(question);
    const message = await this.#next.promise;
    if (message === "runs") throw new Error("a thread that reads logs began again");
    if ("answer" in message) return message.answer;
    const { code, message: text, hint } = message.failure;
    return new TicksError(code, text, hint);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Returns a profile that can be sent to another thread: plain data, with columns of exactly their length. */
export function portableProfile({ tree, samples, timeline, ...profile }: Profile): Profile {
  const { length } = samples;
  return {
    ...profile,
    tree: {
      length: tree.length,
      parent: exact(tree.parent, tree.length),
      frame: exact(tree.frame, tree.length),
    },
    samples: {
      length,
      node: exact(samples.node, length),
      vmState: exact(samples.vmState, length),
      thread: exact(samples.thread, length),
      ticks: exact(samples.ticks, length),
      count: samples.count && exact(samples.count, length),
    },
    timeline: timeline && {
      length: timeline.length,
      sample: exact(timeline.sample, timeline.length),
      timestamp: exact(timeline.timestamp, timeline.length),
      ticks: timeline.ticks && exact(timeline.ticks, timeline.length),
    },
  };
}

/** Returns a column with memory of its own, of exactly its length: itself if it is such a column. */
function exact<C extends Column>(column: C, length: number): C {
  const isExact = column.length === length && column.byteLength === column.buffer.byteLength;
  return isExact ? column : (column.slice(0, length) as C);
}

/** Returns the memory of the columns of a {@link portableProfile}, which can be moved to another thread. */
export function columnsOf({ tree, samples, timeline }: Profile): Transferable[] {
  const columns = [tree.parent, tree.frame, samples.node, samples.vmState, samples.thread, samples.ticks];
  const times = timeline === undefined ? [] : [timeline.sample, timeline.timestamp];
  for (const column of [samples.count, timeline?.ticks]) if (column !== undefined) times.push(column);
  return [...columns, ...times].map(({ buffer }) => buffer as ArrayBuffer);
}
