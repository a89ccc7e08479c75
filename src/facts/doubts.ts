import {
  ALL_TICKS,
  bare,
  counted,
  duration,
  INTERVAL_OPTION,
  inPercent,
  inSamples,
  inTicks,
  LOG,
  milliseconds,
  named,
  percent,
  type Text,
  TICK,
  TICKS,
  text,
} from "../base/text.js";
import type { FromOne, Integer, Microseconds, Ticks } from "../base/units.js";
import type { CoverageCategory } from "../profile/categories.js";
import { diagnosticMessage } from "../profile/diagnostics.js";
import type { LibraryProblem } from "../profile/library-problem.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { bunchLimit, slowSampling, tickInterval } from "../profile/sampling.js";
import { creditInterpreted } from "../profile/shown-stacks.js";
import { Analysis } from "./analysis.js";
import {
  type Coverage,
  coverageOf,
  faultsOf,
  inferredIdle,
  isSampled,
  type LibraryCoverage,
  MOST_UNKNOWN,
  mostlyIdle,
  READS_WITHOUT_TICKS,
  WITHOUT_PROF,
} from "./coverage.js";
import { missingCallersNote } from "./missing-callers.js";
import { possibleWaits } from "./possible-waits.js";
import { problemWords } from "./problem-words.js";
import { type SystemCallTicks, systemCallTicks } from "./system-calls.js";
import { isMuchUnsampled, UNSAMPLED } from "./unsampled-cpu.js";

/** A reason to doubt the numbers of a profile, as JSON has it. */
export type Warning =
  | { readonly kind: "no-function"; readonly ticks: Ticks; readonly percent: number }
  | {
      /** Most ticks are idle, and --idle counts them. */
      readonly kind: "idle";
      readonly ticks: Ticks;
      readonly percent: number;
    }
  | {
      /** A file has more than the log of one run. */
      readonly kind: "shared-file";
      /**
       * Several runs follow each other, and are threads; several processes wrote at once; or a part of another run is in the
       * file.
       */
      readonly fault: SharedFile;
      /** Where that shows first. */
      readonly line: FromOne;
      /** How often it shows. */
      readonly count: FromOne;
    }
  | {
      /** V8 does not say so, but in these ticks the thread most likely waited: they count as idle. */
      readonly kind: "inferred-idle";
      readonly ticks: Ticks;
      readonly percent: number;
      /** The library with the system call that waits. */
      readonly library: string;
    }
  | { readonly kind: "few-ticks"; readonly ticks: Ticks }
  | {
      /** The profile has times or sizes, but not how many samples they are from: nothing tells how sure shares are. */
      readonly kind: "unknown-count";
    }
  | {
      /** The ticks of a log have no times, and count as intervalUs apart. */
      readonly kind: "no-times";
      readonly intervalUs: number;
      /** Whether some threads have times; then how many have none, and how many threads there are. */
      readonly isForSome?: boolean;
      readonly untimedThreads?: Integer;
      readonly threads?: Integer;
    }
  | {
      readonly kind: "slow-sampling";
      readonly intervalAskedUs: number;
      readonly intervalUs: number;
      /** Whether the timer of Windows is no finer; else the machine was busy. */
      readonly isWindowsTimer: boolean;
      /** Whether no other doubt is about shares: there are fewer ticks then, but their shares are right. */
      readonly areSharesSound: boolean;
    }
  | { readonly kind: "lost-ticks"; readonly times: Integer }
  | {
      /** Many ticks come within a moment: their times are late. */
      readonly kind: "bursts";
      readonly ticks: Ticks;
      readonly percent: number;
      /** How soon after the one before they come. */
      readonly withinUs: Microseconds;
    }
  | {
      /** Much of the CPU time of the processes is of threads that V8 does not sample. */
      readonly kind: "unsampled-cpu";
      /** Of all threads. */
      readonly cpuUs: Microseconds;
      /** Of the threads that run JavaScript. */
      readonly sampledUs: Microseconds;
    }
  | {
      /** For a large part of the time no tick came. */
      readonly kind: "no-cpu";
      readonly gapTimeUs: Microseconds;
      readonly spanUs: Microseconds;
      readonly percent: number;
    }
  | {
      /** Ticks in `(program)` of a CPU profile without `(idle)`: they include waiting. */
      readonly kind: "possible-waits";
      readonly ticks: Ticks;
      readonly percent: number;
    }
  | {
      /** Many ticks are in system calls, which get more of them than CPU time. */
      readonly kind: "system-calls";
      readonly ticks: Ticks;
      readonly percent: number;
      readonly most: string;
    }
  | {
      /** Ticks that follow each other are alike, so that they tell little. */
      readonly kind: "dependent-ticks";
      readonly ticks: Ticks;
      readonly effectiveTicks: Ticks;
    }
  | {
      readonly kind: "missing-callers";
      readonly callers: Integer;
      readonly missing: Integer;
      readonly percent: number;
      /** Whether `node --no-node-snapshot` logs them. */
      readonly isSnapshot: boolean;
    }
  | { readonly kind: "diagnostics"; readonly count: Integer };

