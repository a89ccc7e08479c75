import { closeSync, fstatSync } from "node:fs";

/** What goes on while a command does its work, and has to be done before the process ends. */
const unfinished: (() => Promise<void>)[] = [];

/** Has {@link endOutput} wait for what `settled` tells the end of. */
export function finishFirst(settled: () => Promise<void>): void {
  unfinished.push(settled);
}

/**
 * Resolves when all work is done and standard output has taken all that was written to it. A file is closed: some systems
 * say only then that the disk is full. Throws what they say.
 */
export async function endOutput(): Promise<void> {
  for (const settled of unfinished) await settled();
  await flushed(process.stdout);
  const { fd } = process.stdout;
  if (fstatSync(fd).isFile()) closeSync(fd);
}

/**
 * Ends the process, once {@link endOutput} has been called. Of itself Node would first do what V8 has put off: collecting
 * garbage that is gone with the process anyway, which takes 5 to 10 ms.
 */
export async function leave(): Promise<never> {
  await flushed(process.stderr);
  process.exit();
}

function flushed(stream: NodeJS.WriteStream): Promise<unknown> {
  return new Promise((resolve) => stream.write("", resolve));
}
