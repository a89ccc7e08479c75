import { compareTexts } from "../base/sorted.js";
import { byId, element, within } from "./elements.js";
import type { Shown } from "./graph.js";
import { type Measure, type Model, SIGNS, type SideModel, signOf } from "./model.js";
import { changedBy, countOf, shareText, sideText, timeText, unitText } from "./number-text.js";
import type { PageTurn, PageUnit } from "./page-data.js";
import { turnLength } from "./strips.js";
import { type GroupTicks, packageTicks, programLines } from "./table-ticks.js";
import type { TimeRange } from "./thread-times.js";

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

/** A table that stands beside the chart. */
interface TableTab {
  readonly name: string;
  /** What its rows are: `function`. */
  readonly one: string;
  readonly title: string;
  /** The columns of numbers. The table is sorted by the first until the reader chooses. */
  readonly columns: readonly ListColumn[];
  /** The rows. */
  readonly ids: readonly number[];
  titleOf(id: number): string;
  /** What stands behind the title. Default: nothing. */
  placeOf?(id: number): string;
  /** Returns whether a row is of what is searched for. Default: always. */
  isMatch?(id: number): boolean;
  /** Called when the reader opens a row. */
  open(id: number): void;
}

/** The number of rows that a browser lays out without a pause. */
const ROW_LIMIT = 500;

/** Tables of numbers, one of which is shown; also for those who cannot see the chart. */
export class Tables {
  readonly #host = byId("table", HTMLElement);
  readonly #body = within(this.#host, "tbody", HTMLTableSectionElement);
  readonly #head = within(this.#host, "thead tr", HTMLTableRowElement);
  readonly #caption = within(this.#host, "caption", HTMLTableCaptionElement);
  #tab: TableTab | undefined;
  /** By table: the column that it is sorted by, and whether the least comes first. */
  readonly #sort = new Map<string, { readonly key: string; readonly isRising: boolean }>();
  #current = -1;
  #shown = "";

  constructor() {
    this.#head.addEventListener("click", ({ target }) => {
      const key = target instanceof HTMLElement ? target.dataset.sort : undefined;
      if (key === undefined || this.#tab === undefined) return;
      const before = this.#sortOf(this.#tab);
      this.#sort.set(this.#tab.name, { key, isRising: before.key === key && !before.isRising });
      this.#fill();
      within(this.#head, `button[data-sort="${key}"]`, HTMLButtonElement).focus();
    });
  }

  show(tab: TableTab): void {
    this.#tab = tab;
    this.#fill();
  }

  /** Marks a row of the table of a name; -1 for none. */
  mark(id: number): void {
    this.#current = id;
    for (const row of this.#body.rows) {
      const isCurrent = row.dataset.id === String(id);
      row.classList.toggle("current", isCurrent);
      if (isCurrent) row.scrollIntoView({ block: "nearest" });
    }
  }

  /** The rows in the current order, those that match if any does. */
  get order(): readonly number[] {
    const all = this.#tab === undefined ? [] : this.#sorted(this.#tab, true);
    return all.length > 0 || this.#tab === undefined ? all : this.#sorted(this.#tab, false);
  }

  /** Returns the row after another in the current order, or before it, around the ends; -1 for none. */
  next(id: number, isForward: boolean): number {
    const order = this.#tab === undefined ? [] : this.#sorted(this.#tab, true);
    const at = order.indexOf(id);
    if (at < 0) return order.at(isForward ? 0 : -1) ?? -1;
    return order[(at + (isForward ? 1 : -1) + order.length) % order.length]!;
  }

  /** Returns the first rows as texts: the titles of the columns, then each row. */
  texts(limit: number): string[][] {
    const tab = this.#tab;
    if (tab === undefined) return [];
    const head = [...tab.columns.map(({ title }) => title), tab.title];
    const rows = this.order
      .slice(0, limit)
      .map((id) => [
        ...tab.columns.map(({ text }) => text(id)),
        `${tab.titleOf(id)} ${tab.placeOf?.(id) ?? ""}`.trim(),
      ]);
    return [head, ...rows];
  }

