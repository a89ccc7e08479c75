import type { Profile } from "../../profile/profile.js";
import { soundTime } from "../../profile/sound-numbers.js";
import { adviceFor, type Coverage, coverageOf } from "../../views/coverage.js";
import { printable } from "../../views/label.js";
import { problemWords } from "../../views/problem-words.js";
import { sharesOf } from "../../views/shares.js";
import { cutName } from "../../views/shown-text.js";
import { jsonLines } from "../layout/json-lines.js";
import { section } from "../layout/section.js";
import { PLAIN } from "../layout/style.js";
import { table } from "../layout/table.js";
import type { Reporter } from "../process/reporter.js";

/** Goes up when a key changes its meaning or goes away. */
const JSON_DOCTOR_VERSION = 1;

/** Whether a report on this log is to be trusted, for people. */
export const doctorText: Reporter = {
  name: "text",
  title: "tables",
  *report(profile, options) {
    const style = options.style ?? PLAIN;
    const facts = coverageOf(profile);
    yield style.heading(`${printable(profile.info.title)}: ${profile.info.ticks} ticks`);
    yield* section(style, "Where the ticks are", ledger(facts));
    yield* section(style, "Libraries", libraries(facts));
    yield* section(style, "Sampling", sampling(profile));
    yield* section(style, "Faults of the log", diagnostics(profile));
    yield* section(style, "What to do", adviceFor(profile, facts).map(printable));
  },
};

/** The same, for programs. */
export const doctorJson: Reporter = {
  name: "json",
  title: "one JSON document",
  *report(profile) {
    const facts = coverageOf(profile);
    const shares = sharesOf(facts.breakdown.map(({ ticks }) => ticks));
    const document = {
      version: JSON_DOCTOR_VERSION,
      log: profile.info.logs,
      ticks: facts.ticks,
      unknown: facts.unknown,
      ledger: facts.breakdown.map((cell, i) => ({ ...cell, percent: shares[i] })),
      libraries: facts.libraries.map(({ problem, ...library }) =>
        withNulls({ ...library, problem: problem && problemWords(problem).sentence }),
      ),
      sampling: withNulls(profile.info.sampling),
      diagnostics: profile.info.diagnostics,
      advice: adviceFor(profile, facts),
    };
    yield* jsonLines(document);
  },
};

/** The same with `null` for what is not known, which JSON would leave out. */
function withNulls(facts: object): object {
  return Object.fromEntries(Object.entries(facts).map(([key, fact]) => [key, fact ?? null]));
}

function ledger({ breakdown, ticks }: Coverage): string[] {
  const shares = sharesOf(breakdown.map((cell) => cell.ticks));
  const rows = breakdown.map(({ title, ticks: own }, i) => [String(own), `${shares[i]!.toFixed(1)}%`, title]);
  return table(
    [{ title: "ticks", align: "right" }, { title: "share", align: "right" }, { title: "leaf" }],
    [...rows, [String(ticks), ticks === 0 ? "0.0%" : "100.0%", "all"]],
  );
}

function libraries({ libraries: all }: Coverage): string[] {
  if (all.length === 0) return [];
  return table(
    [
      { title: "named", align: "right" },
      { title: "not", align: "right" },
      { title: "symbols", align: "right" },
      { title: "from" },
      { title: "build id" },
      { title: "library" },
    ],
    all.map(({ named, unnamed, symbols, source, problem, buildId, path }) => [
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
    ["interval got, gaps left out", time(got)],
    ["from first to last tick", milliseconds(span)],
    [
      "gaps over 10 intervals",
      `${gaps}, together ${milliseconds(gapTime)}, the longest ${milliseconds(longestGap)}`,
    ],
    ["ticks after which others were lost", String(overflows)],
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
