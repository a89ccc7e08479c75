import {
  ALL_TICKS,
  amount,
  duration,
  inPercent,
  inSamples,
  LOG,
  measured,
  microseconds,
  named,
  type Text,
  TICK,
  TICKS,
  text,
} from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { Analysis } from "../facts/analysis.js";
import {
  type Coverage,
  coverageByCategory,
  coverageOf,
  inferredIdle,
  isSampled,
  type LibraryCoverage,
  verdictOf,
  WITHOUT_PROF,
} from "../facts/coverage.js";
import { type Doubt, doubtsOf, doubtText, isMendable, samplingFacts } from "../facts/doubts.js";
import { problemWords } from "../facts/problem-words.js";
import { percentOf, sharesOf } from "../facts/shares.js";
import { type Category, COVERAGE, type CoverageCategory, WAITS } from "../profile/categories.js";
import type { LibraryProblem, LogPlatform } from "../profile/library-problem.js";
import type { Profile, ProfileInfo } from "../profile/profile.js";
import { bunchLimit } from "../profile/sampling.js";
import { creditInterpreted } from "../profile/shown-stacks.js";
import { reportTitle } from "../profile/titles.js";
import {
  type Block,
  type Cell,
  code,
  note,
  number,
  section,
  type Table,
  ticksColumn,
} from "../render/page.js";
import { plainly, type Unit } from "../render/spoken.js";
import { factsReport, type Shown } from "./facts-report.js";
import {
  type Count,
  type DiagnosticData,
  type Integer,
  type JsonHead,
  jsonHead,
  jsonMissingCallers,
  type Microseconds,
  type MissingCallersData,
  orNull,
  type Percent,
} from "./json.js";
import type { Surroundings } from "./report.js";
import type { ReportLayout } from "./report-options.js";

/** The least width of a last column: what was measured is never cut, and a path is known by its ends. */
const LEAST = 64;

/** `ticks doctor`. */
export const DOCTOR = factsReport<DoctorData, ReportLayout>({
  needs: () => ({ mayLackTicks: true, timeline: true }),
  hasAllStacks: true,
  showsProblems: true,
  fails: ({ unknownTicks, coverage }, { maxUnknown }) => {
    const ticks = ticksOf(coverage);
    return ticks === 0 || (unknownTicks * 100) / ticks > Number(maxUnknown);
  },
  facts: doctorFacts,
  page: doctorPage,
});

/** Returns the page of `ticks doctor`: log quality and symbol coverage. */
function doctorPage(facts: DoctorData, { info, count }: Shown<ReportLayout>): Block[] {
  const { actions, toKnow } = adviceOf(facts.doubts, info);
  const isOfTicks = info.tickTime === undefined && info.memory === undefined;
  return [
    { kind: "heading", name: reportTitle(info), facts: isOfTicks ? inSamples(info.ticks) : count },
    note(facts.verdict),
    { kind: "section", title: "What to do", blocks: actions.map((words) => note(words)) },
    section("Coverage", categoryTable(facts.categories)),
    ...(facts.unknownTicks === 0
      ? []
      : [section(text`${ALL_TICKS} without a function`, unknownTable(facts.coverage))]),
    section("Libraries", libraryTable(facts.libraries)),
    ...(info.memory === undefined ? [section("Sampling", samplingTable(facts, info))] : []),
    {
      kind: "section",
      title: text`Errors in the ${LOG}`,
      blocks: facts.diagnostics.map(({ line, count: times, message }) =>
        note(
          text`${info.input === undefined ? `line ${line}: ` : ""}${named(message)}${times > 1 ? ` (${times} times)` : ""}`,
        ),
      ),
    },
    { kind: "section", title: "To know", blocks: toKnow.map((words) => note(words)) },
  ];
}

/** Returns what can be mended in a profile, and what to know of its numbers. The verdict says which ticks have no function. */
function adviceOf(
  doubts: readonly Doubt[],
  info: ProfileInfo,
): Record<"actions" | "toKnow", readonly Text[]> {
  const advised = doubts.filter(({ kind }) => kind !== "no-function");
  const words = (doubt: Doubt) => doubtText(doubt, info);
  return {
    actions: advised.filter(isMendable).map(words),
    toKnow: advised.filter((doubt) => !isMendable(doubt)).map(words),
  };
}

/** Returns the sum of some rows. */
function ticksOf(rows: readonly { readonly ticks: Ticks }[]): Ticks {
  return rows.reduce((sum, { ticks }) => sum + ticks, 0);
}

