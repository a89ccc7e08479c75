import { threadTotals } from "../../views/thread-totals.js";
import { codeCell, markdownTable, plainOrCode } from "../layout/markdown.js";
import type { Reporter } from "../process/reporter.js";
import { gridOf, headingOf } from "./thread-grid.js";

/** Yields the threads of a profile for issues and pull requests. */
export const threadsMarkdown: Reporter = {
  name: "md",
  title: "a Markdown table",
  *report(profile, { by }) {
    const threads = threadTotals(profile);
    const show = (title: string) => {
      const shown = plainOrCode(title);
      return shown === title ? title.replaceAll("_", "\\_") : shown;
    };
    yield headingOf(profile, { by, show });
    yield "";
    const { columns, rows } = gridOf(threads, { by, show: codeCell });
    yield* markdownTable(columns, rows);
  },
};
