import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { constants, endianness } from "node:os";
import { TicksError, tried } from "../base/errors.js";
import { findProgram } from "../io/child-program.js";
import type { Endpoint } from "./inspector.js";
import { isRunning } from "./process-tree.js";

/** What the system says of a Node that runs. */
export interface NodeProcess {
  readonly pid: number;
  /** What it calls itself: in a container it has another number. */
  readonly ownPid: number;
  /** Its words and the flags in its NODE_OPTIONS. */
  readonly flags: readonly string[];
  /** Where it is; undefined if the system does not tell, or if that is another place there than here. */
  readonly cwd: string | undefined;
}

/** Where a Node opens its inspector, unless a flag says otherwise. */
const USUAL_PORT = 9229;
const LOOPBACK = "127.0.0.1";
const IS_LINUX = process.platform === "linux";

/**
 * Looks at a process. Throws a {@link TicksError} unless it is a Node of this user, on this machine and network, whose inspector can be
 * reached: sends nothing.
 */
export function nodeProcess(pid: number): NodeProcess {
  if (pid === process.pid) throw refusal(pid, "that is ticks itself");
  try {
    return IS_LINUX ? processInProc(pid) : processByPs(pid);
  } catch (error) {
    // What the system says of one that ends meanwhile is of nobody.
    throw isRunning(pid) ? error : goneError(pid);
  }
}

function refusal(pid: number, reason: string, hint?: string): TicksError {
  return new TicksError("BAD_OPTION", `--pid ${pid}: ${reason}`, hint);
}

function goneError(pid: number): TicksError {
  // One that has ended is there until its parent asks for it.
  const reason = existsSync(`/proc/${pid}`) ? "the process has ended" : "there is no such process";
  return new TicksError("NOT_FOUND", `--pid ${pid}: ${reason}`);
}

function processInProc(pid: number): NodeProcess {
  const status = statusOf(pid);
  if (status === undefined) throw goneError(pid);
  const lines = status.split("\n").map((line) => line.split(/:?\s+/));
  const field = (name: string) => lines.find(([title]) => title === name)?.slice(1) ?? [];
  const group = field("Tgid")[0];
  if (group !== String(pid)) throw refusal(pid, `that is a thread of the process ${group}`);
  refuseOwner(pid, Number(field("Uid")[0]));
  refuseOthers(pid);
  const words = textsOf(`/proc/${pid}/cmdline`);
  const variables = textsOf(`/proc/${pid}/environ`);
  const options = variables.find((text) => text.startsWith("NODE_OPTIONS="))?.slice(13) ?? "";
  if (!isSame(pid, "net")) {
    throw refusal(
      pid,
      "the process has a network of its own, as in a container: its inspector cannot be reached from here",
      "Run ticks in there.",
    );
  }
  return {
    pid,
    ownPid: Number(field("NSpid").at(-1) ?? pid),
    flags: [...words, ...options.split(/\s+/)],
    cwd: isSame(pid, "mnt") ? linkOf(`/proc/${pid}/cwd`) : undefined,
  };
}

/** Throws a {@link TicksError} unless a process with this owner may be asked by this user. */
function refuseOwner(pid: number, owner: number): void {
  const self = process.geteuid!();
  if (owner === self || self === 0) return;
  throw refusal(pid, `the process belongs to another user (${owner})`, "Run ticks as that user, or as root.");
}

/** Throws a {@link TicksError} for a program without Node in it. */
function refuseOthers(pid: number): void {
  const program = `/proc/${pid}/exe`;
  const name = linkOf(program);
  if (name === undefined) {
    const isRoot = process.geteuid!() === 0;
    const hint = isRoot ? "Containers keep this from root: allow CAP_SYS_PTRACE." : "Run ticks as root.";
    throw refusal(pid, "the system does not let this user look at the program", hint);
  }
  if (isNodeProgram(program)) return;
  // Distributions of Linux have Node as a library.
  const library = /\s(\/\S*\/libnode\.so[.\d]*)$/m.exec(textOf(`/proc/${pid}/maps`) ?? "")?.[1];
  if (library !== undefined && isNodeProgram(`/proc/${pid}/root${library}`)) return;
  throw notNode(pid, name);
}