/** Returns the ticks by category, with the shares that `top` has: those that waited stand apart. */
function categoryTable(rows: readonly CategoryCoverageData[]): Table {
  const seen = rows.filter(({ ticks }) => ticks > 0).sort((a, b) => b.ticks - a.ticks);
  const busy = seen.filter(({ category }) => !WAITS.includes(category));
  const shares = sharesOf(busy.map(({ ticks }) => ticks));
  const sum = (of: "ticks" | "unknownTicks") => busy.reduce((total, row) => total + row[of], 0);
  return {
    kind: "table",
    columns: [ticksColumn(), number("share"), number("no function"), { title: "what" }],
    rows: [
      ...busy.map(({ title, ticks, unknownTicks }, i) => ({
        cells: [amount(ticks), inPercent(shares[i]!), amount(unknownTicks), title],
      })),
      {
        cells: [
          amount(sum("ticks")),
          inPercent(busy.length === 0 ? 0 : 100),
          amount(sum("unknownTicks")),
          "all",
        ],
      },
      ...seen
        .filter(({ category }) => WAITS.includes(category))
        .map(({ title, ticks, unknownTicks }) => ({
          cells: [amount(ticks), "", amount(unknownTicks), `${title}: not in the shares`],
        })),
    ],
  };
}

/** Returns why ticks have no function. */
function unknownTable(rows: readonly CoverageData[]): Table {
  return {
    kind: "table",
    columns: [ticksColumn(), { title: "why" }],
    rows: rows
      .filter(({ category, ticks }) => WITHOUT_FUNCTION.has(category) && ticks > 0)
      .map(({ title, ticks }) => ({ cells: [amount(ticks), title] })),
  };
}

const WITHOUT_FUNCTION: ReadonlySet<CoverageCategory> = new Set(
  COVERAGE.filter(({ hasFunction }) => !hasFunction).map(({ category }) => category),
);

/** Returns the libraries with the source of their names. */
function libraryTable(libraries: readonly LibraryData[]): Table {
  return {
    kind: "table",
    least: LEAST,
    columns: [
      ...[number("named"), number("unnamed"), number("symbols")],
      ...[{ title: "from" }, { title: "build id" }, { title: "library" }],
    ],
    rows: libraries.map(({ namedTicks, unnamedTicks, symbols, source, problem, buildId, path }) => ({
      cells: [
        ...[amount(namedTicks), amount(unnamedTicks), String(symbols)],
        source === null ? "-" : code(source),
        buildId === null ? "-" : code(buildId.slice(0, 12)),
        {
          text: path,
          cut: "middle",
          ...(problem && { marks: text`(${problemWords(path, knownOf(problem)).sentence})` }),
        },
      ],
    })),
  };
}

/** Returns the facts of a problem without those that are not known. */
function knownOf(problem: ProblemData): LibraryProblem {
  const known = Object.entries(problem).filter(([, fact]) => fact !== null);
  return Object.fromEntries(known) as unknown as LibraryProblem;
}

/** Returns how the sampler did. */
function samplingTable({ sampling, lostLineTicks }: DoctorData, info: ProfileInfo): Table {
  const { intervalAskedUs, usualIntervalUs, intervalUs, longestStepUs, effectiveTicks } = sampling;
  const { gaps, gapTimeUs, longestGapUs, systemCallTicks, mostSystemCalls = "" } = sampling;
  const time = (micros: number | null) => (micros === null ? "unknown" : microseconds(micros));
  const { isCountUnknown } = info;
  // Those of a profile without times would be made of the number of its samples.
  const ifTimed = (...timed: readonly (readonly Cell[])[]) =>
    sampling.hasTimes || info.input === undefined ? timed : [];
  const rows: readonly (readonly Cell[])[] = [
    ...(sampling.hasTimes ? [] : [["times", info.threads.length > 1 ? "not of all threads" : "none"]]),
    ["interval asked for", time(intervalAskedUs)],
    [
      sampling.isUsualOfAllTicks
        ? text`usual interval (median of all ${TICKS}: few in JavaScript)`
        : "usual interval while JavaScript ran (median)",
      time(isCountUnknown ? null : usualIntervalUs),
    ],
    ["interval measured, without gaps", time(isCountUnknown ? null : intervalUs)],
    ...ifTimed(
      [text`first to last ${TICK}`, duration(sampling.spanUs)],
      [
        text`gaps over ${duration(longestStepUs)}${info.input === undefined ? "" : text`, or after the last ${TICK}`}`,
        text`${String(gaps)}, ${duration(gapTimeUs)} in total, longest ${duration(longestGapUs)}`,
      ],
    ),
    [text`${TICKS} followed by lost ${TICKS}`, String(sampling.overflows)],
    [text`${TICKS} without a caller`, String(sampling.ticksWithoutStack)],
    [text`${TICKS} with a caller that lost its line when deoptimized`, String(lostLineTicks)],
    ...ifTimed([
      text`${TICKS} in bursts (within ${duration(bunchLimit(info.sampling))} of the one before)`,
      String(sampling.burstTicks),
    ]),
    [
      text`${TICKS} in system calls`,
      systemCallTicks === 0 ? "0" : text`${measured(systemCallTicks)}, most in ${named(mostSystemCalls)}`,
    ],
    [
      text`independent ${TICKS} that tell as much as all`,
      effectiveTicks === null ? "unknown" : String(effectiveTicks),
    ],
  ];
  return {
    kind: "table",
    least: LEAST,
    columns: [{ title: "what" }, { title: "measured" }],
    rows: rows.map((cells) => ({ cells })),
  };
}

