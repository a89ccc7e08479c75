import { threadTotals } from "../../views/thread-totals.js";
import { codeCell, codeSpan, markdownTable } from "../layout/markdown.js";
import type { Reporter } from "../process/reporter.js";
import { PROCESS_COLUMNS, processRows, recordingTitle } from "./recordings.js";
import { gridOf, headingOf } from "./thread-grid.js";

/** Yields the threads of a profile for issues and pull requests. */
export const threadsMarkdown: Reporter = {
  name: "md",
  title: "a Markdown table",
  *report(profile, { by, recordings = [] }) {
    const threads = threadTotals(profile);
    yield headingOf(profile, { by, show: codeSpan });
    yield "";
    const { columns, rows } = gridOf(threads, { by, show: codeCell });
    yield* markdownTable(columns, rows);
    for (const recording of recordings) {
      yield "";
      yield recordingTitle(recording, codeSpan);
      yield "";
      yield* markdownTable(PROCESS_COLUMNS, processRows(recording, codeCell));
    }
  },
};
