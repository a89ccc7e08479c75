/** What goes on while a command does its work, and has to be done before the process ends. */
const unfinished: (() => Promise<void>)[] = [];

/** Has {@link leave} wait for what `settled` tells the end of. */
export function finishFirst(settled: () => Promise<void>): void {
  unfinished.push(settled);
}

/**
 * Ends the process once all is written. Of itself Node would first do what V8 has put off: collecting garbage that is gone
 * with the process anyway, which takes 5 to 10 ms.
 */
export async function leave(): Promise<never> {
  for (const settled of unfinished) await settled();
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise((resolve) => stream.write("", resolve));
  }
  process.exit();
}
