import { basename } from "node:path";

/** The process and isolate of a log, as far as its name tells. */
export interface LogOrigin {
  readonly pid: number | undefined;
  /** Lower-case hex with `0x`; the number of the thread of a worker's CPU profile. */
  readonly isolate: string | undefined;
}

// Names that V8 derives from `--logfile`, by default `v8.log`, when each isolate has a log of its own:
//
//     isolate-0x2e477fc0-v8.log                  Node 4 to 10
//     isolate-00000209B99A60A0-1234-v8.log       Windows
//     isolate-0x38db74c0-16691-v8.log            Node 12 and later
//     isolate-0x19b94fd0-v8-15731.log            a child of Node's cluster, which adds the PID to `--logfile`
//     isolate-0x2bf9f570-16587-v8-16587.log      the same, Node 12 and later
//
// Source: V8, src/logging/log.cc, `PrepareLogFileName`; Node, lib/internal/cluster/primary.js,
// `setupPrimary`.
const ISOLATE = /(?:^|[-_.])isolate-(?:0x)?([0-9a-f]+)(?:-(\d+))?-/i;
// CPU.20260101.120000.16691.0.001.cpuprofile, Heap.….heapprofile: date, time, PID, thread, number. Thread 0 is the main one.
// Source: Node, src/node_internals.h, `DiagnosticFilename`.
const CPU_PROFILE =
  /^(?:.*[-_.])?(?:CPU|Heap)\.\d{8}\.\d{6}\.(\d{1,10})\.(\d{1,10})\.\d{1,10}\.(?:cpu|heap)profile/;
// CPU.1795873816746.12368.worker-1.cpuprofile: time, PID, worker; that of the main thread has no worker. Source: profiles of Deno 2.9.
const DENO_PROFILE = /^(?:.*[-_.])?CPU\.\d{13}\.(\d{1,10})(?:\.worker-(\d{1,10}))?\.cpuprofile/;
const CLUSTER = /(?:^|[-_.])v8-(\d+)\.log/i;

/** Parses the name of a log, ignoring any prefix and suffix around V8's part. */
export function originOfLog(path: string): LogOrigin {
  const name = basename(path.replaceAll("\\", "/"));
  const profile = CPU_PROFILE.exec(name);
  if (profile !== null) {
    const [, pid, thread] = profile;
    return { pid: Number(pid), isolate: thread === "0" ? undefined : thread };
  }
  const ofDeno = DENO_PROFILE.exec(name);
  if (ofDeno !== null) return { pid: Number(ofDeno[1]), isolate: ofDeno[2] };
  const isolate = ISOLATE.exec(name);
  const pid = isolate?.[2] ?? CLUSTER.exec(name)?.[1];
  return {
    pid: pid === undefined ? undefined : Number(pid),
    isolate: isolate === null ? undefined : normalAddress(isolate[1]!),
  };
}

/** Formats an address as in the names of threads. */
export function normalAddress(hex: string): string {
  return `0x${BigInt(`0x${hex}`).toString(16)}`;
}

/** The logs of one run of a program: those of its main thread and of its workers. */
export interface LogRun {
  /** Undefined if the name of its log does not tell. */
  readonly pid: number | undefined;
  /** In the order in which they were given. */
  readonly logs: readonly string[];
}

/**
 * The parts of a name that differ between the isolates of a process: their address and, in logs of `ticks record`, their start; and whether it is
 * compressed.
 */
const OF_ISOLATE = /(isolate-)(?:0x)?[0-9a-f]+|t\d{13}-(?=v8-)|\.(?:gz|zst|br)$/gi;

/**
 * Groups logs of one folder by run, in the order of the first log of each. Logs are of one run if their names
 * differ only in the isolate and have a PID; any other log is a run by itself.
 */
export function runsOf(paths: readonly string[]): LogRun[] {
  const runs = new Map<string, { pid: number | undefined; logs: string[] }>();
  for (const path of paths) {
    const { pid } = originOfLog(path);
    const key = pid === undefined ? `/${path}` : basename(path).replace(OF_ISOLATE, "$1");
    const run = runs.get(key);
    if (run === undefined) runs.set(key, { pid, logs: [path] });
    else run.logs.push(path);
  }
  return Array.from(runs.values());
}
