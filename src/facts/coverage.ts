import { addTo } from "../base/maps.js";
import {
  INTERVAL_OPTION,
  inPercent,
  inTicks,
  inTime,
  LOG,
  named,
  percent,
  type Text,
  TICK,
  TICKS,
  text,
} from "../base/text.js";
import type { Micros, Ticks } from "../base/units.js";
import type { Frame, UnknownReason } from "../profile/frame.js";
import type { LibraryProblem } from "../profile/library-problem.js";
import type { CpuTime, Diagnostic, LibraryInfo, Profile, ProfileInfo } from "../profile/profile.js";
import { allTicks, type SampleTable, stateTicks } from "../profile/sample-table.js";
import { type SlowSampling, slowSampling, tickInterval } from "../profile/sampling.js";
import { creditInterpreted } from "../profile/shown-stacks.js";
import { IDLE_INFERRED, isIdle } from "../profile/vm-state.js";
import { Analysis } from "./analysis.js";
import { type MissingCallersNote, missingCallersNote, missingCallersText } from "./missing-callers.js";
import { problemWords } from "./problem-words.js";
import { type SamplingDoubt, samplingDoubts, samplingDoubtText } from "./sampling-doubts.js";
import { isMuchUnsampled } from "./unsampled-cpu.js";

/** What is known about the leaf of a tick. */
export type CoverageCategory = "js" | "builtins" | "native" | "kernel" | "idle" | "no-symbol" | UnknownReason;

/** The categories in the order of reports. */
const COVERAGE_CATEGORIES: readonly {
  readonly category: CoverageCategory;
  readonly title: string;
  /** Whether the function is known, or none ran. */
  readonly hasFunction: boolean;
}[] = [
  { category: "js", title: "JavaScript and WebAssembly functions", hasFunction: true },
  { category: "builtins", title: "V8's builtins, stubs and regular expressions", hasFunction: true },
  { category: "native", title: "native functions", hasFunction: true },
  { category: "kernel", title: "kernel code mapped into the process ([vdso])", hasFunction: true },
  { category: "idle", title: "idle: nothing ran", hasFunction: true },
  { category: "no-symbol", title: "library code without a symbol", hasFunction: false },
  { category: "no-pc", title: "no address: the sampler could not read one", hasFunction: false },
  { category: "builtin-gap", title: "gaps between V8's copied builtins", hasFunction: false },
  { category: "code-gone", title: "code already moved or freed", hasFunction: false },
  { category: "unmapped", title: "outside all logged code and libraries", hasFunction: false },
];

/** A library with frames in the profile. */
export interface LibraryCoverage extends LibraryInfo {
  /** Ticks whose leaf is one of its functions. Idle ticks count nowhere. */
  readonly named: Ticks;
  /** Ticks whose leaf is in it, at an address without a symbol. */
  readonly unnamed: Ticks;
}

/** How many ticks of a profile have a known function. */
export interface Coverage {
  /** Every tick that is not excluded is in exactly one category. */
  readonly breakdown: readonly {
    readonly category: CoverageCategory;
    readonly title: string;
    readonly ticks: Ticks;
  }[];
  /** The sum of the breakdown. */
  readonly ticks: Ticks;
  /** The ticks that are not idle and have no known function. */
  readonly unknown: Ticks;
  /** Most ticks first. */
  readonly libraries: readonly LibraryCoverage[];
}

/** Returns the ticks of a profile by what is known about their leaf. */
export function coverageOf(profile: Profile): Coverage {
  const { frames, samples, info, leaves } = Analysis.of(creditInterpreted(profile));
  const byCategory = new Map<CoverageCategory, Ticks>();
  const named = new Map<string, Ticks>();
  const unnamed = new Map<string, Ticks>();
  addTo(byCategory, "idle", idleTicks(samples));
  for (let number = 0; number < frames.length; number++) {
    const frame = frames[number]!;
    const ticks = leaves.busy[number]!;
    if (ticks === 0) continue;
    addTo(byCategory, categoryOf(frame), ticks);
    if (frame.kind === "native") addTo(frame.symbol === undefined ? unnamed : named, frame.library, ticks);
  }
  const rows = COVERAGE_CATEGORIES.map((row) => ({ ...row, ticks: byCategory.get(row.category) ?? 0 }));
  const libraries = info.libraries
    .map((library) => ({
      ...library,
      named: named.get(library.path) ?? 0,
      unnamed: unnamed.get(library.path) ?? 0,
    }))
    .sort((a, b) => b.named + b.unnamed - a.named - a.unnamed || (a.path < b.path ? -1 : 1));
  return {
    breakdown: rows.map(({ category, title, ticks }) => ({ category, title, ticks })),
    ticks: sum(rows),
    unknown: sum(rows.filter(({ hasFunction }) => !hasFunction)),
    libraries,
  };
}

