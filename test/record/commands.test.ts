import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { stopCommand } from "../../src/record/command.ts";
import {
  askForInspector,
  inspectorPlace,
  isPortTaken,
  listeningSockets,
  nodeProcess,
} from "../../src/record/node-process.ts";
import { isRunning } from "../../src/record/process-tree.ts";
import {
  isRecording,
  markOf,
  readRecordFile,
  runFoldersIn,
  sourceRootOf,
} from "../../src/record/recording-file.ts";
import { maskSecrets } from "../../src/record/session.ts";
import { testFolder } from "../helpers/folder.ts";

it.each<[string[], string[]]>([
  [["--token=abc"], ["--token=***"]],
  [
    ["--password", "abc", "file.js"],
    ["--password", "***", "file.js"],
  ],
  [
    ["--password", "--verbose"],
    ["--password", "--verbose"],
  ],
  [
    ["--auth-token", "-abc1"],
    ["--auth-token", "***"],
  ],
  [
    ["API_KEY=a b c", "node"],
    ["API_KEY=***", "node"],
  ],
  [
    ["AWS_SECRET_ACCESS_KEY=x", "PGPASSWORD=x", "SECRET_KEY_BASE=x"],
    ["AWS_SECRET_ACCESS_KEY=***", "PGPASSWORD=***", "SECRET_KEY_BASE=***"],
  ],
  [["--clientSecret=x", "-Dpassword=x"], ["--clientSecret=***", "-Dpassword=***"].map((word) => word)],
  [["postgres://me:p@ss@host:5432/db?x=1"], ["postgres://me:***@host:5432/db?x=1"]],
  [
    ["https://abc@github.com/x.git", "ssh://git@host/x"],
    ["https://***@github.com/x.git", "ssh://git@host/x"],
  ],
  [["mongodb://me:pass…"], ["mongodb://me:***…"]],
  [["http://localhost:3000/?token=abc&page=2"], ["http://localhost:3000/?token=***&page=2"]],
  [
    ["-H", "Authorization: Bearer abc"],
    ["-H", "Authorization: ***"],
  ],
  [
    ["curl", "-u", "me:abc", "-ume:abc"],
    ["curl", "-u", "me:***", "-ume:***"],
  ],
  [
    ["sh", "-c", "node x.js --token abc --port 3"],
    ["sh", "-c", "node x.js --token *** --port 3"],
  ],
  [
    ["sh", "-c", "exec env NPM_TOKEN=abc npm ci"],
    ["sh", "-c", "exec env NPM_TOKEN=*** npm ci"],
  ],
  [['{"user":"me","password":"abc"}'], ['{"user":"me","password":"***"}']],
  [["ghp_0123456789abcdefghijABCDEFGHIJ012345"], ["***"]],
])("%j is shown as %j", (words, masked) => {
  expect(maskSecrets(words)).toEqual(masked);
});

it("leaves all other words as they are", () => {
  const words = [
    ...[
      "node",
      "--max-tokens=100",
      "--password-file",
      "p.txt",
      "--key-size=2048",
      "--keyboard=us",
      "PWD=/srv",
    ],
    ...[
      "--author",
      "me",
      "http://localhost:3000/a",
      "C:\\app\\x.js",
      "a=b",
      "-p",
      "1 + 1",
      "--tokenize",
      "file",
    ],
    ...["-e", "const monkey = 1;", "--inspect=127.0.0.1:9229"],
  ];
  expect(maskSecrets(words)).toEqual(words);
});

it("takes linear time", () => {
  const start = process.cpuUsage().user;
  for (const text of [
    "a".repeat(2e5),
    "a:".repeat(1e5),
    "--a ".repeat(5e4),
    "x://".repeat(5e4),
    "x-".repeat(1e5),
  ])
    maskSecrets([text]);
  expect(process.cpuUsage().user - start).toBeLessThan(3e6);
});

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

it("waits for processes that end later than their command", async () => {
  const late = `console.log("ready"); setInterval(() => {}, 1000); process.on("SIGINT", () => setTimeout(() => process.exit(), 200));`;
  const pid = await started([process.execPath, "-e", late]);
  const others = () => (isRunning(pid) ? [pid] : []);
  const ended = Promise.resolve({ status: 0, signal: undefined });
  const announced: string[] = [];
  const announce = async (signal: string) => void announced.push(signal);
  await stopCommand({ pid, ended } as Parameters<typeof stopCommand>[0], others, announce);
  expect([others(), announced]).toEqual([[], ["SIGINT"]]);
});

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

