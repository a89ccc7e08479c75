import { randomUUID } from "node:crypto";
import { lookup } from "node:dns/promises";
import { TicksError } from "../base/errors.js";
import { printable, shellWord } from "../base/shown-text.js";
import {
  AnswerError,
  CALL_PATIENCE,
  CallError,
  EndedError,
  type Endpoint,
  endpointText,
  Inspector,
  type InspectorTarget,
  inspectorTargets,
  type Json,
  type NamedTarget,
  type ThreadSession,
  textOr,
} from "./inspector.js";
import {
  askForInspector,
  inspectorPlace,
  isPortTaken,
  type ListeningSocket,
  listeningSockets,
  type NodeProcess,
} from "./node-process.js";
import { isRunning } from "./process-tree.js";
import type { NamedWorkerData, Profiling } from "./recording-file.js";

/** What a program says of itself, which may be a lie: texts and numbers of the right type, no longer than usual ones. */
interface TargetFacts {
  /** 0 if it has none, as a page. */
  readonly pid: number;
  readonly ppid: number;
  /** Its words. */
  readonly command: readonly string[];
  readonly cwd: string | undefined;
  /** `v20.1.0`. */
  readonly node: string;
  readonly v8: string;
  /** In milliseconds since 1970. */
  readonly start: number;
}

/** A program that is attached to. */
export interface Attached {
  readonly inspector: Inspector;
  readonly endpoint: Endpoint;
  /** What the inspector calls it: its main script, or the title of a page. */
  readonly title: string;
  readonly facts: TargetFacts;
  /**
   * Lets go of it, and closes its inspector if that was opened here, unless it comes to its end anyway. Returns whether it is as before:
   * if not, the inspector closes as soon as the main thread comes to it. `hurry`: the user waits no longer than {@link HURRY} after it.
   */
  letGo(how?: { readonly hasEnded?: boolean; readonly hurry?: AbortSignal }): Promise<boolean>;
}

/** How long a Node may take to open or close its inspector, and how often it is looked at, in milliseconds. */
const OPEN_PATIENCE = 15_000;
const CLOSE_PATIENCE = 3000;
const PERIOD = 50;
/** After this time without an inspector, the user is told why, in milliseconds. */
const NOTE_AFTER = 2000;
/** How long a user who ends the recording waits for the program to hear of it, in milliseconds. */
const HURRY = 500;
const NEVER = new AbortController().signal;

/**
 * Attaches to a Node, whose inspector is opened if it is not yet. `note` tells the user what takes long. Throws a {@link TicksError}, also
 * if `stop` ends it; then nothing is left open, but what the message says.
 */
export async function attachToProcess(
  node: NodeProcess,
  note: (text: string) => void,
  stop: AbortSignal = NEVER,
): Promise<Attached> {
  const before = listeningSockets(node.pid);
  const place = inspectorPlace(node);
  const isOpen = before === undefined || before.some(({ endpoint }) => endpoint.port === place.port);
  if (isOpen) {
    const own = before?.find(({ endpoint }) => endpoint.port === place.port)?.endpoint ?? place;
    const targets = await untilStopped(
      stop,
      inspectorTargets(own).catch(() => undefined),
    );
    if (targets?.[0] !== undefined)
      return attachTo({ endpoint: own, target: targets[0], node, isOpened: false, stop });
  } else if (isPortTaken(place)) {
    throw takenError(node, place);
  }
  askForInspector(node);
  const { endpoint, target } = await untilStopped(
    stop,
    opened(node, { before, place, note }),
    "Its inspector opens as soon as its main thread is free, and stays open.",
  );
  return attachTo({ endpoint, target, node, isOpened: true, stop });
}

function takenError({ pid }: NodeProcess, { port }: Endpoint): TicksError {
  return new TicksError(
    "BAD_OPTION",
    `--pid ${pid}: another process listens on port ${port}, where this one would open its inspector`,
    "Wait for its end; or start the program with --inspect-port=0.",
  );
}

interface Found {
  readonly endpoint: Endpoint;
  readonly target: InspectorTarget;
}

