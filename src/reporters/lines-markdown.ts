import { embeddedSources } from "./embedded-sources.js";
import { cellsOf, type LinesReport, linesText, numbersOf, numberTitles, restOf } from "./lines.js";
import { codeCell, fenced, markdownTable } from "./markdown.js";
import { PLAIN } from "./style.js";
import { cutEnd } from "./width.js";

/** Markdown is read in windows of any width. */
const WIDTH = 120;
const SOURCE_WIDTH = 80;

/** Lines for pull requests and language models. */
export function* linesMarkdown(report: LinesReport, { limit }: { readonly limit: number }): Iterable<string> {
  const { profile, lines, script, order } = report;
  if (script !== undefined) {
    yield* fenced(Array.from(linesText(report, { style: PLAIN, width: WIDTH, limit })));
    yield* embeddedSources([script.file], report.sources);
    return;
  }
  const whole = profile.info.ticks - profile.info.excluded;
  const hot = lines.filter((line) => line[order] > 0);
  const shown = hot.slice(0, limit);
  const rows = shown.map((line) => {
    const { place, owner, source } = cellsOf(line, report);
    const cells = [place, owner, cutEnd(source, SOURCE_WIDTH)].map(codeCell);
    return [...numbersOf(line, order, whole), ...cells];
  });
  for (const [self, what] of restOf(report, limit)) {
    rows.push([...numbersOf({ self, total: undefined }, order, whole), "", "", what]);
  }
  const numbers = numberTitles(order).map((title) => ({ title, align: "right" as const }));
  yield* markdownTable([...numbers, { title: "line" }, { title: "function" }, { title: "source" }], rows);
  const known = shown.filter(({ file, line }) => report.sources.lineOf(file, line) !== undefined);
  yield* embeddedSources(
    known.flatMap(({ file, line }) => (line > 0 ? (file ?? []) : [])),
    report.sources,
  );
}
