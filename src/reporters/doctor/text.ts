import type { Profile } from "../../profile/profile.js";
import { soundTime } from "../../profile/sound-numbers.js";
import { adviceFor, type Coverage, coverageOf } from "../../views/coverage.js";
import { printable } from "../../views/label.js";
import { problemWords } from "../../views/problem-words.js";
import { sharesOf } from "../../views/shares.js";
import { cutName } from "../../views/shown-text.js";
import { counted } from "../layout/numbers.js";
import { section } from "../layout/section.js";
import { PLAIN } from "../layout/style.js";
import { table } from "../layout/table.js";
import type { Reporter } from "../process/reporter.js";

/** Yields log quality and symbol coverage for people. */
export const doctorText: Reporter = {
  name: "text",
  title: "tables",
  *report(profile, options) {
    const style = options.style ?? PLAIN;
    const coverage = coverageOf(profile);
    yield style.heading(`${printable(profile.info.title)}: ${counted(profile.info.ticks, "tick")}`);
    yield* section(style, "Coverage", coverageTable(coverage));
    yield* section(style, "Libraries", libraryTable(coverage));
    yield* section(style, "Sampling", sampling(profile));
    yield* section(style, "Errors in the log", diagnostics(profile));
    yield* section(style, "What to do", adviceFor(profile, coverage).map(printable));
  },
};

function coverageTable({ breakdown, ticks }: Coverage): string[] {
  const shares = sharesOf(breakdown.map((row) => row.ticks));
  const rows = breakdown.map(({ title, ticks: inRow }, i) => [
    String(inRow),
    `${shares[i]!.toFixed(1)}%`,
    title,
  ]);
  return table(
    [{ title: "ticks", align: "right" }, { title: "share", align: "right" }, { title: "leaf" }],
    [...rows, [String(ticks), ticks === 0 ? "0.0%" : "100.0%", "all"]],
  );
}

function libraryTable({ libraries }: Coverage): string[] {
  if (libraries.length === 0) return [];
  return table(
    [
      { title: "named", align: "right" },
      { title: "unnamed", align: "right" },
      { title: "symbols", align: "right" },
      { title: "from" },
      { title: "build id" },
      { title: "library" },
    ],
    libraries.map(({ named, unnamed, symbols, source, problem, buildId, path }) => [
      String(named),
      String(unnamed),
      String(symbols),
      printable(source ?? "-"),
      printable(buildId?.slice(0, 12) ?? "-"),
      printable(problem === undefined ? path : `${cutName(path)} (${problemWords(problem).sentence})`),
    ]),
  );
}

function sampling({ info }: Profile): string[] {
  const { asked, got, span, gaps, gapTime, longestGap, overflows, withoutStack } = info.sampling;
  const time = (micros: number | undefined) =>
    micros === undefined ? "unknown" : `${Math.round(soundTime(micros))} µs`;
  const rows: [string, string][] = [
    ["interval asked for", time(asked)],
    ["interval measured, without gaps", time(got)],
    ["first to last tick", milliseconds(span)],
    [
      "gaps over 10 intervals",
      `${gaps}, ${milliseconds(gapTime)} in total, longest ${milliseconds(longestGap)}`,
    ],
    ["ticks followed by lost ticks", String(overflows)],
    ["ticks without a caller", String(withoutStack)],
  ];
  return table([{ title: "what" }, { title: "measured" }], rows);
}

function diagnostics({ info }: Profile): string[] {
  return info.diagnostics.map(
    ({ line, count, message }) =>
      `line ${line}: ${printable(message)}${count > 1 ? ` (${count} times)` : ""}`,
  );
}

function milliseconds(micros: number): string {
  return `${(soundTime(micros) / 1000).toFixed(1)} ms`;
}
