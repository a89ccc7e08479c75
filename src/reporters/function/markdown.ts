import type { Ticks } from "../../profile/units.js";
import type { Call } from "../../views/function-calls.js";
import type { FunctionDetails } from "../../views/function-details.js";
import type { SourceTexts } from "../../views/source-texts.js";
import { embeddedSources } from "../layout/embedded-sources.js";
import { listingLines } from "../layout/listing-lines.js";
import { codeCell, codeSpan, fenced, markdownTable } from "../layout/markdown.js";
import { inlinedMark } from "../layout/named-cell.js";
import { counted, shareOf } from "../layout/numbers.js";
import { shownCallable, shownFunction } from "../layout/shown-name.js";
import { PLAIN } from "../layout/style.js";
import { TIER_TITLES } from "../layout/tier-titles.js";
import { timeText } from "../timeline/time-axis.js";
import { type FunctionReport, MATCH_LIMIT, positionText } from "./text.js";

const RIGHT = { align: "right" } as const;
/** The width of text in Markdown, in columns. */
const WIDTH = 120;

/** Yields functions for pull requests and language models. */
export function* functionMarkdown(
  report: FunctionReport,
  { least, sources }: { readonly least: number; readonly sources: SourceTexts },
): Iterable<string> {
  const { matches, details, names, query } = report;
  if (details.length < matches.length) {
    yield `${matches.length} functions match ${codeSpan(query)}; the hottest:`;
    yield "";
    const rows = matches.slice(0, MATCH_LIMIT).map(({ function: match, self, total }) => {
      const { title, position } = shownFunction(names, match);
      return [String(self), String(total), codeCell(title), codeCell(position)];
    });
    yield* markdownTable(
      [{ title: "self", ...RIGHT }, { title: "total", ...RIGHT }, { title: "function" }, { title: "where" }],
      rows,
    );
    yield "";
  }
  for (const [i, one] of details.entries()) {
    if (i > 0) yield "";
    yield* oneFunction(report, one, least);
  }
  const shown = details.filter(({ lines, origin }) => lines.length > 0 && origin !== undefined);
  yield* embeddedSources(
    shown.flatMap((one) => one.function.file ?? []),
    sources,
  );
}

function* oneFunction(report: FunctionReport, details: FunctionDetails, least: number): Iterable<string> {
  const { profile, names } = report;
  const { function: found, self, total, callers, callees, tiers, times } = details;
  const whole = profile.info.ticks - profile.info.excluded;
  yield `## ${codeSpan(names.function(found).title)}`;
  yield "";
  const shares = `self ${self} (${shareOf(self, whole)}), total ${total} (${shareOf(total, whole)})`;
  yield `${codeSpan(positionText(found))}: ${shares} of ${counted(whole, "tick")}`;
  if (tiers.length > 0) {
    yield "";
    yield* markdownTable(
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
        return [TIER_TITLES[tier], String(ticks.self), String(ticks.total), ...when];
      }),
    );
  }
  yield* calls(report, callers, { title: "caller", whole: total, least });
  if (total > self) yield* calls(report, callees, { title: "callee", whole: total - self, least });
  if (details.lines.length === 0) return;
  yield "";
  yield* fenced(Array.from(listingLines(details.listing, { style: PLAIN, width: WIDTH, whole })));
}

function* calls(
  { names }: FunctionReport,
  all: readonly Call[],
  { title, whole, least }: { title: string; whole: Ticks; least: number },
): Iterable<string> {
  const isShown = ({ ticks }: Call) => ticks * 100 >= whole * least;
  const rows = all.filter(isShown).map(({ callable, ticks, inlined }) => {
    const name = shownCallable(names, callable);
    const mark = inlinedMark(inlined, ticks);
    const cell = `${codeCell(name.title)} ${mark}`.trimEnd();
    return [String(ticks), shareOf(ticks, whole), cell, codeCell(name.position)];
  });
  const rest = all.filter((call) => !isShown(call));
  if (rest.length > 0) {
    const ticks = rest.reduce((sum, call) => sum + call.ticks, 0);
    rows.push([String(ticks), shareOf(ticks, whole), `… ${rest.length} more`, ""]);
  }
  yield "";
  yield* markdownTable(
    [{ title: "ticks", ...RIGHT }, { title: "share", ...RIGHT }, { title }, { title: "where" }],
    rows,
  );
}
