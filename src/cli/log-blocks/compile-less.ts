import { setFlagsFromString } from "node:v8";

/** Bytes of bytecode that a function runs before V8 looks at it again: four times the default. */
const INTERRUPT_BUDGET = 4 * 66 * 1024;
/** Seconds after which the process has run long enough for the best code to pay off. */
const LONG_RUN = 0.5;

const isV8Of20 = process.versions.v8.startsWith("11.");
/** Whether {@link compileLess} should wait for threads that start. In Node 20 they take as long with other flags, and waiting costs more. */
export const slowsThreads = !isV8Of20;
/** Whether V8 has a compiler between the first one and the last one: in Node 24 and later, but for some machines. */
const hasMaglev = (process.config.variables as { v8_enable_maglev?: number }).v8_enable_maglev === 1;

/**
 * Makes V8 compile less of the program. It would optimize nearly all code that runs for some milliseconds, in threads that
 * compete with those of the program, which mostly ends before that pays off.
 *
 * TurboFan waits until {@link compileAll}; Maglev, where there is one, does not. Its code must look for TurboFan even so, which
 * V8 leaves out of the code of its best compiler. Source: `node --v8-options` of V8 12.4 to 14.6, `--force-emit-interrupt-budget-checks`.
 *
 * V8 also keeps the bytecode of functions that were not called for some time: the code cache is to have it. Sparkplug compiles in
 * the thread that runs: in one of its own, as in Node 24 and later, it can wait for a collection of garbage that does not come once
 * the process ends, for which Node waits. Source: V8 14.6, src/heap/collection-barrier.cc, `AwaitCollectionBackground`.
 *
 * V8 11, of Node 20, takes other flags. Source: V8 11.3, src/execution/tiering-manager.cc, `InterruptBudgetFor`.
 *
 * Call it once the program and its threads are loaded: a changed flag makes V8 reject the compiled code that Node has of
 * its own modules, which costs 6 ms, and 7 to 45 ms in each thread that starts, most in Node 24. Source: V8 11.3,
 * src/snapshot/code-serializer.cc, `SerializedCodeData::SanityCheckWithoutSource`.
 */
export function compileLess(): void {
  setFlagsFromString("--no-flush-bytecode --no-concurrent-sparkplug");
  if (isV8Of20) setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`);
  else setFlagsFromString("--no-turbofan --force-emit-interrupt-budget-checks");
}

/**
 * Lets V8 use all its compilers, if the process has run for long, or if it has no Maglev and the rows of a log have been read: what
 * comes then, such as hashes of scripts, can take much longer without one. Call it again and again.
 */
export function compileAll({ areRowsRead = false } = {}): void {
  const isWorthIt = process.uptime() > LONG_RUN || (areRowsRead && !hasMaglev);
  if (isWorthIt && !isV8Of20) setFlagsFromString("--turbofan");
}
