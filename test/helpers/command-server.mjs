// Runs the command lines that come through its descriptor 3, a line of JSON each, one after the other: what is loaded and
// compiled for one is there for the next. It runs what is built. After a command it says so on both of its streams, and
// with which exit status on standard error.

import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { readCommandLine } from "../../build/cli/arguments.js";
import { settledAtExit } from "../../build/cli/exit.js";
import { runProgram } from "../../build/cli/program.js";
import { errorText } from "../../build/cli/usage/error-text.js";

const END = process.argv[2];

// Each command adds its listeners.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);

async function run({ args, cwd }) {
  process.chdir(cwd);
  process.exitCode = undefined;
  try {
    await runProgram(readCommandLine(args), "0.0.0");
  } catch (error) {
    process.exitCode = 2;
    process.stderr.write(errorText(error));
  }
  await settledAtExit();
  process.stdout.write(END);
  process.stderr.write(`${END}${process.exitCode ?? 0}\n`);
}

for await (const line of createInterface({ input: new Socket({ fd: 3 }) })) await run(JSON.parse(line));
process.exit(0);
