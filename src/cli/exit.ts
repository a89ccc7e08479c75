import { closeSync, fstatSync } from "node:fs";

/** Work in the background that has to end before the process does. */
const background: (() => Promise<void>)[] = [];

/** Makes {@link finishOutput} wait for work in the background: for the promise that `settled` returns. */
export function waitAtExit(settled: () => Promise<void>): void {
  background.push(settled);
}

/** Resolves when work in the background has ended. Throws its errors. */
export async function settledAtExit(): Promise<void> {
  for (const settled of background) await settled();
}

/**
 * Resolves when work in the background has ended and standard output is flushed. If standard output is a
 * file, closes it: some systems report only then that the disk is full. Throws the errors of both.
 */
export async function finishOutput(): Promise<void> {
  await settledAtExit();
  await flushed(process.stdout);
  const { fd } = process.stdout;
  if (fstatSync(fd).isFile()) closeSync(fd);
}

/**
 * Ends the process after {@link finishOutput}. Without this call, Node would first collect garbage for 5 to
 * 10 ms, which is useless at the end of a process.
 */
export async function exit(): Promise<never> {
  await flushed(process.stderr);
  process.exit();
}

function flushed(stream: NodeJS.WriteStream): Promise<unknown> {
  return new Promise((resolve) => stream.write("", resolve));
}
