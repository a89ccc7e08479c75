import { spawnSync } from "node:child_process";
import { TICKS } from "./cli.ts";

/** Whether there is a `script` that runs a command on a terminal of its own: that of util-linux. */
export const hasTerminal = /util-linux/.test(
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "",
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a terminal gets.
const PROGRESS = /\r\x1b\[K(?:[^\r\n]* MB\/s {2}\d+ ticks)?/g;

/** A pager that shows that it ran. */
export const MARK = { TICKS_PAGER: "sed 's/^/> /'" };

/** Runs `ticks` on a terminal. */
export function runOnTerminal(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Record<string, string> },
) {
  const words = [process.execPath, TICKS, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const { PAGER: _, LESS: __, TICKS_PAGER: ___, ...inherited } = process.env;
  const { stdout, status } = spawnSync("script", ["-qec", words.join(" "), "/dev/null"], {
    cwd,
    encoding: "utf8",
    input: "",
    env: { ...inherited, NO_COLOR: "1", TERM: "xterm", ...env },
  });
  // On a busy machine a log takes long enough for a line of progress.
  return { output: stdout.replaceAll(PROGRESS, "").replaceAll("\r\n", "\n"), status };
}
