import { PositionNames } from "../../reports/deopts.js";
import type { ShareRange } from "../../views/confidence.js";
import type { Callable } from "../../views/function-stacks.js";
import type { ProfiledFunction } from "../../views/function-table.js";
import type { HotLines } from "../../views/hot-lines.js";
import { SourceTexts } from "../../views/source-texts.js";
import type { FunctionRow } from "../../views/top-functions.js";
import { embeddedSources } from "../layout/embedded-sources.js";
import { waitedLines } from "../layout/left-out.js";
import { codeCell, codeSpan, fenced } from "../layout/markdown.js";
import {
  nameCutter,
  type PageLayout,
  type PagePart,
  pageLines,
  type RowBlock,
  tableBlock,
} from "../layout/markdown-page.js";
import { counted, shareOf } from "../layout/numbers.js";
import { lineText, textAround } from "../layout/source-line.js";
import type { Column } from "../layout/table.js";
import { cutEnd } from "../layout/width.js";
import { hottestAlike, hottestCell } from "../threads/thread-grid.js";
import { nextCommands } from "./next-commands.js";
import { tierText } from "./tier-text.js";
import {
  emptyText,
  factsOf,
  lineFunction,
  lineNotes,
  lineTitle,
  logsNote,
  marginOf,
  namedLogs,
  nameInStack,
  PACKAGE_LINES,
  packageTitle,
  type TopReport,
  warningText,
  YOUR_LINES,
} from "./top-report.js";

/** The maximum width of a source line. */
const SOURCE_COLUMNS = 80;

/**
 * Yields the summary for pull requests and language models: short, ranked, and the same for each run of the
 * command.
 */
export function* topPage(report: TopReport, layout: PageLayout = {}): Iterable<PagePart> {
  const { profile, top, limit } = report;
  const logs = namedLogs(report);
  const facts = factsOf(report, codeSpan).join(", ");
  yield `# ${codeSpan(profile.info.title)}`;
  yield "";
  if (top.ticks === 0) {
    yield `${facts}.`;
    for (const note of waitedLines(profile.info)) yield* ["", note];
    yield "";
    yield emptyText(report);
    return;
  }
  yield `${facts}. ${sharesNote(report)}`;
  for (const note of logsNote(report)) yield* ["", codeSpan(note)];
  for (const warning of top.warnings) {
    yield "";
    yield `**${warningText(warning, logs, codeSpan)}**`;
  }
  const { ranges } = top;
  const share = (ticks: number, range: ShareRange | undefined) =>
    `${shareOf(ticks, top.ticks)} ${marginOf(ticks, top.ticks, range)}`.trimEnd();
  const exact = (percent: number, ticks: number, range: ShareRange | undefined) =>
    `${percent.toFixed(1)}% ${marginOf(ticks, top.ticks, range)}`.trimEnd();
  const cut = nameCutter(layout);
  const nameCell = (text: string) => codeCell(cut(text));
  const name = (fn: ProfiledFunction) => nameCell(top.names.function(fn).title);
  const where = ({ function: fn }: FunctionRow) => nameCell(top.names.function(fn).position);
  const called = (path: readonly Callable[]) =>
    path.map((fn) => nameCell(nameInStack(report, fn))).join(" → ");
  const rowsOf = ({ lines }: HotLines, of: readonly ShareRange[]) =>
    lines
      .slice(0, limit)
      .map((line, i) => [
        share(line.ticks, of[i]),
        String(line.ticks),
        String(line.self),
        String(line.total),
        nameCell(lineTitle(report, line)),
        nameCell(lineFunction(report, line)),
        codeCell(
          cutEnd(lineText(line.text && textAround(line.text, line.column ?? 1), line.loop), SOURCE_COLUMNS),
        ),
      ]);
  const notes = (hot: HotLines) => lineNotes(report, hot).flatMap((note) => ["", `${note}.`]);

  yield part(
    YOUR_LINES,
    LINES,
    () => rowsOf(top.app, ranges.app),
    () => true,
  );
  yield* notes(top.app);
  yield part("Where the ticks went", [SHARE, TICKS, { title: "what" }], () =>
    top.breakdown
      .filter(({ ticks }) => ticks > 0)
      .map(({ title, ticks, percent, tiers }, i) => [
        exact(percent, ticks, ranges.breakdown[i]),
        String(ticks),
        tiers.length === 0 ? title : `${title} ${codeCell(tierText(tiers))}`,
      ]),
  );
  const alike = hottestAlike(top.threads);
  yield part("Threads", THREADS, () =>
    top.threads
      .slice(0, limit)
      .map((thread) => [
        shareOf(thread.ticks, top.ticks),
        String(thread.ticks),
        String(thread.number),
        nameCell(thread.name),
        nameCell(hottestCell(thread, alike, (text) => text)),
      ]),
  );
  yield part("Packages, with the native code that they call", PACKAGES, () =>
    top.packages.rows
      .slice(0, limit)
      .map(({ origin, ticks, percent, self, throughNative, total }, i) => [
        exact(percent, ticks, ranges.packages[i]?.ticks),
        ...[ticks, self, throughNative, total].map(String),
        nameCell(packageTitle(origin)),
      ]),
  );
  yield part("Heaviest stacks", [SHARE, TICKS, { title: "stack, outermost first" }], () => [
    ...top.stacks.stacks.map(({ ticks, path }, i) => [
      share(ticks, ranges.stacks[i]),
      String(ticks),
      called(path),
    ]),
    ...(top.stacks.rest > 0
      ? [[share(top.stacks.rest, undefined), String(top.stacks.rest), "other stacks"]]
      : []),
  ]);
  yield part(
    "Functions by total; → joins those that own the same ticks",
    [SHARE, RIGHT("total"), RIGHT("self"), { title: "function" }, { title: "where" }],
    () =>
      top.chains
        .slice(0, limit)
        .map(({ rows, total, self }, i) => [
          share(total, ranges.chains[i]),
          String(total),
          String(self),
          rows.length === 1
            ? name(rows[0]!.function)
            : called(rows.map((row) => ({ kind: "function", function: row.function }))),
          where(rows.at(-1)!),
        ]),
    (row) => top.chains[row]!.rows.some(({ function: fn }) => fn.origin.kind === "app"),
  );
  yield part(
    "Functions by self",
    [SHARE, RIGHT("self"), RIGHT("total"), { title: "function" }, { title: "where" }, { title: "tiers" }],
    () =>
      top.functions.bySelf
        .slice(0, limit)
        .map((row, i) => [
          share(row.self, ranges.bySelf[i]?.self),
          String(row.self),
          String(row.total),
          name(row.function),
          where(row),
          codeCell(tierText(row.tiers)),
        ]),
    (row) => top.functions.bySelf[row]!.function.origin.kind === "app",
  );
  if (top.packageLines.lines.length > 0) {
    yield part(PACKAGE_LINES, LINES, () => rowsOf(top.packageLines, ranges.packageLines));
    yield* notes(top.packageLines);
  }
  const shownLines = [...top.app.lines.slice(0, limit), ...top.packageLines.lines.slice(0, limit)];
  const withText = shownLines.filter(({ text }) => text !== undefined);
  yield* embeddedSources(
    Array.from(new Set(withText.map(({ file }) => file))),
    new SourceTexts(profile.sources, () => undefined),
  );
  const names = new PositionNames(top.deopts);
  yield part(
    "Deoptimizations, by ticks in slower code until optimized again",
    [SHARE, TICKS, RIGHT("times"), { title: "function" }, { title: "where" }, { title: "reason" }],
    () =>
      top.deopts
        .slice(0, limit)
        .map((row, i) => [
          share(row.cost, ranges.deopts[i]),
          String(row.cost),
          String(row.count),
          nameCell(row.title),
          nameCell(names.function(row)),
          nameCell(row.reason),
        ]),
  );
  const next = nextCommands({ ...report, logs });
  if (next.length === 0) return;
  yield "";
  yield "Next:";
  yield "";
  yield* fenced(next.flatMap(({ command, why }) => [`# ${why}`, command]));
}