function notNode(pid: number, name: string): TicksError {
  return refusal(
    pid,
    `${name} is no Node 8 or later: it does not have Node's inspector in it`,
    "If it has an inspector that listens: ticks record --port HOST:PORT",
  );
}

/**
 * What every Node from 8 on has in its program: what its inspector says if it cannot start, and a function for addons. Node 7 lacks the
 * second: there the signal opens another debugger.
 */
const MARKS = ["Starting inspector on %s:%d failed", "napi_create_function"].map((text) => Buffer.from(text));
const CHUNK = 4 * 2 ** 20;
const OVERLAP = 100;
/** A Node has 40 to 200 MB. */
const MOST_BYTES = 2 ** 30;

/** Returns whether a file is a program, or a library, with Node's inspector. */
function isNodeProgram(path: string): boolean {
  let missing = MARKS;
  try {
    const file = openSync(path, "r");
    try {
      const chunk = Buffer.alloc(CHUNK);
      for (let at = 0; at < MOST_BYTES && missing.length > 0; at += CHUNK - OVERLAP) {
        const bytes = readSync(file, chunk, 0, CHUNK, at);
        const found = chunk.subarray(0, bytes);
        missing = missing.filter((mark) => !found.includes(mark));
        if (bytes < CHUNK) break;
      }
    } finally {
      closeSync(file);
    }
  } catch {
    return false; // It cannot be read.
  }
  return missing.length === 0;
}

/** Throws a {@link TicksError} where the system has no `/proc`. */
function processByPs(pid: number): NodeProcess {
  const flags: string[] = [];
  if (process.platform !== "win32") {
    const ask = (what: string) =>
      spawnSync(findProgram("ps") ?? "ps", ["-p", String(pid), "-o", what], {
        encoding: "utf8",
        timeout: 5000,
      }).stdout?.trim() ?? "";
    const owner = ask("uid=");
    if (owner === "") throw goneError(pid);
    refuseOwner(pid, Number(owner));
    const name = ask("comm=");
    if (!isNodeProgram(name.startsWith("/") ? name : (findProgram(name) ?? name))) throw notNode(pid, name);
    for (const flag of ask("args=").split(/\s+/)) flags.push(flag);
    // The system does not say what a process does on a signal.
    if (isDeaf(flags)) throw deafError(pid, flags);
  }
  return { pid, ownPid: pid, flags, cwd: undefined };
}

