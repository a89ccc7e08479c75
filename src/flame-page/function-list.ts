import { byId, element, within } from "./elements.js";
import { compareTexts, type FunctionSums, type Shown } from "./graph.js";
import { type Measure, type Model, SIGNS, type SideModel, signOf } from "./model.js";
import { countOf, countText, pointsText, shareText } from "./number-text.js";

/** A column of numbers beside the functions. */
interface ListColumn {
  readonly key: string;
  readonly title: string;
  /** Returns what a function is sorted by, most first. */
  value(id: number): number;
  text(id: number): string;
  /** Returns what is shown under the pointer. */
  detail(id: number): string;
  /** Returns the length of the bar: 0 to 1. */
  share(id: number): number;
  /** Returns whether the number may be chance. Default: never. */
  isUnsure?(id: number): boolean;
}

/** The number of rows that a browser lays out without a pause. */
const ROW_LIMIT = 500;

/** The functions by ticks, as a table; also for those who cannot see the chart. */
export class FunctionList {
  readonly #model: Model;
  readonly #open: (id: number) => void;
  readonly #body: HTMLTableSectionElement;
  readonly #head: HTMLTableRowElement;
  #columns: readonly ListColumn[] = [];
  #matches: Uint8Array | undefined;
  #sort = "";
  #current = -1;

  constructor(model: Model, open: (id: number) => void) {
    this.#model = model;
    this.#open = open;
    const table = within(byId("sandwich", HTMLElement), "table", HTMLTableElement);
    this.#body = within(table, "tbody", HTMLTableSectionElement);
    this.#head = within(table, "thead tr", HTMLTableRowElement);
    this.#head.addEventListener("click", ({ target }) => {
      if (!(target instanceof HTMLElement) || target.dataset.sort === undefined) return;
      this.#sort = target.dataset.sort;
      for (const head of this.#head.cells) head.removeAttribute("aria-sort");
      target.closest("th")?.setAttribute("aria-sort", "descending");
      this.#fill();
    });
  }

  /**
   * Shows the functions that have ticks and, if there is a search, match it. The columns have the same keys each
   * time; the list is sorted by the first until the reader chooses.
   */
  show(columns: readonly ListColumn[], matches: Uint8Array | undefined): void {
    if (this.#columns.length === 0) this.#showHead(columns);
    this.#columns = columns;
    this.#matches = matches;
    this.#fill();
  }

  /** Marks the function whose callers and callees are shown. */
  mark(id: number): void {
    this.#current = id;
    for (const row of this.#body.rows) {
      const isCurrent = row.dataset.id === String(id);
      row.classList.toggle("current", isCurrent);
      if (isCurrent) row.scrollIntoView({ block: "nearest" });
    }
  }

  /** The first function in the current order, one that matches if any does; -1 for none. */
  get first(): number {
    return this.#order(this.#matches)[0] ?? this.#order(undefined)[0] ?? -1;
  }

  /** Returns the function after another in the current order, or before it, around the ends; -1 for none. */
  next(id: number, isForward: boolean): number {
    const order = this.#order(this.#matches);
    const at = order.indexOf(id);
    if (at < 0) return order.at(isForward ? 0 : -1) ?? -1;
    return order[(at + (isForward ? 1 : -1) + order.length) % order.length]!;
  }

  #showHead(columns: readonly ListColumn[]): void {
    this.#sort = columns[0]?.key ?? "";
    const last = this.#head.cells[this.#head.cells.length - 1]!;
    const cells = columns.map(({ key, title }, i) => {
      const button = element("button", { type: "button", textContent: title });
      button.dataset.sort = key;
      const cell = element("th", { scope: "col" }, button);
      if (i === 0) cell.setAttribute("aria-sort", "descending");
      return cell;
    });
    this.#head.replaceChildren(...cells, last);
  }

  #order(matches: Uint8Array | undefined): number[] {
    const { titles, length } = this.#model.functions;
    const by = (column: ListColumn) => Float64Array.from({ length }, (_, id) => column.value(id));
    const first = this.#columns.filter(({ key }) => key === this.#sort);
    const values = [...first, ...this.#columns.filter((column) => !first.includes(column))].map(by);
    const compare = (a: number, b: number) => {
      for (const column of values) if (column[a] !== column[b]) return column[b]! - column[a]!;
      return compareTexts(titles[a]!, titles[b]!) || a - b;
    };
    return Array.from(titles.keys())
      .filter(
        (id) => values.some((column) => column[id]! > 0) && (matches === undefined || matches[id] === 1),
      )
      .sort(compare);
  }

  #fill(): void {
    const order = this.#order(this.#matches);
    this.#body.replaceChildren(...order.slice(0, ROW_LIMIT).map((id) => this.#row(id)));
    this.mark(this.#current);
    const left = order.length - ROW_LIMIT;
    byId("functions-note", HTMLParagraphElement).textContent =
      left > 0
        ? `${countOf(left, "more function")}: search to find them.`
        : order.length === 0 && this.#matches !== undefined
          ? "No function matches the search."
          : countOf(order.length, "function");
  }

  #row(id: number): HTMLTableRowElement {
    const { titles } = this.#model.functions;
    const cells = this.#columns.map(({ text, detail, share, isUnsure }) => {
      const made = element("td", { title: detail(id) }, element("span", { textContent: text(id) }));
      made.style.setProperty("--share", String(share(id)));
      made.classList.toggle("unsure", isUnsure?.(id) === true);
      return made;
    });
    const button = element("button", { type: "button", textContent: titles[id]!, title: titles[id]! });
    button.addEventListener("click", () => this.#open(id));
    const row = element("tr", {}, ...cells, element("td", {}, button));
    row.dataset.id = String(id);
    return row;
  }
}

