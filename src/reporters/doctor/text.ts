import type { Profile } from "../../profile/profile.js";
import { adviceFor, coverageOf } from "../../views/coverage.js";
import { printable } from "../../views/label.js";
import { problemWords } from "../../views/problem-words.js";
import { cutName } from "../../views/shown-text.js";
import { counted } from "../layout/numbers.js";
import { section } from "../layout/section.js";
import { PLAIN } from "../layout/style.js";
import { table } from "../layout/table.js";
import type { Reporter } from "../process/reporter.js";
import {
  coverageGrid,
  type DoctorGrid,
  type LibraryNames,
  libraryGrid,
  samplingGrid,
} from "./doctor-grids.js";

/** Yields log quality and symbol coverage for people. */
export const doctorText: Reporter = {
  name: "text",
  title: "tables",
  *report(profile, options) {
    const style = options.style ?? PLAIN;
    const coverage = coverageOf(profile);
    yield style.heading(`${printable(profile.info.title)}: ${counted(profile.info.ticks, "tick")}`);
    yield* section(style, "Coverage", tableOf(coverageGrid(coverage)));
    yield* section(
      style,
      "Libraries",
      coverage.libraries.length === 0 ? [] : tableOf(libraryGrid(coverage, LIBRARY)),
    );
    yield* section(style, "Sampling", tableOf(samplingGrid(profile, LIBRARY)));
    yield* section(style, "Errors in the log", errorLines(profile));
    yield* section(style, "What to do", adviceFor(profile, coverage).map(printable));
  },
};

const LIBRARY: LibraryNames = {
  show: printable,
  library: (path, problem) =>
    printable(problem === undefined ? path : `${cutName(path)} (${problemWords(path, problem).sentence})`),
};

function tableOf({ columns, rows }: DoctorGrid): string[] {
  return table(columns, rows);
}

function errorLines({ info }: Profile): string[] {
  return info.diagnostics.map(
    ({ line, count, message }) =>
      `line ${line}: ${printable(message)}${count > 1 ? ` (${count} times)` : ""}`,
  );
}
