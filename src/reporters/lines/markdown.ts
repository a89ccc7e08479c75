import type { LineTicks } from "../../views/line-ticks.js";
import { embeddedSources } from "../layout/embedded-sources.js";
import { codeCell, fenced, markdownTable } from "../layout/markdown.js";
import { PLAIN } from "../layout/style.js";
import { cutEnd } from "../layout/width.js";
import { cellsOf, type LinesReport, linesText, numbersOf, numberTitles, restOf } from "./text.js";

/** The width of text in Markdown, in columns. */
const WIDTH = 120;
const SOURCE_WIDTH = 80;

/** Yields lines for pull requests and language models. */
export function* linesMarkdown(report: LinesReport, { limit }: { readonly limit: number }): Iterable<string> {
  const { script, order } = report;
  if (script !== undefined) {
    yield* fenced(Array.from(linesText(report, { style: PLAIN, width: WIDTH, limit })));
    yield* embeddedSources([script.file], report.sources);
    return;
  }
  const numbers = numberTitles(order).map((title) => ({ title, align: "right" as const }));
  const titles = [{ title: "where" }, { title: "function" }, { title: "source" }];
  yield* markdownTable([...numbers, ...titles], rowsOf(report, limit));
  yield* embeddedSources(
    hotLines(report, limit).flatMap(({ file, line }) =>
      line > 0 && report.sources.lineOf(file, line) !== undefined ? (file ?? []) : [],
    ),
    report.sources,
  );
}

function hotLines({ lines, order }: LinesReport, limit: number): readonly LineTicks[] {
  return lines.filter((one) => one[order] > 0).slice(0, limit);
}

function* rowsOf(report: LinesReport, limit: number): Iterable<readonly string[]> {
  const { profile, order } = report;
  const whole = profile.info.ticks - profile.info.excluded;
  for (const line of hotLines(report, limit)) {
    const { where, owner, source } = cellsOf(line, report, Number.POSITIVE_INFINITY);
    const cells = [where, owner, cutEnd(source, SOURCE_WIDTH)].map(codeCell);
    yield [...numbersOf(line, order, whole), ...cells];
  }
  for (const [self, what] of restOf(report, limit)) {
    yield [...numbersOf({ self, total: undefined }, order, whole), "", "", what];
  }
}
