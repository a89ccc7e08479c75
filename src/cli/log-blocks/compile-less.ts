import { setFlagsFromString } from "node:v8";

/** Bytes of bytecode that a function runs before V8 looks at it again: four times the default. */
const INTERRUPT_BUDGET = 4 * 66 * 1024;
/** Milliseconds after which a program runs long enough for the best code to pay off. */
const LONG_RUN = 500;
/** The first V8 with a compiler between the first one and the last one. It is that of Node 22. */
const FIRST_WITH_MAGLEV = 12;

const hasMaglev = Number.parseInt(process.versions.v8, 10) >= FIRST_WITH_MAGLEV;

/**
 * Makes V8 compile less of the program. It would optimize nearly all code that runs for some milliseconds, in threads that
 * compete with those of the program, which mostly ends before that pays off.
 *
 * From Node 22 on, Maglev optimizes and TurboFan does not, until {@link compileAll}. Code of Maglev must look for it
 * later even so. Source: V8 14.6, src/maglev/maglev-graph-builder.cc, `ShouldEmitInterruptBudgetChecks`.
 *
 * V8 11, of Node 20, has no Maglev, and gets other flags. Source: V8 11.3, src/execution/tiering-manager.cc,
 * `InterruptBudgetFor`.
 *
 * Call it once the program and its threads are loaded: a changed flag makes V8 reject the compiled code that Node has of
 * its own modules, which costs 6 ms, and 15 ms in each thread. Source: V8 11.3, src/snapshot/code-serializer.cc,
 * `SerializedCodeData::SanityCheckWithoutSource`.
 */
export function compileLess(): void {
  if (hasMaglev) setFlagsFromString("--no-turbofan --force-emit-interrupt-budget-checks");
  else if (process.versions.v8.startsWith("11."))
    setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`);
}

/** Lets V8 use all its compilers if the program has run for long. Call it repeatedly, in the first thread. */
export function compileAll(): void {
  if (hasMaglev && performance.now() > LONG_RUN) setFlagsFromString("--turbofan");
}
