import { adviceFor, coverageOf } from "../../views/coverage.js";
import { problemWords } from "../../views/problem-words.js";
import { codeCell, codeSpan, markdownTable } from "../layout/markdown.js";
import { counted } from "../layout/numbers.js";
import type { Reporter } from "../process/reporter.js";
import {
  coverageGrid,
  type DoctorGrid,
  type LibraryNames,
  libraryGrid,
  samplingGrid,
} from "./doctor-grids.js";

/** Yields log quality and symbol coverage for issues and language models. */
export const doctorMarkdown: Reporter = {
  name: "md",
  title: "Markdown tables",
  *report(profile) {
    const { info } = profile;
    const coverage = coverageOf(profile);
    yield `# ${codeSpan(info.title)}: ${counted(info.ticks, "tick")}`;
    yield* part("Coverage", coverageGrid(coverage));
    yield* part("Libraries", libraryGrid(coverage, LIBRARY));
    yield* part("Sampling", samplingGrid(profile, LIBRARY));
    yield* part("Errors in the log", {
      columns: [{ title: "line", align: "right" }, { title: "times", align: "right" }, { title: "error" }],
      rows: info.diagnostics.map(({ line, count, message }) => [
        String(line),
        String(count),
        codeCell(message),
      ]),
    });
    const advice = adviceFor(profile, coverage, codeSpan);
    yield* heading("What to do");
    if (advice.length === 0) yield* ["", "none"];
    for (const sentence of advice) yield* ["", sentence];
  },
};

const LIBRARY: LibraryNames = {
  show: codeCell,
  library: (path, problem) =>
    problem === undefined
      ? codeCell(path)
      : `${codeCell(path)} (${problemWords(path, problem, codeCell).sentence})`,
};

function* part(title: string, { columns, rows }: DoctorGrid): Iterable<string> {
  yield* heading(title);
  yield "";
  if (rows.length === 0) yield "none";
  else yield* markdownTable(columns, rows);
}

function* heading(title: string): Iterable<string> {
  yield "";
  yield `## ${title}`;
}
