import type { ProfiledFunction } from "../../views/function-table.js";
import type { Spike } from "../../views/spikes.js";
import { fittedSymbol } from "../layout/fitted-symbol.js";
import { codeCell, fenced, markdownTable } from "../layout/markdown.js";
import { PLAIN } from "../layout/style.js";
import { cutMiddle, endsOf } from "../layout/width.js";
import { legendOf, SpikeNames, spikeRows, spikeTitle, type TimelineReport, timelineBlocks } from "./text.js";
import { spanText } from "./time-axis.js";

/** The width of text in Markdown, in columns. */
export const MARKDOWN_WIDTH = 120;

/** The maximum width of a function name: C++ names can have any length. */
const TITLE_COLUMNS = 60;

/** Yields ticks over time for pull requests and language models. */
export function* timelineMarkdown(report: TimelineReport): Iterable<string> {
  const { profile, threads, spikes } = report;
  const names = new SpikeNames(spikes);
  const nameOf = (one: ProfiledFunction) => {
    const { title, position, isSymbol } = names.nameOf(one);
    const cut = isSymbol ? fittedSymbol : cutMiddle;
    return codeCell(`${cut(endsOf(title, TITLE_COLUMNS), TITLE_COLUMNS)} ${position}`.trim());
  };
  const namesOf = (spike: Spike) => {
    const { rows, rest } = spikeRows(spike);
    return [
      ...rows.map((row) => `${row.ticks} ${nameOf(row.function)}`),
      ...rest.map(({ ticks, what }) => `${ticks} ${what}`),
    ].join(", ");
  };
  const rows = threads.flatMap((thread, i) =>
    spikes[i]!.map((spike) => [
      ...(threads.length > 1 ? [codeCell(profile.info.threads[thread.thread]!.name)] : []),
      spanText(spike, thread.width),
      spikeTitle(spike),
      namesOf(spike),
    ]),
  );
  const blocks = timelineBlocks(report, { style: PLAIN, width: MARKDOWN_WIDTH }, false);
  const legend = threads.length === 0 ? [] : ["", ...legendOf(report)];
  yield* fenced([...blocks, ...legend]);
  if (rows.length === 0) return;
  yield "";
  yield* markdownTable(
    [
      ...(threads.length > 1 ? [{ title: "thread" }] : []),
      { title: "time" },
      { title: "spike" },
      { title: "functions" },
    ],
    rows,
  );
}
