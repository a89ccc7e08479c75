import type { Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import type { LogPlatform } from "../profile/library-problem.js";
import { IDLE_INFERRED, isIdle, VM_STATES, vmState } from "../profile/vm-state.js";
import type { ReplayedLog } from "./replayed-log.js";

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
 * samples of the replayed log, and its ticks by state.
 *
 * On Windows and macOS V8 suspends the thread to tick it, whether it runs or waits. Node 12 to 14.16 do not say that they
 * wait, as other programs never do: V8 is then in the state EXTERNAL, there is no JavaScript on the stack, and each tick is
 * at the same address, behind the system call that waits. Code that runs outside of JavaScript is at many addresses.
 * On Linux the thread gets no signal while it waits for events. Source: V8, src/libsampler/sampler.cc,
 * `Sampler::DoSample`; Node, src/env.cc, `StartProfilerIdleNotifier`, and libuv, `UV_LOOP_BLOCK_SIGNAL`.
 */
export function inferWaits(replayed: ReplayedLog): ReplayedLog {
  const { frames, tree, samples, libraries, platform, ticksByState, ticks: all } = replayed;
  const pattern = SYSTEM_LIBRARIES[platform];
  if (pattern === undefined) return replayed;
  if (ticksByState.some((ticks, state) => ticks > 0 && isIdle(state))) return replayed;
  let outside = 0;
  const candidates: number[] = [];
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    if (samples.vmState[i] !== EXTERNAL || tree.parent[node] !== ROOT) continue;
    const ticks = samples.ticks[i]!;
    outside += ticks;
    const frame = frames[tree.frame[node]!]!;
    if (frame.kind !== "pending" || ticks < LEAST_TICKS || ticks < all * LEAST_SHARE) continue;
    const { path = "" } = libraries.libraries[frame.library] ?? {};
    if (pattern.test(path)) candidates.push(i);
  }
  const ticksOf = (rows: readonly number[]): Ticks => rows.reduce((sum, row) => sum + samples.ticks[row]!, 0);
  const waits = candidates.filter((row) => samples.ticks[row]! >= outside * ONE_WAIT);
  const waited = ticksOf(waits);
  if (waits.length === 0 || waited < outside * ALL_WAITS) return replayed;
  for (const row of waits) samples.vmState[row] = IDLE_INFERRED;
  const moved = VM_STATES.map((_, state) => {
    const ticks = ticksByState[state] ?? 0;
    return state === EXTERNAL ? ticks - waited : state === IDLE_INFERRED ? ticks + waited : ticks;
  });
  return Object.assign(replayed, { ticksByState: moved });
}