/** A reason to doubt the numbers of a profile. */
export type Warning =
  | { readonly kind: "no-function"; readonly ticks: Ticks; readonly percent: number }
  | ({ readonly kind: "idle" } & IdleTicks)
  | ({ readonly kind: "inferred-idle" } & InferredIdle)
  | { readonly kind: "no-times"; readonly interval: Micros }
  /** Much CPU time is of threads that V8 does not sample. */
  | ({ readonly kind: "unsampled-cpu" } & CpuTime)
  | { readonly kind: "few-ticks"; readonly ticks: Ticks }
  /** The profile has times, but not how many samples they are from. */
  | { readonly kind: "unknown-count" }
  | ({ readonly kind: "slow-sampling" } & SlowSampling)
  | { readonly kind: "lost-ticks"; readonly times: number }
  | ({ readonly kind: "missing-callers" } & MissingCallersNote)
  | SamplingDoubt
  | ({ readonly kind: "shared-file" } & SharedFile)
  | { readonly kind: "diagnostics"; readonly count: number };

/** `ticks doctor` fails above this share of ticks without a function, in percent. */
const MOST_UNKNOWN = 5;
/** With 100 ticks, a share of 10 % is uncertain by 3 points either way; with fewer ticks, by more. */
const FEW_TICKS = 100;

/** Returns the reasons to doubt the numbers of a profile. Without ticks, there are none. */
export function warningsOf(profile: Profile): Warning[] {
  const { ticks, unknown } = coverageOf(profile);
  if (ticks === 0) return [];
  const warnings: Warning[] = [];
  const { cpu } = profile.info;
  if (cpu !== undefined && isMuchUnsampled(cpu)) warnings.push({ kind: "unsampled-cpu", ...cpu });
  const percent = (unknown * 100) / ticks;
  if (percent > MOST_UNKNOWN) warnings.push({ kind: "no-function", ticks: unknown, percent });
  const idle = mostlyIdle(profile);
  if (idle !== undefined) warnings.push({ kind: "idle", ...idle });
  const inferred = inferredIdle(profile);
  if (inferred !== undefined) warnings.push({ kind: "inferred-idle", ...inferred });
  if (profile.info.isCountUnknown) warnings.push({ kind: "unknown-count" });
  else if (ticks < FEW_TICKS) warnings.push({ kind: "few-ticks", ticks });
  const { overflows, hasTimes } = profile.info.sampling;
  if (!hasTimes) warnings.push({ kind: "no-times", interval: tickInterval(profile.info.sampling) });
  const slow = slowSampling(profile.info.sampling);
  if (slow !== undefined) warnings.push({ kind: "slow-sampling", ...slow });
  if (overflows > 0) warnings.push({ kind: "lost-ticks", times: overflows });
  for (const doubt of samplingDoubts(profile)) warnings.push(doubt);
  const missing = missingCallersNote(profile);
  if (missing !== undefined) warnings.push({ kind: "missing-callers", ...missing });
  for (const shared of sharedFiles(profile)) warnings.push({ kind: "shared-file", ...shared });
  const diagnostics = otherDiagnostics(profile).reduce((total, one) => total + one.count, 0);
  if (diagnostics > 0) warnings.push({ kind: "diagnostics", count: diagnostics });
  return warnings;
}

/** Diagnostics of how a log is spelled, of which nothing is lost or in doubt. */
const HARMLESS: ReadonlySet<string> = new Set(["crlf", "empty-line"]);

/** Returns the diagnostics of a log without those that are harmless. */
export function faultsOf({ diagnostics }: Pick<ProfileInfo, "diagnostics">): Diagnostic[] {
  return diagnostics.filter(({ code }) => !HARMLESS.has(code));
}

