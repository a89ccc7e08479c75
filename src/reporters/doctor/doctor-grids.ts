import type { LibraryProblem } from "../../profile/library-problem.js";
import type { Profile } from "../../profile/profile.js";
import { bunchLimit } from "../../profile/sampling.js";
import { soundTime } from "../../profile/sound-numbers.js";
import type { Coverage } from "../../views/coverage.js";
import { samplingFacts } from "../../views/sampling-doubts.js";
import { sharesOf } from "../../views/shares.js";
import type { Column } from "../layout/table.js";

/** A table of the report. */
export interface DoctorGrid {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

/** Format the names of libraries. */
export interface LibraryNames {
  /** Returns a name that is safe to show. */
  show(name: string): string;
  /** Returns a path and what is wrong with that file. */
  library(path: string, problem: LibraryProblem | undefined): string;
}

const RIGHT = (title: string): Column => ({ title, align: "right" });

/** Returns the ticks by what is known about their leaf. */
export function coverageGrid({ breakdown, ticks }: Coverage): DoctorGrid {
  const shares = sharesOf(breakdown.map((row) => row.ticks));
  const rows = breakdown.map(({ title, ticks: inRow }, i) => [
    String(inRow),
    `${shares[i]!.toFixed(1)}%`,
    title,
  ]);
  return {
    columns: [RIGHT("ticks"), RIGHT("share"), { title: "leaf" }],
    rows: [...rows, [String(ticks), ticks === 0 ? "0.0%" : "100.0%", "all"]],
  };
}

/** Returns the libraries with the source of their names. */
export function libraryGrid({ libraries }: Coverage, { show, library }: LibraryNames): DoctorGrid {
  return {
    columns: [
      ...["named", "unnamed", "symbols"].map(RIGHT),
      ...["from", "build id", "library"].map((title) => ({ title })),
    ],
    rows: libraries.map(({ named, unnamed, symbols, source, problem, buildId, path }) => [
      ...[named, unnamed, symbols].map(String),
      show(source ?? "-"),
      show(buildId?.slice(0, 12) ?? "-"),
      library(path, problem),
    ]),
  };
}

/** Returns how the sampler did. */
export function samplingGrid(profile: Profile, { show }: Pick<LibraryNames, "show">): DoctorGrid {
  const { info } = profile;
  const { lostLines = 0 } = info;
  const { systemCalls, effectiveTicks } = samplingFacts(profile);
  const { asked, usual, got, span, longestStep, gaps, gapTime, longestGap } = info.sampling;
  const { overflows, withoutStack, hasTimes, bunched, isUsualOfAll } = info.sampling;
  const time = (micros: number | undefined) =>
    micros === undefined ? "unknown" : `${Math.round(soundTime(micros))} µs`;
  return {
    columns: [{ title: "what" }, { title: "measured" }],
    rows: [
      ...(hasTimes ? [] : [["times", "this log has no times"]]),
      ["interval asked for", time(asked)],
      [
        isUsualOfAll
          ? "usual interval (median of all ticks: few in JavaScript)"
          : "usual interval while JavaScript ran (median)",
        time(usual),
      ],
      ["interval measured, without gaps", time(got)],
      ["first to last tick", milliseconds(span)],
      [
        `gaps over 10 intervals (${milliseconds(longestStep)})`,
        `${gaps}, ${milliseconds(gapTime)} in total, longest ${milliseconds(longestGap)}`,
      ],
      ["ticks followed by lost ticks", String(overflows)],
      ["ticks without a caller", String(withoutStack)],
      ["ticks with a caller that lost its line when deoptimized", String(lostLines)],
      [
        `ticks in bursts (within ${milliseconds(bunchLimit(info.sampling))} of the one before)`,
        String(bunched),
      ],
      [
        "ticks in system calls",
        systemCalls === undefined ? "0" : `${systemCalls.ticks}, most in ${show(systemCalls.most)}`,
      ],
      [
        "independent ticks that tell as much as all",
        effectiveTicks === undefined ? "unknown" : String(Math.round(effectiveTicks)),
      ],
    ],
  };
}

function milliseconds(micros: number): string {
  return `${(soundTime(micros) / 1000).toFixed(1)} ms`;
}
