// Runs commands on logs in one process, and tells the process that started it what each did. It is sent
// a list of [log, number of a command line]. It runs what is built.
import { createHash } from "node:crypto";
import { readCommandLine } from "../../build/cli/arguments.js";
import { runProgram } from "../../build/cli/program.js";
import { errorText } from "../../build/cli/usage/error-text.js";
import { capturedRun } from "./captured-run.mjs";
import { COMMAND_LINES, faultOfOutput, LOG } from "./command-lines.mjs";

/** Bytes of standard output that are sent whole. */
const SENT = 200_000;
/** Bytes of memory that a command may find in use. To collect garbage takes longer than most commands. */
const FOUND = 80e6;

let unhandled;
process.on("unhandledRejection", (reason) => {
  unhandled = reason;
});

const commands = await new Promise((resolve) => process.once("message", resolve));
for (const [i, [log, number]] of commands.entries()) {
  const { args, form } = COMMAND_LINES[number];
  const { heapUsed, external } = process.memoryUsage();
  // What the commands before left behind is not this one's.
  if (log !== commands[i - 1]?.[0] || heapUsed + external > FOUND) globalThis.gc();
  await send({ type: "begin", log, number });
  const begin = process.cpuUsage();
  const words = args.map((word) => (word === LOG ? log : word === "FUNCTION" ? "f" : word));
  const { status, stdout, stderr, bug } = await capturedRun(
    { readCommandLine, runProgram, errorText },
    words,
  );
  const { user, system } = process.cpuUsage(begin); // Other work of a busy machine does not count.
  const milliseconds = (user + system) / 1000;
  const fault = bug ?? unhandled;
  unhandled = undefined;
  await send({
    type: "end",
    log,
    number,
    status,
    milliseconds,
    megabytes: process.memoryUsage.rss() / 2 ** 20,
    bug: fault === undefined ? undefined : (fault.stack ?? String(fault)),
    fault: faultOfOutput({ stdout, stderr }, { form, status }),
    stderr: stderr.slice(0, 2000),
    stdout: stdout.length <= SENT ? stdout.toString("utf8") : "",
    hash: createHash("sha256").update(stdout).digest("hex"),
  });
}
process.disconnect();
process.exit();

function send(message) {
  return new Promise((done) => process.send(message, done));
}
