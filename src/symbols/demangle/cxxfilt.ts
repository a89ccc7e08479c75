import { spawn } from "node:child_process";
import { type ProgramLimits, readerOptions, stopPast } from "../../io/child-program.js";

/** Characters that the program accepts in a name. Any other one ends the name. */
const SAFE = /^[\w$.]+$/;
/** The program reads names into 32,767 bytes and splits longer ones. */
const LONGEST = 32_000;
/**
 * A thousand names take some ten milliseconds; beyond the limit the program hangs. All names of a Node binary
 * need a third of the bytes, but one crafted name can expand to far more.
 */
const LIMITS: ProgramLimits = { milliseconds: 30_000, bytes: 2 ** 27 };

/**
 * `-n`: underscores belong to the name, also on macOS. `-i`: omit what nm omits. LLVM's program always does
 * and has no such option.
 */
const ARGUMENTS = [["-n", "-i"], ["-n"]];

/** The output of a demangler. */
interface Filtered {
  /** By mangled name. */
  readonly readable: Map<string, string>;
  /** Whether it had to be stopped, so that some names may be unchanged for no reason of their own. */
  readonly isStopped: boolean;
}

/**
 * Demangles the names that `c++filt` can read; unknown names stay unchanged. Returns an empty map if there is
 * no such program or it fails. `program` is its path. Never rejects.
 *
 * Source: binutils, binutils/cxxfilt.c, `main`.
 */
export async function filterThroughCxxfilt(names: readonly string[], program: string): Promise<Filtered> {
  const safe = names.filter((name) => name.length <= LONGEST && SAFE.test(name));
  const nothing = { readable: new Map<string, string>(), isStopped: false };
  if (safe.length === 0) return nothing;
  for (const args of ARGUMENTS) {
    // spawn can also throw, for example on a path that no program can have.
    const filtered = await filterLines(program, args, safe).catch(() => undefined);
    if (filtered === undefined) continue;
    const { lines, isStopped } = filtered;
    return { readable: new Map(safe.map((name, i) => [name, lines[i]!])), isStopped };
  }
  return nothing;
}

/** Passes lines through a program. Resolves to undefined unless it returns one line for each. */
function filterLines(
  program: string,
  args: readonly string[],
  lines: readonly string[],
): Promise<{ lines: string[]; isStopped: boolean } | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...readerOptions(), stdio: ["pipe", "pipe", "ignore"] });
    // Listen first: if the system has no file descriptors left, there is not even a stdout.
    child.on("error", () => resolve(undefined));
    const output: Buffer[] = [];
    const linesNow = () => Buffer.concat(output).toString("utf8").split("\n").slice(0, -1);
    child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
    stopPast(child, LIMITS, () => {
      // The next name is one that nothing else should try: it and those after it stay unchanged.
      const readable = linesNow();
      resolve({ lines: lines.map((line, i) => readable[i] ?? line), isStopped: true });
    });
    // A program that ends early closes its input; only its exit status matters.
    child.stdin?.on("error", () => {});
    child.on("close", (status) => {
      const readable = linesNow();
      const isWhole = status === 0 && readable.length === lines.length;
      resolve(isWhole ? { lines: readable, isStopped: false } : undefined);
    });
    child.stdin?.end(`${lines.join("\n")}\n`);
  });
}
