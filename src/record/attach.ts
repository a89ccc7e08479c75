import { lookup } from "node:dns/promises";
import { setTimeout as pause } from "node:timers/promises";
import { TicksError } from "../base/errors.js";
import { printable, shellWord } from "../base/shown-text.js";
import {
  AnswerError,
  CallError,
  EndedError,
  type Endpoint,
  endpointText,
  Inspector,
  type InspectorTarget,
  inspectorTargets,
  type Json,
  type NamedTarget,
  textOr,
} from "./inspector.js";
import { CLOSE_PATIENCE, HOLDERS, Lease } from "./inspector-lease.js";
import {
  askForInspector,
  inspectorPlace,
  isPortTaken,
  type ListeningSocket,
  listeningSockets,
  type NodeProcess,
} from "./node-process.js";
import { isRunning } from "./process-tree.js";

/** What a program says of itself, which may be a lie: texts and numbers of the right type, no longer than usual ones. */
export interface TargetFacts {
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

/** How long a Node may take to open its inspector, in milliseconds. */
const OPEN_PATIENCE = 15_000;
/** How often it is looked at, in milliseconds. */
export const PERIOD = 50;
/** After this time without an inspector, the user is told why, in milliseconds. */
const NOTE_AFTER = 2000;
/** How long a user who ends the recording waits for the program to hear of it, in milliseconds. */
export const HURRY = 500;
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
export function untilStopped<Found>(stop: AbortSignal, work: Promise<Found>, hint?: string): Promise<Found> {
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

export function silent(error: CallError): TicksError {
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

/** Returns when a signal is given. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((done) => {
    if (signal.aborted) done(undefined);
    signal.addEventListener("abort", () => done(undefined), { once: true });
  });
}
