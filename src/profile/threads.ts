import { Numbers } from "../base/maps.js";
import type { Micros } from "../base/units.js";
import { clampedTime } from "./clamped-numbers.js";
import { moveDeopts } from "./deopt.js";
import { keepSamples } from "./filter.js";
import { moveIcs } from "./inline-caches.js";
import type { Profile, ProfileInfo, ThreadInfo, ThreadKind } from "./profile.js";

/** The order of kinds within a process. */
const KIND_ORDER: readonly (ThreadKind | undefined)[] = ["main", undefined, "worker"];

/** Returns the threads with unique names. */
export function nameThreads(threads: readonly ThreadInfo[]): ThreadInfo[] {
  const counts = counted(threads.map(nameOf));
  const names = threads.map((thread) => {
    const name = nameOf(thread);
    return counts.get(name)! > 1 && thread.isolate !== undefined && !name.includes(thread.isolate)
      ? `${name} ${thread.isolate}`
      : name;
  });
  const taken = new Set(names);
  const seen = new Set<string>();
  /** By name: the number that its next copy may get. */
  const copies = new Map<string, number>();
  return threads.map((thread, i) => {
    let name = names[i]!;
    // A copied log, or logs of two machines whose processes have the same id.
    let copy = copies.get(name) ?? 2;
    for (; seen.has(name); copy++) {
      const next = `${names[i]!} (${copy})`;
      if (!taken.has(next)) name = next;
    }
    copies.set(names[i]!, copy);
    seen.add(name);
    taken.add(name);
    return { ...thread, name };
  });
}

/** Longer names of threads are cut. */
const LABEL_LENGTH = 80;

/** Returns the name of a thread, before names are made unique. */
function nameOf({ pid, isolate, kind, log, workerName, label }: Omit<ThreadInfo, "name">): string {
  if (label !== undefined) {
    const own = label.slice(0, LABEL_LENGTH);
    return pid === undefined ? own : `pid ${pid} ${own}`;
  }
  if (pid === undefined) return isolate === undefined ? fileOf(log) : `${kind ?? "isolate"} ${isolate}`;
  const words = [`pid ${pid}`, kind, kind === "main" ? undefined : (workerName ?? isolate)];
  return words.filter((word) => word !== undefined).join(" ");
}

function counted(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Returns the folder of a log, with its last separator; empty for none. */
export function folderOf(log: string): string {
  return log.slice(0, Math.max(log.lastIndexOf("/"), log.lastIndexOf("\\")) + 1);
}

function fileOf(log: string): string {
  return log.slice(folderOf(log).length);
}

/** CPU profiles that began further apart may be of two machines. */
const MOST_APART: Micros = 3_600_000_000;

/**
 * Returns, by thread, the time from when the first CPU profile of its machine began to when its own did. V8 takes times from a clock
 * that all processes of a machine share until its next start, so profiles in one folder are of one, if they began near to each other.
 *
 * Source: V8, src/base/platform/time.cc, `TimeTicks::Now`.
 */
export function recordedOffsets(threads: readonly ThreadInfo[]): Micros[] {
  const offsets = threads.map(() => 0);
  const byStart = threads
    .flatMap(({ recorded, log }, i) => (recorded === undefined ? [] : [{ i, log, start: recorded.start }]))
    .filter(({ start }) => start > 0)
    .sort((a, b) => a.start - b.start);
  /** By folder: when the first and the last one until now began. */
  const machines = new Map<string, { first: Micros; last: Micros }>();
  for (const { i, log, start } of byStart) {
    const folder = folderOf(log);
    let machine = machines.get(folder);
    if (machine === undefined || start - machine.last > MOST_APART) machine = { first: start, last: start };
    machines.set(folder, machine);
    machine.last = start;
    offsets[i] = clampedTime(Math.round(start - machine.first));
  }
  return offsets;
}

/**
 * Returns thread numbers in the order of reports: folder by folder as given, within each by process (those
 * without an id first), then its main isolate, isolates of unknown kind, workers by address, then by log
 * name.
 */
export function threadOrder(threads: readonly ThreadInfo[]): number[] {
  const folders = new Numbers();
  const keys = threads.map(({ log, pid, isolate, kind }) => [
    folders.of(folderOf(log)),
    pid ?? -1,
    KIND_ORDER.indexOf(kind),
    isolate === undefined ? -1 : Number(isolate),
  ]);
  return Array.from(threads.keys()).sort((a, b) => {
    const at = keys[a]!.findIndex((key, i) => key !== keys[b]![i]);
    if (at >= 0) return keys[a]![at]! - keys[b]![at]!;
    const [first, second] = [threads[a]!.log, threads[b]!.log];
    return first === second ? a - b : first < second ? -1 : 1;
  });
}

/**
 * Returns the profile of the threads in `order`, in that order, as if the logs of the others had not been
 * read. `info` has the facts about their logs, in the same order.
 */
export function arrangeThreads(profile: Profile, order: readonly number[], info: ProfileInfo): Profile {
  const numbers = new Int32Array(profile.info.threads.length).fill(-1);
  for (const [number, thread] of order.entries()) numbers[thread] = number;
  const isKept = (sample: number) => numbers[profile.samples.thread[sample]!]! >= 0;
  const kept = numbers.includes(-1) ? keepSamples(profile, isKept) : profile;
  const { length, node, vmState, thread, ticks, count } = kept.samples;
  const samples = { length, node, vmState, thread: thread.map((number) => numbers[number]!), ticks, count };
  const moves = { threadOf: (number: number) => numbers[number]! };
  const deopts = kept.deopts && moveDeopts(kept.deopts, moves);
  const ics = kept.ics && moveIcs(kept.ics, moves);
  return { ...kept, samples, deopts, ics, info };
}
