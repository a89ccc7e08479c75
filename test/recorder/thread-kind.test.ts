import { describe, expect, it } from "vitest";
import { ThreadClues } from "../../src/recorder/recorder.ts";
import { logOf, NODE_26, profileOf, tickAt } from "../helpers/logs.ts";

function kindBy(...names: readonly string[]) {
  const clues = new ThreadClues();
  for (const name of names) clues.see(name);
  return clues.kind;
}

describe("the kind of an isolate", () => {
  it.each([
    " node:internal/main/run_main_module:1:1",
    " node:internal/main/eval_string:1:1",
    " node:internal/main/test_runner:1:1",
    " internal/main/run_main_module.js:1:1",
    " internal/process/main_thread_only.js:1:1",
    " bootstrap_node.js:1:1",
    "bootstrap_node.js",
    "node.js",
  ])("is main after %s", (name) => expect(kindBy("f /srv/a.js:1:1", name)).toBe("main"));

  it.each([
    " node:internal/main/worker_thread:1:1",
    " internal/main/worker_thread.js:1:1",
    " internal/process/worker_thread_only.js:1:1",
  ])("is worker after %s", (name) => expect(kindBy(name, "f /srv/a.js:1:1")).toBe("worker"));

  it.each([
    // What a main isolate loads to start workers, and what both load.
    " node:internal/worker:1:1",
    " internal/bootstrap/node.js:1:1",
    // Files of a program.
    " /srv/node:internal/main/worker_thread:1:1",
    " file:///srv/internal/main/worker_thread.js:1:1",
    " /srv/node.js:1:1",
    "run node:internal/main/worker_thread:1:1",
    " node:internal/main/worker_thread:92:20",
  ])("is not known by %s", (name) => expect(kindBy(name)).toBeUndefined());

  it("is not known where a main isolate and a worker wrote one file", () => {
    const [main, worker] = [
      " node:internal/main/run_main_module:1:1",
      " node:internal/main/worker_thread:1:1",
    ];
    expect(kindBy(main, worker)).toBeUndefined();
    expect(kindBy(worker, main, worker)).toBeUndefined();
  });

  it("names the thread of a log", async () => {
    const start =
      "code-creation,Eval,10,25494,0x1000,5, node:internal/main/worker_thread:1:1,0x3d3005c26618,~";
    const log = logOf(...NODE_26, start, tickAt(0x1001));
    const origin = { pid: 12, isolate: "0x7f00" };
    const { info } = await profileOf(log, { name: "x.log", origin });
    expect(info.threads).toMatchObject([
      { name: "pid 12 worker 0x7f00", log: "x.log", ...origin, kind: "worker", ticks: 1, span: 0 },
    ]);
    // Of one file for all isolates V8 begins a new one with each: only the start of the last worker is in it.
    expect((await profileOf(log, { name: "v8.log" })).info.threads[0]!.kind).toBeUndefined();
  });
});