/** Waits for the inspector of a Node that was asked for it. */
async function opened(
  node: NodeProcess,
  look: {
    readonly before: readonly ListeningSocket[] | undefined;
    readonly place: Endpoint;
    readonly note: (text: string) => void;
  },
): Promise<Found> {
  const { pid } = node;
  const { before, place, note } = look;
  const known = new Set(before?.map(({ inode }) => inode));
  const start = Date.now();
  let isNoted = false;
  while (Date.now() - start < OPEN_PATIENCE) {
    const sockets = listeningSockets(pid)?.filter(({ inode }) => !known.has(inode));
    for (const endpoint of sockets?.map((socket) => socket.endpoint) ?? [place]) {
      const targets = await inspectorTargets(endpoint).catch(() => undefined);
      if (targets?.[0] !== undefined) return { endpoint, target: targets[0] };
    }
    if (!isRunning(pid)) throw new TicksError("NOT_FOUND", `--pid ${pid}: the process has ended`);
    if (!isNoted && Date.now() - start > NOTE_AFTER) {
      // Somebody was quicker.
      if (before !== undefined && isPortTaken(place)) throw takenError(node, place);
      isNoted = true;
      note(`waiting for pid ${pid} to open its inspector`);
    }
    await pause(PERIOD);
  }
  const others = before?.map(({ endpoint }) => endpointText(endpoint)) ?? [];
  throw new TicksError(
    "NOT_READABLE",
    `--pid ${pid}: it opened no inspector in ${OPEN_PATIENCE / 1000} s: it handles SIGUSR1 itself, or its main thread is blocked`,
    others.length === 0
      ? "Start it with --inspect, and use --port. If it was blocked, its inspector opens later and stays open."
      : `If one of these is its inspector, use --port: ${others.join(", ")}`,
  );
}

/** Attaches to an inspector that listens: to the one that is named, or the only one, or the only Node or page. Throws a {@link TicksError}. */
export async function attachToEndpoint(named: NamedTarget, stop: AbortSignal = NEVER): Promise<Attached> {
  // A Node answers only those who ask for an address.
  const endpoint = { ...named.endpoint, host: await untilStopped(stop, addressOf(named.endpoint)) };
  const target = chosen(await untilStopped(stop, inspectorTargets(endpoint)), named);
  return attachTo({ endpoint, target, node: undefined, isOpened: false, stop });
}

/** Returns what comes first. Throws a {@link TicksError} if that is `stop`. `hint`: what is left behind then. */
function untilStopped<Found>(stop: AbortSignal, work: Promise<Found>, hint?: string): Promise<Found> {
  const stopped = aborted(stop).then(() => {
    throw new TicksError("NO_TICKS", "no samples: stopped before the program answered", hint);
  });
  return Promise.race([work, stopped]);
}

async function addressOf({ host }: Endpoint): Promise<string> {
  try {
    return (await lookup(host)).address;
  } catch {
    throw new TicksError("NOT_FOUND", `--port: there is no machine called ${host}`);
  }
}

/** More targets than this are not listed. */
const LISTED_LIMIT = 10;

function chosen(targets: readonly InspectorTarget[], { endpoint, id }: NamedTarget): InspectorTarget {
  const where = endpointText(endpoint);
  if (targets.length === 0) throw new TicksError("NOT_FOUND", `--port ${where}: nothing to profile there`);
  const ofType = (wanted: string) => targets.filter(({ type }) => type === wanted);
  const usual = () => [targets, ofType("node"), ofType("page")].find(({ length }) => length === 1)?.[0];
  const found = id === undefined ? usual() : targets.find((one) => one.id === id);
  if (found !== undefined) return found;
  const typable = targets.find((one) => printable(one.id) === one.id);
  const rows = targets
    .slice(0, LISTED_LIMIT)
    .map((one) => `${one.id} (${one.type}, ${one.title.slice(0, 60)})`);
  const problem =
    id === undefined ? `there are ${targets.length} to choose from` : `nothing there is called ${id}`;
  throw new TicksError(
    "NOT_FOUND",
    `--port ${where}: ${problem}: ${rows.join("; ")}`,
    typable === undefined ? undefined : `Name one: --port ${shellWord(`${where}/${typable.id}`)}`,
  );
}

async function attachTo(place: {
  readonly endpoint: Endpoint;
  readonly target: InspectorTarget;
  /** Which process it must be; undefined for any. */
  readonly node: NodeProcess | undefined;
  readonly isOpened: boolean;
  readonly stop: AbortSignal;
}): Promise<Attached> {
  const { endpoint, target, node, isOpened, stop } = place;
  const inspector = await untilStopped(stop, Inspector.connect(endpoint, target.path));
  let lease = isOpened ? new Lease(inspector) : undefined;
  let facts: TargetFacts | undefined;
  const letGo: Attached["letGo"] = async ({ hasEnded = false, hurry = NEVER } = {}) => {
    const hurried = aborted(hurry)
      .then(() => pause(HURRY))
      .then(() => false);
    const isHeld = !hasEnded && (await Promise.race([lease?.end(facts), hurried]));
    lease?.stop();
    await Promise.race([inspector.close(), hurried]);
    if (hasEnded || isHeld || lease === undefined || node === undefined) return true;
    return Promise.race([isClosed(node, endpoint), hurried]);
  };
  try {
    if (lease !== undefined) await untilStopped(stop, lease.start());
    const answer = await untilStopped(stop, factsOf(inspector));
    facts = answer.facts;
    if (lease === undefined && answer.isLeased) {
      lease = new Lease(inspector);
      await untilStopped(stop, lease.start());
    }
    if (node !== undefined && facts.pid !== node.ownPid) {
      const owner = facts.pid === 0 ? "is of no Node" : `is of pid ${facts.pid}`;
      throw new TicksError(
        "BAD_OPTION",
        `--pid ${node.pid}: the inspector at ${endpointText(endpoint)} ${owner}`,
      );
    }
    return { inspector, endpoint, title: target.title.slice(0, WORD_LENGTH), facts, letGo };
  } catch (error) {
    await letGo({ hurry: stop });
    throw error instanceof CallError ? silent(error) : error;
  }
}