/**
 * All weights are numbers of ticks. A tick is not a time.
 * @id doctor.schema.json
 * @title ticks doctor --format json, schema version 1
 */
export interface DoctorData extends JsonHead<"doctor"> {
  /** Ticks without a known function. */
  readonly unknownTicks: Ticks;
  readonly unknownPercent: Percent;
  /** The ticks by what they were doing: the categories of `ticks top`. */
  readonly categories: readonly CategoryCoverageData[];
  /** What is known about the function of each tick, whatever V8 says that it did. */
  readonly coverage: readonly CoverageData[];
  /** Libraries with ticks, most ticks first. */
  readonly libraries: readonly LibraryData[];
  readonly sampling: SamplingData;
  /** Ticks in which the thread most likely waited, although V8 does not say so. They count as idle. */
  readonly inferredIdleTicks: Ticks;
  /** Ticks with a caller whose line is lost: V8 deoptimized its code while it called. */
  readonly lostLineTicks: Ticks;
  readonly missingCallers: MissingCallersData;
  /** Errors in the logs, by kind. */
  readonly diagnostics: readonly DiagnosticData[];
  /** How far the functions can be trusted, as a sentence. */
  readonly verdict: string;
  /** One sentence per problem: what it is and what to do. */
  readonly advice: readonly string[];
  /** The same as facts, and how many ticks have no function, which the verdict tells. */
  readonly doubts: readonly Doubt[];
}

export interface CategoryCoverageData {
  readonly category: Category;
  readonly title: string;
  readonly ticks: Ticks;
  /** The part of them without a known function. */
  readonly unknownTicks: Ticks;
}

export interface CoverageData {
  readonly category: CoverageCategory;
  readonly title: string;
  readonly ticks: Ticks;
  /** They sum to exactly 100.0, or to 0 without ticks. */
  readonly percent: Percent;
}

export interface LibraryData {
  /** As logged. */
  readonly path: string;
  readonly buildId: string | null;
  /** Where its symbols are from. */
  readonly source: string | null;
  readonly symbols: Count;
  /** Ticks in a known function. */
  readonly namedTicks: Ticks;
  /** Ticks at an address without a symbol. */
  readonly unnamedTicks: Ticks;
  /** Why it has no names, with the facts. null if there is no problem. */
  readonly problem: ProblemData | null;
}

export interface ProblemData {
  readonly kind: LibraryProblem["kind"];
  readonly message: string;
  readonly tool?: string;
  readonly code?: string;
  readonly system?: LogPlatform;
  readonly format?: "Mach-O" | "PE";
  readonly found?: string | null;
  /** null if the log's V8 is too old to state its version: up to 3.28. */
  readonly logged?: string | null;
  readonly buildId?: string | null;
}

export interface SamplingData {
  /** Whether ticks have times. If not, they count as the interval asked for apart. */
  readonly hasTimes: boolean;
  /** The interval asked for. null if the log does not say. */
  readonly intervalAskedUs: number | null;
  /** The median time between two ticks where JavaScript was running at both. null if there are too few. */
  readonly usualIntervalUs: number | null;
  /** Whether usualIntervalUs is of all ticks, because JavaScript was running at few. */
  readonly isUsualOfAllTicks: boolean;
  /** Whether ticks come as seldom as the timer of Windows allows. */
  readonly isWindowsTimer: boolean;
  /** The mean time between ticks, without gaps. null with fewer than two ticks. */
  readonly intervalUs: number | null;
  /** From the first tick to the last. */
  readonly spanUs: Microseconds;
  /** Ten intervals: those asked for, or usualIntervalUs if it is much longer. A longer time without a tick is a gap. */
  readonly longestStepUs: Microseconds;
  /** How often no tick came for longer than longestStepUs. */
  readonly gaps: Count;
  readonly gapTimeUs: Microseconds;
  readonly longestGapUs: Microseconds;
  /** Ticks after which V8's buffer was full, so that others were lost. */
  readonly overflows: Ticks;
  /** Ticks without a caller. */
  readonly ticksWithoutStack: Ticks;
  /** Ticks within 0.3 intervals of the one before. The time of a tick is when V8 wrote it. */
  readonly burstTicks: Ticks;
  /** Ticks in functions of the C library that call the kernel. They get more ticks than CPU time. */
  readonly systemCallTicks: Ticks;
  /** The one of these functions with most of them. Absent if there are none. */
  readonly mostSystemCalls?: string;
  /** How many independent ticks tell as much about functions as all ticks. null with few ticks. */
  readonly effectiveTicks: Integer | null;
}