/** What `ticks doctor` alone says of a profile. */
type LogDoubt =
  | { readonly kind: "no-samples"; readonly isSampled: boolean }
  /** A library with ticks that have no name. `node`: the version that wrote the log, if that helps. */
  | {
      readonly kind: "library";
      readonly path: string;
      readonly problem: LibraryProblem | undefined;
      readonly source: string | undefined;
      readonly node: string | undefined;
    }
  | { readonly kind: "no-address" }
  | { readonly kind: "unlogged-code" }
  /** Callers that lost their line when V8 deoptimized them. */
  | { readonly kind: "lost-lines"; readonly percent: number };

export type Doubt = Warning | LogDoubt;

/**
 * What a doubt does to a page: it comes before all, since it makes the page worthless, and there is something to do first; it is a
 * finding; it is uncertain; it is only in JSON, since it changes nothing that one would do next, or margins say it; or only `ticks doctor`
 * has it, which says more of how the log was made.
 */
export type Weight = "first" | "finding" | "uncertain" | "data" | "doctor";

/** How a kind of doubt is found and told. */
interface Row<D extends Doubt> {
  /** Returns what is known of it, for each time that it is there. */
  when(of: Doubted): Facts<D> | readonly Facts<D>[] | undefined;
  /** `ticks`: those of the page. */
  weight(doubt: D, ticks: Ticks): Weight;
  /** Returns what is wrong, without the last period. */
  say(doubt: D, of: Pick<ProfileInfo, "input" | "memory">): Text;
  /** Returns what can be done about it, as a sentence. */
  do?(doubt: D, of: Pick<ProfileInfo, "input" | "memory">): Text;
  /** What `ticks doctor` does about it: other reports send there instead. */
  readonly doctor?: string;
}

type Facts<D extends Doubt> = Omit<D, "kind">;

/** With 100 ticks, a share of 10 % is uncertain by 3 points either way; with fewer ticks, by more. */
const FEW_TICKS = 100;
/** From so many percent of ticks without a function on, the page is not about the program. */
const MOSTLY_UNKNOWN = 25;
/** Problems that affect a smaller share of the ticks, in percent, are not told. */
const LEAST_UNNAMED = 0.5;
const MANY_WITHOUT_ADDRESS = 5;
/** Fewer callers without a line, in percent of the ticks, are not worth a sentence. */
const MANY_LOST_LINES = 1;
/** Less of the ticks, in percent, are usual. In calm logs 1 to 3 % come too soon. */
const MANY_BUNCHED = 10;
const MANY_SYSTEM_CALLS = 5;
/** Less of the time without ticks, in percent, is usual: programs wait for files and processes. */
const MUCH_TIME = 20;
/** Profiles have a sample for each moment, also of a thread that waits: less is what a busy machine makes. */
const MUCH_TIME_OF_PROFILE = 5;
/** With so many independent ticks, a share of 10 % is uncertain by 3.4 points either way. */
const FEW_INDEPENDENT = 300;

/** Said wherever something would be sure if the number of samples was known; without its period. */
export const UNKNOWN_COUNT =
  "This profile does not say how many samples it is from: nothing tells how sure shares are";

/** Said where ticks may be waits; without its period. */
export const UNSURE_SHARES = "No share is sure";

