import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCommandLine } from "../../src/cli/arguments.ts";
import { runProgram } from "../../src/cli/program.ts";
import { errorText } from "../../src/cli/usage/error-text.ts";
import { type CapturedRun, capturedRun } from "../helpers/captured-run.mjs";
import { type CommandLine, faultOfOutput, LOG } from "../helpers/command-lines.mjs";
import { broken } from "./target.ts";

let folder: string | undefined;

/** The folder of this process for files, which is its working directory too; it is gone when the process ends. */
export function workFolder(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), "ticks-fuzz-"));
    process.on("exit", () => rmSync(made, { recursive: true, force: true }));
    process.env.XDG_CACHE_HOME = join(made, "cache");
    process.env.LOCALAPPDATA = join(made, "cache");
    process.chdir(made);
    folder = made;
  }
  return folder;
}

/** Writes a file into the folder; returns its path. */
export function writeWork(name: string, bytes: Uint8Array | string): string {
  const path = join(workFolder(), name);
  writeFileSync(path, bytes);
  return path;
}

/** Runs a command line as the program would. Throws what was thrown that is a bug. */
export async function runCommand(args: readonly string[]): Promise<CapturedRun> {
  workFolder();
  const run = await capturedRun({ readCommandLine, runProgram, errorText }, args);
  if (run.bug !== undefined) throw run.bug;
  if (![0, 1, 2].includes(run.status)) broken("the exit status is 0, 1 or 2", `${run.status}`);
  if (run.status === 2 && run.stderr === "") broken("an error says what is wrong", args.join(" "));
  return run;
}

/** Runs one of the commands that only read, and looks at what it wrote. */
export async function runReport(line: CommandLine, log: string, name = "f"): Promise<CapturedRun> {
  const args = line.args.map((word) => (word === LOG ? log : word === "FUNCTION" ? name : word));
  const run = await runCommand(args);
  const fault = faultOfOutput(run, { form: line.form, status: run.status });
  if (fault !== undefined) broken(fault.replace(/:.*/s, ""), `${line.args.join(" ")}: ${fault}`);
  return run;
}
