import { spawn } from "node:child_process";
import { type ProgramLimits, readerOptions, stopPast } from "../../io/child-program.js";

/** What the program takes for part of a name. Any other character ends the name for it. */
const SAFE = /^[\w$.]+$/;
/** It reads names into 32,767 bytes and cuts longer ones in two. */
const LONGEST = 32_000;
/**
 * A thousand names take some ten milliseconds; past this the program hangs. All the names of a Node binary come to a third of
 * the bytes; one name can be made to stand for far more.
 */
const LIMITS: ProgramLimits = { milliseconds: 30_000, bytes: 2 ** 27 };

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
 * no such program or it fails. `program` is the path of the program. Never rejects.
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
    const child = spawn(program, args, { ...readerOptions(), stdio: ["pipe", "pipe", "ignore"] });
    // First of all: where the system has no more files to give, there is not even a stdout.
    child.on("error", () => resolve(undefined));
    const output: Buffer[] = [];
    const linesNow = () => Buffer.concat(output).toString("utf8").split("\n").slice(0, -1);
    child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
    stopPast(child, LIMITS, () => {
      // It has met a name that nothing else should be tried on: it and those after it stay.
      const readable = linesNow();
      resolve({ lines: lines.map((line, i) => readable[i] ?? line), isStopped: true });
    });
    // A program that ends early closes its input; how it ended is what counts.
    child.stdin?.on("error", () => {});
    child.on("close", (status) => {
      const readable = linesNow();
      const isWhole = status === 0 && readable.length === lines.length;
      resolve(isWhole ? { lines: readable, isStopped: false } : undefined);
    });
    child.stdin?.end(`${lines.join("\n")}\n`);
  });
}
