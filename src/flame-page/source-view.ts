import { element } from "./elements.js";
import type { Model } from "./model.js";
import { countOf, countText, shareText } from "./number-text.js";
import type { PageSource } from "./page-data.js";
import type { Shown } from "./shown-graph.js";
import { type LineTicks, lineTicks, placeTicks, unknownLine, withUnknownLines } from "./source-line-ticks.js";
import { SourcePanel } from "./source-panel.js";

/** The source of a function, with the ticks of each line. */
export class SourceView {
  readonly #model: Model;
  readonly #panel = new SourcePanel(() => {
    this.#open = undefined;
  });
  #open: { readonly file: number; readonly line: number } | undefined;

  constructor(model: Model) {
    this.#model = model;
  }

  /** Returns whether the page has the source of a function. */
  has(id: number): boolean {
    return this.#sourceOf(id) !== undefined;
  }

  /** Shows the source of a function and scrolls to its first line. */
  open(id: number, shown: Shown): void {
    const { functions } = this.#model;
    if (!this.has(id)) return;
    this.#open = { file: functions.file[id]!, line: functions.line[id]! };
    this.#panel.open(() => this.update(shown), String(this.#open.line));
  }

  /** Counts the ticks again for a changed graph. */
  update(shown: Shown): void {
    const source = this.#model.data.sources.find(({ file }) => file === this.#open?.file);
    if (source === undefined) return;
    const ticks = lineTicks(this.#model, shown, source.file);
    const total = shown.graph.total[0]!;
    const own = Array.from(ticks.values()).reduce((sum, { self }) => sum + self, 0);
    const note = `Self: ${countOf(own, "tick")} (${shareText(own, total)}) in these lines. Total includes callees.`;
    const places = this.#placeRows(source, shown);
    this.#panel.show(
      this.#model.data.files[source.file]!,
      note,
      this.#rows(source, ticks, { all: total, places }),
    );
  }

  #sourceOf(id: number): PageSource | undefined {
    const file = this.#model.functions.file[id] ?? -1;
    return file < 0 ? undefined : this.#model.data.sources.find((source) => source.file === file);
  }

  /** Returns the rows of places in long lines, by line. */
  #placeRows(source: PageSource, shown: Shown): Map<number, HTMLTableRowElement[]> {
    const { places = [] } = source;
    const byLine = new Map<number, HTMLTableRowElement[]>();
    if (places.length === 0) return byLine;
    const ticks = placeTicks(this.#model, shown, source);
    for (const [i, { line, column, text }] of places.entries()) {
      const own = ticks[i];
      if (own === undefined) continue;
      const rows = byLine.get(line) ?? [];
      byLine.set(line, rows);
      rows.push(
        ticksRow({ number: `:${column}`, text: `… ${text}`, ticks: own, all: shown.graph.total[0]! }),
      );
    }
    return byLine;
  }

  #rows(
    { ranges }: PageSource,
    ticks: ReadonlyMap<number, LineTicks>,
    { all, places }: { readonly all: number; readonly places: ReadonlyMap<number, HTMLTableRowElement[]> },
  ): HTMLTableRowElement[] {
    const { functions } = this.#model;
    const scale = {
      all,
      hottest: Array.from(ticks.values()).reduce((most, { total }) => Math.max(most, total), 1),
    };
    const rows: HTMLTableRowElement[] = [];
    const unknown = withUnknownLines(ticks.keys(), (id) => functions.line[id]!);
    const addUnknown = (begin: number) => {
      for (const id of unknown.get(begin) ?? []) {
        const text = unknownText(functions.titles[id]!);
        const row = this.#row(begin > 0 ? `${begin}?` : "?", text, ticks.get(unknownLine(id)), scale);
        row.classList.add("unknown");
        rows.push(row);
      }
      unknown.delete(begin);
    };
    let next = 1;
    for (const { first, lines } of ranges) {
      if (first > next) rows.push(gapRow(next, first - 1));
      for (const [i, text] of lines.entries()) {
        const line = first + i;
        const row = this.#row(String(line), text, ticks.get(line), scale);
        row.dataset.line = String(line);
        if (line === this.#open?.line) row.classList.add("begins");
        rows.push(row);
        for (const place of places.get(line) ?? []) rows.push(place);
        addUnknown(line);
      }
      next = first + lines.length;
    }
    for (const begin of Array.from(unknown.keys())) addUnknown(begin);
    return rows;
  }

  #row(
    line: string,
    text: string,
    ticks: LineTicks | undefined,
    { all, hottest }: { readonly all: number; readonly hottest: number },
  ): HTMLTableRowElement {
    const row = ticksRow({ number: line, text, ticks, all });
    if (ticks !== undefined) {
      row.classList.add("ticked");
      row.style.setProperty("--heat", String(Math.sqrt(ticks.total / hottest)));
    }
    return row;
  }
}

/** Returns what stands in place of the code where the lines of a function's ticks are unknown. */
export function unknownText(title: string): string {
  return `${title}: line unknown`;
}

/** Returns a row of a line, or of a place in it. */
function ticksRow({
  number,
  text,
  ticks,
  all,
}: {
  readonly number: string;
  readonly text: string;
  readonly ticks: LineTicks | undefined;
  readonly all: number;
}): HTMLTableRowElement {
  const cell = (count = 0) =>
    element("td", {
      className: "ticks",
      textContent: count === 0 ? "" : countText(count),
      title: count === 0 ? "" : shareText(count, all),
    });
  return element(
    "tr",
    {},
    cell(ticks?.self),
    cell(ticks?.total),
    element("td", { className: "line", textContent: number }),
    element("td", { className: "code", textContent: text }),
  );
}

/** Returns a row for lines that are left out. */
export function gapRow(first: number, last: number, columns = 4): HTMLTableRowElement {
  const text = first === last ? `line ${first} has no ticks` : `lines ${first} to ${last} have no ticks`;
  const cell = element("td", { colSpan: columns, textContent: `⋯ ${text}` });
  return element("tr", { className: "left-out" }, cell);
}