/** Returns one line for each problem of a profile: what it is, and what to do about it. */
export function adviceFor(profile: Profile, coverage: Coverage): string[] {
  return advised(doubtsOf(profile, coverage), profile.info);
}

function advised(doubts: readonly Doubt[], info: ProfileInfo): string[] {
  const { actions, toKnow } = adviceOf(doubts, info);
  return [...actions, ...toKnow].map((one) => plainly(one, info));
}

/** Returns the document of `ticks doctor`. Warns of a profile without ticks. */
function doctorFacts(profile: Analysis, _: unknown, { warn }: Surroundings): DoctorData {
  const { info } = profile;
  if (info.ticks === 0)
    warn(
      isSampled(info)
        ? text`${named(info.title)} has no ${TICKS}`
        : text`${named(info.title)} was ${WITHOUT_PROF}`,
    );
  const covered = coverageOf(profile);
  const { breakdown, ticks, unknown, libraries } = covered;
  const shares = sharesOf(breakdown.map((row) => row.ticks));
  const doubts = doubtsOf(profile, covered);
  return {
    ...jsonHead("doctor", creditInterpreted(profile)),
    verdict: plainly(verdictOf(profile, covered), info),
    unknownTicks: unknown,
    unknownPercent: percentOf(unknown, ticks),
    categories: coverageByCategory(profile).map(({ unknown: unknownTicks, ...row }) => ({
      ...row,
      unknownTicks,
    })),
    coverage: breakdown.map(({ category, title, ticks: inRow }, i) => {
      return { category, title, ticks: inRow, percent: shares[i]! };
    }),
    libraries: libraries.map((library) => libraryOf(library, info)),
    sampling: samplingOf(profile),
    inferredIdleTicks: inferredIdle(profile)?.ticks ?? 0,
    lostLineTicks: info.lostLines ?? 0,
    missingCallers: jsonMissingCallers(profile),
    diagnostics: info.diagnostics,
    advice: advised(doubts, info),
    doubts,
  };
}

function libraryOf(
  { path, buildId, source, symbols, problem, named, unnamed }: LibraryCoverage,
  unit: Unit,
): LibraryData {
  return {
    path,
    ...orNull({ buildId, source }),
    symbols,
    namedTicks: named,
    unnamedTicks: unnamed,
    problem: problem === undefined ? null : problemOf(path, problem, unit),
  };
}

/** Returns the facts of a problem, `null` for those that are not known, and what it means. */
function problemOf(path: string, problem: LibraryProblem, unit: Unit): ProblemData {
  return { ...orNull(problem), message: plainly(problemWords(path, problem).sentence, unit) };
}

function samplingOf(profile: Profile): SamplingData {
  const { sampling } = profile.info;
  const { systemCalls, effectiveTicks } = samplingFacts(profile);
  return {
    hasTimes: sampling.hasTimes,
    intervalAskedUs: sampling.asked ?? null,
    usualIntervalUs: sampling.usual ?? null,
    isUsualOfAllTicks: sampling.isUsualOfAll ?? false,
    isWindowsTimer: sampling.isWindowsTimer ?? false,
    intervalUs: sampling.got ?? null,
    spanUs: sampling.span,
    longestStepUs: sampling.longestStep,
    gaps: sampling.gaps,
    gapTimeUs: sampling.gapTime,
    longestGapUs: sampling.longestGap,
    overflows: sampling.overflows,
    ticksWithoutStack: sampling.withoutStack,
    burstTicks: sampling.bunched,
    systemCallTicks: systemCalls?.ticks ?? 0,
    ...(systemCalls && { mostSystemCalls: systemCalls.most }),
    effectiveTicks: effectiveTicks === undefined ? null : Math.round(effectiveTicks),
  };
}
