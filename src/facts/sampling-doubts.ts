import {
  ALL_TICKS,
  bareTime,
  inPercent,
  inSamples,
  inTime,
  named,
  type Text,
  TICK,
  TICKS,
  text,
} from "../base/text.js";
import type { Micros, Ticks } from "../base/units.js";
import type { Profile } from "../profile/profile.js";
import { bunchLimit } from "../profile/sampling.js";
import { creditInterpreted } from "../profile/shown-stacks.js";
import { Analysis } from "./analysis.js";
import { type SystemCallTicks, systemCallTicks } from "./system-calls.js";

/** A reason to doubt what the ticks of a log stand for. */
export type SamplingDoubt =
  | {
      /** Many ticks come within a moment: their times are late. */
      readonly kind: "bursts";
      readonly ticks: Ticks;
      readonly percent: number;
      /** How soon after the one before they come. */
      readonly within: Micros;
    }
  | {
      /** For a large part of the time no tick came. */
      readonly kind: "no-cpu";
      readonly gapTime: Micros;
      readonly span: Micros;
      readonly percent: number;
    }
  /** Many ticks are in system calls, which get more of them than CPU time. */
  | ({ readonly kind: "system-calls" } & SystemCallTicks)
  /** Ticks that follow each other are alike, so that they tell little. */
  | { readonly kind: "dependent-ticks"; readonly ticks: Ticks; readonly effective: Ticks };

/** What a log says about how its ticks came about, beyond intervals. */
interface SamplingFacts {
  /** Undefined if no tick is in one. */
  readonly systemCalls: SystemCallTicks | undefined;
  /**
   * How many independent ticks tell as much about functions as the ticks do; undefined without a timeline and
   * with few ticks.
   */
  readonly effectiveTicks: Ticks | undefined;
}

/** Less of the ticks, in percent, are usual. In calm logs 1 to 3 % come too soon. */
const MANY_BUNCHED = 10;
const MANY_SYSTEM_CALLS = 5;
/** Less of the time without ticks, in percent, is usual: programs wait for files and processes. */
const MUCH_TIME = 20;
/** Profiles have a sample for each moment, also of a thread that waits: less is what a busy machine makes. */
const MUCH_TIME_OF_PROFILE = 5;
/** With so many independent ticks, a share of 10 % is uncertain by 3.4 points either way. */
const FEW_INDEPENDENT = 300;

/** Returns what the log of a profile says about its ticks. */
export function samplingFacts(profile: Profile): SamplingFacts {
  const shown = Analysis.of(creditInterpreted(profile));
  const systemCalls = systemCallTicks(shown);
  return { systemCalls, effectiveTicks: shown.timeline && effectiveTicks(shown.byFunction.analysis) };
}

function effectiveTicks({ tree, samples, table, confidence }: Analysis): Ticks | undefined {
  const row = new Int32Array(samples.length);
  for (let i = 0; i < row.length; i++) row[i] = table.ofFrame[tree.frame[samples.node[i]!]!]!;
  return confidence.effectiveTicks(table.functions.length, { row });
}

/** Returns the reasons to doubt the ticks of a profile, those that matter for it. */
export function samplingDoubts(profile: Profile): SamplingDoubt[] {
  const { ticks, excluded, sampling } = profile.info;
  const { bunched, gapTime, span } = sampling;
  const { systemCalls, effectiveTicks: effective } = samplingFacts(profile);
  const doubts: SamplingDoubt[] = [];
  const inBursts = ticks === 0 ? 0 : (bunched * 100) / ticks;
  if (inBursts >= MANY_BUNCHED) {
    doubts.push({ kind: "bursts", ticks: bunched, percent: inBursts, within: bunchLimit(sampling) });
  }
  const withoutTicks = span > 0 ? (gapTime * 100) / span : 0;
  if (withoutTicks >= (profile.info.input === undefined ? MUCH_TIME : MUCH_TIME_OF_PROFILE))
    doubts.push({ kind: "no-cpu", gapTime, span, percent: withoutTicks });
  if (systemCalls !== undefined && systemCalls.percent >= MANY_SYSTEM_CALLS) {
    doubts.push({ kind: "system-calls", ...systemCalls });
  }
  const shown = ticks - excluded;
  if (effective !== undefined && effective < FEW_INDEPENDENT && effective < shown / 2) {
    doubts.push({ kind: "dependent-ticks", ticks: Math.round(shown), effective: Math.round(effective) });
  }
  return doubts;
}

/** Returns a doubt as a sentence. */
export function samplingDoubtText(doubt: SamplingDoubt): Text {
  switch (doubt.kind) {
    case "bursts":
      return text`${inPercent(doubt.percent)} of the ${TICKS} came in bursts, within ${inTime(doubt.within, "ms", 2)} of the one before: their times are when V8 wrote them, not when they were taken.`;
    case "no-cpu":
      return text`No ${TICK} came in ${inPercent(doubt.percent, 0)} of the time (${bareTime(doubt.gapTime, "s")} of ${inTime(doubt.span, "s")}): the thread slept, or had no CPU.`;
    case "system-calls":
      return text`${inPercent(doubt.percent)} of the ${TICKS} are in system calls, most in ${named(doubt.most)}: these get more ${TICKS} than CPU time, so their share is too high.`;
    case "dependent-ticks":
      return text`${ALL_TICKS} come in runs: the ${inSamples(doubt.ticks)} tell as much as ${String(doubt.effective)} independent ones, so shares are less sure than that number of ${TICKS} promises.`;
  }
}
