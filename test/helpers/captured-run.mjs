import { Writable } from "node:stream";

/** A stream that keeps what is written to it. */
function collector() {
  const chunks = [];
  const stream = new Writable({
    decodeStrings: true,
    write(chunk, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, bytes: () => Buffer.concat(chunks) };
}

/**
 * Runs a command line in this process, as src/cli/main.ts does: one start of Node is worth a hundred commands on a small
 * log. `run` is `runProgram`, of the sources or of what is built.
 */
export async function capturedRun(run, args) {
  const streams = { stdout: collector(), stderr: collector() };
  const before = {};
  for (const name of ["stdout", "stderr"]) {
    before[name] = Object.getOwnPropertyDescriptor(process, name);
    Object.defineProperty(process, name, { configurable: true, value: streams[name].stream });
  }
  const { exitCode } = process;
  process.exitCode = undefined;
  let status;
  let message = "";
  let bug;
  try {
    status = (await run(args, "0.0.0")) ? (process.exitCode ?? 0) : 2;
  } catch (error) {
    status = 2;
    if (error?.name === "TicksError") message = `ticks: ${error.message}\n${error.hint ?? ""}\n`;
    else bug = error;
  } finally {
    process.exitCode = exitCode;
    for (const name of ["stdout", "stderr"]) Object.defineProperty(process, name, before[name]);
  }
  const stdout = streams.stdout.bytes();
  return { status, stdout, stderr: streams.stderr.bytes().toString("utf8") + message, bug };
}
