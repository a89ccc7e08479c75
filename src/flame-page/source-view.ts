import { groupBy } from "../base/maps.js";
import { byId, element, within } from "./elements.js";
import type { Shown } from "./graph.js";
import type { Measure, Model } from "./model.js";
import { changeText, countText, shareText, unitText } from "./number-text.js";
import type { PageSource, SourceLine } from "./page-data.js";
import { type LineTicks, lineTicks, placeTicks, unknownLine, withUnknownLines } from "./source-line-ticks.js";

/** Before and after; a page of one side has all after. */
type Sides<T> = readonly [before: T, after: T];

const BOTH = [0, 1] as const;

/** A row of the panel. */
interface Row {
  readonly code: SourceLine;
  /** What stands beside the code. */
  readonly numbers: Sides<string>;
  readonly ticks: Sides<LineTicks | undefined>;
}

/** The panel beside the charts: the source of a function with the ticks of each line; of two sides beside each other if the text changed. */
export class SourceView {
  readonly #model: Model;
  readonly #panel = byId("source", HTMLElement);
  readonly #head = within(this.#panel, "thead tr", HTMLTableRowElement);
  readonly #body = within(this.#panel, "tbody", HTMLTableSectionElement);
  /** By side: the file of a function, and the line where it begins. */
  readonly #fileOf: Sides<Float64Array>;
  readonly #beginOf: Sides<Float64Array>;
  #open: { readonly source: PageSource; readonly id: number } | undefined;
  /** What lines are coloured by, and what stands beside them if there are two sides. */
  #measure: Measure = "total";
  #opener: Element | null = null;

