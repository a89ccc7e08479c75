import { type ChildProcess, type IOType, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Readable } from "node:stream";
import { isatty } from "node:tty";
import { TicksError, tried } from "../base/errors.js";
import { findProgram } from "../io/child-program.js";
import { GroupWatch } from "./group-watch.js";
import { signalAll, treeOf } from "./process-tree.js";
import type { Environment } from "./session.js";

interface Descriptors {
  inherited(options: { readonly closedOnly: boolean }): readonly number[];
}

/** Returns the descriptors beyond 2 that this process got from the one that started it, in order. */
function inheritedDescriptors(): readonly number[] {
  if (process.platform === "win32") return [];
  const require = createRequire(import.meta.url);
  const { inherited } = require("../../dist/record/descriptors.cjs") as Descriptors;
  return tried(() => inherited({ closedOnly: false })) ?? []; // There may be no /dev/fd.
}

/** The channel for messages between this process and the one that started it. */
interface Channel {
  readonly descriptor: number;
  readonly serialization: "json" | "advanced";
}

/** Returns the channel that this process got; undefined if it got none. */
function inheritedChannel(): Channel | undefined {
  if (process.send === undefined) return undefined;
  // Node removes both variables as it starts.
  const values = initialVariables();
  return {
    descriptor: Number(values.get("NODE_CHANNEL_FD") ?? 3),
    serialization: values.get("NODE_CHANNEL_SERIALIZATION_MODE") === "advanced" ? "advanced" : "json",
  };
}

function initialVariables(): Map<string, string> {
  const pairs = tried(() => readFileSync("/proc/self/environ", "utf8").split("\0")) ?? []; // Only on Linux.
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
}

/** The settings of the terminal, to restore after a program that was killed. */
interface TerminalState {
  /** Undoes what a program changed: no echo, no lines, a hidden cursor. */
  restore(): void;
}

/** `stty` in the background would wait for the foreground; it gets this many milliseconds. */
const PATIENCE = 1000;
/** Ends colours and shows the cursor. */
const RESET = "\x1b[0m\x1b[?25h";

/** Returns the settings of the terminal of standard input; they do nothing if there is none. */
export function saveTerminal(): TerminalState {
  const stty = isatty(0) ? findProgram("stty") : undefined;
  if (stty === undefined) return { restore() {} };
  const run = (args: readonly string[]) =>
    spawnSync(stty, args, {
      stdio: ["inherit", "pipe", "ignore"],
      encoding: "utf8",
      timeout: PATIENCE,
      killSignal: "SIGKILL",
    });
  const before = run(["-g"]).stdout;
  return {
    restore() {
      if (isatty(2)) process.stderr.write(RESET);
      if (before && run(["-g"]).stdout !== before) run([before.trim()]);
    },
  };
}

export interface CommandEnd {
  /** Undefined if a signal ended it. */
  readonly status: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

interface CommandOptions {
  readonly env: Environment;
  /** The folder that it is started in. */
  readonly cwd: string;
  /** Whether it gets this process's standard input, or none. */
  readonly hasInput: boolean;
  /** Called with what it writes to standard output, which then is a pipe. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
  /** The descriptor of a file for standard output and standard error. Default: those of this process. */
  readonly output?: number | undefined;
}

/** A command that runs. */
interface RunningCommand {
  readonly pid: number;
  readonly ended: Promise<CommandEnd>;
}

/**
 * Starts a command with this process's standard streams, its other open files and its channel for messages. Throws a
 * {@link TicksError} if it cannot be started.
 */
export async function startCommand(
  words: readonly string[],
  { env, cwd, hasInput, onOutput, output }: CommandOptions,
): Promise<RunningCommand> {
  const [name, ...args] = words;
  const channel = inheritedChannel();
  const stdio: (IOType | "ipc" | number)[] = [
    hasInput ? "inherit" : "ignore",
    output ?? (onOutput === undefined ? "inherit" : "pipe"),
    output ?? "inherit",
  ];
  const set = (descriptor: number, what: IOType | "ipc" | number) => {
    while (stdio.length < descriptor) stdio.push("ignore");
    stdio[descriptor] = what;
  };
  for (const descriptor of inheritedDescriptors()) {
    if (descriptor !== channel?.descriptor) set(descriptor, descriptor);
  }
  if (channel !== undefined) set(channel.descriptor, "ipc");
  const options: SpawnOptions = {
    env: { ...env },
    cwd,
    stdio,
    ...(channel === undefined ? {} : { serialization: channel.serialization }),
  };
  const child = spawn(name!, args, options);
  const ended = endOf(child, onOutput);
  await started(child, name!);
  if (channel !== undefined) relayMessages(child);
  return { pid: child.pid!, ended };
}

function started(child: ChildProcess, name: string): Promise<void> {
  return new Promise((done, fail) => {
    child.once("spawn", done);
    child.once("error", (error: NodeJS.ErrnoException) => {
      const reason = error.code === "ENOENT" ? "not found" : (error.code ?? error.message);
      fail(new TicksError("NOT_FOUND", `cannot run ${name}: ${reason}`));
    });
  });
}

/** The output of an ended command that another process holds open is not waited for longer, in milliseconds. */
const OUTPUT_PATIENCE = 500;

function endOf(child: ChildProcess, onOutput: CommandOptions["onOutput"]): Promise<CommandEnd> {
  const written =
    onOutput === undefined ? undefined : passOn(child.stdout!, { to: process.stdout, onOutput });
  return new Promise((done) => {
    child.once("exit", async (status, signal) => {
      const patience = new Promise((resolve) => setTimeout(resolve, OUTPUT_PATIENCE).unref());
      if (written !== undefined) await Promise.race([written, patience]);
      done({ status: status ?? undefined, signal: signal ?? undefined });
    });
  });
}

/** Copies what a program writes, at the pace of the reader. */
async function passOn(
  from: Readable,
  { to, onOutput }: { readonly to: NodeJS.WriteStream; readonly onOutput: (chunk: Buffer) => void },
): Promise<void> {
  // A reader that has gone closes the program's pipe too.
  to.once("error", () => from.destroy());
  try {
    for await (const chunk of from) {
      onOutput(chunk as Buffer);
      if (!to.write(chunk as Buffer)) await new Promise((resolve) => to.once("drain", resolve));
    }
  } catch {
    // It was destroyed.
  }
}

/** Passes messages and handles on between the command and the process that started this one. */
function relayMessages(child: ChildProcess): void {
  process.on("message", (message, handle) => {
    if (child.connected) child.send(message as object, handle as undefined);
  });
  child.on("message", (message, handle) => {
    if (process.connected) process.send!(message, handle);
  });
  process.on("disconnect", () => {
    if (child.connected) child.disconnect();
  });
  child.on("disconnect", () => {
    if (process.connected) process.disconnect();
  });
}

/** The signals that a terminal sends to all processes of a job, this one and the command. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ["SIGINT", "SIGQUIT", "SIGHUP"];
const TO_THIS: readonly NodeJS.Signals[] = ["SIGTERM", "SIGUSR1", "SIGUSR2"];
const ON_WINDOWS: readonly NodeJS.Signals[] = ["SIGINT", "SIGBREAK", "SIGHUP"];

/** Lets a program save what a signal would lose. Never fails. */
type Announce = (signal: NodeJS.Signals) => Promise<void>;

/** Survives the signals that end a command, and passes on to it those that it did not get as well. */
export class SignalKeeper {
  readonly #group = new GroupWatch();
  readonly #hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  readonly #signals = process.platform === "win32" ? ON_WINDOWS : [...FROM_TERMINAL, ...TO_THIS];
  #pid: number | undefined;
  #announce: Announce | undefined;
  /** The signal that is being announced. */
  #announced: NodeJS.Signals | undefined;
  #ending: NodeJS.Signals | undefined;
  #wereSent = false;
  /** Signals are passed on in their order. */
  #turn = Promise.resolve();

