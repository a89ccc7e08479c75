import type { Ticks } from "../../profile/units.js";
import type { Call } from "../../views/function-calls.js";
import type { FunctionDetails } from "../../views/function-details.js";
import { missingCallersNote, missingCallersText } from "../../views/missing-callers.js";
import type { SourceTexts } from "../../views/source-texts.js";
import { embeddedSources } from "../layout/embedded-sources.js";
import { waitedLines } from "../layout/left-out.js";
import { listingBlock } from "../layout/listing-block.js";
import { listingLines } from "../layout/listing-lines.js";
import { codeCell, codeSpan, markdownTable } from "../layout/markdown.js";
import {
  isOwnCode,
  nameCutter,
  type PageLayout,
  type PagePart,
  pageLines,
  type RowBlock,
  tableBlock,
} from "../layout/markdown-page.js";
import { callMarks } from "../layout/named-cell.js";
import { counted, shareOf } from "../layout/numbers.js";
import { shownCallable } from "../layout/shown-name.js";
import { PLAIN } from "../layout/style.js";
import { tierTitlesOf } from "../layout/tier-titles.js";
import { timeText } from "../timeline/time-axis.js";
import { type FunctionReport, inferredText, MATCH_LIMIT, positionText, scriptsText } from "./text.js";

const RIGHT = { align: "right" } as const;
/** The width of text in Markdown, in columns. */
const WIDTH = 120;

export interface FunctionPageLayout extends PageLayout {
  /** Callers and callees with a smaller share of the function's ticks, in percent, are summed in one row. */
  readonly least: number;
  readonly sources: SourceTexts;
}

/** Yields functions for pull requests and language models. */
export function* functionPage(report: FunctionReport, layout: FunctionPageLayout): Iterable<PagePart> {
  const { matches, details, names, query } = report;
  const show = nameCutter(layout);
  for (const note of waitedLines(report.profile.info)) yield* [note, ""];
  const missing = missingCallersNote(report.profile);
  if (missing !== undefined) yield* [`**${missingCallersText(missing)}**`, ""];
  if (details.length < matches.length) {
    yield `${matches.length} functions match ${codeSpan(query)}; the hottest:`;
    yield "";
    const rows = matches.slice(0, MATCH_LIMIT).map(({ function: match, self, total }) => {
      const { title, position } = names.function(match);
      return {
        ticks: total,
        isProgram: match.origin.kind === "app",
        cells: [String(self), String(total), ...[title, position].map(show).map(codeCell)],
      };
    });
    yield tableBlock(
      [],
      [{ title: "self", ...RIGHT }, { title: "total", ...RIGHT }, { title: "function" }, { title: "where" }],
      rows,
    );
    yield "";
  }
  for (const [i, one] of details.entries()) {
    if (i > 0) yield "";
    yield* oneFunction(report, one, layout);
  }
  const shown = details.filter(({ lines, origin }) => lines.length > 0 && origin !== undefined);
  yield* embeddedSources(
    shown.flatMap((one) => one.function.file ?? []),
    layout.sources,
  );
}

/** Yields the lines of the whole {@link functionPage}. */
export function functionMarkdown(report: FunctionReport, layout: FunctionPageLayout): Iterable<string> {
  return pageLines(functionPage(report, layout));
}

function* oneFunction(
  report: FunctionReport,
  details: FunctionDetails,
  layout: FunctionPageLayout,
): Iterable<PagePart> {
  const { profile, names } = report;
  const { function: found, self, total, callers, callees, tiers, times } = details;
  const whole = profile.info.ticks - profile.info.excluded;
  const titles = tierTitlesOf(profile.info);
  const show = nameCutter(layout);
  const isProgram = found.origin.kind === "app";
  yield `## ${codeSpan(show(names.function(found).title))}`;
  yield "";
  const shares = `self ${self} (${shareOf(self, whole)}), total ${total} (${shareOf(total, whole)})`;
  const inferred = details.inferred > 0 ? `; ${inferredText(details)}` : "";
  yield `${codeSpan(show(positionText(found)))}${scriptsText(details)}: ${shares} of ${counted(whole, "tick")}${inferred}`;
  if (tiers.length > 0) {
    yield tableBlock(
      [""],
      [
        { title: "tier" },
        { title: "self", ...RIGHT },
        { title: "total", ...RIGHT },
        { title: "first", ...RIGHT },
        { title: "last", ...RIGHT },
      ],
      tiers.map(({ tier, ...ticks }) => {
        const time = times?.tiers.find((other) => other.tier === tier);
        const when = time === undefined ? ["-", "-"] : [timeText(time.first, 1), timeText(time.last, 1)];
        const cells = [titles[tier], String(ticks.self), String(ticks.total), ...when];
        return { ticks: ticks.total, cells, isProgram };
      }),
    );
  }
  yield callsBlock(report, callers, { ...layout, title: "caller", whole: total });
  if (total > self) yield callsBlock(report, callees, { ...layout, title: "callee", whole: total - self });
  if (details.lines.length === 0) return;
  yield "";
  yield {
    ...listingBlock(details.listing, (listing) =>
      listingLines(listing, { style: PLAIN, width: WIDTH, whole }),
    ),
    isProgram: details.listing.rows.map(() => isProgram),
  };
}

/** Returns a table of callers or callees. Those that are not shown are summed in one row. */
function callsBlock(
  { names }: FunctionReport,
  all: readonly Call[],
  { title, whole, ...layout }: FunctionPageLayout & { title: string; whole: Ticks },
): RowBlock {
  const calls = all.filter(({ ticks }) => ticks * 100 >= whole * layout.least);
  const show = nameCutter(layout);
  return {
    ticks: calls.map(({ ticks }) => ticks),
    isProgram: calls.map(({ callable }) => isOwnCode(callable)),
    *lines(isShown) {
      const shown = calls.filter((_, row) => isShown(row));
      if (shown.length === 0 && calls.length > 0) return;
      const rows = shown.map(({ callable, ticks, ...parts }) => {
        const name = shownCallable(names, callable);
        const mark = callMarks({ ticks, ...parts });
        const cell = `${codeCell(show(name.title))} ${mark}`.trimEnd();
        return [String(ticks), shareOf(ticks, whole), cell, codeCell(show(name.position))];
      });
      const rest = all.length - shown.length;
      if (rest > 0) {
        const ticksOf = (some: readonly Call[]) => some.reduce((sum, call) => sum + call.ticks, 0);
        const ticks = ticksOf(all) - ticksOf(shown);
        rows.push([String(ticks), shareOf(ticks, whole), `… ${rest} more`, ""]);
      }
      yield "";
      yield* markdownTable(
        [{ title: "ticks", ...RIGHT }, { title: "share", ...RIGHT }, { title }, { title: "where" }],
        rows,
      );
    },
  };
}
