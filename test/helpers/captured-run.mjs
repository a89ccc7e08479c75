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
 * log. The program is that of the sources or what is built.
 */
export async function capturedRun({ readCommandLine, runProgram, errorText }, args) {
  const streams = { stdout: collector(), stderr: collector() };
  const before = {};
  for (const name of ["stdout", "stderr"]) {
    before[name] = Object.getOwnPropertyDescriptor(process, name);
    Object.defineProperty(process, name, { configurable: true, value: streams[name].stream });
  }
  const { exitCode } = process;
  process.exitCode = undefined;
  let status;
  let said = "";
  let bug;
  try {
    await runProgram(readCommandLine(args), "0.0.0");
    status = process.exitCode ?? 0;
  } catch (error) {
    status = 2;
    said = errorText(error);
    if (error?.name !== "TicksError") bug = error;
  } finally {
    process.exitCode = exitCode;
    for (const name of ["stdout", "stderr"]) Object.defineProperty(process, name, before[name]);
  }
  const stdout = streams.stdout.bytes();
  return { status, stdout, stderr: streams.stderr.bytes().toString("utf8") + said, bug };
}
