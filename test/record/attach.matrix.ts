import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { listeningSockets } from "../../src/record/node-process.ts";
import { TICKS } from "../helpers/cli.ts";
import { testFolder } from "../helpers/folder.ts";

/** A folder with `vX.Y.Z/bin/node` for each version. See test/record/README.md. */
const NODES = process.env.TICKS_NODES ?? join(homedir(), ".cache/ticks-nodes");
/** How often each version is attached to. */
const ROUNDS = Number(process.env.TICKS_ROUNDS ?? 5);
/** Connections that ask all the time. */
const CLIENTS = 8;
const OLDEST = 10;
/** Times of a server under load, in milliseconds: until its code is optimized, and to be compared. */
const WARM = 3000;
const WINDOW = 3000;
const TURNS = 5;

/** A server as of a web framework: handlers in a row, a router, JSON; and a worker. */
const SERVER = `
const { createServer } = require("http");
const handlers = [];
const use = (handler) => handlers.push(handler);
use((request, response, next) => { request.start = process.hrtime(); next(); });
use((request, response, next) => { request.query = new URL(request.url, "http://localhost").searchParams; next(); });
use((request, response, next) => {
  if (!/^\\/users\\/\\d+$/.test(request.url.split("?")[0])) return next();
  const users = [];
  for (let id = 0; id < 300; id++) users.push({ id, name: "user " + ((id * 7919) % 300), tags: ["a", "b", String(id)] });
  users.sort((a, b) => (a.name < b.name ? -1 : 1));
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(JSON.parse(JSON.stringify(users)).slice(0, 50)));
});
use((request, response) => { response.statusCode = 404; response.end(); });
const server = createServer((request, response) => {
  let at = 0;
  const next = () => handlers[at++](request, response, next);
  next();
});
try {
  const { Worker } = require("worker_threads");
  new Worker("setInterval(() => { for (let i = 0; i < 1e5; i++) Math.sqrt(i); }, 20)", { eval: true });
} catch (error) {}
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.on("SIGTERM", () => process.exit());
`;

const folder = testFolder();
const script = join(folder, "server.js");
writeFileSync(script, SERVER);
const servers: ChildProcess[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.kill("SIGKILL");
});

async function startServer(name: string, flags: readonly string[]): Promise<[ChildProcess, number]> {
  const server = spawn(join(NODES, name, "bin/node"), [...flags, script], { cwd: folder });
  servers.push(server);
  server.stderr.resume();
  const port = await new Promise<number>((done, fail) => {
    server.stdout.once("data", (text) => done(Number(text)));
    server.once("exit", (status) => fail(new Error(`the server ended with ${status}`)));
  });
  return [server, port];
}

/** Asks a server until it is stopped. Returns the times of all answers in milliseconds, and the number of failures. */
function load(port: number): () => Promise<{ readonly times: number[]; readonly failures: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const times: number[] = [];
  let failures = 0;
  let isOver = false;
  const client = async () => {
    while (!isOver) {
      const start = performance.now();
      const isGood = await new Promise<boolean>((done) => {
        get({ host: "127.0.0.1", port, path: "/users/12?x=1", agent }, (response) => {
          response.resume();
          response.on("end", () => done(response.statusCode === 200));
        }).on("error", () => done(false));
      });
      if (isGood) times.push(performance.now() - start);
      else failures++;
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  return async () => {
    isOver = true;
    await Promise.all(clients);
    agent.destroy();
    return { times, failures };
  };
}

function ticks(args: readonly string[]): Promise<{ readonly status: number; readonly stderr: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [TICKS, ...args], { cwd: folder }, (error, _, stderr) => {
      done({ status: error === null ? 0 : Number(error.code), stderr });
    });
  });
}

function ended(server: ChildProcess): Promise<unknown> {
  const end = new Promise((done) => server.once("exit", (status, signal) => done([status, signal])));
  server.kill();
  return end;
}

/** The times of the answers of a server while something goes on. */
async function timesOf(port: number, action: () => Promise<unknown>): Promise<readonly number[]> {
  const stop = load(port);
  await action();
  return (await stop()).times;
}

/** Returns the time that a share of all answers did not exceed. */
function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const pause = (time: number) => new Promise((done) => setTimeout(done, time));

const versions = readdirSync(NODES)
  .filter((name) => Number(/^v(\d+)/.exec(name)?.[1] ?? 0) >= OLDEST)
  .sort((a, b) => Number(a.slice(1).split(".")[0]) - Number(b.slice(1).split(".")[0]));

describe.each(versions)("Node %s", (name) => {
  it(`is attached to ${ROUNDS} times under load: it goes on, and no port stays open`, {
    timeout: 3_600_000,
  }, async () => {
    const [server, port] = await startServer(name, []);
    const pid = server.pid!;
    const before = listeningSockets(pid)!.map(({ inode }) => inode);
    const stop = load(port);
    await pause(WARM);
    for (let round = 0; round < ROUNDS; round++) {
      const to = join(folder, `${name}-${round}`);
      const { status, stderr } = await ticks([
        "record",
        "--pid",
        String(pid),
        "--duration",
        "700ms",
        "-o",
        to,
      ]);
      expect([stderr, status]).toEqual([expect.stringContaining("CPU profile"), 0]);
      expect(listeningSockets(pid)!.map(({ inode }) => inode)).toEqual(before);
      const files = readdirSync(to).filter((file) => file.endsWith(".cpuprofile"));
      expect(files).toHaveLength(name.startsWith("v10.") ? 1 : 2);
      for (const file of files) {
        const { nodes, samples, timeDeltas, startTime, endTime } = JSON.parse(
          readFileSync(join(to, file), "utf8"),
        );
        const ids = new Set(nodes.map(({ id }: { readonly id: number }) => id));
        expect(samples.every((id: number) => ids.has(id))).toBe(true);
        expect([samples.length === timeDeltas.length, endTime > startTime]).toEqual([true, true]);
      }
      const main = readFileSync(join(to, files[0]!), "utf8");
      expect(main).toContain("server.js");
      rmSync(to, { recursive: true });
    }
    const { failures } = await stop();
    expect(failures).toBe(0);
    expect([server.exitCode, server.signalCode]).toEqual([null, null]);
    const [profiled, other] = await startServer(name, name.startsWith("v10.") ? [] : ["--cpu-prof"]);
    await timesOf(other, () => pause(WARM));
    const attach = () => ticks(["record", "--pid", String(pid), "--duration", `${WINDOW}ms`, "--discard"]);
    const all: readonly [number[], number[], number[]] = [[], [], []];
    // In turns: a machine is not equally fast at all times.
    for (let turn = 0; turn < TURNS; turn++) {
      all[0].push(...(await timesOf(port, () => pause(WINDOW))));
      all[1].push(...(await timesOf(port, attach)));
      all[2].push(...(await timesOf(other, () => pause(WINDOW))));
    }
    expect(await ended(server)).toEqual([0, null]);
    await ended(profiled);
    const shown = all.map((times) =>
      [percentile(times, 0.5), percentile(times, 0.99), percentile(times, 1)]
        .map((time) => time.toFixed(1))
        .join(" / "),
    );
    console.log(
      `${name}: median / p99 / longest in ms: alone ${shown[0]}, attached ${shown[1]}, --cpu-prof ${shown[2]}`,
    );
  });
});
