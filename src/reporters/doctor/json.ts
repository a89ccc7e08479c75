import type { LibraryProblem } from "../../profile/library-problem.js";
import type { Sampling } from "../../profile/sampling.js";
import { adviceFor, coverageOf, type LibraryCoverage } from "../../views/coverage.js";
import { problemWords } from "../../views/problem-words.js";
import { percentOf, sharesOf } from "../../views/shares.js";
import { jsonLines } from "../layout/json-lines.js";
import { jsonHead } from "../layout/json-parts.js";
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
        ...jsonHead({ command: "doctor", schemaVersion: 1 }, profile),
        unknownTicks: unknown,
        unknownPercent: percentOf(unknown, ticks),
        coverage: breakdown.map((row, i) => ({ ...row, percent: shares[i] })),
        libraries: libraries.map(libraryOf),
        sampling: samplingOf(profile.info.sampling),
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
    problem: problem === undefined ? null : problemOf(problem),
  };
}

/** Returns the facts of a problem, `null` for those that are not known, and what it means. */
function problemOf(problem: LibraryProblem) {
  const facts = Object.entries(problem).map(([key, fact]) => [key, fact ?? null]);
  return { ...Object.fromEntries(facts), message: problemWords(problem).sentence };
}

function samplingOf(sampling: Sampling) {
  return {
    intervalAskedUs: sampling.asked ?? null,
    usualIntervalUs: sampling.usual ?? null,
    intervalUs: sampling.got ?? null,
    spanUs: sampling.span,
    longestStepUs: sampling.longestStep,
    gaps: sampling.gaps,
    gapTimeUs: sampling.gapTime,
    longestGapUs: sampling.longestGap,
    overflows: sampling.overflows,
    ticksWithoutStack: sampling.withoutStack,
  };
}