const MARGIN_NOTE =
  "± is how far a share may be off, in 95 of 100 cases, where that is more than a tenth of it; few ticks: more than all of it.";

/** Yields the lines of the whole {@link topPage}. */
export function topMarkdown(report: TopReport): Iterable<string> {
  return pageLines(topPage(report));
}

function sharesNote({ profile, top }: TopReport): string {
  const [waited] = waitedLines(profile.info);
  if (waited !== undefined) return `${waited} ${MARGIN_NOTE}`;
  return profile.info.excluded === 0
    ? `Shares are of all ticks. ${MARGIN_NOTE}`
    : `Shares are of the ${counted(top.ticks, "tick")} that passed the filters. ${MARGIN_NOTE}`;
}

/**
 * Returns a heading and a table; nothing if there are no rows. Their second cells are ticks. `isProgram` tells which rows
 * are code of the program itself; default: none.
 */
function part(
  title: string,
  columns: readonly Column[],
  rowsOf: () => string[][],
  isProgram: (row: number) => boolean = () => false,
): RowBlock {
  const rows = rowsOf().map((cells, row) => ({ ticks: Number(cells[1]), cells, isProgram: isProgram(row) }));
  return tableBlock(["", `## ${title}`, ""], columns, rows);
}

const RIGHT = (title: string): Column => ({ title, align: "right" });
const SHARE = RIGHT("share");
const TICKS = RIGHT("ticks");
const LINES = [
  ...[SHARE, TICKS, RIGHT("self"), RIGHT("total")],
  ...[{ title: "line" }, { title: "function" }, { title: "source" }],
];
const THREADS = [SHARE, TICKS, RIGHT("#"), { title: "thread" }, { title: "hottest function" }];
const PACKAGES = [SHARE, TICKS, RIGHT("self"), RIGHT("through native"), RIGHT("total"), { title: "package" }];