  #sortOf({ name, columns }: TableTab): { readonly key: string; readonly isRising: boolean } {
    return this.#sort.get(name) ?? { key: columns[0]?.key ?? "", isRising: false };
  }

  #sorted(tab: TableTab, hasMatch: boolean): number[] {
    const { columns, ids, titleOf } = tab;
    const { key, isRising } = this.#sortOf(tab);
    const first = columns.filter((column) => column.key === key);
    const order = [...first, ...columns.filter((column) => !first.includes(column))];
    const values = new Map(ids.map((id) => [id, order.map((column) => column.value(id))]));
    const compare = (a: number, b: number) => {
      const [x, y] = [values.get(a)!, values.get(b)!];
      for (const i of order.keys()) if (x[i] !== y[i]) return y[i]! - x[i]!;
      return compareTexts(titleOf(a), titleOf(b)) || a - b;
    };
    const byTitle = (a: number, b: number) => compareTexts(titleOf(b), titleOf(a)) || a - b;
    const sorted = ids
      .filter(
        (id) => values.get(id)!.some((value) => value > 0) && (!hasMatch || tab.isMatch?.(id) !== false),
      )
      .sort(key === TITLE ? byTitle : compare);
    return isRising ? sorted.reverse() : sorted;
  }

  #fill(): void {
    const tab = this.#tab;
    if (tab === undefined) return;
    const order = this.#sorted(tab, true);
    this.#showHead(tab);
    this.#body.replaceChildren(...order.slice(0, ROW_LIMIT).map((id) => this.#row(tab, id)));
    this.mark(this.#current);
    const left = order.length - ROW_LIMIT;
    byId("table-note", HTMLParagraphElement).textContent =
      left > 0
        ? `${countOf(left, `more ${tab.one}`)}: search to find them.`
        : order.length === 0 && tab.ids.length > 0
          ? `No ${tab.one} matches the search.`
          : countOf(order.length, tab.one);
  }

  #showHead(tab: TableTab): void {
    const { key, isRising } = this.#sortOf(tab);
    const heads = [...tab.columns, { key: TITLE, title: tab.title }];
    const shown = JSON.stringify([tab.name, key, isRising, heads.map(({ title }) => title)]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#caption.textContent = `${tab.title}s, which buttons in the head sort`;
    this.#host.dataset.tab = tab.name;
    const cells = heads.map((head) => {
      const button = element("button", { type: "button", textContent: head.title });
      button.dataset.sort = head.key;
      const cell = element("th", { scope: "col" }, button);
      if (head.key === key) cell.setAttribute("aria-sort", isRising ? "ascending" : "descending");
      return cell;
    });
    this.#head.replaceChildren(...cells);
  }

  #row(tab: TableTab, id: number): HTMLTableRowElement {
    const cells = tab.columns.map(({ text, detail, share, isUnsure }) => {
      const made = element("td", { title: detail(id) }, element("span", { textContent: text(id) }));
      made.style.setProperty("--share", String(share(id)));
      made.classList.toggle("unsure", isUnsure?.(id) === true);
      return made;
    });
    const [title, place] = [tab.titleOf(id), tab.placeOf?.(id) ?? ""];
    const button = element(
      "button",
      { type: "button", title: `${title} ${place}`.trim() },
      element("span", { className: "name", textContent: title }),
    );
    if (place !== "") button.append(" ", element("span", { className: "position", textContent: place }));
    button.addEventListener("click", () => tab.open(id));
    const row = element("tr", {}, ...cells, element("td", {}, button));
    row.dataset.id = String(id);
    return row;
  }
}

/** Sorts by title. */
const TITLE = "title";

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

function functionColumns({ sides, data }: Model, whole: Shown, measure: Measure): ListColumn[] {
  return sides === undefined
    ? amountColumns({ Self: whole.sums.self, Total: whole.sums.total }, whole.graph.total[0]!, data.unit)
    : changeColumns(sides, whole, measure);
}

