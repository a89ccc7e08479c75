import type { Ticks } from "../../profile/units.js";
import { bottomUp, HEAVY_CUTOFF, type HeavyNode } from "../../views/bottom-up.js";
import { entryPoints } from "../../views/entry-points.js";
import { flatRows } from "../../views/flat.js";
import type { FunctionKind } from "../../views/label.js";
import { StackLabels } from "../../views/stack-labels.js";
import { totals } from "../../views/totals.js";
import { codeCell, codeSpan, markdownTable } from "../layout/markdown.js";
import { counted, shareOf } from "../layout/numbers.js";
import type { Column } from "../layout/table.js";
import type { Reporter } from "./reporter.js";

const RIGHT = (title: string): Column => ({ title, align: "right" });
const FLAT = [RIGHT("ticks"), RIGHT("total"), RIGHT("nonlib")];

const SECTIONS: readonly (readonly [title: string, category: FunctionKind])[] = [
  ["Shared libraries", "library"],
  ["JavaScript", "js"],
  ["C++", "native"],
];

/** Yields the numbers of the text report as tables. */
export const markdownReporter: Reporter = {
  name: "md",
  title: "Markdown tables",
  *report(profile, options) {
    const labels = new StackLabels(profile, options.separate);
    const rows = flatRows(profile, labels);
    const sums = totals(profile, labels, rows);
    const whole = sums.ticks - (options.ignoreUnknown ? sums.unaccounted : 0);
    const nonLibrary = whole - sums.library;
    const name = (label: string) => codeCell(options.rename?.(label) ?? label);
    const flat = (what: string, ticks: Ticks, isLibrary = false) => {
      return [String(ticks), shareOf(ticks, whole), isLibrary ? "" : shareOf(ticks, nonLibrary), what];
    };
    const counts = [counted(sums.ticks, "tick"), `${sums.unaccounted} unaccounted`];
    yield `# ${codeSpan(profile.info.title)}`;
    yield "";
    yield `${[...counts, `${sums.excluded} excluded`].join(", ")}.`;
    if (sums.ticks === 0) return;
    for (const [title, category] of options.onlySummary ? [] : SECTIONS) {
      const inSection = rows.filter((row) => row.category === category);
      yield* part(
        title,
        [...FLAT, { title: "name" }],
        inSection.map(({ label, self }) => flat(name(label), self, category === "library")),
      );
    }
    yield* part(
      "Summary",
      [...FLAT, { title: "what" }],
      [
        flat("JavaScript", sums.js),
        flat("C++", sums.native),
        flat("GC", sums.gc),
        flat("Shared libraries", sums.library, true),
        ...(!options.ignoreUnknown && sums.unaccounted > 0
          ? [[String(sums.unaccounted), shareOf(sums.unaccounted, sums.ticks), "", "Unaccounted"]]
          : []),
      ],
    );
    if (options.onlySummary) return;
    const entries = entryPoints(profile);
    const all = entries.reduce((sum, { ticks }) => sum + ticks, 0);
    yield* part(
      "C++ entry points",
      [RIGHT("ticks"), RIGHT("cpp"), RIGHT("total"), { title: "name" }],
      entries.map(({ label, ticks }) => [
        String(ticks),
        shareOf(ticks, all),
        shareOf(ticks, whole),
        name(label),
      ]),
    );
    yield* part(
      "Bottom up (heavy) profile",
      [RIGHT("ticks"), RIGHT("parent"), RIGHT("level"), { title: "name" }],
      heavyRows(bottomUp(profile, labels, { total: whole, depth: options.callGraphSize }), name),
    );
    yield "";
    yield `Level 0 is a function, the levels below it are its callers. Shares are of the row one level up. Callers with less than ${HEAVY_CUTOFF.toFixed(1)}% are not shown.`;
  },
};

/** Yields a heading and a table, with no rows if there are none. */
function* part(
  title: string,
  columns: readonly Column[],
  rows: Iterable<readonly string[]>,
): Iterable<string> {
  yield "";
  yield `## ${title}`;
  yield "";
  yield* markdownTable(columns, rows);
}

/** Yields functions, each followed by its callers. */
function* heavyRows(
  roots: readonly HeavyNode[],
  name: (label: string) => string,
): Iterable<readonly string[]> {
  const waiting = roots.map((node) => ({ node, level: 0 })).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, level } = next;
    const share = Number.isFinite(node.parentPercent) ? `${node.parentPercent.toFixed(1)}%` : "-";
    yield [String(node.ticks), share, String(level), name(node.label)];
    for (const caller of node.callers.toReversed()) waiting.push({ node: caller, level: level + 1 });
  }
}