/** Every doubt that there is, in the order of reports. A new one is a member of a type above and a row here. */
const DOUBTS: { readonly [Kind in Doubt["kind"]]: Row<Extract<Doubt, { readonly kind: Kind }>> } = {
  "unsampled-cpu": {
    when: ({ ticks, profile: { info } }) =>
      ticks > 0 && info.cpu !== undefined && isMuchUnsampled(info.cpu)
        ? { cpuUs: info.cpu.all, sampledUs: info.cpu.sampled }
        : undefined,
    weight: ({ cpuUs, sampledUs }) => (2 * sampledUs < cpuUs ? "finding" : "uncertain"),
    say: ({ cpuUs, sampledUs }) =>
      text`This page is of the JavaScript threads: ${bare(duration(sampledUs, cpuUs))} of ${duration(cpuUs)} of CPU. The rest is ${UNSAMPLED}`,
  },
  "no-function": {
    when: ({ coverage, percentOf }) =>
      percentOf(coverage.unknown) > MOST_UNKNOWN
        ? { ticks: coverage.unknown, percent: percentOf(coverage.unknown) }
        : undefined,
    weight: (doubt) => (doubt.percent >= MOSTLY_UNKNOWN ? "first" : "uncertain"),
    say: (doubt) => text`${percent(doubt.percent, 1)} of the ${TICKS} have no function`,
    doctor: "says why",
  },
  "no-samples": {
    when: ({ ticks, profile }) => (ticks > 0 ? undefined : { isSampled: isSampled(profile.info) }),
    weight: () => "doctor",
    say: (doubt) => (doubt.isSampled ? "No samples" : text`This ${LOG} was ${WITHOUT_PROF}`),
    do: (doubt) => (doubt.isSampled ? "Run longer, or under load." : READS_WITHOUT_TICKS),
  },
  library: {
    when: ({ profile, coverage, percentOf }) =>
      coverage.libraries.flatMap((library) => {
        const { path, unnamed, problem, source } = library;
        if (percentOf(unnamed) < LEAST_UNNAMED || (problem ?? source) === undefined) return [];
        return [{ path, problem, source, node: otherNode(profile, library) }];
      }),
    weight: () => "doctor",
    say: ({ path, problem, source = "" }) =>
      problem === undefined
        ? text`${named(path)}: its symbols (${named(source)}) have gaps`
        : text`No names for ${named(path)}: ${problemWords(path, problem).sentence}`,
    do: ({ path, problem, node }) => {
      if (problem === undefined) return "Install its debug symbols under /usr/lib/debug.";
      if (node === undefined) return problemWords(path, problem).remedy;
      return text`Get Node ${named(`v${node}`)} for the system of the ${LOG}, and pass --symbols node=PATH.`;
    },
  },
  "no-address": {
    when: ({ percentIn }) => (percentIn("no-pc") >= MANY_WITHOUT_ADDRESS ? {} : undefined),
    weight: () => "doctor",
    say: () => text`Many ${TICKS} have no address: the kernel or the container hides the registers`,
    do: () => "Record outside the container.",
  },
  "unlogged-code": {
    when: ({ percentIn }) => (percentIn("unmapped") >= LEAST_UNNAMED ? {} : undefined),
    weight: () => "doctor",
    say: () =>
      text`Some ${TICKS} are outside all logged code: V8 does not log libraries loaded after startup, such as native addons`,
    do: () => "Record with `ticks record`, which keeps them (on Linux).",
  },
  idle: {
    when: ({ profile }) => mostlyIdle(profile),
    weight: () => "first",
    say: (doubt) =>
      text`${percent(doubt.percent, 1)} of the ${TICKS} are idle: without --idle, shares are of the others`,
  },
  "inferred-idle": {
    when: ({ profile }) => inferredIdle(profile),
    weight: (doubt) => (doubt.percent >= 5 ? "uncertain" : "data"),
    say: (doubt) => {
      const file = doubt.library.slice(
        Math.max(doubt.library.lastIndexOf("/"), doubt.library.lastIndexOf("\\")) + 1,
      );
      const where = file === "" ? "" : text`always at the same address of ${named(file)}, `;
      return text`${inTicks(doubt.ticks)} (${inPercent(doubt.percent)}) most likely waited (inferred: ${where}no JavaScript): they count as idle`;
    },
  },
  "few-ticks": {
    when: ({ ticks, profile: { info } }) =>
      ticks > 0 && ticks < FEW_TICKS && !info.isCountUnknown ? { ticks } : undefined,
    weight: () => "first",
    say: ({ ticks }, { memory }) =>
      text`Only ${memory === undefined ? inTicks(ticks) : inSamples(Math.round(ticks))}`,
    // Who wrote a trace or a pprof profile has options of its own.
    do: (_, { input }) =>
      input === undefined || input === "cpuprofile"
        ? text`Run longer, or sample more often with ${INTERVAL_OPTION}=100.`
        : input === "heapprofile"
          ? text`Run longer, or sample more often with ${INTERVAL_OPTION}=8192.`
          : "Run longer, or sample more often.",
  },
  "unknown-count": {
    when: ({ ticks, profile: { info } }) => (ticks > 0 && info.isCountUnknown ? {} : undefined),
    weight: () => "first",
    say: () => UNKNOWN_COUNT,
  },
  "no-times": {
    when: ({ profile: { info } }) => {
      const { sampling, threads } = info;
      if (sampling.hasTimes || info.memory !== undefined || info.ticks === info.excluded) return undefined;
      const untimedThreads = threads.filter((thread) => !(thread.sampling ?? sampling).hasTimes).length;
      const some = { isForSome: true, untimedThreads, threads: threads.length };
      return { intervalUs: tickInterval(sampling), ...(untimedThreads < threads.length && some) };
    },
    weight: () => "data", // Times alone are in doubt.
    say: ({ intervalUs, isForSome, untimedThreads, threads }, { input }) => {
      const what = isForSome
        ? text`${String(untimedThreads)} of ${String(threads)} threads have no times`
        : text`This ${LOG} has no times`;
      if (input === undefined)
        return text`${what}: ${TICKS} count as ${milliseconds(intervalUs)} apart, as asked for. V8 has logged times since 2013`;
      const verb = isForSome ? "leave them out" : "do not work";
      return text`${what}: ticks timeline, ticks startup, exports over time, --from and --to ${verb}`;
    },
  },
  "slow-sampling": {
    when: ({ profile, has }) => {
      const slow = slowSampling(profile.info.sampling);
      if (slow === undefined) return undefined;
      const { asked, got, isWindowsTimer } = slow;
      const areSharesSound = !SHARES_IN_DOUBT.some(has);
      return { intervalAskedUs: asked, intervalUs: got, isWindowsTimer, areSharesSound };
    },
    weight: ({ intervalAskedUs, intervalUs }) => (intervalUs >= 5 * intervalAskedUs ? "uncertain" : "data"),
    say: ({ intervalAskedUs, intervalUs, isWindowsTimer, areSharesSound }) => {
      const reason = isWindowsTimer ? "the timer of Windows is no finer" : "the machine was busy";
      const shares = areSharesSound ? "Percentages are still valid, but there" : "There";
      return text`Samples came every ${milliseconds(intervalUs)} instead of every ${milliseconds(intervalAskedUs)}: ${reason}. ${shares} are fewer ${TICKS}`;
    },
  },
  "lost-ticks": {
    when: ({ profile: { info } }) =>
      info.sampling.overflows > 0 ? { times: info.sampling.overflows } : undefined,
    weight: ({ times }, ticks) =>
      times * 20 >= ticks ? "first" : times * 100 >= ticks ? "uncertain" : "data",
    say: ({ times }) => text`${ALL_TICKS} were lost ${counted(times, "time")}: V8's buffer was full`,
    do: () => text`Sample less often: ${INTERVAL_OPTION}=5000.`,
  },
  bursts: {
    when: ({ profile: { info } }) => {
      const { bunched } = info.sampling;
      const part = info.ticks === 0 ? 0 : (bunched * 100) / info.ticks;
      if (part < MANY_BUNCHED) return undefined;
      return { ticks: bunched, percent: part, withinUs: bunchLimit(info.sampling) };
    },
    weight: () => "data", // Times alone are in doubt.
    say: (doubt) =>
      text`${inPercent(doubt.percent)} of the ${TICKS} came in bursts, within ${milliseconds(doubt.withinUs)} of the one before: their times are when V8 wrote them, not when they were taken`,
  },
  "no-cpu": {
    when: ({ profile: { info } }) => {
      const { gapTime, span, hasTimes } = info.sampling;
      if (!hasTimes && info.input !== undefined) return undefined;
      const part = span > 0 ? (gapTime * 100) / span : 0;
      if (part < (info.input === undefined ? MUCH_TIME : MUCH_TIME_OF_PROFILE)) return undefined;
      return { gapTimeUs: gapTime, spanUs: span, percent: part };
    },
    weight: (doubt) => (doubt.percent >= 50 ? "uncertain" : "data"),
    say: (doubt) =>
      text`No ${TICK} came in ${inPercent(doubt.percent, 0)} of the time (${bare(duration(doubt.gapTimeUs, doubt.spanUs))} of ${duration(doubt.spanUs)}): the thread slept, or had no CPU`,
  },
  "possible-waits": {
    when: ({ profile }) => possibleWaits(profile),
    weight: (doubt) => (doubt.percent >= 20 ? "first" : "uncertain"),
    say: (doubt) =>
      text`No ${TICK} is (idle), as in profiles of Node 8 to 12: (program), with ${inTicks(doubt.ticks)} (${inPercent(doubt.percent)}), includes waiting. ${UNSURE_SHARES}`,
    do: () => "Node 14 and later tell the two apart.",
  },
  "system-calls": {
    when: ({ sampling: { systemCalls } }) =>
      systemCalls !== undefined && systemCalls.percent >= MANY_SYSTEM_CALLS ? systemCalls : undefined,
    weight: (doubt) => (doubt.percent >= 20 ? "uncertain" : "data"),
    say: (doubt) =>
      text`${inPercent(doubt.percent)} of the ${TICKS} are in system calls, most in ${named(doubt.most)}: these get more ${TICKS} than CPU time, so their share is too high`,
  },
  "dependent-ticks": {
    when: ({ profile: { info }, sampling: { effectiveTicks } }) => {
      const shown = info.ticks - info.excluded;
      if (effectiveTicks === undefined || effectiveTicks >= Math.min(FEW_INDEPENDENT, shown / 2))
        return undefined;
      return { ticks: Math.round(shown), effectiveTicks: Math.round(effectiveTicks) };
    },
    weight: () => "data", // Margins say it.
    say: ({ ticks, effectiveTicks }) =>
      text`${ALL_TICKS} come in runs: the ${inSamples(ticks)} tell as much as ${String(effectiveTicks)} independent ones, so shares are less sure than that number of ${TICKS} promises`,
  },
  "lost-lines": {
    when: ({ profile: { info }, percentOf }) => {
      const part = percentOf(info.lostLines ?? 0);
      return part >= MANY_LOST_LINES ? { percent: part } : undefined;
    },
    weight: () => "doctor",
    say: (doubt) =>
      text`${inPercent(doubt.percent)} of the ${TICKS} have a caller without its line: V8 deoptimized it while it called`,
  },
  "missing-callers": {
    when: ({ profile }) => missingCallersNote(profile),
    weight: (doubt) => (doubt.percent >= 20 ? "uncertain" : "data"),
    say: ({ callers, missing, percent: part, isSnapshot }) => {
      const why = isSnapshot
        ? "functions of Node's startup snapshot. Record with --no-node-snapshot to see them"
        : text`the ${LOG} has no rows of their code`;
      return text`${String(missing)} of ${String(callers)} callers (${inPercent(part)}) are missing: ${why}`;
    },
  },
  "shared-file": {
    when: ({ profile: { info } }) =>
      SHARED_FILES.flatMap((fault) => {
        const found = info.diagnostics.find(({ code }) => code === fault);
        return found === undefined ? [] : [{ fault, line: found.line, count: found.count }];
      }),
    weight: ({ fault }) => (fault === "mixed-writers" ? "first" : "uncertain"),
    say: ({ fault, line, count }) => `Line ${line}: ${diagnosticMessage(fault, count)}`,
    do: () => "Let each process write a file of its own: ticks record does, and --logfile=v8-%p.log.",
  },
  diagnostics: {
    when: ({ profile: { info } }) => {
      const others = faultsOf(info).filter(({ code }) => !OWN_SENTENCE.includes(code));
      return others.length === 0
        ? undefined
        : { count: others.reduce((total, { count }) => total + count, 0) };
    },
    weight: () => "uncertain",
    say: ({ count }) => text`The ${LOG} has ${counted(count, "error")}`,
    do: () => "Record it again if they matter.",
    doctor: "lists them",
  },
};

