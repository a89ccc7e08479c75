import { marksOf } from "../base/columns.js";
import { addTo } from "../base/maps.js";
import { compareTexts } from "../base/sorted.js";
import { LOG, percent, type Text, TICKS, text } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import {
  CATEGORIES,
  type Category,
  COVERAGE,
  type CoverageCategory,
  coverageCategory,
} from "../profile/categories.js";
import type { DiagnosticCode } from "../profile/diagnostics.js";
import type { Diagnostic, LibraryInfo, Profile, ProfileInfo } from "../profile/profile.js";
import { allTicks, type SampleTable, stateTicks } from "../profile/sample-table.js";
import { creditInterpreted } from "../profile/shown-stacks.js";
import { IDLE_INFERRED, isIdle } from "../profile/vm-state.js";
import { Analysis } from "./analysis.js";
import { categories } from "./breakdown.js";
import { possibleWaits } from "./possible-waits.js";

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
    /** Whether the function is known, or none ran. */
    readonly hasFunction: boolean;
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
    addTo(byCategory, coverageCategory(frame), ticks);
    if (frame.kind === "native") addTo(frame.symbol === undefined ? unnamed : named, frame.library, ticks);
  }
  const rows = COVERAGE.map((row) => ({ ...row, ticks: byCategory.get(row.category) ?? 0 }));
  const libraries = info.libraries
    .map((library) => ({
      ...library,
      named: named.get(library.path) ?? 0,
      unnamed: unnamed.get(library.path) ?? 0,
    }))
    .sort((a, b) => b.named + b.unnamed - a.named - a.unnamed || compareTexts(a.path, b.path));
  return {
    breakdown: rows,
    ticks: sum(rows),
    unknown: sum(rows.filter(({ hasFunction }) => !hasFunction)),
    libraries,
  };
}

/** The ticks of a category, and how many of them have no known function. */
export interface CategoryCoverage {
  readonly category: Category;
  readonly title: string;
  readonly ticks: Ticks;
  readonly unknown: Ticks;
}

/** Returns the ticks of a profile by category, as in `ticks top`, in the order of {@link CATEGORIES}. */
export function coverageByCategory(profile: Profile): CategoryCoverage[] {
  const credited = creditInterpreted(profile);
  const { frames, tree, samples } = credited;
  const ofSample = categories(credited);
  const lacksFunction = new Set(COVERAGE.filter((row) => !row.hasFunction).map(({ category }) => category));
  const isUnknown = marksOf(frames, (frame) => lacksFunction.has(coverageCategory(frame)));
  const ticks = new Float64Array(CATEGORIES.length);
  const unknown = new Float64Array(CATEGORIES.length);
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    ticks[ofSample[i]!]! += samples.ticks[i]!;
    if (node === ROOT || isUnknown[tree.frame[node]!] === 0 || isIdle(samples.vmState[i]!)) continue;
    unknown[ofSample[i]!]! += samples.ticks[i]!;
  }
  return CATEGORIES.map(({ category, title }, i) => {
    return { category, title, ticks: ticks[i]!, unknown: unknown[i]! };
  });
}

/** `ticks doctor` fails above this share of ticks without a function, in percent. */
export const MOST_UNKNOWN = 5;
/** Diagnostics of how a log or a profile is spelled, of which nothing is lost or in doubt. */
const HARMLESS: ReadonlySet<string> = new Set<DiagnosticCode>(["crlf", "empty-line", "late-sample"]);

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

/** What a log with code, but without samples, was. */
export const WITHOUT_PROF = "recorded without --prof: code, deopts and ICs, no samples";

/** Which commands read logs without ticks, and what records some. */
export const READS_WITHOUT_TICKS =
  "ticks deopts, ticks redact and ticks export --format preprocess read it. For samples, record with: ticks record -- node app.js";

/** Returns how far the functions of a profile can be trusted, as a sentence. */
export function verdictOf(profile: Profile, { ticks, unknown }: Coverage): Text {
  if (ticks === 0) return "There is nothing to trust: no samples.";
  const unsure = (unknown * 100) / ticks;
  const known = text`${percent(Math.floor((100 - unsure) * 10) / 10, 1)} of the ${TICKS} have a function`;
  if (unsure > MOST_UNSURE) return text`Do not trust it: only ${known}.`;
  if (unsure > MOST_UNKNOWN) return text`Trust it with care: ${known}.`;
  if (faultsOf(profile.info).length > 0)
    return text`Trust it with care: ${known}, but the ${LOG} has errors.`;
  if (possibleWaits(profile) !== undefined)
    return text`Trust it with care: ${known}, but waiting is among them.`;
  return text`Trust it: ${known}.`;
}

/** If more of the ticks have no function, in percent, what is shown of the others may be the lesser part. */
const MOST_UNSURE = 30;

function sum(rows: readonly { readonly ticks: Ticks }[]): Ticks {
  return rows.reduce((total, { ticks }) => total + ticks, 0);
}
