import { threadTotals } from "../../views/thread-totals.js";
import { codeCell, markdownTable, plainOrCode } from "../layout/markdown.js";
import type { Reporter } from "../process/reporter.js";
import { gridOf, headingOf } from "./thread-grid.js";

/** Yields the threads of a profile for issues and pull requests. */
export const threadsMarkdown: Reporter = {
  name: "md",
  title: "a Markdown table",
  *report(profile) {
    const threads = threadTotals(profile);
    yield headingOf(profile, (title) => {
      const shown = plainOrCode(title);
      return shown === title ? title.replaceAll("_", "\\_") : shown;
    });
    yield "";
    const { columns, rows } = gridOf(threads, codeCell);
    yield* markdownTable(columns, rows);
  },
};