/** Asks a Node to open its inspector. Throws a {@link TicksError} if it does not listen to that: the signal would end it. */
export function askForInspector({ pid, flags }: NodeProcess): void {
  if (process.platform === "win32") {
    try {
      (process as unknown as { _debugProcess(pid: number): void })._debugProcess(pid);
    } catch (error) {
      throw refusal(pid, `no Node that runs here: ${(error as Error).message}`);
    }
    return;
  }
  if (IS_LINUX) {
    const status = statusOf(pid);
    if (status === undefined) throw goneError(pid);
    const caught = BigInt(`0x${/^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
    if ((caught & (1n << BigInt(constants.signals.SIGUSR1 - 1))) === 0n) throw deafError(pid, flags);
  }
  process.kill(pid, "SIGUSR1");
}

function isDeaf(flags: readonly string[]): boolean {
  return flags.includes("--disable-sigusr1") || isRestricted(flags);
}

function isRestricted(flags: readonly string[]): boolean {
  return (
    flags.some((flag) => /^--(?:experimental-)?permission$/.test(flag)) &&
    !flags.includes("--allow-inspector")
  );
}

function deafError(pid: number, flags: readonly string[]): TicksError {
  const [reason, hint] = flags.includes("--disable-sigusr1")
    ? ["it was started with --disable-sigusr1", "Start it without, or with --inspect and use --port."]
    : isRestricted(flags)
      ? [
          "it was started with --permission, which forbids an inspector",
          "Node 24 and later: --allow-inspector",
        ]
      : ["it does not listen to SIGUSR1, which would end it", "Has it just started? Try again."];
  return refusal(pid, `the program cannot be asked to open its inspector: ${reason}`, hint);
}

/** Returns where the inspector of a Node listens, or will when it is asked for; port 0 for any. */
export function inspectorPlace({ flags }: NodeProcess): Endpoint {
  let place: Endpoint = { host: LOOPBACK, port: USUAL_PORT };
  for (const [at, flag] of flags.entries()) {
    const [, given] = /^--(?:inspect(?:-brk|-port|-wait)?|debug-port)(?:=(.*))?$/.exec(flag) ?? [undefined];
    const value = given ?? (/-port$/.test(flag) && flag.startsWith("--") ? flags[at + 1] : undefined);
    const [, host, port] = /^(?:(.*):)?(\d{1,5})$/.exec(value ?? "") ?? [];
    if (port === undefined) continue;
    const name = host?.replace(/^\[|\]$/g, "");
    place = {
      host: name === undefined || /^(?:localhost|0\.0\.0\.0)$/.test(name) ? LOOPBACK : name,
      port: Number(port),
    };
  }
  return place;
}

export interface ListeningSocket {
  readonly inode: string;
  readonly endpoint: Endpoint;
}

/** Returns the sockets that a process listens on; undefined where the system does not tell. */
export function listeningSockets(pid: number): ListeningSocket[] | undefined {
  if (!IS_LINUX) return undefined;
  const own = new Set(socketsOf(pid));
  return socketsInTable(pid).filter(({ inode }) => own.has(inode));
}

/** Returns whether any process listens on a port of this machine, as far as the system tells. */
export function isPortTaken({ port }: Endpoint): boolean {
  return IS_LINUX && socketsInTable("self").some(({ endpoint }) => endpoint.port === port);
}

function socketsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const names = tried(() => readdirSync(folder)) ?? []; // It may have ended.
  return names.flatMap((name) => /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${name}`) ?? "")?.[1] ?? []);
}

/** The state of a socket that listens, in `/proc/net/tcp`. Source: Linux, include/net/tcp_states.h, `TCP_LISTEN`. */
const LISTENS = "0A";

function socketsInTable(pid: number | "self"): ListeningSocket[] {
  return ["tcp", "tcp6"].flatMap((name) =>
    (textOf(`/proc/${pid}/net/${name}`) ?? "").split("\n").flatMap((line) => {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      const [address = "", port = ""] = local?.split(":") ?? [];
      if (state !== LISTENS || inode === undefined) return [];
      return [{ inode, endpoint: { host: reachable(address), port: Number.parseInt(port, 16) } }];
    }),
  );
}

/** Returns how to reach an address that the kernel writes as words in the order of the machine, in hexadecimal. */
function reachable(hex: string): string {
  const bytes = Buffer.from(hex, "hex");
  if (endianness() === "LE") bytes.swap32();
  if (bytes.length === 4) return bytes.every((byte) => byte === 0) ? LOOPBACK : bytes.join(".");
  if (bytes.every((byte) => byte === 0)) return "::1";
  const mapped = bytes.subarray(0, 12).toString("hex") === `${"0".repeat(20)}ffff`;
  return mapped ? bytes.subarray(12).join(".") : bytes.toString("hex").replace(/.{4}(?=.)/g, "$&:");
}

/** Returns whether a process shares a namespace with this one. */
function isSame(pid: number, namespace: "net" | "mnt"): boolean {
  return linkOf(`/proc/${pid}/ns/${namespace}`) === linkOf(`/proc/self/ns/${namespace}`);
}

function statusOf(pid: number): string | undefined {
  return existsSync(`/proc/${pid}`) ? textOf(`/proc/${pid}/status`) : undefined;
}

function textsOf(path: string): string[] {
  return textOf(path)?.split("\0") ?? [];
}

function textOf(path: string): string | undefined {
  return tried(() => readFileSync(path, "utf8")); // The process may have ended, or be of another user.
}

function linkOf(path: string): string | undefined {
  return tried(() => readlinkSync(path));
}
