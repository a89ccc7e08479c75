import { setTimeout as pause } from "node:timers/promises";
import { type Attached, aborted, HURRY, PERIOD, silent, type TargetFacts, untilStopped } from "./attach.js";
import { CallError, type Inspector, type Json, type ThreadSession, textOr } from "./inspector.js";
import type { NamedWorkerData, Profiling } from "./recording-file.js";

/** How to profile. */
interface ProfileWish {
  readonly profiling: Profiling;
  /** In milliseconds. */
  readonly duration: number;
  /** Ends it sooner. */
  readonly stop: AbortSignal;
  /** Ends the wait for what the program has sampled. */
  readonly giveUp: AbortSignal;
}

interface ThreadProfile {
  /** 0 for the main thread. */
  readonly thread: number;
  /** What the inspector calls a profile, unchecked. */
  readonly profile: Json;
}

/** What came of it. */
export interface Profiled {
  readonly profiles: readonly ThreadProfile[];
  /** The workers that the program gave names. */
  readonly workers: readonly NamedWorkerData[];
  /** Why no more samples were waited for; undefined if all came, or the user or the program ended the wait. */
  readonly givenUp: string | undefined;
  /** Threads whose samples were lost, since they ended sooner or did not answer. */
  readonly lost: number;
  /** `connection`: it was lost, since the program was killed or its inspector closed. */
  readonly endedBy: "duration" | "stop" | "program" | "connection";
  /** How long it took. */
  readonly seconds: number;
}

/** How long a program may take to hand over the samples of its threads, in milliseconds. */
export interface ProfilePatience {
  /** In all, until the last byte: a large profile over a slow connection. */
  readonly whole: number;
  /** Without a byte: as it writes a large profile, or is blocked. */
  readonly silent: number;
  /** With other messages, but no answer: it could send one. */
  readonly talking: number;
}

const PROFILE_PATIENCE: ProfilePatience = { whole: 60_000, silent: 20_000, talking: 10_000 };
/** How much longer it may be silent for each sample that it took, in milliseconds: it makes text of all. */
const SAMPLE_PATIENCE = 0.02;
/** How long a program takes that waits for that at its end, or is gone. */
const END_PATIENCE = 5000;
/** So many messages that answer nothing are no mere events. */
const MANY_OTHERS = 20;
/** So many bytes are a part of a long message, which may be the answer. A message of which fewer come would never end. */
const PART_BYTES = 1024;
/** Longer names of workers are cut. */
const WORKER_NAME_LENGTH = 100;
/** More workers at a time are not profiled. */
const MOST_WORKERS = 1000;
/** Nor are more in all: a program that lies of them without end would get questions without end, which it may never read. */
const MOST_STARTS = 100_000;

/** How an inspector is asked for each kind of profile. */
const METHODS = {
  time: {
    async begin(session: ThreadSession, interval: number) {
      await session.call("Profiler.enable");
      await session.call("Profiler.setSamplingInterval", { interval });
      await session.call("Profiler.start");
    },
    end: "Profiler.stop",
  },
  memory: {
    async begin(session: ThreadSession, samplingInterval: number) {
      const all = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
      await session.call("HeapProfiler.startSampling", { samplingInterval, ...all });
    },
    end: "HeapProfiler.stopSampling",
  },
} as const;

/** The first V8 that keeps the samples of what was collected, of Node 20. Older ones ignore that they are asked to. */
const KEEPS_COLLECTED = 11;

/** Returns what is to be kept in the profiles of a program, which do not tell it: whether they have what was collected. */
function addedTo({ of }: Profiling, { v8 }: TargetFacts): Json {
  const major = Number.parseInt(v8, 10);
  return of === "memory" && major > 0 ? { includesCollected: major >= KEEPS_COLLECTED } : {};
}

interface ProfiledThread extends WorkerTitle {
  readonly session: ThreadSession;
  /** Rejected if it cannot be profiled. */
  readonly started: Promise<unknown>;
}

