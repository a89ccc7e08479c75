import { SourceTexts } from "../../views/source-texts.js";
import type { FunctionRow } from "../../views/top-functions.js";
import { PositionNames } from "../deopts/deopt-words.js";
import { embeddedSources } from "../layout/embedded-sources.js";
import { codeCell, codeSpan, fenced } from "../layout/markdown.js";
import { followedBy, type PagePart, pageLines, type RowBlock, tableBlock } from "../layout/markdown-page.js";
import { counted, shareOf } from "../layout/numbers.js";
import { sourceLine } from "../layout/source-line.js";
import type { Column } from "../layout/table.js";
import { cutEnd, cutMiddle, shownMiddle } from "../layout/width.js";
import { tierText } from "./text.js";
import {
  emptyText,
  factsOf,
  lineTitle,
  nameInStack,
  nextCommand,
  packageTitle,
  shownName,
  type TopReport,
  warningText,
} from "./top-report.js";

/** The maximum width of a name: C++ names can have any length. */
const NAME_COLUMNS = 80;

/**
 * Yields the summary for pull requests and language models: short, ranked, and the same for each run of the
 * command.
 */
export function* topPage(report: TopReport): Iterable<PagePart> {
  const { profile, top, limit, logs } = report;
  const facts = factsOf(report, codeSpan).join(", ");
  yield `# ${codeSpan(profile.info.title)}`;
  yield "";
  if (top.ticks === 0) {
    yield `${facts}.`;
    yield "";
    yield emptyText(report);
    return;
  }
  yield `${facts}. ${sharesNote(report)}`;
  for (const warning of top.warnings) {
    yield "";
    yield `**${warningText(warning, logs, codeSpan)}**`;
  }
  const share = (ticks: number) => shareOf(ticks, top.ticks);
  yield part("Where the ticks went", [SHARE, TICKS, { title: "what" }], () =>
    top.breakdown
      .filter(({ ticks }) => ticks > 0)
      .map(({ title, ticks, percent, tiers }) => [
        `${percent.toFixed(1)}%`,
        String(ticks),
        tiers.length === 0 ? title : `${title} ${codeCell(tierText(tiers))}`,
      ]),
  );
  const called = (path: (typeof top.stacks.stacks)[number]["path"]) =>
    path.map((fn) => codeCell(cutMiddle(nameInStack(report, fn, NAME_COLUMNS), NAME_COLUMNS))).join(" → ");
  yield part("Heaviest stacks", [SHARE, TICKS, { title: "stack, outermost first" }], () => [
    ...top.stacks.stacks.map(({ ticks, path }) => [share(ticks), String(ticks), called(path)]),
    ...(top.stacks.rest > 0 ? [[share(top.stacks.rest), String(top.stacks.rest), "other stacks"]] : []),
  ]);
  const where = ({ function: fn }: FunctionRow) => codeCell(top.names.function(fn).position);
  const name = ({ function: fn }: FunctionRow) =>
    codeCell(shownMiddle(shownName(report, fn).title, NAME_COLUMNS));
  yield part(
    "Functions by self",
    [SHARE, RIGHT("self"), RIGHT("total"), { title: "function" }, { title: "where" }, { title: "tiers" }],
    () =>
      top.functions.bySelf
        .slice(0, limit)
        .map((row) => [
          share(row.self),
          String(row.self),
          String(row.total),
          name(row),
          where(row),
          codeCell(tierText(row.tiers)),
        ]),
  );
  yield part(
    "Functions by total",
    [SHARE, RIGHT("total"), RIGHT("self"), { title: "function" }, { title: "where" }],
    () =>
      top.functions.byTotal
        .slice(0, limit)
        .map((row) => [share(row.total), String(row.total), String(row.self), name(row), where(row)]),
  );
  const sources = new SourceTexts(profile.sources, () => undefined);
  const lines = part(
    "Hot lines, including calls",
    [SHARE, TICKS, RIGHT("self"), { title: "where" }, { title: "source" }],
    () =>
      top.lines.lines
        .slice(0, limit)
        .map((line) => [
          share(line.ticks),
          String(line.ticks),
          String(line.self),
          codeCell(lineTitle(report, line)),
          codeCell(cutEnd(sourceLine(line.text ?? ""), NAME_COLUMNS)),
        ]),
  );
  yield followedBy(lines, (isShown) => {
    const withText = top.lines.lines
      .slice(0, limit)
      .filter(({ text }, row) => text !== undefined && isShown(row));
    return embeddedSources(
      withText.map(({ file }) => file),
      sources,
    );
  });
  yield part("Packages", [SHARE, RIGHT("self"), RIGHT("total"), { title: "package" }], () =>
    top.packages
      .slice(0, limit)
      .map(({ origin, self, total }) => [
        share(self),
        String(self),
        String(total),
        codeCell(packageTitle(origin)),
      ]),
  );
  const names = new PositionNames(top.deopts);
  yield part(
    "Deoptimizations, by ticks in slower code until optimized again",
    [SHARE, TICKS, RIGHT("times"), { title: "function" }, { title: "where" }, { title: "reason" }],
    () =>
      top.deopts
        .slice(0, limit)
        .map((row) => [
          share(row.cost),
          String(row.cost),
          String(row.count),
          codeCell(shownMiddle(row.title, NAME_COLUMNS)),
          codeCell(names.function(row)),
          codeCell(row.reason),
        ]),
  );
  const next = nextCommand(report);
  if (next === undefined) return;
  yield "";
  yield "Next:";
  yield "";
  yield* fenced([next]);
}

/** Yields the lines of the whole {@link topPage}. */
export function topMarkdown(report: TopReport): Iterable<string> {
  return pageLines(topPage(report));
}

function sharesNote({ profile, top }: TopReport): string {
  return profile.info.excluded === 0
    ? "Shares are of all ticks."
    : `Shares are of the ${counted(top.ticks, "tick")} that passed the filters.`;
}

/** Returns a heading and a table; nothing if there are no rows. Their second cells are ticks. */
function part(title: string, columns: readonly Column[], rowsOf: () => string[][]): RowBlock {
  const rows = rowsOf().map((cells) => ({ ticks: Number(cells[1]), cells }));
  return tableBlock(["", `## ${title}`, ""], columns, rows);
}

const RIGHT = (title: string): Column => ({ title, align: "right" });
const SHARE = RIGHT("share");
const TICKS = RIGHT("ticks");