/** With one of these, shares are not sure: ticks are few, unknown, lost, or counted more often than they ran. */
const SHARES_IN_DOUBT = [
  "few-ticks",
  "no-function",
  "lost-ticks",
  "system-calls",
  "dependent-ticks",
] as const satisfies readonly Doubt["kind"][];

/** How a file has more than the log of one run: codes of diagnostics. */
const SHARED_FILES = ["another-run", "mixed-writers", "time-back"] as const;

export type SharedFile = (typeof SHARED_FILES)[number];

/** Diagnostics that have a doubt of their own. */
const OWN_SENTENCE: readonly string[] = [...SHARED_FILES, "overflow"];

/** What another Node would help of: the one that wrote the log has the symbols. */
const OTHER_NODE: ReadonlySet<LibraryProblem["kind"]> = new Set([
  "not-found",
  "other-v8",
  "other-build",
  "other-code",
]);

/** Returns which Node has the symbols of a library that is its binary; undefined for another library, and if that is not known. */
function otherNode({ info }: Profile, { path, problem }: LibraryCoverage): string | undefined {
  const [version, ...others] = Array.from(new Set(info.threads.map(({ program }) => program?.node)));
  if (problem === undefined || others.length > 0 || !OTHER_NODE.has(problem.kind)) return undefined;
  return /(?:^|[\\/])node(?:\.exe)?$/i.test(path) ? version : undefined;
}

