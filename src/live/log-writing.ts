import { VM_STATES, type VmState } from "../profile/vm-state.js";
import { isV8State, type NativeWork } from "../views/profiler-work.js";

const EXTERNAL = VM_STATES.indexOf("external");
const OF_V8 = VM_STATES.map(isV8State);

/** Tells whether a tick is the profiler's own, as `profilerWork` does, from the functions of its stack, outermost first. */
export class LogWriting {
  #isInNative = false;
  /** Whether a native function since the last JavaScript writes V8's log. */
  #isInWriter = false;
  /** Whether the native function that JavaScript called is V8's own. */
  #isV8s = false;

  /** Takes the next function: what it does if it is native, else undefined. */
  enter(work: NativeWork | undefined): void {
    const isFirst = !this.#isInNative;
    this.#isInNative = work !== undefined;
    if (isFirst || work === undefined) this.#isV8s = work === "v8" || work === "log-writer";
    this.#isInWriter = work === "log-writer" || (this.#isInWriter && work !== undefined);
  }

  /** Returns whether the function that runs, which was not entered, works for the profiler. */
  isProfilers(work: NativeWork | undefined, state: VmState): boolean {
    const wasV8s = this.#isInNative && this.#isV8s;
    if (work === "log-writer" || (work !== undefined && this.#isInWriter)) return true;
    return work === "file-writer" && (OF_V8[state]! || (wasV8s && state !== EXTERNAL));
  }
}