/** Returns the idle ticks of a profile if most of its ticks are. */
export function mostlyIdle({ samples }: Pick<Profile, "samples">): IdleTicks | undefined {
  const all = allTicks(samples);
  const idle = idleTicks(samples);
  return idle > all / 2 ? { ticks: idle, percent: (idle * 100) / all } : undefined;
}

function idleTicks(samples: SampleTable): Ticks {
  return stateTicks(samples).reduce((sum, ticks, state) => (isIdle(state) ? sum + ticks : sum), 0);
}

/** How a file has more than the log of one run: codes of diagnostics. */
const SHARED_FILES = ["another-run", "mixed-writers", "time-back"] as const;

/** That a file has more than the log of one run. */
export interface SharedFile {
  /** Several runs follow each other; several processes wrote at once; or it has a part of another run. */
  readonly fault: (typeof SHARED_FILES)[number];
  /** Where that shows first, from 1. */
  readonly line: number;
  /** How often it shows. */
  readonly count: number;
}

/** Returns how files of a profile have more than the log of one run. */
function sharedFiles({ info }: Pick<Profile, "info">): SharedFile[] {
  return SHARED_FILES.flatMap((fault) => {
    const found = info.diagnostics.find(({ code }) => code === fault);
    return found === undefined ? [] : [{ fault, line: found.line, count: found.count }];
  });
}

/** Returns the same as a sentence, and what to do about it. */
export function sharedFileText({ fault, line, count }: SharedFile): string {
  return `${sharedFileFact(fault, line, count)} Let each process write a file of its own: ticks record does, and --logfile=v8-%p.log.`;
}

function sharedFileFact(fault: SharedFile["fault"], line: number, count: number): string {
  switch (fault) {
    case "another-run":
      return count === 1
        ? `Line ${line}: another run begins. Both runs are shown, as threads.`
        : `Line ${line}: another run begins, the first of ${count} more. All runs are shown, as threads.`;
    case "mixed-writers":
      return `Line ${line}: times go back, again and again: several processes or threads wrote into this file at once. They cannot be told apart, and functions and times can be wrong.`;
    case "time-back":
      return `Line ${line}: times go back: the file has a part of another run, whose functions can be wrong.`;
  }
}

/** Returns the faults of a log that have no sentence of their own. */
function otherDiagnostics({ info }: Pick<Profile, "info">): Diagnostic[] {
  const told: readonly string[] = [...SHARED_FILES, "overflow"];
  return faultsOf(info).filter(({ code }) => !told.includes(code));
}

/** Ticks in which the thread most likely waited. */
export interface InferredIdle extends IdleTicks {
  /** The path of the library with the system call that waits; of several, the one with most ticks. */
  readonly library: string;
}

/** Returns the ticks in which the thread most likely waited, which V8 did not say; undefined if there are none. */
export function inferredIdle({ frames, tree, samples, info }: Profile): InferredIdle | undefined {
  const leftOut = info.waited?.byState[IDLE_INFERRED] ?? 0;
  if (leftOut > 0)
    return {
      ticks: leftOut,
      percent: (leftOut * 100) / (allTicks(samples) + info.waited!.ticks),
      library: info.waited?.library ?? "",
    };
  const ticks = stateTicks(samples)[IDLE_INFERRED]!;
  if (ticks === 0) return undefined;
  const byLibrary = new Map<string, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    if (samples.vmState[i] !== IDLE_INFERRED) continue;
    const frame = frames[tree.frame[samples.node[i]!]!];
    if (frame?.kind === "native") addTo(byLibrary, frame.library, samples.ticks[i]!);
  }
  const [library = ""] = Array.from(byLibrary).sort((a, b) => b[1] - a[1])[0] ?? [];
  return { ticks, percent: (ticks * 100) / allTicks(samples), library };
}

/** Returns the same as a sentence. */
export function inferredIdleText({ ticks, percent, library }: InferredIdle): Text {
  const file = library.slice(Math.max(library.lastIndexOf("/"), library.lastIndexOf("\\")) + 1);
  const where = file === "" ? "" : text`always at the same address of ${named(file)}, `;
  return text`${inTicks(ticks)} (${inPercent(percent)}) most likely waited (inferred: ${where}no JavaScript): they count as idle.`;
}

