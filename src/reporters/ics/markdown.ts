import type { IcSiteRow } from "../../views/ic-site-rows.js";
import { embeddedSources } from "../layout/embedded-sources.js";
import { waitedLines } from "../layout/left-out.js";
import { codeCell, codeSpan, markdownTable } from "../layout/markdown.js";
import { shareOf } from "../layout/numbers.js";
import { sourceLine } from "../layout/source-line.js";
import type { Column } from "../layout/table.js";
import { cutEnd } from "../layout/width.js";
import { timeText } from "../timeline/time-axis.js";
import {
  IcNames,
  type IcReport,
  inferredText,
  keysText,
  kindText,
  legendOf,
  mapsText,
  NO_SITE_REASONS,
  notesOf,
  placedLines,
  pricedSites,
  statesText,
  titleOf,
  whyNoneLines,
} from "./ic-words.js";

const right = (title: string): Column => ({ title, align: "right" });
const NUMBERS = [right("ticks"), right("share")];
const SOURCE_WIDTH = 80;

/** Yields inline caches for pull requests and language models. */
export function* icsMarkdown(report: IcReport): Iterable<string> {
  const { profile, view, limit } = report;
  yield `## ${codeSpan(profile.info.title)}: inline caches`;
  yield "";
  yield `${[titleOf(report), ...placedLines(report)].join("; ")}.`;
  for (const note of waitedLines(profile.info)) yield* ["", note];
  const why = whyNoneLines(report);
  if (why.length > 0) yield* ["", ...why];
  if (view.ticks === 0 && view.rows === 0) return;
  const sites = pricedSites(view, limit);
  const names = new IcNames(view);
  const whole = profile.info.ticks - profile.info.excluded;
  const numbers = (ticks: number) => [String(ticks), shareOf(ticks, whole)];
  if (sites.length > 0) {
    yield "";
    yield* markdownTable(
      [
        ...[...NUMBERS, { title: "≈" }, { title: "does" }, { title: "states" }, right("shapes")],
        ...[
          { title: "site" },
          { title: "key" },
          { title: "function" },
          { title: "source" },
          { title: "notes" },
        ],
      ],
      sites.map((site) => [
        ...numbers(site.ticks),
        inferredText(site),
        kindText(site),
        codeCell(statesText(site)),
        mapsText(site),
        codeCell(names.site(site)),
        codeCell(keysText(site)),
        codeCell(names.function(site.function).title),
        codeCell(textOf(site, report)),
        codeCell(notesOf(site).join("; ")),
      ]),
    );
    yield* rest(view.sites.filter(({ ticks }) => ticks > 0).slice(limit), "site");
  }
  if (view.sharedRows.length > 0) {
    yield* ["", "Ticks at one of several sites:", ""];
    yield* markdownTable(
      [...NUMBERS, right("sites"), { title: "one of" }],
      view.sharedRows
        .slice(0, limit)
        .map((row) => [...numbers(row.ticks), String(row.sites.length), codeCell(names.shared(row))]),
    );
    yield* rest(view.sharedRows.slice(limit), "group");
  }
  if (view.rows > 0 && view.notPlaced.length > 0) {
    yield* ["", "Not placed:", ""];
    yield* markdownTable(
      [...NUMBERS, { title: "why" }],
      view.notPlaced.map(({ reason, ticks }) => [...numbers(ticks), NO_SITE_REASONS[reason]]),
    );
  }
  if (view.functions.length > 0) {
    yield "";
    yield* markdownTable(
      [...NUMBERS, { title: "≈" }, { title: "function" }],
      view.functions.slice(0, limit).map((row) => {
        const { title, position } = names.row(row);
        return [...numbers(row.ticks), inferredText(row), codeCell(`${title} ${position}`.trim())];
      }),
    );
    yield* rest(view.functions.slice(limit), "function");
  }
  if (view.times !== undefined) {
    const all = view.times.rows.flatMap((count, i) => {
      const from = timeText(i * view.times!.width);
      return count === 0 ? [] : [[from, String(count), String(view.times!.megamorphic[i]!)]];
    });
    yield* ["", `Rows over time, in slices of ${timeText(view.times.width)}:`, ""];
    yield* markdownTable([right("from"), right("rows"), right("megamorphic")], all);
  }
  if (sites.length > 0) {
    yield "";
    yield `${legendOf(report).join("; ")}.`;
    yield* embeddedSources(
      sites.flatMap((site) => (textOf(site, report) === "" ? [] : (site.file ?? []))),
      report.sources,
    );
  }
}

function textOf({ file, line }: IcSiteRow, { sources }: IcReport): string {
  const text = line === 0 ? undefined : sources.lineOf(file, line);
  return text === undefined ? "" : cutEnd(sourceLine(text).trim(), SOURCE_WIDTH);
}

function* rest(rows: readonly { readonly ticks: number }[], noun: string): Iterable<string> {
  if (rows.length === 0) return;
  const ticks = rows.reduce((sum, row) => sum + row.ticks, 0);
  yield* ["", `${ticks} in ${rows.length} more ${noun}${rows.length === 1 ? "" : "s"}.`];
}