/** Profiles all threads of a program, also workers that start meanwhile. Throws a {@link TicksError} if it does not answer. */
export async function profileThreads(
  { inspector, facts }: Attached,
  wish: ProfileWish,
  patience = PROFILE_PATIENCE,
): Promise<Profiled> {
  const { profiling, duration, stop, giveUp } = wish;
  const { begin, end } = METHODS[profiling.of];
  const start = (session: ThreadSession) => begin(session, profiling.interval);
  const workers = new Map<string, ProfiledThread>();
  let [lost, starts] = [0, 0];
  inspector.on("NodeWorker.attachedToWorker", ({ sessionId, workerInfo }) => {
    const name = textOr(sessionId, "");
    if (workers.has(name) || workers.size >= MOST_WORKERS || starts >= MOST_STARTS) return;
    starts++;
    const session = inspector.worker(name);
    const title = workerTitle((workerInfo ?? {}) as Json, workers.size + 1);
    const started = start(session);
    started.catch(() => {}); // It is looked at in the end.
    workers.set(name, { ...title, session, started });
  });
  inspector.on("NodeWorker.detachedFromWorker", ({ sessionId }) => {
    const name = textOr(sessionId, "");
    inspector.endWorker(name);
    if (workers.delete(name)) lost++;
  });
  // The program waits at its end until its samples are fetched. Workers must not: a main thread that waits for them hears nothing.
  const ended = new Promise<"program" | "connection">((done) => {
    inspector.on("NodeRuntime.waitingForDisconnect", () => done("program"));
    void inspector.closed.then(() => done("connection"));
  });
  const stopped = aborted(stop).then(() => pause(HURRY));
  const notified = optional(inspector.call("NodeRuntime.notifyWhenWaitingForDisconnect", { enabled: true }));
  await Promise.race([notified, stopped]);
  try {
    await untilStopped(stop, start(inspector));
  } catch (error) {
    throw error instanceof CallError ? silent(error) : error;
  }
  const enabled = optional(inspector.call("NodeWorker.enable", { waitForDebuggerOnStart: false }));
  await Promise.race([enabled, stopped]);
  const begun = performance.now();
  const endedBy = await Promise.race([ended, waited(duration, stop)]);
  const seconds = Math.round(performance.now() - begun) / 1000;
  const threads = [
    { thread: 0, name: undefined, session: inspector, started: Promise.resolve() },
    ...workers.values(),
  ];
  const whole = endedBy === "program" || endedBy === "connection" ? END_PATIENCE : patience.whole;
  const fetching = new AbortController();
  const added = addedTo(profiling, facts);
  const samples = profiling.of === "time" ? (1000 * duration) / profiling.interval : 0;
  const limits = { ...patience, silent: patience.silent + SAMPLE_PATIENCE * samples };
  let givenUp: string | undefined;
  const silence = untilSilent(inspector, limits, { method: end, isOver: fetching.signal }).then((reason) => {
    givenUp = reason;
    return undefined;
  });
  const given = Promise.race([aborted(giveUp), silence]);
  const found = await Promise.all(
    threads.map(async ({ thread, session, started }) => {
      const fetched = started.then(() => session.call(end, {}, whole));
      const result = await Promise.race([fetched.catch(() => undefined), given]);
      const profile = result?.profile as Json | undefined;
      return isProfile(profile) ? { thread, profile: { ...profile, ...added } } : undefined;
    }),
  );
  fetching.abort();
  const profiles = found.filter((one) => one !== undefined);
  const named = threads.flatMap(({ thread, name }) => (name === undefined ? [] : [{ thread, name }]));
  return {
    profiles,
    workers: named,
    givenUp,
    lost: lost + threads.length - profiles.length,
    endedBy,
    seconds,
  };
}

/** Returns whether an answer has the stacks of a CPU profile, or of allocations. */
function isProfile(profile: Json | undefined): profile is Json {
  return Array.isArray(profile?.nodes) || (typeof profile?.head === "object" && profile.head !== null);
}

/**
 * Waits until no answer is to be expected any more: how long depends on what comes in its place, since the last answer. Returns why;
 * undefined if nobody waits any longer.
 */
async function untilSilent(
  inspector: Inspector,
  { silent, talking }: Pick<ProfilePatience, "silent" | "talking">,
  { method, isOver }: { readonly method: string; readonly isOver: AbortSignal },
): Promise<string | undefined> {
  let last = inspector.traffic();
  let [answered, heard, others, bytes] = [performance.now(), performance.now(), 0, last.bytes];
  while (!isOver.aborted) {
    await pause(PERIOD);
    const [now, traffic] = [performance.now(), inspector.traffic()];
    if (traffic.answers > last.answers) [answered, heard, others, bytes] = [now, now, 0, traffic.bytes];
    else if (traffic.others > last.others)
      [others, bytes] = [others + traffic.others - last.others, traffic.bytes];
    else if (traffic.bytes >= bytes + PART_BYTES) [heard, bytes] = [now, traffic.bytes];
    last = traffic;
    if (others >= MANY_OTHERS && now - answered > talking)
      return `it sent ${others} other messages, but no answer to ${method} in ${talking / 1000} s`;
    if (now - heard > silent) return `no answer to ${method} in ${Math.round(silent / 1000)} s`;
  }
  return undefined;
}

/** Which worker of its process one is. */
interface WorkerTitle {
  /** Its `threadId`. */
  readonly thread: number;
  /** The name that the program gave it; undefined for none. */
  readonly name: string | undefined;
}

/** What Node calls a worker without a name. */
const NO_NAME = "WorkerThread";

/**
 * Reads what an inspector says of a worker: its title, `Worker 2` up to Node 16, `[worker 2] name` later. Its ID is another number, which
 * counts in the order that the inspector finds workers in. `number`: what it is called without any.
 *
 * Source: Node, src/node_worker.cc, `Worker::Worker`; src/inspector/worker_inspector.cc.
 */
function workerTitle({ title, workerId }: Json, number: number): WorkerTitle {
  const [, digits, name = ""] = /^\[?worker (\d{1,10})\]? ?(.*)$/is.exec(textOr(title, "")) ?? [];
  const thread = Number(digits ?? textOr(workerId, "none"));
  return {
    thread: Number.isSafeInteger(thread) ? thread : number,
    name: name === "" || name === NO_NAME ? undefined : name.slice(0, WORKER_NAME_LENGTH),
  };
}

/** Waits for what not every inspector knows. */
async function optional(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
  }
}

async function waited(duration: number, stop: AbortSignal): Promise<"duration" | "stop"> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<"duration">((done) => {
    timer = setTimeout(done, duration, "duration");
  });
  const reason = await Promise.race([over, aborted(stop).then(() => "stop" as const)]);
  clearTimeout(timer);
  return reason;
}