/** Returns columns of shares of `all`, by their titles. */
function amountColumns(
  columns: Readonly<Record<string, Float64Array>>,
  all: number,
  unit: PageUnit,
): ListColumn[] {
  return Object.entries(columns).map(([title, values]) => ({
    key: title.toLowerCase(),
    title,
    value: (id) => values[id]!,
    text: (id) => shareText(values[id]!, all),
    detail: (id) => unitText(values[id]!, unit),
    share: (id) => (all === 0 ? 0 : values[id]! / all),
  }));
}

/** Returns the columns of what is credited to packages or lines, and of their self and total. */
function groupColumns({ ticks, self, total }: GroupTicks, all: number, unit: PageUnit): ListColumn[] {
  const title = { tick: "Ticks", sample: "Samples", µs: "Time", byte: "Size", object: "Objects" }[unit];
  return amountColumns({ [title]: ticks, Self: self, Total: total }, all, unit);
}

function changeColumns(sides: SideModel, { sideSums }: Shown, measure: Measure): ListColumn[] {
  const { unit } = sides.data;
  const [before, after] = [0, 1].map((side) => sideSums![side as 0 | 1][measure]);
  const change = (id: number) => after![id]! - before![id]!;
  const sign = (id: number) => SIGNS[signOf(sides, measure, id)] ?? "";
  const share = (key: string, title: string, column: Float64Array): ListColumn => ({
    key,
    title,
    value: (id) => column[id]!,
    text: (id) => sideText(column[id]!, sides.data),
    detail: () => "",
    share: (id) => column[id]! / unit,
  });
  return [
    {
      key: "change",
      title: "Change",
      value: (id) => (Math.abs(change(id)) * 100) / unit + (sign(id) === "" ? 0 : CHANGED),
      text: (id) => `${MARKS[sign(id)]} ${changedBy(change(id), sides.data)}`.trim(),
      detail: (id) => (sign(id) === "" ? "may be chance" : ""),
      share: () => 0,
      isUnsure: (id) => sign(id) === "",
    },
    share("before", "Before", before!),
    share("after", "After", after!),
  ];
}

/** The tables of the page. */
const TAB_NAMES = ["functions", "packages", "lines", "turns"] as const;

export type TabName = (typeof TAB_NAMES)[number];

/** The buttons that choose a table. */
export class TabBar {
  readonly #inputs = new Map<TabName, HTMLInputElement>();
  readonly #host = byId("tabs", HTMLFieldSetElement);

  constructor({ sides, times }: Model, choose: (name: TabName) => void) {
    const hasTurns = times?.threads.some(({ turns }) => turns.length > 0) === true;
    for (const name of TAB_NAMES) {
      if ((sides !== undefined && name !== "functions") || (name === "turns" && !hasTurns)) continue;
      const input = element("input", { type: "radio", name: "tab", value: name });
      input.addEventListener("change", () => choose(name));
      const text = `${name[0]!.toUpperCase()}${name.slice(1)}`;
      this.#host.append(element("label", {}, input, element("span", { textContent: text })));
      this.#inputs.set(name, input);
    }
  }

