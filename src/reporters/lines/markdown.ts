import type { LineTicks } from "../../views/line-ticks.js";
import { embeddedSources } from "../layout/embedded-sources.js";
import { waitedLines } from "../layout/left-out.js";
import { listingBlock } from "../layout/listing-block.js";
import { codeCell, markdownTable } from "../layout/markdown.js";
import { type PageLayout, type PagePart, pageLines } from "../layout/markdown-page.js";
import { PLAIN } from "../layout/style.js";
import { cutEnd, cutMiddle } from "../layout/width.js";
import {
  cellsOf,
  type LinesReport,
  lacksText,
  linesText,
  NO_TEXT,
  numbersOf,
  numberTitles,
  placeCells,
  restOf,
  severalScripts,
} from "./text.js";

/** The width of text in Markdown, in columns. */
const WIDTH = 120;
const SOURCE_WIDTH = 80;

export interface LinesPageLayout extends PageLayout {
  /** The maximum number of hot lines. */
  readonly limit: number;
}

/** Yields lines for pull requests and language models. */
export function* linesPage(report: LinesReport, layout: LinesPageLayout): Iterable<PagePart> {
  const { script, sources } = report;
  if (script !== undefined) {
    yield listingBlock(script.listing, (listing) =>
      linesText({ ...report, script: { ...script, listing } }, { style: PLAIN, width: WIDTH, ...layout }),
    );
    yield* embeddedSources([script.file], sources);
    return;
  }
  for (const note of waitedLines(report.profile.info)) yield* [note, ""];
  const lines = hotLines(report, layout.limit);
  yield {
    ticks: lines.map((line) => line[report.order]),
    own: lines.map(({ self }) => self),
    isProgram: lines.map((line) => line.function.origin.kind === "app"),
    *lines(isShown) {
      const shown = lines.filter((_, row) => isShown(row));
      if (shown.length === 0 && lines.length > 0) return;
      const numbers = numberTitles(report.order).map((title) => ({ title, align: "right" as const }));
      const titles = [{ title: "where" }, { title: "function" }, { title: "source" }];
      yield* markdownTable([...numbers, ...titles], rowsOf(report, shown, layout));
      if (lacksText(shown, sources)) yield* ["", NO_TEXT];
      const scripts = severalScripts(shown, report);
      if (scripts !== undefined) yield* ["", scripts];
      yield* embeddedSources(
        shown.flatMap(({ file, line }) => {
          return line > 0 && sources.lineOf(file, line) !== undefined ? (file ?? []) : [];
        }),
        sources,
      );
    },
  };
}

/** Yields the lines of the whole {@link linesPage}. */
export function linesMarkdown(report: LinesReport, layout: LinesPageLayout): Iterable<string> {
  return pageLines(linesPage(report, layout));
}

function hotLines({ lines, order }: LinesReport, limit: number): readonly LineTicks[] {
  return lines.filter((one) => one[order] > 0).slice(0, limit);
}

function* rowsOf(
  report: LinesReport,
  shown: readonly LineTicks[],
  { nameColumns = Number.POSITIVE_INFINITY }: LinesPageLayout,
): Iterable<readonly string[]> {
  const { profile, order } = report;
  const whole = profile.info.ticks - profile.info.excluded;
  for (const line of shown) {
    const rows = [{ weights: line, ...cellsOf(line, report, nameColumns) }, ...placeCells(line, report)];
    for (const { weights, where, owner, source } of rows) {
      const names = [where, owner].map((name) => cutMiddle(name, nameColumns));
      const cells = [...names, cutEnd(source, SOURCE_WIDTH)].map(codeCell);
      yield [...numbersOf(weights, order, whole), ...cells];
    }
  }
  for (const [self, what] of restOf(report, shown)) {
    yield [...numbersOf({ self, total: undefined }, order, whole), "", "", what];
  }
}