/** Idle ticks and their share. */
export interface IdleTicks {
  readonly ticks: Ticks;
  readonly percent: number;
}

/** Returns whether V8's sampler ran: not in logs of other flags than `--prof`, which have no ticks. */
export function isSampled({
  ticks,
  sampling,
  input,
}: Pick<ProfileInfo, "ticks" | "sampling" | "input">): boolean {
  return ticks > 0 || sampling.asked !== undefined || input !== undefined;
}

/** Which commands read logs without ticks, as a sentence. */
export const READS_WITHOUT_TICKS = "ticks deopts, ticks redact and ticks export --format preprocess read it.";

/** Problems that affect a smaller share of the ticks, in percent, get no advice. */
const ADVICE_CUTOFF = 0.5;
/** Fewer callers without a line, in percent of the ticks, are not worth a sentence. */
const LOST_LINES_CUTOFF = 1;

/** Returns whether shares of few ticks are right: nothing is lost, unknown, or counted more often than it ran. */
function areSharesSound(
  { info }: Profile,
  doubts: readonly SamplingDoubt[],
  unknownPercent: number,
): boolean {
  const { ticks, sampling } = info;
  return (
    ticks >= FEW_TICKS &&
    unknownPercent <= MOST_UNKNOWN &&
    sampling.overflows === 0 &&
    !doubts.some(({ kind }) => kind === "system-calls" || kind === "dependent-ticks")
  );
}

/** What is to be said of a profile. */
interface Advice {
  /** What is wrong that can be mended, and how. */
  readonly actions: readonly Text[];
  /** What to know of its numbers. */
  readonly facts: readonly Text[];
}

/** Returns how far the functions of a profile can be trusted, as a sentence. */
export function verdictOf(profile: Profile, { ticks, unknown }: Coverage): Text {
  if (ticks === 0) return "There is nothing to trust: no samples.";
  const unsure = (unknown * 100) / ticks;
  const known = text`${percent(Math.floor((100 - unsure) * 10) / 10, 1)} of the ${TICKS} have a function`;
  if (unsure > MOST_UNSURE) return text`Do not trust it: only ${known}.`;
  if (unsure > MOST_UNKNOWN) return text`Trust it with care: ${known}.`;
  if (faultsOf(profile.info).length > 0)
    return text`Trust it with care: ${known}, but the ${LOG} has errors.`;
  return text`Trust it: ${known}.`;
}

/** If more of the ticks have no function, in percent, what is shown of the others may be the lesser part. */
const MOST_UNSURE = 30;

/** Said where a profile has times only. */
export const UNKNOWN_COUNT =
  "This profile has times, but not how many samples they are from: nothing tells how sure shares are.";

