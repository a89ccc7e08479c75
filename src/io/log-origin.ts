import { basename } from "node:path";

/** The process and the isolate that a log is of, as far as its name says. */
export interface LogOrigin {
  readonly pid: number | undefined;
  /** In lower-case hex with `0x`. */
  readonly isolate: string | undefined;
}

// The names that V8 makes of `--logfile`, by default `v8.log`, where each isolate has a log of its own:
//
//     isolate-0x2e477fc0-v8.log                  Node 4 to 10
//     isolate-00000209B99A60A0-1234-v8.log       Windows
//     isolate-0x38db74c0-16691-v8.log            Node 12 and later
//     isolate-0x19b94fd0-v8-15731.log            a child of Node's cluster: it adds the PID to `--logfile`
//     isolate-0x2bf9f570-16587-v8-16587.log      the same, Node 12 and later
//
// Source: V8, src/logging/log.cc, `PrepareLogFileName`; Node, lib/internal/cluster/primary.js, `setupPrimary`.
const ISOLATE = /(?:^|[-_.])isolate-(?:0x)?([0-9a-f]+)(?:-(\d+))?-/i;
const CLUSTER = /(?:^|[-_.])v8-(\d+)\.log/i;

/** Reads the name of a log, whatever stands before and after what V8 wrote. */
export function originOfLog(path: string): LogOrigin {
  const name = basename(path.replaceAll("\\", "/"));
  const isolate = ISOLATE.exec(name);
  const pid = isolate?.[2] ?? CLUSTER.exec(name)?.[1];
  return {
    pid: pid === undefined ? undefined : Number(pid),
    isolate: isolate === null ? undefined : normalAddress(isolate[1]!),
  };
}

/** An address as names of threads have it, however it was written. */
export function normalAddress(hex: string): string {
  return `0x${BigInt(`0x${hex}`).toString(16)}`;
}
