import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { TICKS } from "../helpers/cli.ts";

/** A folder with `vX.Y.Z/bin/node` for each version. See test/record/README.md. */
const NODES = process.env.TICKS_NODES ?? join(homedir(), ".cache/ticks-nodes");
const VERSIONS = [
  "v12.22.12",
  "v14.21.3",
  "v16.20.2",
  "v18.20.8",
  "v20.20.2",
  "v22.23.3",
  "v24.21.0",
  "v26.10.0",
];
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** What each program does before and after it has said that it is ready. `SIGNAL` is the signal that it gets. */
const PROGRAMS = {
  busy: "ready(); for (;;);",
  timers: "setInterval(() => {}, 5); ready();",
  // Its clean-up takes a while, and a second signal would end it.
  handler:
    "process.on(SIGNAL, (name) => { say(name); setTimeout(() => process.exit(5), 150); }); setInterval(() => {}, 5); ready();",
  "handler once":
    "process.once(SIGNAL, (name) => { say(name); setTimeout(() => process.kill(process.pid, SIGNAL), 150); }); setInterval(() => {}, 5); ready();",
  "exit in a handler": "process.on(SIGNAL, () => process.exit(6)); setInterval(() => {}, 5); ready();",
  "the only handler":
    "process.on(SIGNAL, () => process.exit(process.listenerCount(SIGNAL))); setInterval(() => {}, 5); ready();",
  "handler that ignores":
    "process.on(SIGNAL, () => { say('heard'); setTimeout(() => process.exit(7), 300); }); setInterval(() => {}, 5); ready();",
  worker:
    "const { Worker } = require('worker_threads'); new Worker('for (;;);', { eval: true }).on('online', ready);",
  "kills itself": "setTimeout(() => { process.kill(process.pid, SIGNAL); process.exit(0); }, 50);",
  "kills itself in a loop": "setTimeout(() => { process.kill(process.pid, SIGNAL); for (;;); }, 50);",
  "is killed by itself, with a handler":
    "process.on(SIGNAL, () => process.exit(8)); setTimeout(() => process.kill(process.pid, SIGNAL), 50);",
  "child in a loop": child("console.log(1); for (;;);"),
  "child that ignores": child(
    "process.on(SIGNAL, () => {}); console.log(1); setTimeout(() => process.exit(9), 400);",
  ),
  "child that is ended by a handler": child(
    "process.on(SIGNAL, () => process.exit(4)); console.log(1); setInterval(() => {}, 5);",
  ),
};

/** A program that sends the signal to its child, says how that ended, and ends. */
function child(code: string): string {
  return `const code = ${JSON.stringify(code)}.replace(/SIGNAL/g, JSON.stringify(SIGNAL));
    const one = require('child_process').spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
    one.stdout.once('data', () => one.kill(SIGNAL));
    one.on('exit', (status, signal) => { say(status + ' ' + signal); process.exit(3); });`;
}

const folder = mkdtempSync(join(tmpdir(), "ticks-signals-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let number = 0;

/** How a program ended, and what it wrote. */
interface End {
  readonly status: number | null;
  readonly signal: string | null;
  readonly output: string;
}

/** Sends a signal to the program itself, to what was started, the program or `ticks`, or to all of its group, as `timeout` and a CI do. */
type Way = "program" | "started" | "group";

/** Runs a program in a group of its own, and sends the signal as soon as it is ready. One that goes on for 20 s hangs. */
function ended(
  words: readonly string[],
  { signal, way, env }: { signal: NodeJS.Signals; way: Way; env: NodeJS.ProcessEnv },
): Promise<End> {
  return new Promise((done) => {
    const started = spawn(words[0]!, words.slice(1), {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let output = "";
    let isSent = false;
    const hangs = setTimeout(() => {
      output += "hangs";
      process.kill(-started.pid!, "SIGKILL");
    }, 20_000);
    started.stdout.on("data", (chunk) => {
      output += chunk;
      const pid = /^ready (\d+)\n/m.exec(output)?.[1];
      if (pid === undefined || isSent) return;
      isSent = true;
      process.kill({ program: Number(pid), started: started.pid!, group: -started.pid! }[way], signal);
    });
    started.on("close", (status, endedBy) => {
      clearTimeout(hangs);
      done({ status, signal: endedBy, output: output.replace(/\d+(?=\n)/, "PID") });
    });
  });
}

/** Presses Ctrl-C in a terminal as soon as the program is ready. A shell says how it ended. */
function interrupted(words: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((done) => {
    const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    // The shell must not be ended by it as well.
    const script = join(folder, `terminal-${++number}.sh`);
    writeFileSync(script, `trap : INT\n${quoted} 2>&1\necho "ended $?"\n`);
    const started = spawn("script", ["-qc", `sh ${script}`, "/dev/null"], {
      cwd: folder,
      env,
      stdio: ["pipe", "pipe", "ignore"],
    });
    let output = "";
    let isSent = false;
    const hangs = setTimeout(() => started.kill("SIGKILL"), 20_000);
    started.stdout.on("data", (chunk) => {
      output += chunk;
      if (isSent || !/^ready /m.test(output)) return;
      isSent = true;
      started.stdin.write("\x03");
    });
    started.on("close", () => {
      clearTimeout(hangs);
      done(/ended \d+/.exec(output)?.[0] ?? `hangs: ${output}`);
    });
  });
}

const MODES = { record: [], "record --cpu-prof": ["--cpu-prof"] };

describe.each(VERSIONS)("Node %s", (version) => {
  const node = join(NODES, version, "bin/node");
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const env = { ...inherited, PATH: [join(NODES, version, "bin"), inherited.PATH].join(delimiter) };

  it("is there", () => expect(existsSync(node)).toBe(true));

  const script = (name: keyof typeof PROGRAMS, signal: string) => {
    const path = join(folder, `${name.replaceAll(/\W/g, "-")}-${signal}.cjs`);
    const start = `const SIGNAL = "${signal}"; const say = (text) => require('fs').writeSync(1, text + "\\n"); const ready = () => say("ready " + process.pid);`;
    writeFileSync(path, `${start}\n${PROGRAMS[name]}\n`);
    return ["node", path];
  };
  const recorded = (words: readonly string[], options: readonly string[]) => {
    const to = join(folder, `out-${++number}`);
    return [process.execPath, TICKS, "record", "-o", to, "--discard", ...options, "--", ...words];
  };

  describe.each(SIGNALS)("%s", (signal) => {
    it.each(Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[])(
      "%s ends as without a recording",
      async (name) => {
        const words = script(name, signal);
        const ways: readonly Way[] = /ready\(\)|ready\)/.test(PROGRAMS[name])
          ? ["program", "started", "group"]
          : ["program"];
        const plain = await ended(words, { signal, way: "program", env });
        expect(plain.output).not.toContain("hangs");
        for (const [mode, options] of Object.entries(MODES)) {
          for (const way of ways) {
            const end = await ended(recorded(words, options), { signal, way, env });
            expect([mode, way, end]).toEqual([mode, way, plain]);
          }
        }
      },
    );
  });

  it.each(["busy", "timers", "handler", "handler once", "worker"] as const)(
    "Ctrl-C in a terminal ends %s as without a recording",
    async (name) => {
      const words = script(name, "SIGINT");
      const plain = await interrupted(words, env);
      for (const [mode, options] of Object.entries(MODES))
        expect([mode, await interrupted(recorded(words, options), env)]).toEqual([mode, plain]);
    },
  );
});
