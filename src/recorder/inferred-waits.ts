import { ROOT } from "../profile/call-tree.js";
import type { LogPlatform } from "../profile/library-problem.js";
import type { Ticks } from "../profile/units.js";
import { IDLE_INFERRED, isIdle, VM_STATES, type VmState, vmState } from "../profile/vm-state.js";
import { platformOf } from "../symbols/platform.js";
import type { LibraryMap } from "./library-map.js";
import type { RecordedFrame } from "./recorded-frame.js";
import type { Recording } from "./recording.js";

/** The libraries with the system calls of a system whose sampler also ticks threads that wait. */
const SYSTEM_LIBRARIES: Partial<Record<LogPlatform, RegExp>> = {
  windows: /(?:^|[\\/])(?:ntdll|win32u|wow64cpu|kernelbase)\.dll$/i,
  macos: /(?:^|\/)libsystem_kernel\.dylib$/,
};

/** Fewer ticks at an address prove nothing. */
const LEAST_TICKS = 10;
/** The part of all ticks below which an address does not matter. */
const LEAST_SHARE = 0.05;
/** The part of the ticks outside of JavaScript that an address of a wait has at least, and all of them together. */
const ONE_WAIT = 0.2;
const ALL_WAITS = 0.5;

const EXTERNAL = vmState("external");

/**
 * Finds the ticks in which the thread most likely waited, and puts them into the VM state `idle-inferred`. Changes the
 * samples of the recording, and its ticks by state.
 *
 * On Windows and macOS V8 suspends the thread to tick it, whether it runs or waits. Node 12 to 14.16 do not say that they
 * wait, as other programs never do: V8 is then in the state EXTERNAL, there is no JavaScript on the stack, and each tick is
 * at the same address, behind the system call that waits. Code that runs outside of JavaScript is at many addresses.
 * On Linux the thread gets no signal while it waits for events. Source: V8, src/libsampler/sampler.cc,
 * `Sampler::DoSample`; Node, src/env.cc, `StartProfilerIdleNotifier`, and libuv, `UV_LOOP_BLOCK_SIGNAL`.
 */
export function inferWaits(recording: Recording): Recording {
  const { frames, tree, samples, libraries, platform, ticksByState, ticks: all } = recording;
  const pattern = SYSTEM_LIBRARIES[platform];
  if (pattern === undefined) return recording;
  if (ticksByState.some((ticks, state) => ticks > 0 && isIdle(state))) return recording;
  const isSystem = libraries.libraries.map(({ path }) => pattern.test(path));
  if (!isSystem.includes(true)) return recording;
  let outside = 0;
  const candidates: number[] = [];
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    if (samples.vmState[i] !== EXTERNAL || tree.parent[node] !== ROOT) continue;
    const ticks = samples.ticks[i]!;
    outside += ticks;
    const frame = frames[tree.frame[node]!]!;
    const isThere = frame.kind === "pending" && frame.library >= 0 && isSystem[frame.library];
    if (isThere && ticks >= LEAST_TICKS && ticks >= all * LEAST_SHARE) candidates.push(i);
  }
  const ticksOf = (rows: readonly number[]): Ticks => rows.reduce((sum, row) => sum + samples.ticks[row]!, 0);
  const waits = candidates.filter((row) => samples.ticks[row]! >= outside * ONE_WAIT);
  const waited = ticksOf(waits);
  if (waits.length === 0 || waited < outside * ALL_WAITS) return recording;
  for (const row of waits) samples.vmState[row] = IDLE_INFERRED;
  const moved = VM_STATES.map((_, state) => {
    const ticks = ticksByState[state] ?? 0;
    return state === EXTERNAL ? ticks - waited : state === IDLE_INFERRED ? ticks + waited : ticks;
  });
  return Object.assign(recording, { ticksByState: moved });
}

/** Tells, while a log grows, the ticks in which the thread most likely waited, as far as those before prove it. */
export class LiveWaits {
  readonly #libraries: Pick<LibraryMap, "libraries">;
  /** Whether each of the libraries so far is the system's. */
  #isSystem: readonly boolean[] = [];
  /** By frame: its ticks outside of JavaScript. */
  readonly #ticks = new Map<number, Ticks>();
  #outside = 0;
  #all = 0;
  #hasIdle = false;

  constructor(libraries: Pick<LibraryMap, "libraries">) {
    this.#libraries = libraries;
  }

  /** Counts a tick with its leaf, in the order of the log, and returns whether the thread most likely waited. */
  tick(
    state: VmState,
    depth: number,
    leaf: { readonly number: number; readonly frame: RecordedFrame },
  ): boolean {
    this.#all++;
    if (isIdle(state)) this.#hasIdle = true;
    if (state !== EXTERNAL || depth > 1) return false;
    this.#outside++;
    if (this.#hasIdle || !this.#isInSystem(leaf.frame)) return false;
    const ticks = (this.#ticks.get(leaf.number) ?? 0) + 1;
    this.#ticks.set(leaf.number, ticks);
    return ticks >= LEAST_TICKS && ticks >= this.#all * LEAST_SHARE && ticks >= this.#outside * ALL_WAITS;
  }

  #isInSystem(frame: RecordedFrame): boolean {
    const { libraries } = this.#libraries;
    if (libraries.length !== this.#isSystem.length) {
      const pattern = SYSTEM_LIBRARIES[platformOf(libraries)];
      this.#isSystem = libraries.map(({ path }) => pattern?.test(path) ?? false);
    }
    return frame.kind === "pending" && frame.library >= 0 && this.#isSystem[frame.library]!;
  }
}