/** Returns the columns of a page with one side. Shares are of `all`. */
function tickColumns(sums: FunctionSums, all: number): ListColumn[] {
  return (["self", "total"] as const).map((key) => ({
    key,
    title: key === "self" ? "Self" : "Total",
    value: (id) => sums[key][id]!,
    text: (id) => shareText(sums[key][id]!, all),
    detail: (id) => countText(sums[key][id]!),
    share: (id) => (all === 0 ? 0 : sums[key][id]! / all),
  }));
}

/** What stands before a change with its own sign. */
const MARKS: Readonly<Record<(typeof SIGNS)[number], string>> = {
  "": "",
  "▲": "▲",
  "▼": "▼",
  "+": "new",
  "−": "gone",
};

/** Functions that changed come before all others. */
const CHANGED = 1000;

/** Returns the columns of the list of functions. */
export function listColumns({ sides }: Model, whole: Shown, measure: Measure): ListColumn[] {
  return sides === undefined
    ? tickColumns(whole.sums, whole.graph.total[0]!)
    : changeColumns(sides, whole, measure);
}

function changeColumns(sides: SideModel, { sideSums }: Shown, measure: Measure): ListColumn[] {
  const { unit } = sides.data;
  const [before, after] = [0, 1].map((side) => sideSums![side as 0 | 1][measure]);
  const change = (id: number) => ((after![id]! - before![id]!) * 100) / unit;
  const sign = (id: number) => SIGNS[signOf(sides, measure, id)] ?? "";
  const share = (key: string, title: string, column: Float64Array): ListColumn => ({
    key,
    title,
    value: (id) => column[id]!,
    text: (id) => shareText(column[id]!, unit),
    detail: () => "",
    share: (id) => column[id]! / unit,
  });
  return [
    {
      key: "change",
      title: "Change",
      value: (id) => Math.abs(change(id)) + (sign(id) === "" ? 0 : CHANGED),
      text: (id) => `${MARKS[sign(id)]} ${pointsText(change(id))}`.trim(),
      detail: (id) => (sign(id) === "" ? "may be chance" : ""),
      share: () => 0,
      isUnsure: (id) => sign(id) === "",
    },
    share("before", "Before", before!),
    share("after", "After", after!),
  ];
}
