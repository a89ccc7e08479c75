import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { bottomUp, HEAVY_CUTOFF, type HeavyNode } from "../views/bottom-up.js";
import { entryPoints } from "../views/entry-points.js";
import { type FlatRow, flatRows } from "../views/flat.js";
import { type FunctionKind, printable } from "../views/label.js";
import { StackLabels } from "../views/stack-labels.js";
import { type Totals, totals } from "../views/totals.js";
import type { ProcessReport } from "./process.js";
import type { Style } from "./style.js";

/** A row is hot from this share on, in percent, and faint below the other. */
const HOT = 10;
const FAINT = 1;

/**
 * Yields the same report as `node --prof-process` of Node 26: the same sections, order, columns, rounding,
 * cut-offs and ties. Tools that read that report can read this one.
 *
 * Source: V8, tools/tickprocessor.mjs, `TickProcessor.printStatistics`.
 */
export function* processText(report: ProcessReport, { style }: { readonly style: Style }): Iterable<string> {
  const { profile } = report;
  const labels = new StackLabels(profile, report.separate);
  const rows = flatRows(profile, labels);
  const sums = totals(profile, labels, rows);
  yield* new TextReport(report, sums, style).lines(rows, labels);
}

class TextReport {
  readonly #profile: Profile;
  readonly #options: ProcessReport;
  readonly #style: Style;
  readonly #sums: Totals;
  /** Percentages are of these ticks. */
  readonly #whole: Ticks;
  readonly #nonLibrary: Ticks;

  constructor(options: ProcessReport, sums: Totals, style: Style) {
    this.#profile = options.profile;
    this.#options = options;
    this.#style = style;
    this.#sums = sums;
    this.#whole = sums.ticks - (options.ignoreUnknown ? sums.unaccounted : 0);
    this.#nonLibrary = this.#whole - sums.library;
  }

  *lines(rows: readonly FlatRow[], labels: StackLabels): Iterable<string> {
    const { ticks, unaccounted, excluded } = this.#sums;
    const logs = printable(this.#profile.info.title);
    const counts = `(${ticks} ticks, ${unaccounted} unaccounted, ${excluded} excluded)`;
    yield this.#style.heading(`Statistical profiling result from ${logs}, ${counts}.`);
    if (ticks === 0) return;
    if (!this.#options.onlySummary) {
      yield* this.#flatSection("Shared libraries", rows, "library");
      yield* this.#flatSection("JavaScript", rows, "js");
      yield* this.#flatSection("C++", rows, "native");
    }
    yield* this.#summary();
    if (this.#options.onlySummary) return;
    yield* this.#entryPoints();
    yield* this.#heavy(labels);
  }

  *#flatSection(title: string, rows: readonly FlatRow[], category: FunctionKind): Iterable<string> {
    yield* this.#flatHeading(title);
    for (const row of rows) {
      if (row.category !== category) continue;
      yield this.#line(
        this.#show(row.label),
        row.self,
        this.#whole,
        category === "library" ? undefined : this.#nonLibrary,
      );
    }
  }

  *#summary(): Iterable<string> {
    const { js, native, gc, library, unaccounted, ticks } = this.#sums;
    yield* this.#flatHeading("Summary");
    yield this.#line("JavaScript", js, this.#whole, this.#nonLibrary);
    yield this.#line("C++", native, this.#whole, this.#nonLibrary);
    yield this.#line("GC", gc, this.#whole, this.#nonLibrary);
    yield this.#line("Shared libraries", library, this.#whole, undefined);
    if (!this.#options.ignoreUnknown && unaccounted > 0) {
      yield this.#line("Unaccounted", unaccounted, ticks, undefined);
    }
  }

  *#entryPoints(): Iterable<string> {
    yield "";
    yield this.#style.heading(" [C++ entry points]:");
    yield "   ticks    cpp   total   name";
    const entries = entryPoints(this.#profile);
    const all = entries.reduce((sum, { ticks }) => sum + ticks, 0);
    for (const { label, ticks } of entries) yield this.#line(this.#show(label), ticks, all, this.#whole);
  }

  *#heavy(labels: StackLabels): Iterable<string> {
    yield "";
    yield this.#style.heading(" [Bottom up (heavy) profile]:");
    yield "  Note: percentage shows a share of a particular caller in the total";
    yield "  amount of its parent calls.";
    yield `  Callers occupying less than ${HEAVY_CUTOFF.toFixed(1)}% are not shown.`;
    yield "";
    yield "   ticks parent  name";
    const roots = bottomUp(this.#profile, labels, { total: this.#whole, depth: this.#options.callGraphSize });
    for (const root of roots) {
      yield* this.#heavyTree(root);
      yield "";
    }
  }

  *#heavyTree(root: HeavyNode): Iterable<string> {
    const waiting = [{ node: root, indent: 0 }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { node, indent } = next;
      const name = " ".repeat(indent) + this.#show(node.label);
      const text = `  ${column(node.ticks)}  ${percent(node.parentPercent)}  ${name}`;
      yield indent === 0 ? this.#emphasize(text, node.parentPercent) : text;
      for (const caller of node.callers.toReversed()) waiting.push({ node: caller, indent: indent + 2 });
    }
  }

  *#flatHeading(title: string): Iterable<string> {
    yield "";
    yield this.#style.heading(` [${title}]:`);
    yield "   ticks  total  nonlib   name";
  }

  /** Formats a row with its share of `whole` and, if given, of `part`. */
  #line(name: string, ticks: Ticks, whole: Ticks, part: Ticks | undefined): string {
    const share = (ticks * 100) / whole;
    const second = part === undefined ? "        " : `${percent((ticks * 100) / part)}  `;
    return this.#emphasize(`  ${column(ticks)}  ${percent(share)}  ${second}${name}`, share);
  }

  #emphasize(text: string, share: number): string {
    if (share >= HOT) return this.#style.hot(text);
    return share < FAINT ? this.#style.faint(text) : text;
  }

  #show(label: string): string {
    return printable(this.#options.rename?.(label) ?? label);
  }
}

function column(ticks: Ticks): string {
  return String(ticks).padStart(5);
}

/** Formats a share in percent; a dash for a share of nothing. */
function percent(share: number): string {
  return Number.isFinite(share) ? `${share.toFixed(1).padStart(5)}%` : "    - ";
}
