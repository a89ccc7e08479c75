import { TicksError } from "../base/errors.js";
import type { Micros } from "../base/units.js";
import type { FileTimes } from "../profile/log-start.js";
import type { ThreadInfo, ThreadOrigin } from "../profile/profile.js";

/** The options of a reader of a profile. */
export interface ReadInputOptions {
  /** What reports call the file. */
  readonly name: string;
  readonly origin?: ThreadOrigin | undefined;
  readonly fileTimes?: FileTimes | undefined;
  /** In ms from the start: only samples from then to then count. Default: all. */
  readonly range?: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined;
  /** Whether the profile has every sample with its time. Default: false. */
  readonly timeline?: boolean | undefined;
  /** Which of the values of a pprof profile count, by their type: `cpu`, `wall`. Default: what the profile says. */
  readonly sampleType?: string | undefined;
  /** Which samples of a pprof profile count, by their labels. Default: all. */
  readonly labels?: LabelFilter | undefined;
}

/** Labels of samples: those with a key, or of any key, whose value matches. */
export interface LabelPattern {
  readonly key: string | undefined;
  readonly value: RegExp;
}

/** Which samples count: those with a label that matches one of `focus`, if there are any, and none of `ignore`. */
export interface LabelFilter {
  readonly focus?: readonly LabelPattern[] | undefined;
  readonly ignore?: readonly LabelPattern[] | undefined;
}

/** What is known of a thread apart from its samples. */
export type GivenThread = ThreadOrigin & Pick<ThreadInfo, "kind" | "label" | "number">;

/** Returns what the name of a file tells of its thread. */
export function threadOfFile({ origin }: ReadInputOptions): GivenThread {
  const { pid, isolate } = origin ?? {};
  const kind = isolate !== undefined ? "worker" : pid === undefined ? undefined : "main";
  // Node's names of profiles have the number of the worker.
  const number = isolate !== undefined && /^\d+$/.test(isolate) ? Number(isolate) : undefined;
  return { pid, isolate, kind, number };
}

/** A range of time, in µs from the start. */
export interface MicrosRange {
  readonly from: Micros;
  readonly to: Micros;
}

export function rangeOf({ range: { from, to } = {} }: ReadInputOptions): MicrosRange | undefined {
  if (from === undefined && to === undefined) return undefined;
  return { from: (from ?? Number.NEGATIVE_INFINITY) * 1000, to: (to ?? Number.POSITIVE_INFINITY) * 1000 };
}

/** Returns the error for a range of time of a profile whose samples have none. */
export function untimed(name: string): TicksError {
  return new TicksError(
    "BAD_OPTION",
    `${name}: its samples have no times, so it cannot be cut by time`,
    "Leave out --from and --to.",
  );
}

/** Returns the error for labels of a file that has none. */
export function unlabelled(name: string): TicksError {
  return new TicksError(
    "BAD_OPTION",
    `${name}: its samples have no labels, so --tagfocus and --tagignore do not work`,
    "Only pprof profiles have labels.",
  );
}
