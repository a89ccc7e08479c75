import type { ThreadKind } from "../profile/profile.js";

// The script that Node starts an isolate with, as V8 logs its code: one of `internal/main/` for each way to
// start a process. Only workers have `worker_thread`.
//
//      node:internal/main/run_main_module:1:1         Node 16 and later
//      internal/main/worker_thread.js:1:1             Node 12 and 14
//      internal/process/main_thread_only.js:1:1       Node 10, and worker_thread_only
//      bootstrap_node.js:1:1, node.js:1:1             up to Node 8, which has no workers;
//                                                     V8 up to 5.8 logs no position
//
// Source: Node, src/node.cc `StartExecution`, src/node_worker.cc; Node 10, lib/internal/bootstrap/node.js.
const START =
  /^ ?(?:node:)?internal\/(?:main\/([a-z_/]+)|process\/(?:(worker)|main)_thread_only)(?:\.js)?:1:1$/;
const OLD_START = /^ ?(?:bootstrap_node|node)\.js(?::1:1)?$/;
/** Most names of other code are longer. */
const OLD_LIMIT = 22;

/** Determines what kind of isolate wrote a log from the first scripts that Node ran in it. */
export class ThreadClues {
  #isMain = false;
  #isWorker = false;

  /** Adds the name of a function or script. */
  see(name: string): void {
    if (name.endsWith(":1:1")) {
      const match = START.exec(name);
      if (match !== null) this.#mark(match[1] === "worker_thread" || match[2] !== undefined);
    }
    if (name.length <= OLD_LIMIT && OLD_START.test(name)) this.#mark(false);
  }

  /** Undefined if no start was seen, or starts of both kinds: then several isolates share the log. */
  get kind(): ThreadKind | undefined {
    if (this.#isMain === this.#isWorker) return undefined;
    return this.#isMain ? "main" : "worker";
  }

  #mark(isWorker: boolean): void {
    if (isWorker) this.#isWorker = true;
    else this.#isMain = true;
  }
}
