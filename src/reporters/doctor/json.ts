import type { LibraryProblem } from "../../profile/library-problem.js";
import type { Profile } from "../../profile/profile.js";
import { creditInterpreted } from "../../profile/shown-stacks.js";
import { adviceFor, coverageOf, inferredIdle, type LibraryCoverage } from "../../views/coverage.js";
import { problemWords } from "../../views/problem-words.js";
import { samplingFacts } from "../../views/sampling-doubts.js";
import { percentOf, sharesOf } from "../../views/shares.js";
import { jsonLines } from "../layout/json-lines.js";
import { jsonHead, jsonMissingCallers } from "../layout/json-parts.js";
import type { Reporter } from "../process/reporter.js";

/** Yields log quality and symbol coverage for programs, as `doctor.schema.json` describes them. */
export const doctorJson: Reporter = {
  name: "json",
  title: "one JSON document",
  *report(profile, options) {
    const coverage = coverageOf(profile);
    const { breakdown, ticks, unknown, libraries } = coverage;
    const shares = sharesOf(breakdown.map((row) => row.ticks));
    yield* jsonLines(
      {
        ...jsonHead({ command: "doctor", schemaVersion: 1 }, creditInterpreted(profile)),
        unknownTicks: unknown,
        unknownPercent: percentOf(unknown, ticks),
        coverage: breakdown.map((row, i) => ({ ...row, percent: shares[i] })),
        libraries: libraries.map(libraryOf),
        sampling: samplingOf(profile),
        inferredIdleTicks: inferredIdle(profile)?.ticks ?? 0,
        lostLineTicks: profile.info.lostLines ?? 0,
        missingCallers: jsonMissingCallers(profile),
        diagnostics: profile.info.diagnostics,
        advice: adviceFor(profile, coverage),
      },
      options,
    );
  },
};

function libraryOf({ path, buildId, source, symbols, problem, named, unnamed }: LibraryCoverage) {
  return {
    path,
    buildId: buildId ?? null,
    source: source ?? null,
    symbols,
    namedTicks: named,
    unnamedTicks: unnamed,
    problem: problem === undefined ? null : problemOf(path, problem),
  };
}

/** Returns the facts of a problem, `null` for those that are not known, and what it means. */
function problemOf(path: string, problem: LibraryProblem) {
  const facts = Object.entries(problem).map(([key, fact]) => [key, fact ?? null]);
  return { ...Object.fromEntries(facts), message: problemWords(path, problem).sentence };
}

function samplingOf(profile: Profile) {
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
    effectiveTicks: effectiveTicks === undefined ? null : Math.round(effectiveTicks),
  };
}