  constructor(model: Model) {
    const { functions, sides } = model;
    this.#model = model;
    this.#fileOf = [sides?.fileBefore ?? functions.file, functions.file];
    this.#beginOf = [sides?.lineBefore ?? functions.line, functions.line];
    byId("source-close", HTMLButtonElement).addEventListener("click", () => this.#close());
    this.#panel.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.#close();
    });
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
    this.#opener = document.activeElement;
    this.#panel.hidden = false;
    this.update(shown, measure);
    this.#body.querySelector(".begins")?.scrollIntoView({ block: "center" });
    byId("source-title", HTMLHeadingElement).focus();
  }

  #close(): void {
    this.#panel.hidden = true;
    this.#open = undefined;
    if (this.#opener instanceof HTMLElement) this.#opener.focus();
  }

  /** Counts the ticks again for a changed graph of both sides. */
  update(shown: Shown, measure: Measure): void {
    if (this.#open === undefined) return;
    const { source } = this.#open;
    const { data, sides } = this.#model;
    this.#measure = sides === undefined ? "total" : measure;
    const lines = this.#ticksOf(source, shown);
    const isPaired = source.ranges.some((range) => range.lines.some((line) => typeof line !== "string"));
    this.#panel.classList.toggle("paired", isPaired);
    const amounts = sides === undefined ? ["Self", "Total"] : ["Before", "After"];
    const cells = isPaired
      ? ["Before", "Line", "Code before", "After", "Line", "Code after"]
      : [...amounts, "Line", "Code"];
    this.#head.replaceChildren(...cells.map((textContent) => element("th", { scope: "col", textContent })));
    const names = [source.before, source.after].flatMap((file) => data.files[file] ?? []);
    byId("source-title", HTMLHeadingElement).textContent = Array.from(new Set(names)).join(" → ");
    byId("source-note", HTMLParagraphElement).textContent =
      `${isPaired ? "The text changed. " : ""}${this.#note(lines, shown)}`;
    const rows = this.#rows(source, lines, shown, isPaired);
    this.#body.replaceChildren();
    for (const row of rows) this.#body.append(row);
  }

  #note(lines: Sides<ReadonlyMap<number, LineTicks>>, shown: Shown): string {
    const { data, sides } = this.#model;
    const [before, after] = lines.map((side) =>
      Array.from(side.values()).reduce((sum, { self }) => sum + self, 0),
    );
    if (sides === undefined) {
      const share = shareText(after!, shown.graph.total[0]!);
      return `Self: ${unitText(after!, data.unit)} (${share}) in these lines. Total includes callees.`;
    }
    const beside = this.#measure === "self" ? "self" : "total, with what they call";
    return `Self: ${changeText(before!, after!, sides.data)} in these lines. Beside the lines: ${beside}.`;
  }

  #sourceOf(id: number): PageSource | undefined {
    const { sources } = this.#model.data;
    const [before, after] = this.#filesOf(id);
    return (
      sources.find((source) => source.after >= 0 && source.after === after) ??
      sources.find((source) => source.before >= 0 && source.before === before)
    );
  }

  /** Returns the files of a function before and after; -1 where it is not. */
  #filesOf(id: number): Sides<number> {
    const { total } = this.#model.sides ?? {};
    if (id < 0) return [-1, -1];
    const isGone = total !== undefined && total.verdict[id] !== 0 && total.after[id] === 0;
    return [this.#fileOf[0][id]!, isGone ? -1 : this.#fileOf[1][id]!];
  }

  /** Returns the ticks of lines by their numbers. */
  #ticksOf(source: PageSource, { owner, self, total, sides }: Shown): Sides<ReadonlyMap<number, LineTicks>> {
    const of = (side: 0 | 1, file: number) => {
      if (file < 0) return new Map<number, LineTicks>();
      const own =
        sides === undefined ? { self, total } : { self: sides.self[side], total: sides.total[side] };
      return lineTicks(this.#model, { owner, ...own }, file, this.#fileOf[side]);
    };
    return [of(0, source.before), of(1, source.after)];
  }

  #rows(
    source: PageSource,
    lines: Sides<ReadonlyMap<number, LineTicks>>,
    shown: Shown,
    isPaired: boolean,
  ): HTMLTableRowElement[] {
    const { ranges, before, after } = source;
    const hottest = lines
      .flatMap((side) => Array.from(side.values()))
      .reduce((most, ticks) => Math.max(most, ticks[this.#measure]), 1);
    const all = shown.graph.total[0]!;
    const rows: HTMLTableRowElement[] = [];
    const add = (row: Row): HTMLTableRowElement => {
      const made = this.#row(row, all, isPaired);
      const most = row.ticks.reduce((least, ticks) => Math.max(least, ticks?.[this.#measure] ?? 0), 0);
      if (most > 0) {
        made.classList.add("ticked");
        made.style.setProperty("--heat", String(Math.sqrt(most / hottest)));
      }
      rows.push(made);
      return made;
    };
    const ticksAt = (numbers: Sides<number>): Row["ticks"] => [
      lines[0].get(numbers[0]),
      lines[1].get(numbers[1]),
    ];
    const unknown = this.#unknownLines(after, lines);
    const addUnknown = (side: 0 | 1, begin: number) => {
      for (const id of unknown[side].get(begin) ?? []) {
        const line = unknownLine(id);
        const numbers = this.#beginOf.map((begins) => (begins[id]! > 0 ? `${begins[id]}?` : "?"));
        const row = add({
          code: `${this.#model.functions.titles[id]}: line unknown`,
          numbers: [numbers[0]!, numbers[1]!],
          ticks: ticksAt([line, line]),
        });
        row.classList.add("unknown");
      }
      unknown[side].delete(begin);
    };
    const places = this.#placeRows(source, shown);
    // The gaps are counted on the side that is there.
    const counted = after >= 0 ? 1 : 0;
    let next = 1;
    for (const range of ranges) {
      const at: [number, number] = [range.before, range.after];
      if (at[counted] > next) rows.push(gapRow(next, at[counted] - 1, isPaired ? 6 : 4));
      for (const code of range.lines) {
        const has = (side: 0 | 1) =>
          (side === 0 ? before : after) >= 0 && (typeof code === "string" || code[side] !== null);
        const numbers = [has(0) ? at[0]++ : 0, has(1) ? at[1]++ : 0] as const;
        const [old, now] = numbers.map((number) => (number === 0 ? "" : String(number)));
        const row = add({ code, numbers: [old!, now!], ticks: ticksAt(numbers) });
        if (this.#begins(numbers)) row.classList.add("begins");
        for (const place of places.get(numbers[1]) ?? []) rows.push(this.#row(place, all, isPaired));
        for (const side of BOTH) if (numbers[side] > 0) addUnknown(side, numbers[side]);
      }
      next = Math.max(next, at[counted]);
    }
    for (const side of BOTH) for (const begin of Array.from(unknown[side].keys())) addUnknown(side, begin);
    return rows;
  }

  /** Returns the rows of places in long lines, by line. */
  #placeRows(source: PageSource, shown: Shown): Map<number, Row[]> {
    const { places = [] } = source;
    if (places.length === 0) return new Map();
    const ticks = placeTicks(this.#model, shown, source);
    const rows = places.flatMap(({ line, column, text }, i) =>
      ticks[i] === undefined
        ? []
        : [{ line, code: `… ${text}`, numbers: ["", `:${column}`], ticks: [undefined, ticks[i]] } as const],
    );
    return groupBy(rows, ({ line }) => line);
  }

  /** Returns the functions with ticks at unknown lines by where they begin: before for those that are not there after. */
  #unknownLines(after: number, lines: Sides<ReadonlyMap<number, LineTicks>>): Sides<Map<number, number[]>> {
    const keys = lines.flatMap((side) =>
      Array.from(side).flatMap(([line, ticks]) => (ticks[this.#measure] > 0 ? [line] : [])),
    );
    const isAfter = (key: number) => after >= 0 && this.#filesOf(unknownLine(key))[1] === after;
    const of = (side: 0 | 1, own: readonly number[]) =>
      withUnknownLines(own, (id) => this.#beginOf[side][id]!);
    return [
      of(
        0,
        keys.filter((key) => !isAfter(key)),
      ),
      of(1, keys.filter(isAfter)),
    ];
  }

  #row({ code, numbers, ticks }: Row, all: number, isPaired: boolean): HTMLTableRowElement {
    const [first, second] = this.#amounts(ticks, all);
    const number = (textContent: string) => element("td", { className: "line", textContent });
    const text = (own: string | null, change = "") =>
      element("td", { className: own === null ? "code none" : `code ${change}`, textContent: own ?? "" });
    const [old, now] = typeof code === "string" ? [code, code] : code;
    if (!isPaired)
      return element("tr", {}, first!, second!, number(numbers[1] || numbers[0]), text(now ?? old));
    const change = typeof code === "string" ? "" : "changed";
    const before = [first!, number(numbers[0]), text(old, change)];
    return element("tr", {}, ...before, second!, number(numbers[1]), text(now, change));
  }

  /** Returns the cells of self and total, or of before and after. */
  #amounts([before, after]: Row["ticks"], all: number): HTMLTableCellElement[] {
    const { sides } = this.#model;
    const cell = (ticks: number, text: string, title = "") =>
      element("td", { className: "ticks", ...(ticks > 0 && { textContent: text, title }) });
    if (sides === undefined)
      return [after?.self ?? 0, after?.total ?? 0].map((own) =>
        cell(own, countText(own), shareText(own, all)),
      );
    return [before, after].map((side) => {
      const own = side?.[this.#measure] ?? 0;
      return cell(own, shareText(own, sides.data.unit));
    });
  }

  /** Returns whether the function that was opened begins in a line. */
  #begins([before, after]: Sides<number>): boolean {
    if (this.#open === undefined) return false;
    const { id, source } = this.#open;
    const [fileBefore, file] = this.#filesOf(id);
    if (file >= 0 && file === source.after) return after === this.#beginOf[1][id];
    return fileBefore === source.before && before > 0 && before === this.#beginOf[0][id];
  }
}

/** Returns a row for lines that are left out. */
function gapRow(first: number, last: number, columns: number): HTMLTableRowElement {
  const text = first === last ? `line ${first} has no ticks` : `lines ${first} to ${last} have no ticks`;
  const cell = element("td", { colSpan: columns, textContent: `⋯ ${text}` });
  return element("tr", { className: "left-out" }, cell);
}
