import type { Ticks } from "../../profile/units.js";
import { type TreeRows, withoutRows } from "../../views/tree-rows.js";
import { fenced } from "../layout/markdown.js";
import { type PagePart, pageLines } from "../layout/markdown-page.js";
import { PLAIN } from "../layout/style.js";
import { type TreeReport, treeText } from "./text.js";

/** The width of text in Markdown, in columns. */
const WIDTH = 120;

/** Yields a tree for pull requests and language models: that of the text report, as a code block. */
export function* treePage(report: TreeReport): Iterable<PagePart> {
  const { tree } = report;
  yield {
    ticks: tree.rows.map(({ ticks }) => ticks),
    own: ownTicks(tree),
    *lines(isShown) {
      const shown = { ...report, tree: withoutRows(tree, (row) => !isShown(row)) };
      yield* fenced(Array.from(treeText(shown, { style: PLAIN, width: WIDTH })));
    },
  };
}

/** Yields the lines of the whole {@link treePage}. */
export function treeMarkdown(report: TreeReport): Iterable<string> {
  return pageLines(treePage(report));
}

/** Returns the ticks of each row that are not in the rows below it. */
function ownTicks({ rows }: TreeRows): Ticks[] {
  const own = rows.map(({ ticks }) => ticks);
  for (const { parent, ticks } of rows) if (parent >= 0) own[parent]! -= ticks;
  return own;
}
