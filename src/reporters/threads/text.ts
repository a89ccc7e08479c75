import { printable } from "../../views/label.js";
import { threadTotals } from "../../views/thread-totals.js";
import { emphasize } from "../layout/numbers.js";
import { PLAIN } from "../layout/style.js";
import { table } from "../layout/table.js";
import type { Reporter } from "../process/reporter.js";
import { gridOf, headingOf, sumOf } from "./thread-grid.js";

/** Yields the threads of a profile for people. */
export const threadsText: Reporter = {
  name: "text",
  title: "a table",
  *report(profile, { style = PLAIN, by }) {
    const threads = threadTotals(profile);
    yield style.heading(headingOf(profile, { by, show: printable }));
    if (threads.length === 0) return;
    yield "";
    const { columns, rows } = gridOf(threads, { by, show: printable });
    const whole = sumOf(threads);
    for (const [i, line] of table(columns, rows).entries()) {
      const ticks = i === 0 ? undefined : threads[i - 1]?.ticks;
      yield `  ${ticks === undefined ? line : emphasize(line, { ticks, whole }, style)}`;
    }
  },
};
