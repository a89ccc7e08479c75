import { byId, element, within } from "./elements.js";
import type { Shown } from "./graph.js";
import type { Measure, Model, SideModel } from "./model.js";
import { changeText, countText, shareText, unitText } from "./number-text.js";
import type { DiffLine, DiffSource, PageSource } from "./page-data.js";
import { type LineTicks, lineTicks, placeTicks, unknownLine, withUnknownLines } from "./source-line-ticks.js";

/** The panel beside the charts that shows a source. */
class SourcePanel {
  readonly element = byId("source", HTMLElement);
  readonly head = within(this.element, "thead tr", HTMLTableRowElement);
  readonly #body = within(this.element, "tbody", HTMLTableSectionElement);
  #opener: Element | null = null;

  /** `closed` is called when the reader closes the panel. */
  constructor(closed: () => void) {
    const close = () => {
      this.element.hidden = true;
      closed();
      if (this.#opener instanceof HTMLElement) this.#opener.focus();
    };
    byId("source-close", HTMLButtonElement).addEventListener("click", close);
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      close();
    });
  }

  /** Opens the panel, has it filled by `fill`, and scrolls to the row with a `data-line`. */
  open(fill: () => void, line: string): void {
    this.#opener = document.activeElement;
    this.element.hidden = false;
    fill();
    this.#body.querySelector(`tr[data-line="${line}"]`)?.scrollIntoView({ block: "center" });
    byId("source-title", HTMLHeadingElement).focus();
  }

  /** Shows a title, a note and the rows of a table. */
  show(title: string, note: string, rows: readonly HTMLTableRowElement[]): void {
    byId("source-title", HTMLHeadingElement).textContent = title;
    byId("source-note", HTMLParagraphElement).textContent = note;
    this.#body.replaceChildren();
    for (const row of rows) this.#body.append(row);
  }
}

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
    const note = `Self: ${unitText(own, this.#model.data.unit)} (${shareText(own, total)}) in these lines. Total includes callees.`;
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
function unknownText(title: string): string {
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
function gapRow(first: number, last: number, columns = 4): HTMLTableRowElement {
  const text = first === last ? `line ${first} has no ticks` : `lines ${first} to ${last} have no ticks`;
  const cell = element("td", { colSpan: columns, textContent: `⋯ ${text}` });
  return element("tr", { className: "left-out" }, cell);
}

/** The ticks of lines by their numbers, before and after. */
type SideLines = readonly [ReadonlyMap<number, LineTicks>, ReadonlyMap<number, LineTicks>];

/** A line before and after; 0 where a side has none, negative for the unknown lines of a function. */
interface Row {
  readonly line: DiffLine;
  readonly numbers: readonly [number, number];
}

/** The source of a function before and after: one text if it is the same, else both beside each other. */
export class SideSourceView {
  readonly #model: Model;
  readonly #sides: SideModel;
  readonly #panel = new SourcePanel(() => {
    this.#open = undefined;
  });
  #open: { readonly source: DiffSource; readonly id: number } | undefined;
  #measure: Measure = "self";

  constructor(model: Model, sides: SideModel) {
    this.#model = model;
    this.#sides = sides;
  }

  /** Returns whether the page has the source of a function, on a side that has the function. */
  has(id: number): boolean {
    return this.#sourceOf(id) !== undefined;
  }

  /** Shows the source of a function and scrolls to its first line. */
  open(id: number, shown: Shown, measure: Measure): void {
    const source = this.#sourceOf(id);
    if (source === undefined) return;
    this.#open = { source, id };
    this.#panel.open(() => this.update(shown, measure), "begin");
  }

  /** Counts the ticks again for a changed graph of both sides. */
  update(shown: Shown, measure: Measure): void {
    if (this.#open === undefined) return;
    this.#measure = measure;
    const { source } = this.#open;
    const { files } = this.#model.data;
    const lines = this.#lines(source, shown);
    const isPaired = source.ranges.some((range) => range.lines.some((line) => typeof line !== "string"));
    this.#panel.element.classList.toggle("paired", isPaired);
    const cells = isPaired
      ? ["Before", "Line", "Code before", "After", "Line", "Code after"]
      : ["Before", "After", "Line", "Code"];
    this.#panel.head.replaceChildren(
      ...cells.map((textContent) => element("th", { scope: "col", textContent })),
    );
    const [before, after] = lines.map((side) =>
      Array.from(side.values()).reduce((sum, { self }) => sum + self, 0),
    );
    const note = `Self: ${changeText(before!, after!, this.#sides.data)} in these lines. Beside the lines: ${measure === "self" ? "self" : "total, with what they call"}.`;
    const names = [source.before, source.after].flatMap((file) => files[file] ?? []);
    const title = Array.from(new Set(names)).join(" → ");
    this.#panel.show(
      title,
      isPaired ? `The text changed. ${note}` : note,
      this.#rows(source, lines, isPaired),
    );
  }

  #sourceOf(id: number): DiffSource | undefined {
    const { sources } = this.#sides.data;
    const [before, after] = this.#filesOf(id);
    return (
      sources.find((source) => source.after >= 0 && source.after === after) ??
      sources.find((source) => source.before >= 0 && source.before === before)
    );
  }

  /** Returns the files of a function before and after; -1 where it is not. */
  #filesOf(id: number): readonly [number, number] {
    const { functions } = this.#model;
    if (id < 0) return [-1, -1];
    return [this.#sides.fileBefore[id]!, this.#isGone(id) ? -1 : functions.file[id]!];
  }

  /** Returns whether no stack after has a function. */
  #isGone(id: number): boolean {
    return this.#sides.total.verdict[id] !== 0 && this.#sides.total.after[id] === 0;
  }

  #lines(source: DiffSource, { owner, sides }: Shown): SideLines {
    if (sides === undefined) return [new Map(), new Map()];
    const of = (side: 0 | 1, file: number, fileOf: Int32Array) =>
      file < 0
        ? new Map<number, LineTicks>()
        : lineTicks(this.#model, { owner, self: sides.self[side], total: sides.total[side] }, file, fileOf);
    return [of(0, source.before, this.#sides.fileBefore), of(1, source.after, this.#model.functions.file)];
  }

  #rows({ ranges, before, after }: DiffSource, lines: SideLines, isPaired: boolean): HTMLTableRowElement[] {
    const hottest = lines
      .flatMap((side) => Array.from(side.values()))
      .reduce((most, ticks) => Math.max(most, ticks[this.#measure]), 1);
    const rows: HTMLTableRowElement[] = [];
    // The gaps are counted on the side that is there.
    const side = after >= 0 ? 1 : 0;
    const unknown = this.#unknownLines(after, lines);
    const addUnknown = (own: 0 | 1, begin: number) => {
      for (const id of unknown[own].get(begin) ?? []) {
        const line = unknownText(this.#model.functions.titles[id]!);
        const numbers = [unknownLine(id), unknownLine(id)] as const;
        const row = this.#row({ line, numbers }, lines, { hottest, isPaired });
        row.classList.add("unknown");
        rows.push(row);
      }
      unknown[own].delete(begin);
    };
    let next = 1;
    for (const range of ranges) {
      const numbers: [number, number] = [range.before, range.after];
      const first = numbers[side];
      if (first > next) rows.push(gapRow(next, first - 1, isPaired ? 6 : 4));
      for (const line of range.lines) {
        const has = (own: 0 | 1) =>
          (own === 0 ? before : after) >= 0 && (typeof line === "string" || line[own] !== null);
        const row: Row = { line, numbers: [has(0) ? numbers[0]++ : 0, has(1) ? numbers[1]++ : 0] };
        rows.push(this.#row(row, lines, { hottest, isPaired }));
        for (const own of [0, 1] as const) if (row.numbers[own] > 0) addUnknown(own, row.numbers[own]);
      }
      next = Math.max(next, numbers[side]);
    }
    for (const own of [0, 1] as const)
      for (const begin of Array.from(unknown[own].keys())) addUnknown(own, begin);
    return rows;
  }

  /** Returns the functions with ticks at unknown lines by where they begin: before for those that are not there after. */
  #unknownLines(after: number, lines: SideLines): readonly [Map<number, number[]>, Map<number, number[]>] {
    const keys = lines.flatMap((side) =>
      Array.from(side).flatMap(([line, ticks]) => (ticks[this.#measure] > 0 ? [line] : [])),
    );
    const isAfter = (key: number) => after >= 0 && this.#filesOf(unknownLine(key))[1] === after;
    return [
      withUnknownLines(
        keys.filter((key) => !isAfter(key)),
        (id) => this.#sides.lineBefore[id]!,
      ),
      withUnknownLines(keys.filter(isAfter), (id) => this.#model.functions.line[id]!),
    ];
  }

  /** Returns a line as the reader sees it: `12?` for an unknown one of the function that begins at line 12. */
  #lineText(side: 0 | 1, line: number): string {
    if (line >= 0) return line === 0 ? "" : String(line);
    const begins = side === 0 ? this.#sides.lineBefore : this.#model.functions.line;
    const begin = begins[unknownLine(line)]!;
    return begin > 0 ? `${begin}?` : "?";
  }

  #row(
    { line, numbers }: Row,
    lines: SideLines,
    { hottest, isPaired }: { readonly hottest: number; readonly isPaired: boolean },
  ): HTMLTableRowElement {
    const ticks = (side: 0 | 1) => lines[side].get(numbers[side])?.[this.#measure] ?? 0;
    const [before, after] = [this.#tickCell(ticks(0)), this.#tickCell(ticks(1))];
    const number = (side: 0 | 1) =>
      element("td", { className: "line", textContent: this.#lineText(side, numbers[side]) });
    const code = (text: string | null, change = "") =>
      element("td", { className: text === null ? "code none" : `code ${change}`, textContent: text ?? "" });
    const [old, now] = typeof line === "string" ? [line, line] : line;
    const change = typeof line === "string" ? "" : "changed";
    const row = isPaired
      ? element("tr", {}, before, number(0), code(old, change), after, number(1), code(now, change))
      : element("tr", {}, before, after, number(numbers[1] === 0 ? 0 : 1), code(now ?? old));
    const most = Math.max(ticks(0), ticks(1));
    if (most > 0) {
      row.classList.add("ticked");
      row.style.setProperty("--heat", String(Math.sqrt(most / hottest)));
    }
    if (this.#begins(numbers)) {
      row.dataset.line = "begin";
      row.classList.add("begins");
    }
    return row;
  }

  #tickCell(ticks: number): HTMLTableCellElement {
    const { unit } = this.#sides.data;
    return element("td", { className: "ticks", textContent: ticks === 0 ? "" : shareText(ticks, unit) });
  }

  /** Returns whether the function that was opened begins in a line. */
  #begins([before, after]: Row["numbers"]): boolean {
    if (this.#open === undefined) return false;
    const { id, source } = this.#open;
    const [fileBefore, file] = this.#filesOf(id);
    if (file >= 0 && file === source.after) return after === this.#model.functions.line[id];
    return fileBefore === source.before && before > 0 && before === this.#sides.lineBefore[id];
  }
}
