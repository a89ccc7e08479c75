// Runs the command lines that it is sent, one after the other, in one process: what is loaded and compiled for one is there
// for the next. It runs what is built.

import { readCommandLine } from "../../build/cli/arguments.js";
import { settledAtExit } from "../../build/cli/exit.js";
import { runProgram } from "../../build/cli/program.js";
import { errorText } from "../../build/cli/usage/error-text.js";
import { capturedRun } from "./captured-run.mjs";

process.on("message", async ({ args, cwd }) => {
  process.chdir(cwd);
  const { status, stdout, stderr } = await capturedRun({ readCommandLine, runProgram, errorText }, args);
  await settledAtExit();
  process.send({ status, stdout: stdout.toString("utf8"), stderr });
});
process.on("disconnect", () => process.exit());
