import { spawn } from "node:child_process";

/** Milliseconds. A thousand names take some ten; past this the program hangs. */
const TIMEOUT = 30_000;
/** What the program takes for part of a name. Any other character ends the name for it. */
const SAFE = /^[\w$.]+$/;
/** It reads names into 32,767 bytes and cuts longer ones in two. */
const LONGEST = 32_000;
/** Bytes. All the names of a Node binary come to a third of it; one name can be made to stand for far more. */
const OUTPUT_LIMIT = 2 ** 27;

/**
 * `-n`: underscores are part of the name, also on macOS. `-i`: leave out what nm leaves out; LLVM's program
 * leaves it out anyway and has no such option.
 */
const ARGUMENTS = [["-n", "-i"], ["-n"]];

/** What a program made of names. */
export interface Filtered {
  /** By name. */
  readonly readable: Map<string, string>;
  /** Whether it had to be stopped, so that some names stayed as they are for no fault of theirs. */
  readonly isStopped: boolean;
}

/**
 * What `c++filt` makes of the names it can be fed; a name that it does not know stays as it is. Empty where there is
 * no such program or it fails. Never rejects.
 *
 * Source: binutils, binutils/cxxfilt.c, `main`.
 */
export async function filterThroughCxxfilt(names: readonly string[], program: string): Promise<Filtered> {
  const safe = names.filter((name) => name.length <= LONGEST && SAFE.test(name));
  const nothing = { readable: new Map<string, string>(), isStopped: false };
  if (safe.length === 0) return nothing;
  for (const args of ARGUMENTS) {
    // Besides what it reports, spawn throws, as for a name that no program can have.
    const filtered = await filterLines(program, args, safe).catch(() => undefined);
    if (filtered === undefined) continue;
    const { lines, isStopped } = filtered;
    return { readable: new Map(safe.map((name, i) => [name, lines[i]!])), isStopped };
  }
  return nothing;
}

/** Feeds lines to a program; what it makes of them, or undefined where it fails to make one line of each. */
function filterLines(
  program: string,
  args: readonly string[],
  lines: readonly string[],
): Promise<{ lines: string[]; isStopped: boolean } | undefined> {
  return new Promise((resolve) => {
    const env = { ...process.env, LC_ALL: "C" };
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"], env });
    let timer: NodeJS.Timeout | undefined;
    const finish = (result: string[] | undefined, isStopped = false) => {
      clearTimeout(timer);
      resolve(result && { lines: result, isStopped });
    };
    // First of all: where the system has no more files to give, there is not even a stdout.
    child.on("error", () => finish(undefined));
    const output: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > OUTPUT_LIMIT) child.kill("SIGKILL");
      else output.push(chunk);
    });
    // A program that ends early closes its input; how it ended is what counts.
    child.stdin.on("error", () => {});
    child.on("close", (status) => {
      const readable = Buffer.concat(output).toString("utf8").split("\n").slice(0, -1);
      // What was stopped has met a name that nothing else should be tried on: it and those after it stay.
      if (child.killed)
        finish(
          lines.map((line, i) => readable[i] ?? line),
          true,
        );
      else finish(status === 0 && readable.length === lines.length ? readable : undefined);
    });
    // Not the timeout of spawn: after a start that failed, that would keep this process waiting.
    timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT);
    child.stdin.end(`${lines.join("\n")}\n`);
  });
}