  /** Returns the table of a name; undefined if the page has none. */
  has(name: string): TabName | undefined {
    return Array.from(this.#inputs.keys()).find((one) => one === name);
  }

  /** Shows which table is open; undefined if there is nothing to choose. */
  show(name: TabName | undefined): void {
    this.#host.hidden = name === undefined || this.#inputs.size < 2;
    const input = name && this.#inputs.get(name);
    if (input) input.checked = true;
  }
}

/** What tables are made from, and what their rows lead to. */
interface TabSource {
  readonly model: Model;
  readonly shown: Shown;
  /** By function: 1 if the search matches it; undefined without a search. */
  readonly matches: Uint8Array | undefined;
  /** By function: `file:line`. */
  readonly places: readonly string[];
  readonly range: TimeRange | undefined;
  /** By thread: whether it counts. */
  readonly threads: readonly boolean[];
  readonly measure: Measure;
  openFunction(id: number): void;
  openPackage(title: string): void;
  /** Opens the source of a function. */
  openLine(id: number): void;
  openRange(range: TimeRange): void;
}

export function tabOf(name: TabName, source: TabSource): TableTab {
  const { model, shown, matches, places } = source;
  const { functions, data, times } = model;
  const all = shown.graph.total[0]!;
  switch (name) {
    case "functions":
      return {
        ...{ name, one: "function", title: "Function" },
        columns: functionColumns(model, shown, source.measure),
        ids: Array.from({ length: functions.length }, (_, id) => id),
        titleOf: (id) => functions.titles[id]!,
        placeOf: (id) => places[id]!,
        isMatch: (id) => matches === undefined || matches[id] === 1,
        open: (id) => source.openFunction(id),
      };
    case "packages": {
      const ticks = packageTicks(model, shown);
      return {
        ...{ name, one: "package", title: "Package" },
        columns: groupColumns(ticks, all, data.unit),
        ids: Array.from({ length: data.origins.length + 1 }, (_, id) => id),
        titleOf: (id) => data.origins[id] ?? "(no JavaScript)",
        open: (id) => source.openPackage(data.origins[id] ?? ""),
      };
    }
    case "lines": {
      const lines = programLines(model, shown);
      return {
        ...{ name, one: "line", title: "Line" },
        columns: groupColumns(lines.ticks, all, data.unit),
        ids: Array.from({ length: lines.function.length }, (_, id) => id),
        titleOf: (id) => lineText(model, lines.function[id]!, lines.line[id]!),
        placeOf: (id) => functions.titles[lines.function[id]!]!,
        isMatch: (id) => matches === undefined || matches[lines.function[id]!] === 1,
        open: (id) => source.openLine(lines.function[id]!),
      };
    }
    case "turns": {
      const turns = (times?.threads ?? []).flatMap((thread, number) =>
        source.threads[number] === true ? thread.turns.filter((turn) => isInRange(turn, source.range)) : [],
      );
      return {
        ...{ name, one: "turn", title: "Callback" },
        columns: turnColumns(turns),
        ids: Array.from(turns.keys()),
        titleOf: (id) => turns[id]!.title,
        placeOf: (id) => shortPlace(turns[id]!),
        isMatch: (id) => matches === undefined || matches[turns[id]!.function] === 1,
        open: (id) => source.openRange({ from: turns[id]!.start, to: turns[id]!.start + turns[id]!.length }),
      };
    }
  }
}

function lineText({ functions, data }: Model, id: number, line: number): string {
  const file = data.files[functions.file[id]!] ?? "";
  const name = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);
  return line === 0 ? `${name}:${functions.line[id]}, line unknown` : `${name}:${line}`;
}

/** Returns where a callback is, without its folder; nothing if its title says so. */
function shortPlace({ title, position }: PageTurn): string {
  const place = position.slice(Math.max(position.lastIndexOf("/"), position.lastIndexOf("\\")) + 1);
  return title.includes(place) ? "" : place;
}

function isInRange({ start, length }: PageTurn, range: TimeRange | undefined): boolean {
  return range === undefined || (start < range.to && start + length > range.from);
}

function turnColumns(turns: readonly PageTurn[]): ListColumn[] {
  const longest = turns.reduce((most, { length }) => Math.max(most, length), 1);
  const column = (key: string, title: string, value: (turn: PageTurn) => number) => ({
    ...{ key, title },
    value: (id: number) => value(turns[id]!),
    detail: (id: number) => turns[id]!.kind,
  });
  return [
    {
      ...column("length", "Length", ({ length }) => length),
      text: (id) => turnLength(turns[id]!),
      share: (id) => turns[id]!.length / longest,
    },
    {
      ...column("start", "Start", ({ start }) => start),
      text: (id) => timeText(turns[id]!.start),
      share: () => 0,
    },
  ];
}
