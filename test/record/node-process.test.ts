import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import {
  askForInspector,
  inspectorPlace,
  isPortTaken,
  listeningSockets,
  nodeProcess,
} from "../../src/record/node-process.ts";
import { isRunning } from "../../src/record/process-tree.ts";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function started(words: readonly string[]): Promise<number> {
  const child = spawn(words[0]!, words.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
  children.push(child);
  await new Promise((done) => child.stdout!.once("data", done));
  return child.pid!;
}

/** A process that has said that it runs, and then waits. */
const NODE = [process.execPath, "-e", `console.log("ready"); setInterval(() => {}, 1000)`];
const OTHER = ["sh", "-c", "echo ready; cat"];
const IS_LINUX = process.platform === "linux";

it("refuses this process, and one that is not there", () => {
  expect(() => nodeProcess(process.pid)).toThrow(`--pid ${process.pid}: that is ticks itself`);
  expect(() => nodeProcess(99_999_999)).toThrow("there is no such process");
});

describe.runIf(IS_LINUX)("in /proc", () => {
  it("finds a Node, and what it says of itself", async () => {
    const pid = await started(NODE);
    expect(nodeProcess(pid)).toMatchObject({ pid, ownPid: pid, cwd: process.cwd() });
  });

  it("refuses what is no Node, and sends it nothing", async () => {
    const pid = await started(OTHER);
    expect(() => nodeProcess(pid)).toThrow(
      / is no Node 8 or later: it does not have Node's inspector in it$/,
    );
    expect(isRunning(pid)).toBe(true);
  });

  it("sends no signal to a process that it would end", async () => {
    const pid = await started(OTHER);
    const ask = (flags: readonly string[]) => () =>
      askForInspector({ pid, ownPid: pid, flags, cwd: undefined });
    expect(ask([])).toThrow("it does not listen to SIGUSR1, which would end it");
    expect(ask(["node", "--disable-sigusr1"])).toThrow("it was started with --disable-sigusr1");
    expect(ask(["node", "--permission"])).toThrow("it was started with --permission");
    expect(isRunning(pid)).toBe(true);
  });

  it("knows where a process listens", async () => {
    const server = createServer();
    for (const host of ["127.0.0.1", "::1", "0.0.0.0"]) {
      const port = await new Promise<number | undefined>((done) => {
        server.once("error", () => done(undefined)); // There is no IPv6.
        server.listen(0, host, () => done((server.address() as AddressInfo).port));
      });
      if (port === undefined) continue;
      const reached = { host: host.replace("0.0.0.0", "127.0.0.1"), port };
      const found = listeningSockets(process.pid)!.map(({ endpoint }) => endpoint);
      expect(
        found.map((one) => ({ ...one, host: one.host.replace(/^(?:0000:)+0001$/, "::1") })),
      ).toContainEqual(reached);
      expect(isPortTaken({ host, port })).toBe(true);
      await new Promise((done) => server.close(done));
    }
  });
});

it.each([
  ["node app.js", "127.0.0.1:9229"],
  ["node --inspect app.js", "127.0.0.1:9229"],
  ["node --inspect=9300 app.js", "127.0.0.1:9300"],
  ["node --inspect-brk=0.0.0.0:9301 app.js", "127.0.0.1:9301"],
  ["node --inspect-port 9302 app.js", "127.0.0.1:9302"],
  ["node --inspect-port=0 app.js", "127.0.0.1:0"],
  ["node --inspect=[::1]:9303 app.js", "::1:9303"],
  ["node --inspect=10.0.0.1:9304 app.js --inspect", "10.0.0.1:9304"],
])("knows where %j has its inspector", (line, place) => {
  const { host, port } = inspectorPlace({ pid: 1, ownPid: 1, flags: line.split(" "), cwd: undefined });
  expect(`${host}:${port}`).toBe(place);
});