  constructor() {
    this.#group.start();
    for (const signal of this.#signals) process.on(signal, this.#keep);
  }

  /** Whether any signal asked for an end. */
  get wereSent(): boolean {
    return this.#wereSent;
  }

  /** The signal that asked for an end while no command ran; undefined if there was none. */
  get ending(): NodeJS.Signals | undefined {
    return this.#ending;
  }

  /**
   * Passes signals on to this process from now on; to none if undefined. One that asks for an end is announced before. Another one that
   * comes meanwhile, from somebody who does not want to wait, is passed on at once, after it.
   */
  passTo(pid: number | undefined, announce?: Announce): void {
    this.#pid = pid;
    this.#announce = announce;
    this.#announced = undefined;
  }

  /** Gives the signals their usual effect again. */
  stop(): void {
    for (const signal of this.#signals) process.off(signal, this.#keep);
    this.#group.stop();
  }

  readonly #keep = (signal: NodeJS.Signals): void => {
    const isEnd = !signal.startsWith("SIGUSR");
    this.#wereSent ||= isEnd;
    if (this.#pid === undefined) {
      if (isEnd) this.#ending ??= signal;
    } else this.#turn = this.#turn.then(() => this.#passOn(signal, isEnd));
  };

  /** Passes a signal on unless the command got it as well. */
  async #passOn(signal: NodeJS.Signals, isEnd: boolean): Promise<void> {
    const byTerminal = this.#hasTerminal && FROM_TERMINAL.includes(signal);
    if ((await this.#group.hasReachedAll(signal)) ?? byTerminal) return;
    if (isEnd && this.#announce !== undefined && this.#announced === undefined) {
      this.#announced = signal;
      void this.#announce(signal).then(this.#passAnnounced);
    } else {
      this.#passAnnounced();
      this.#pass(signal);
    }
  }

  /** Passes the signal that is being announced on, if there is one. */
  readonly #passAnnounced = (): void => {
    const signal = this.#announced;
    this.#announced = undefined;
    if (signal !== undefined) this.#pass(signal);
  };

  /** Passes a signal on, unless the process has ended meanwhile. */
  #pass(signal: NodeJS.Signals): void {
    if (this.#pid !== undefined) signalAll([this.#pid], signal);
  }
}

/** How long a command may take to end after each signal, in milliseconds. */
const GRACE = 5000;

/** How often processes are looked at, in milliseconds. */
const PERIOD = 20;

/**
 * Ends a command and its processes as Ctrl-C does; those that do not end, harder. Each signal is announced before. `others` are more
 * processes of it, and are waited for as it is: the workers of a cluster can take longer than their parent.
 */
export async function stopCommand(
  command: RunningCommand,
  others: () => readonly number[],
  announce: Announce,
): Promise<void> {
  let hasEnded = false;
  void command.ended.then(() => {
    hasEnded = true;
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
    await announce(signal);
    signalAll(new Set([...(hasEnded ? [] : treeOf(command.pid)), ...others()]), signal);
    const end = Date.now() + GRACE;
    do {
      await new Promise((resolve) => setTimeout(resolve, PERIOD));
      if (hasEnded && others().length === 0) return;
    } while (Date.now() < end);
  }
}
