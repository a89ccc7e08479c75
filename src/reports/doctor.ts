import type { Profile } from "../profile/profile.js";
import { bunchLimit } from "../profile/sampling.js";
import { soundTime } from "../profile/sound-numbers.js";
import { counted } from "../reporters/layout/numbers.js";
import { adviceWords, type Coverage, coverageOf } from "../views/coverage.js";
import { problemWords } from "../views/problem-words.js";
import { samplingFacts } from "../views/sampling-doubts.js";
import { sharesOf } from "../views/shares.js";
import { type Block, type Cell, code, note, number, section, type Table } from "./page.js";

/** The least width of a last column: what was measured is never cut, and a path is known by its ends. */
const LEAST = 64;

/** Returns the page of `ticks doctor`: log quality and symbol coverage. */
export function doctorPage(profile: Profile): Block[] {
  const { info } = profile;
  const coverage = coverageOf(profile);
  return [
    { kind: "heading", name: info.title, facts: counted(info.ticks, "tick") },
    section("Coverage", coverageTable(coverage)),
    section("Libraries", libraryTable(coverage)),
    section("Sampling", samplingTable(profile)),
    {
      kind: "section",
      title: "Errors in the log",
      blocks: info.diagnostics.map(({ line, count, message }) =>
        note((show) => `line ${line}: ${show(message)}${count > 1 ? ` (${count} times)` : ""}`),
      ),
    },
    {
      kind: "section",
      title: "What to do",
      blocks: adviceWords(profile, coverage).map((words) => note(words)),
    },
  ];
}

/** Returns the ticks by what is known about their leaf. */
function coverageTable({ breakdown, ticks }: Coverage): Table {
  const shares = sharesOf(breakdown.map((row) => row.ticks));
  return {
    kind: "table",
    columns: [number("ticks"), number("share"), { title: "leaf" }],
    rows: [
      ...breakdown.map(({ title, ticks: inRow }, i) => ({
        cells: [String(inRow), `${shares[i]!.toFixed(1)}%`, title],
      })),
      { cells: [String(ticks), ticks === 0 ? "0.0%" : "100.0%", "all"] },
    ],
  };
}

/** Returns the libraries with the source of their names. */
function libraryTable({ libraries }: Coverage): Table {
  return {
    kind: "table",
    least: LEAST,
    columns: [
      ...[number("named"), number("unnamed"), number("symbols")],
      ...[{ title: "from" }, { title: "build id" }, { title: "library" }],
    ],
    rows: libraries.map(({ named, unnamed, symbols, source, problem, buildId, path }) => ({
      cells: [
        ...[named, unnamed, symbols].map(String),
        source === undefined ? "-" : code(source),
        buildId === undefined ? "-" : code(buildId.slice(0, 12)),
        {
          text: path,
          cut: "middle",
          ...(problem && { marks: (show) => `(${problemWords(path, problem, show).sentence})` }),
        },
      ],
    })),
  };
}

/** Returns how the sampler did. */
function samplingTable(profile: Profile): Table {
  const { lostLines = 0, sampling } = profile.info;
  const { systemCalls, effectiveTicks } = samplingFacts(profile);
  const { asked, usual, got, span, longestStep, gaps, gapTime, longestGap } = sampling;
  const { overflows, withoutStack, hasTimes, bunched, isUsualOfAll } = sampling;
  const time = (micros: number | undefined) =>
    micros === undefined ? "unknown" : `${Math.round(soundTime(micros))} µs`;
  const rows: readonly (readonly Cell[])[] = [
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
    [`ticks in bursts (within ${milliseconds(bunchLimit(sampling))} of the one before)`, String(bunched)],
    [
      "ticks in system calls",
      systemCalls === undefined ? "0" : (show) => `${systemCalls.ticks}, most in ${show(systemCalls.most)}`,
    ],
    [
      "independent ticks that tell as much as all",
      effectiveTicks === undefined ? "unknown" : String(Math.round(effectiveTicks)),
    ],
  ];
  return {
    kind: "table",
    least: LEAST,
    columns: [{ title: "what" }, { title: "measured" }],
    rows: rows.map((cells) => ({ cells })),
  };
}

function milliseconds(micros: number): string {
  return `${(soundTime(micros) / 1000).toFixed(1)} ms`;
}