const folder = testFolder();

function recording(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "record.json"), text);
  return path;
}

describe("record.json", () => {
  it("is read with values of the right type, and without the others", () => {
    const text = JSON.stringify({
      recorded: {
        command: ["node", 7, "app.js"],
        cwd: "/srv",
        start: 1000,
        interval: "fast",
        flags: null,
        machine: { name: "one", cpus: "many" },
        commit: 5,
        labels: { env: "prod", deploy: 3 },
        outcome: { status: null, signal: "SIGTERM", seconds: 2 },
        processes: [{ pid: 4, command: ["node"], node: "v20.1.0" }, { command: [] }, "process"],
      },
    });
    expect(readRecordFile(recording("good", text))).toMatchObject({
      command: ["node", "app.js"],
      cwd: "/srv",
      start: 1000,
      interval: 0,
      flags: [],
      machine: { name: "one", cpus: 0 },
      commit: undefined,
      labels: { env: "prod" },
      outcome: { status: undefined, signal: "SIGTERM", stoppedBy: undefined, seconds: 2 },
      processes: [{ pid: 4, ppid: 0, command: ["node"], node: "v20.1.0", problem: undefined }],
    });
  });

  it("of something else counts as none", () => {
    for (const [name, text] of Object.entries({
      cut: '{"recorded":{"comm',
      list: "[]",
      other: '{"name":"x"}',
    })) {
      expect(readRecordFile(recording(name, text))).toBeUndefined();
    }
    expect(readRecordFile(join(folder, "missing"))).toBeUndefined();
    mkdirSync(join(folder, "odd", "record.json"), { recursive: true });
    expect(readRecordFile(join(folder, "odd"))).toBeUndefined();
    expect(isRecording(join(folder, "odd"))).toBe(false);
  });
});

describe.skipIf(process.platform === "win32")("the folder with the sources of a recording", () => {
  /** A folder of a recording that says what the recorder would say, and what tells it from others. */
  const made = (name: string, path = folder) => {
    const at = recording(name, "");
    const file = join(at, "record.json");
    writeFileSync(file, JSON.stringify({ recorded: { command: [], root: { path, mark: markOf(at) } } }));
    chmodSync(file, 0o600);
    return { at, file };
  };

  it("is the one that the recorder noted, also after the recording was moved", () => {
    const { at } = made("own");
    expect(sourceRootOf(at)).toBe(folder);
    renameSync(at, join(folder, "moved"));
    expect(sourceRootOf(join(folder, "moved"))).toBe(folder);
  });

  it("is none if others can write there or read the file, if it is another folder, or a path that leads elsewhere", () => {
    const [shared, readable, linked] = [made("shared"), made("readable"), made("linked")];
    chmodSync(shared.at, 0o775);
    chmodSync(readable.file, 0o644);
    renameSync(linked.file, join(folder, "noted.json"));
    symlinkSync(join(folder, "noted.json"), linked.file);
    const copied = recording("copy", "");
    renameSync(made("original").file, join(copied, "record.json"));
    const elsewhere = made("relative", ".").at;
    const missing = made("to-nothing", join(folder, "nothing")).at;
    const toFile = made("to-file", join(elsewhere, "record.json")).at;
    for (const at of [shared.at, readable.at, linked.at, copied, elsewhere, missing, toFile])
      expect(sourceRootOf(at), at).toBeUndefined();
  });
});

describe("the folders of runs", () => {
  it("are those of this name with a record.json of their own, in the order of their numbers", () => {
    const series = recording("series", "{}");
    for (const run of ["run-10", "run-2", "run-1"]) recording(`series/${run}`, "{}");
    recording("series/other", "{}");
    mkdirSync(join(series, "run-3"));
    symlinkSync(recording("elsewhere", "{}"), join(series, "run-4"));
    expect(runFoldersIn(series)).toEqual(["run-1", "run-2", "run-10"].map((run) => join(series, run)));
  });

  it("are none in a folder that is no recording", () => {
    recording("plain/run-1", "{}");
    expect(runFoldersIn(join(folder, "plain"))).toEqual([]);
  });
});

it.skipIf(process.platform === "win32")("a link to itself is no file of a recording", () => {
  const folder = testFolder();
  symlinkSync("record.json", join(folder, "record.json"));
  expect(isRecording(folder)).toBe(false);
});
