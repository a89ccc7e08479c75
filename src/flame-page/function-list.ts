import { byId, element, within } from "./elements.js";
import type { FunctionSums } from "./function-sums.js";
import { compareTexts } from "./graph.js";
import type { Model } from "./model.js";
import { countOf, countText, shareText } from "./number-text.js";

type SortKey = "self" | "total";

/** The number of rows that a browser lays out without a pause. */
const ROW_LIMIT = 500;

/** The functions by ticks, as a table; also for those who cannot see the chart. */
export class FunctionList {
  readonly #model: Model;
  readonly #open: (id: number) => void;
  readonly #body: HTMLTableSectionElement;
  #sums: FunctionSums = { self: new Float64Array(), total: new Float64Array() };
  #matches: Uint8Array | undefined;
  #all = 0;
  #sort: SortKey = "self";
  #current = -1;

  constructor(model: Model, open: (id: number) => void) {
    this.#model = model;
    this.#open = open;
    const table = within(byId("sandwich", HTMLElement), "table", HTMLTableElement);
    this.#body = within(table, "tbody", HTMLTableSectionElement);
    for (const button of table.querySelectorAll<HTMLButtonElement>("button[data-sort]")) {
      button.addEventListener("click", () => {
        this.#sort = button.dataset.sort === "total" ? "total" : "self";
        for (const head of table.querySelectorAll("th")) head.removeAttribute("aria-sort");
        button.closest("th")?.setAttribute("aria-sort", "descending");
        this.#fill();
      });
    }
  }

  /** Shows the functions that have ticks and, if there is a search, match it. */
  show(sums: FunctionSums, all: number, matches: Uint8Array | undefined): void {
    this.#sums = sums;
    this.#all = all;
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

  #order(matches: Uint8Array | undefined): number[] {
    const [by, then] =
      this.#sort === "self" ? [this.#sums.self, this.#sums.total] : [this.#sums.total, this.#sums.self];
    const { titles } = this.#model.functions;
    return Array.from(this.#sums.total.keys())
      .filter((id) => this.#sums.total[id]! > 0 && (matches === undefined || matches[id] === 1))
      .sort(
        (a, b) => by[b]! - by[a]! || then[b]! - then[a]! || compareTexts(titles[a]!, titles[b]!) || a - b,
      );
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
    const cell = (ticks: number) => {
      const share = this.#all === 0 ? 0 : ticks / this.#all;
      const made = element("td", {}, element("span", { textContent: shareText(ticks, this.#all) }));
      made.title = countText(ticks);
      made.style.setProperty("--share", String(share));
      return made;
    };
    const button = element("button", { type: "button", textContent: titles[id]!, title: titles[id]! });
    button.addEventListener("click", () => this.#open(id));
    const row = element(
      "tr",
      {},
      cell(this.#sums.self[id]!),
      cell(this.#sums.total[id]!),
      element("td", {}, button),
    );
    row.dataset.id = String(id);
    return row;
  }
}
