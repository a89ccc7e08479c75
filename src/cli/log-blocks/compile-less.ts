import { setFlagsFromString } from "node:v8";

/** Bytes of bytecode that a function runs before V8 looks at it again: four times the default. */
const INTERRUPT_BUDGET = 4 * 66 * 1024;

/**
 * Makes V8 11, of Node 20, compile less of the program: it would optimize nearly all code that runs for some
 * milliseconds, in threads that compete with those of the program, which ends before that pays off. A later V8 has
 * another tier in between, and other flags. Source: V8 11.3, src/execution/tiering-manager.cc, `InterruptBudgetFor`.
 *
 * Call it once the program and its threads are loaded: a changed flag makes V8 reject the compiled code that Node has of
 * its own modules, which costs 6 ms, and 15 ms in each thread. Source: V8 11.3, src/snapshot/code-serializer.cc,
 * `SerializedCodeData::SanityCheckWithoutSource`.
 */
export function compileLess(): void {
  if (process.versions.v8.startsWith("11.")) setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`);
}