/** Returns what is to be said of a profile: for each problem what it is, and what to do about it. */
export function adviceWords(profile: Profile, { breakdown, libraries, ticks, unknown }: Coverage): Advice {
  const { sampling, lostLines = 0 } = profile.info;
  const partOf = (part: number) => (ticks === 0 ? 0 : (part * 100) / ticks);
  const shareIn = (category: CoverageCategory) =>
    partOf(breakdown.find((row) => row.category === category)?.ticks ?? 0);
  const actions: Text[] = [];
  const facts: Text[] = [];
  if (!isSampled(profile.info)) {
    actions.push(
      `Recorded without --prof: code, deopts and ICs, no samples. ${READS_WITHOUT_TICKS} For samples, record with: node --prof app.js`,
    );
  } else if (ticks === 0) actions.push("No samples. Run longer, or under load.");
  for (const { path, unnamed, problem, source } of libraries) {
    if (partOf(unnamed) < ADVICE_CUTOFF) continue;
    if (problem !== undefined) {
      const { sentence, remedy } = problemWords(path, problem);
      actions.push(
        text`No names for ${named(path)}: ${sentence}. ${sameNode(profile, path, problem) ?? remedy}`,
      );
    } else if (source !== undefined) {
      actions.push(
        text`${named(path)}: its symbols (${named(source)}) have gaps. Install its debug symbols under /usr/lib/debug.`,
      );
    }
  }
  if (shareIn("no-pc") >= 5) {
    actions.push(
      text`Many ${TICKS} have no address: the kernel or the container hides the registers. Record outside the container.`,
    );
  }
  if (shareIn("unmapped") >= ADVICE_CUTOFF) {
    actions.push(
      text`Some ${TICKS} are outside all logged code: V8 does not log libraries loaded after startup, such as native addons. Record with \`ticks record\`, which keeps them (on Linux).`,
    );
  }
  const idle = mostlyIdle(profile);
  if (idle !== undefined) {
    facts.push(
      text`${percent(idle.percent, 1)} of the ${TICKS} are idle: ticks top and the other reports show shares of the rest, unless --idle counts them.`,
    );
  }
  const inferred = inferredIdle(profile);
  if (inferred !== undefined) facts.push(inferredIdleText(inferred));
  if (!sampling.hasTimes && ticks > 0) {
    facts.push(
      profile.info.input !== undefined
        ? "Its samples have no times: ticks timeline, ticks startup, --from and --to do not work."
        : text`This ${LOG} has no times: its ${TICKS} are shown ${inTime(tickInterval(sampling), "µs")} apart, as asked for. V8 has logged times since 2013.`,
    );
  }
  if (profile.info.isCountUnknown) facts.push(UNKNOWN_COUNT);
  const doubts = samplingDoubts(profile);
  const slow = slowSampling(profile.info.sampling);
  if (slow !== undefined) {
    const isSound = areSharesSound(profile, doubts, partOf(unknown));
    facts.push(
      text`${slowSamplingText(slow)} ${isSound ? "Percentages are still valid, but there" : "There"} are fewer ${TICKS}.`,
    );
  }
  if (sampling.overflows > 0) {
    actions.push(
      text`V8's ${TICK} buffer overflowed and ${TICKS} were lost. Sample less often: ${INTERVAL_OPTION}=5000.`,
    );
  }
  for (const doubt of doubts) facts.push(samplingDoubtText(doubt));
  if (partOf(lostLines) >= LOST_LINES_CUTOFF) {
    facts.push(
      text`${inPercent(partOf(lostLines))} of the ${TICKS} have a caller without its line: V8 deoptimized it while it called.`,
    );
  }
  const missing = missingCallersNote(profile);
  if (missing !== undefined) facts.push(missingCallersText(missing));
  for (const shared of sharedFiles(profile)) actions.push(sharedFileText(shared));
  if (otherDiagnostics(profile).length > 0) {
    actions.push(text`The ${LOG} has errors. Record it again if they matter.`);
  }
  return { actions, facts };
}

/** What another Node would help of: the one that wrote the log has the symbols. */
const OTHER_NODE: ReadonlySet<LibraryProblem["kind"]> = new Set([
  "not-found",
  "other-v8",
  "other-build",
  "other-code",
]);

/** Returns which Node to get for the symbols of its binary, as a sentence; undefined for another library, and if that is not known. */
function sameNode({ info }: Profile, path: string, { kind }: LibraryProblem): Text | undefined {
  const [version, ...others] = Array.from(new Set(info.threads.map(({ program }) => program?.node)));
  if (version === undefined || others.length > 0 || !OTHER_NODE.has(kind)) return undefined;
  if (!/(?:^|[\\/])node(?:\.exe)?$/i.test(path)) return undefined;
  return text`Get Node ${named(`v${version}`)} for the system of the ${LOG}, and pass --symbols node=PATH.`;
}

/** Returns how much less often ticks came than asked for, and why, as a sentence. */
export function slowSamplingText({ got, asked, isWindowsTimer }: SlowSampling): Text {
  const reason = isWindowsTimer ? "the timer of Windows is no finer" : "the machine was busy";
  return text`Samples came every ${inTime(got, "ms", 2)} instead of every ${inTime(asked, "ms", 2)}: ${reason}.`;
}

function categoryOf(frame: Frame): CoverageCategory {
  switch (frame.kind) {
    case "js":
      return "js";
    case "code":
      return "builtins";
    case "native":
      if (frame.symbol !== undefined) return "native";
      return frame.library.startsWith("[") ? "kernel" : "no-symbol";
    case "unknown":
      return frame.reason;
  }
}

function sum(rows: readonly { readonly ticks: Ticks }[]): Ticks {
  return rows.reduce((total, { ticks }) => total + ticks, 0);
}
