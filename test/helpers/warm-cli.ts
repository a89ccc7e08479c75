import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { COMMAND_ENV, type Run } from "./cli.ts";

const SERVER = fileURLToPath(new URL("./command-server.mjs", import.meta.url));
/** What the server writes after what a command writes. */
const END = "\x04the end of a command\x04";

/** What a command wrote, and how it ended. */
export interface Ended extends Run {
  readonly signal: NodeJS.Signals | null;
}

/**
 * Runs commands as `ticks` of cli.ts does, but one after the other in one process, which takes a seventh of the time for the
 * logs of fixtures/. It runs what is in build/, not what is shipped, and leaves out the start and the end of the program. A
 * command that ends by a signal ends the process, as it would its own: the next one gets another.
 */
export class WarmProgram {
  readonly #env: NodeJS.ProcessEnv;
  #server: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  run(args: readonly string[], { cwd = process.cwd() } = {}): Promise<Ended> {
    const run = this.#last.then(() => this.#run(args, cwd));
    this.#last = run.catch(() => {});
    return run;
  }

  /** Lets the process end. */
  end(): void {
    (this.#server?.stdio[3] as Writable | undefined)?.end();
    this.#server = undefined;
  }

  #run(args: readonly string[], cwd: string): Promise<Ended> {
    this.#server ??= started(this.#env);
    const server = this.#server;
    const texts = { stdout: "", stderr: "" };
    return new Promise((resolve) => {
      const end = (how: Pick<Ended, "status" | "signal">) => {
        for (const name of ["stdout", "stderr"] as const) server[name]!.removeAllListeners("data");
        server.removeAllListeners("close");
        const [stdout = "", stderr = ""] = [texts.stdout, texts.stderr].map((text) => text.split(END)[0]);
        resolve({ stdout, stderr, ...how });
      };
      for (const name of ["stdout", "stderr"] as const) {
        server[name]!.on("data", (text: string) => {
          texts[name] += text;
          const status = texts.stderr.endsWith("\n") ? texts.stderr.split(END)[1] : undefined;
          if (status !== undefined && texts.stdout.endsWith(END))
            end({ status: Number(status), signal: null });
        });
      }
      server.on("close", (status, signal) => {
        this.#server = undefined;
        end({ status, signal });
      });
      (server.stdio[3] as Writable).write(`${JSON.stringify({ args, cwd })}\n`);
    });
  }
}

function started(env: NodeJS.ProcessEnv): ChildProcess {
  const server = spawn(process.execPath, [SERVER, END], { env, stdio: ["ignore", "pipe", "pipe", "pipe"] });
  for (const stream of [server.stdout!, server.stderr!]) stream.setEncoding("utf8");
  return server;
}

const program = new WarmProgram(COMMAND_ENV);

/** For what commands print, where there are many. */
export async function warmTicks(
  args: readonly string[],
  options: { readonly cwd?: string } = {},
): Promise<Run> {
  const { stdout, stderr, status } = await program.run(args, options);
  return { stdout, stderr, status };
}