/** A profile, and what several doubts ask of it, which is got once. */
class Doubted {
  readonly profile: Profile;
  #coverage: Coverage | undefined;
  #sampling: SamplingFacts | undefined;

  constructor(profile: Profile, coverage?: Coverage) {
    this.profile = profile;
    this.#coverage = coverage;
  }

  get coverage(): Coverage {
    this.#coverage ??= coverageOf(this.profile);
    return this.#coverage;
  }

  get sampling(): SamplingFacts {
    this.#sampling ??= samplingFacts(this.profile);
    return this.#sampling;
  }

  /** Those whose coverage is known: all but the excluded ones. */
  get ticks(): Ticks {
    return this.coverage.ticks;
  }

  /** Returns which part of the ticks these are, in percent. */
  readonly percentOf = (part: Ticks): number => (this.ticks === 0 ? 0 : (part * 100) / this.ticks);

  readonly percentIn = (category: CoverageCategory): number =>
    this.percentOf(this.coverage.breakdown.find((row) => row.category === category)?.ticks ?? 0);

  readonly has = (kind: Doubt["kind"]): boolean => this.of(kind).length > 0;

  of(kind: Doubt["kind"]): Doubt[] {
    return [DOUBTS[kind].when(this) ?? []].flat().map((facts) => ({ kind, ...facts }) as Doubt);
  }
}