function silent(error: CallError): TicksError {
  const { message } = error;
  if (error instanceof AnswerError)
    return new TicksError("NOT_READABLE", `the program refuses to be profiled (${message})`);
  if (error instanceof EndedError) {
    const hint = "The program has ended, or its inspector was closed. If it still runs, try again.";
    return new TicksError("NOT_READABLE", message, hint);
  }
  const hint = "Its main thread may be blocked, as by execSync.";
  return new TicksError("NOT_READABLE", `the program does not answer (${message})`, hint);
}

/** Waits until an inspector is closed. */
async function isClosed({ pid }: NodeProcess, { port, host }: Endpoint): Promise<boolean> {
  const end = Date.now() + CLOSE_PATIENCE;
  do {
    const sockets = listeningSockets(pid);
    const isOpen =
      sockets === undefined
        ? await inspectorTargets({ host, port }).then(
            () => true,
            () => false,
          )
        : sockets.some(({ endpoint }) => endpoint.port === port);
    if (!isOpen) return true;
    await pause(PERIOD);
  } while (Date.now() < end);
  return false;
}

/** For how long the program keeps its inspector open without a word from here, and how often there is one, in seconds. */
const LEASE = 15;
const RENEWAL = 5;

/** Where a program keeps who holds its inspector open: several recordings may go on at once, and the last one closes it. */
const HOLDERS = `process[Symbol.for("ticks.inspector")]`;

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
class Lease {
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
  async end(facts: TargetFacts | undefined): Promise<boolean> {
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

/** Reads what the program says of itself. */
const FACTS_CODE = `JSON.stringify((() => {
  if (typeof process !== "object" || !process.versions) return {};
  const { pid, ppid, version, versions, argv0, execArgv, argv } = process;
  let cwd;
  try { cwd = process.cwd(); } catch (error) {}
  const command = [argv0].concat(execArgv, argv.slice(1));
  return { pid, ppid, command, cwd, node: version, v8: versions.v8, start: Date.now() - 1000 * process.uptime(), isLeased: Boolean(${HOLDERS}) };
})())`;

/** Longer words of a command, and more characters of all, are cut; so are other texts. */
const WORD_LENGTH = 200;
const COMMAND_LENGTH = 2000;
const PATH_LENGTH = 4096;

interface TargetAnswer {
  readonly facts: TargetFacts;
  /** Whether another recording has opened its inspector for a time. */
  readonly isLeased: boolean;
}

async function factsOf(inspector: Inspector): Promise<TargetAnswer> {
  const question = { expression: FACTS_CODE, returnByValue: true };
  // workerd has no context to evaluate in, and says so: a profile needs none.
  const answer = await inspector.call("Runtime.evaluate", question).catch((error: unknown) => {
    if (error instanceof AnswerError) return {};
    throw error;
  });
  const { result } = answer as { readonly result?: Json };
  let facts: Json = {};
  try {
    facts = (JSON.parse(textOr(result?.value, "{}")) ?? {}) as Json;
  } catch {
    // It says nothing.
  }
  const count = (value: unknown) =>
    Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;
  let left = COMMAND_LENGTH;
  const given = Array.isArray(facts.command) ? facts.command.slice(0, COMMAND_LENGTH) : [];
  const words = given.filter((word) => typeof word === "string");
  const command = words.map((word) => {
    const shown = word.slice(0, Math.max(0, Math.min(WORD_LENGTH, left)));
    left -= shown.length;
    return shown.length < word.length ? `${shown}…` : shown;
  });
  const shown = {
    pid: count(facts.pid),
    ppid: count(facts.ppid),
    command,
    cwd: textOr(facts.cwd, undefined)?.slice(0, PATH_LENGTH),
    node: textOr(facts.node, "").slice(0, WORD_LENGTH),
    v8: textOr(facts.v8, "").slice(0, WORD_LENGTH),
    start: count(typeof facts.start === "number" ? Math.round(facts.start) : undefined),
  };
  return { facts: shown, isLeased: facts.isLeased === true };
}

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

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((done) => {
    if (signal.aborted) done(undefined);
    signal.addEventListener("abort", () => done(undefined), { once: true });
  });
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

function pause(time: number): Promise<void> {
  return new Promise((done) => setTimeout(done, time));
}
