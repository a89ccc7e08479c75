import { threadTotals } from "../../views/thread-totals.js";
import { codeCell, codeSpan, markdownTable } from "../layout/markdown.js";
import type { Reporter } from "../process/reporter.js";
import { gridOf, headingOf } from "./thread-grid.js";

/** Yields the threads of a profile for issues and pull requests. */
export const threadsMarkdown: Reporter = {
  name: "md",
  title: "a Markdown table",
  *report(profile, { by }) {
    const threads = threadTotals(profile);
    yield headingOf(profile, { by, show: codeSpan });
    yield "";
    const { columns, rows } = gridOf(threads, { by, show: codeCell });
    yield* markdownTable(columns, rows);
  },
};
