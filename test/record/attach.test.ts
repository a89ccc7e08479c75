import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Writable } from "node:stream";
import { afterEach, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { attachToEndpoint, attachToProcess } from "../../src/record/attach.ts";
import { Inspector, inspectorTargets } from "../../src/record/inspector.ts";
import { listeningSockets, nodeProcess } from "../../src/record/node-process.ts";
import { type ProfilePatience, profileThreads } from "../../src/record/profile-threads.ts";

type Message = Readonly<Record<string, unknown>>;

/** What a fake inspector answers to a method; undefined for an error. */
type Answers = Readonly<Record<string, (params: Message, socket: WebSocket) => Message | undefined>>;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts a fake inspector on a loopback port. `list` is its answer to /json/list, as text if it is none of JSON. */
async function fake(list: (port: number) => unknown, answers: Answers = {}) {
  const asked: string[] = [];
  const http = createServer((request, response) => {
    asked.push(request.url!);
    const answer = list((http.address() as AddressInfo).port);
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  servers.push(http);
  new WebSocketServer({ server: http }).on("connection", (socket, request) => {
    asked.push(request.url!);
    socket.on("message", (bytes) => {
      const { id, method, params } = JSON.parse(String(bytes));
      asked.push(method);
      const result = answers[method]?.(params, socket);
      if (result === SILENCE) return;
      if (result === SLOWLY) return sendSlowly(socket, { id, result: { profile: PROFILE } });
      const error = { message: `'${method}' wasn't found` };
      const said = result === undefined ? { error } : result === ECHO ? { method, params } : { result };
      socket.send(JSON.stringify({ id, ...said }));
    });
  });
  await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
  return { endpoint: { host: "127.0.0.1", port: (http.address() as AddressInfo).port }, asked };
}

/** A target as Node lists it. */
function target(id: string, type = "node", url = `ws://127.0.0.1:1/${id}`): Message {
  return { id, type, title: `${id}.js`, webSocketDebuggerUrl: url };
}

const PROFILE = { nodes: [{ id: 1 }], samples: [1], timeDeltas: [5] };
const NOTHING = () => ({});
/** Stands for an answer that repeats the question, as workerd has it. */
const ECHO: Message = {};
/** Stands for no answer at all, and for one that comes in parts. */
const [SILENCE, SLOWLY]: readonly [Message, Message] = [{}, {}];

/** Sends a message in parts, for longer than {@link IMPATIENT} allows without any. */
function sendSlowly(socket: WebSocket, message: Message): void {
  const text = JSON.stringify(message);
  const timer = setInterval(() => socket.send(" ".repeat(1500), { fin: false }), 20);
  setTimeout(() => {
    clearInterval(timer);
    socket.send(text);
  }, 2 * IMPATIENT.silent);
}

/** In milliseconds. */
const IMPATIENT = { whole: 30_000, silent: 1500, talking: 300 };

/** Answers of a program with workers `1` and `2`, of which the second ends at once. `onStart` is called when all are there. */
function program(onStart: () => void, more: Answers = {}): Answers {
  const event = (socket: WebSocket, method: string, params: Message) =>
    socket.send(JSON.stringify({ method, params }));
  const facts = {
    pid: 7,
    ppid: 1,
    command: ["node", "x".repeat(300)],
    cwd: "/",
    node: "v20.1.0",
    v8: "11",
    start: 5,
  };
  return {
    "Runtime.evaluate": () => ({ result: { value: JSON.stringify(facts) } }),
    "Profiler.enable": NOTHING,
    "Profiler.setSamplingInterval": NOTHING,
    "Profiler.start": NOTHING,
    "Profiler.stop": () => ({ profile: PROFILE }),
    "NodeWorker.enable": (_, socket) => {
      event(socket, "NodeWorker.attachedToWorker", { sessionId: {}, workerInfo: null });
      event(socket, "NodeWorker.detachedFromWorker", { sessionId: {} });
      event(socket, "NodeWorker.receivedMessageFromWorker", { sessionId: { toString: 1 }, message: "null" });
      // Node's own number of a worker is in its title.
      for (const [workerId, title] of [
        ["1", "[worker 3] parser"],
        ["2", "Worker 1"],
      ]) {
        const workerInfo = { workerId, title };
        event(socket, "NodeWorker.attachedToWorker", { sessionId: `s${workerId}`, workerInfo });
      }
      event(socket, "NodeWorker.detachedFromWorker", { sessionId: "s2" });
      onStart();
      return {};
    },
    "NodeWorker.sendMessageToWorker": ({ sessionId, message }, socket) => {
      const { id, method } = JSON.parse(String(message));
      const result = method === "Profiler.stop" ? { profile: { ...PROFILE, worker: sessionId } } : {};
      event(socket, "NodeWorker.receivedMessageFromWorker", {
        sessionId,
        message: JSON.stringify({ id, result }),
      });
      return {};
    },
    ...more,
  };
}

/** Profiles the program of a fake inspector until it says so. */
async function profiled(answers: (stop: () => void) => Answers, patience?: ProfilePatience) {
  const stop = new AbortController();
  const { endpoint, asked } = await fake(
    () => [target("a")],
    answers(() => stop.abort()),
  );
  const attached = await attachToEndpoint({ endpoint, id: undefined });
  const wish = {
    profiling: { of: "time", interval: 1e5 } as const,
    ...{ duration: 1e6, stop: stop.signal, giveUp: new AbortController().signal },
  };
  const result = await profileThreads(attached, wish, patience);
  await attached.letGo();
  return { result, asked, facts: attached.facts };
}

it("profiles the main thread and the workers that are still there", async () => {
  const { result, facts } = await profiled((stop) => program(stop));
  expect(result).toMatchObject({
    profiles: [
      { thread: 0, profile: PROFILE },
      { thread: 3, profile: { ...PROFILE, worker: "s1" } },
    ],
    workers: [{ thread: 3, name: "parser" }],
    lost: 2,
    endedBy: "stop",
  });
  expect(facts).toMatchObject({ pid: 7, node: "v20.1.0", command: ["node", `${"x".repeat(200)}…`] });
});

it("profiles a program without workers, as old ones and pages are", async () => {
  const { result } = await profiled((stop) =>
    program(() => {}, {
      "NodeWorker.enable": () => {
        stop();
        return undefined;
      },
    }),
  );
  expect(result).toMatchObject({ profiles: [{ thread: 0 }], lost: 0 });
});

it("fetches the samples when the program is at its end", async () => {
  const { result } = await profiled(() =>
    program(() => {}, {
      "NodeWorker.enable": (_, socket) => {
        socket.send(JSON.stringify({ method: "NodeRuntime.waitingForDisconnect" }));
        return {};
      },
    }),
  );
  expect(result).toMatchObject({ profiles: [{ thread: 0, profile: PROFILE }], endedBy: "program" });
});

it("has no samples of a program that is killed", async () => {
  const { result } = await profiled(() =>
    program(() => {}, {
      "NodeWorker.enable": (_, socket) => {
        socket.terminate();
        return {};
      },
    }),
  );
  expect(result).toMatchObject({ profiles: [], lost: 1, endedBy: "connection" });
});

it("waits no longer for one that sends other things, or nothing, than for one that sends its samples", async () => {
  const alone = (stop: () => void, more: Answers) =>
    program(() => {}, {
      "NodeWorker.enable": () => {
        stop();
        return {};
      },
      ...more,
    });
  let timer: NodeJS.Timeout | undefined;
  const flood = await profiled(
    (stop) =>
      alone(stop, {
        "Profiler.stop": (_, socket) => {
          timer = setInterval(() => socket.send('{"method":"A.b","params":{}}'), 5);
          return SILENCE;
        },
      }),
    { ...IMPATIENT, silent: IMPATIENT.whole },
  );
  clearInterval(timer);
  expect(flood.result).toMatchObject({ profiles: [], lost: 1 });
  expect(flood.result.givenUp).toMatch(
    /^it sent \d+ other messages, but no answer to Profiler.stop in 0.3 s$/,
  );
  const silent = await profiled((stop) => alone(stop, { "Profiler.stop": () => SILENCE }), IMPATIENT);
  expect(silent.result.givenUp).toBe("no answer to Profiler.stop in 2 s");
  const dripping = await profiled(
    (stop) =>
      alone(stop, {
        "Profiler.stop": (_, socket) => {
          timer = setInterval(() => socket.send(" ", { fin: false }), 20);
          return SILENCE;
        },
      }),
    { ...IMPATIENT, silent: 300 },
  );
  clearInterval(timer);
  expect(dripping.result.givenUp).toMatch(/^no answer to Profiler.stop/);
  const pinging = await profiled(
    (stop) =>
      alone(stop, {
        "Profiler.stop": (_, socket) => {
          timer = setInterval(() => socket.ping(), 5);
          return SILENCE;
        },
      }),
    { ...IMPATIENT, silent: IMPATIENT.whole },
  );
  clearInterval(timer);
  expect(pinging.result.givenUp).toMatch(/^it sent \d+ other messages/);
  const slow = await profiled((stop) => alone(stop, { "Profiler.stop": () => SLOWLY }), IMPATIENT);
  expect(slow.result).toMatchObject({ profiles: [{ profile: PROFILE }], lost: 0, givenUp: undefined });
});

it("ends at once for a user who stops it before the program answers", async () => {
  const STOPPED = { code: "NO_TICKS", message: "no samples: stopped before the program answered" };
  // Neither the list, nor the connection, nor an answer.
  const deaf = createServer((request, response) => {
    if (request.url === "/json/list") response.end(JSON.stringify([target("a")]));
  });
  deaf.on("upgrade", () => {});
  const mute = createServer(() => {});
  for (const server of [deaf, mute]) {
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  }
  const silent = await fake(() => [target("a")], { "Runtime.evaluate": () => SILENCE });
  for (const { port } of [deaf.address(), mute.address(), silent.endpoint] as AddressInfo[]) {
    const stop = AbortSignal.timeout(100);
    const attached = attachToEndpoint({ endpoint: { host: "127.0.0.1", port }, id: undefined }, stop);
    await expect(attached).rejects.toMatchObject(STOPPED);
  }
  for (const method of ["Profiler.enable", "Profiler.setSamplingInterval", "Profiler.start"]) {
    const stopped = profiled((stop) => {
      const stopAt = () => {
        stop();
        return SILENCE;
      };
      return program(() => {}, { [method]: stopAt });
    });
    await expect(stopped).rejects.toMatchObject(STOPPED);
  }
  // What it has by then is kept.
  const { result } = await profiled((stop) =>
    program(() => {}, {
      "NodeWorker.enable": () => {
        stop();
        return SILENCE;
      },
    }),
  );
  expect(result.profiles).toEqual([{ thread: 0, profile: PROFILE }]);
});

it("takes nothing for samples that is no profile", async () => {
  for (const profile of [{}, [1], "x", null, { nodes: {} }]) {
    const { result } = await profiled((stop) => program(stop, { "Profiler.stop": () => ({ profile }) }));
    expect(result.profiles.filter(({ thread }) => thread === 0)).toEqual([]);
  }
});

it("does not wait for an inspector that answers without end", async () => {
  const http = createServer();
  servers.push(http);
  http.on("upgrade", (_, socket) => {
    socket.on("error", () => {});
    socket.write("HTTP/1.1 101 Switching Protocols\r\nX: ");
    const timer = setInterval(() => socket.write("a"), 20);
    socket.on("close", () => clearInterval(timer));
  });
  await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
  const endpoint = { host: "127.0.0.1", port: (http.address() as AddressInfo).port };
  await expect(Inspector.connect(endpoint, "/a", 300)).rejects.toThrow("no answer in 0.3 s");
});

it.runIf(process.platform === "linux")(
  "closes an inspector that it opened when the last of several recordings ends",
  async () => {
    const node = spawn(process.execPath, [
      "--inspect-port=0",
      "-e",
      "setInterval(() => {}, 5); console.log(1)",
    ]);
    try {
      await new Promise((done) => node.stdout.once("data", done));
      const one = nodeProcess(node.pid!);
      const first = await attachToProcess(one, () => {});
      const second = await attachToEndpoint({ endpoint: first.endpoint, id: undefined });
      const { signal } = new AbortController();
      const wish = {
        profiling: { of: "time", interval: 1000 } as const,
        ...{ duration: 300, stop: signal, giveUp: signal },
      };
      const profiles = profileThreads(second, wish);
      expect(await first.letGo()).toBe(true);
      expect(listeningSockets(node.pid!)).toHaveLength(1);
      expect(await profiles).toMatchObject({ endedBy: "duration" });
      await second.letGo();
      await expect.poll(() => listeningSockets(node.pid!)).toHaveLength(0);
    } finally {
      node.kill("SIGKILL");
    }
  },
  20_000,
);

it("closes no inspector that it did not open", async () => {
  const { asked } = await profiled((stop) => program(stop));
  expect(asked.filter((method) => method.startsWith("Runtime."))).toEqual(["Runtime.evaluate"]);
});

it("profiles a program that can tell nothing of itself, as workerd, which has no context", async () => {
  const echo = () => ECHO;
  const { result, facts } = await profiled((stop) =>
    program(stop, {
      "Runtime.evaluate": () => undefined,
      "Profiler.enable": echo,
      "Profiler.setSamplingInterval": echo,
      "Profiler.start": echo,
    }),
  );
  expect(result.profiles).toHaveLength(2);
  expect(facts).toMatchObject({ pid: 0, command: [], node: "" });
});

it("says that a program refuses, not that it is blocked, if it answers with an error", async () => {
  const refused = profiled(() => program(() => {}, { "Profiler.enable": () => undefined }));
  await expect(refused).rejects.toMatchObject({
    message: "the program refuses to be profiled ('Profiler.enable' wasn't found)",
    hint: undefined,
  });
});

it("says that the connection ended, not that the program is blocked", async () => {
  const cut = (_: Message, socket: WebSocket) => {
    socket.terminate();
    return SILENCE;
  };
  const ended = profiled(() => program(() => {}, { "Profiler.enable": cut }));
  await expect(ended).rejects.toMatchObject({
    message: "the connection has ended",
    hint: expect.stringContaining("its inspector was closed"),
  });
});

it.runIf(process.platform === "linux")("says that a process has ended which its parent forgot", async () => {
  // The child ends with its input, once its parent is a program that looks after no child.
  const words = ["-c", "cat <&3 & echo $!; exec sleep 20"];
  const parent = spawn("sh", words, { stdio: ["ignore", "pipe", "ignore", "pipe"] });
  try {
    const pid = await new Promise<number>((done) =>
      parent.stdout!.once("data", (text) => done(Number(text))),
    );
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/cmdline`, "latin1")).toMatch(/^sleep/);
    (parent.stdio[3] as Writable).end();
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "latin1")).toContain(") Z ");
    expect(() => nodeProcess(pid)).toThrow(`--pid ${pid}: the process has ended`);
  } finally {
    parent.kill("SIGKILL");
  }
});

it("does not believe what is said, nor follow where it leads", async () => {
  const facts = { pid: -1, command: ["node", { toString: 1 }], cwd: 7, node: {}, start: { valueOf: 1 } };
  const { endpoint, asked } = await fake(
    () => [target("a", "node", "ws://203.0.113.1:99/a"), target("b", "node", "file:///etc/passwd"), null, 7],
    program(() => {}, { "Runtime.evaluate": () => ({ result: { value: JSON.stringify(facts) } }) }),
  );
  const attached = await attachToEndpoint({ endpoint, id: undefined });
  await attached.letGo();
  expect(asked.slice(0, 2)).toEqual(["/json/list", "/a"]);
  expect(attached.facts).toMatchObject({ pid: 0, command: ["node"], cwd: undefined, node: "" });
});

it("names what there is to choose from", async () => {
  const { endpoint } = await fake(() => [target("a", "page"), target("b", "page")]);
  const where = `--port 127.0.0.1:${endpoint.port}`;
  await expect(attachToEndpoint({ endpoint, id: undefined })).rejects.toMatchObject({
    message: `${where}: there are 2 to choose from: a (page, a.js); b (page, b.js)`,
    hint: `Name one: ${where}/a`,
  });
  await expect(attachToEndpoint({ endpoint, id: "c" })).rejects.toThrow(
    `${where}: nothing there is called c: a (page`,
  );
});

it("names an ID as it can be typed in a shell, or none", async () => {
  const first = async (...ids: readonly string[]) => {
    const { endpoint } = await fake(() => ids.map((id) => target(id, "page", "ws://127.0.0.1:1/a")));
    const error = await attachToEndpoint({ endpoint, id: undefined }).catch((reason: unknown) => reason);
    return (error as { hint?: string }).hint?.replace(/:\d+\//, ":1/");
  };
  expect(await first("a; touch x", "b")).toBe("Name one: --port '127.0.0.1:1/a; touch x'");
  expect(await first("\x1b[2J", "b")).toBe("Name one: --port 127.0.0.1:1/b");
  expect(await first("\n", "\r")).toBeUndefined();
});

it("takes the only Node, or else the only page", async () => {
  for (const list of [
    [target("a", "page"), target("b"), target("c", "page")],
    [target("a", "other"), target("b", "page"), target("c", "other")],
  ]) {
    const { endpoint } = await fake(
      () => list,
      program(() => {}),
    );
    const attached = await attachToEndpoint({ endpoint, id: undefined });
    await attached.letGo();
    expect(attached.title).toBe("b.js");
  }
});

it.each<readonly [string, unknown, string]>([
  ["a page", "<html>", "it answers with something else"],
  ["too much", " ".repeat(2 ** 20 + 1), "its answer is too long"],
])("refuses %s", async (_, answer, problem) => {
  const { endpoint } = await fake(() => answer);
  await expect(inspectorTargets(endpoint)).rejects.toThrow(problem);
});

it("says that nothing listens", async () => {
  const { endpoint } = await fake(() => []);
  servers[0]!.close();
  await expect(inspectorTargets(endpoint)).rejects.toThrow(
    `no inspector at 127.0.0.1:${endpoint.port}: nothing listens`,
  );
});
