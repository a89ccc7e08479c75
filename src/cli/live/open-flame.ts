import { spawn } from "node:child_process";
import type { LogFlags } from "../log-input.js";

/** Characters that are kept of what the command says. */
const SAID_LENGTH = 4000;

/**
 * Writes the flame graph of some logs and opens it, as `ticks flame --open` does, in a process of its own: reading the logs
 * again may take long. Calls back with a line on what came of it.
 */
export function openFlame(logs: readonly string[], flags: LogFlags, onDone: (message: string) => void): void {
  const program = process.argv[1];
  if (program === undefined) return;
  const args = [program, "flame", "--open", ...symbolArguments(flags), "--", ...logs];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-SAID_LENGTH);
  });
  child.on("error", (error) => onDone(`cannot write the flame graph: ${error.message}`));
  child.on("close", () => onDone(summaryOf(said)));
}

/** Returns the line that tells what was written or, if nothing was, why. */
function summaryOf(said: string): string {
  const lines = said.split("\n").map((line) => line.replace(/^ticks: /, ""));
  const isError = (line: string) => line.startsWith("--open") || line.startsWith("wrote");
  return lines.findLast(isError) ?? lines.find((line) => line !== "") ?? "";
}

/** Returns the options for native symbols as they were given. */
function symbolArguments({ symbols = [], nm, target, forceSymbols, cache, apkEmbeddedLibrary }: LogFlags) {
  return [
    ...symbols.map((text) => `--symbols=${text}`),
    ...(nm === undefined ? [] : [`--nm=${nm}`]),
    ...(target === undefined ? [] : [`--target=${target}`]),
    ...(forceSymbols ? ["--force-symbols"] : []),
    ...(cache ? [] : ["--no-cache"]),
    ...(apkEmbeddedLibrary === undefined ? [] : [`--apk-embedded-library=${apkEmbeddedLibrary}`]),
  ];
}