/** Returns the reasons to doubt the numbers of a profile, and what `ticks doctor` says of it beside. */
export function doubtsOf(profile: Profile, coverage?: Coverage): Doubt[] {
  const doubted = new Doubted(profile, coverage);
  return (Object.keys(DOUBTS) as Doubt["kind"][]).flatMap((kind) => doubted.of(kind));
}

/** Returns the reasons to doubt the numbers of a profile. Without ticks, there are none. */
export function warningsOf(profile: Profile, coverage = coverageOf(profile)): Warning[] {
  if (coverage.ticks === 0) return [];
  return doubtsOf(profile, coverage).filter(
    (doubt): doubt is Warning => weightOf(doubt, coverage.ticks) !== "doctor",
  );
}

function rowOf(doubt: Doubt): Row<Doubt> {
  return DOUBTS[doubt.kind] as Row<Doubt>;
}

/** Returns what a doubt does to a page of so many ticks. */
export function weightOf(doubt: Doubt, ticks: Ticks): Weight {
  return rowOf(doubt).weight(doubt, ticks);
}

/** Whether something can be done about a doubt. */
export function isMendable(doubt: Doubt): boolean {
  return rowOf(doubt).do !== undefined;
}

/** Returns a doubt as sentences: what is wrong, and what to do. `doctor`: the command to send to, where that is another one. */
export function doubtText(doubt: Doubt, info: Pick<ProfileInfo, "input" | "memory">, doctor?: Text): Text {
  const row = rowOf(doubt);
  const what = row.say(doubt, info);
  if (doctor !== undefined && row.doctor !== undefined) return text`${what}: ${doctor} ${row.doctor}.`;
  return row.do === undefined ? text`${what}.` : text`${what}. ${row.do(doubt, info)}`;
}

/** Returns the same of the doubts of one kind that a profile has. */
export function doubtTexts(profile: Profile, kind: Doubt["kind"]): Text[] {
  return new Doubted(profile).of(kind).map((doubt) => doubtText(doubt, profile.info));
}

/** Returns the doubts of some kinds that a profile has. */
export function doubtsOfKinds(profile: Profile, kinds: readonly Warning["kind"][]): Warning[] {
  const doubted = new Doubted(profile);
  return kinds.flatMap((kind) => doubted.of(kind) as Warning[]);
}

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
