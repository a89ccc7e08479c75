import type { Settings, ThemeName, ViewName } from "./colors.js";
import { byId, element, within } from "./elements.js";
import { isQuick, type Matches, type Query, readQuery } from "./graph.js";
import type { Model } from "./model.js";
import { changeText, countOf, shareText, unitText, type Whole } from "./number-text.js";
import type { PageUnit } from "./page-data.js";
import type { TimeRange } from "./thread-times.js";

/** Sets up the controls for a profile and calls `changed` after each change. */
export function listenToControls({ data, times, sides }: Model, changed: () => void): void {
  byId("view-time", HTMLElement).hidden = times === undefined;
  byId("threads", HTMLDetailsElement).hidden = data.threads.length < 2;
  const list = byId("thread-list", HTMLDivElement);
  list.replaceChildren();
  for (const [number, { title, ticks }] of data.threads.entries()) {
    const isOn = { checked: true, defaultChecked: true };
    const box = element("input", { type: "checkbox", name: "thread", value: String(number), ...isOn });
    const share = element("span", { className: "share", textContent: unitText(ticks, data.unit) });
    list.append(element("label", {}, box, element("span", { textContent: title }), " ", share));
  }
  const colour = sides === undefined ? "kind" : "change";
  const first = document.querySelector<HTMLInputElement>(`input[name="colour"][value="${colour}"]`);
  if (first !== null) first.checked = first.defaultChecked = true;
  for (const own of document.querySelectorAll(sides === undefined ? ".of-sides" : ".of-one")) own.remove();
  const tools = document.querySelector(".tools");
  tools?.addEventListener("change", changed);
  // A menu closes with Escape and with a click elsewhere.
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu")) {
    const box = within(menu, "fieldset", HTMLFieldSetElement);
    menu.addEventListener("toggle", () => {
      // A menu near the right side of the window moves to the left.
      box.style.left = "0";
      box.style.left = `${Math.min(0, innerWidth - 12 - box.getBoundingClientRect().right)}px`;
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      event.preventDefault();
      menu.open = false;
      menu.querySelector("summary")?.focus();
    });
    // What a menu was opened for is done.
    menu.addEventListener("click", ({ target }) => {
      if (target instanceof HTMLButtonElement) menu.open = false;
    });
    document.addEventListener("pointerdown", ({ target }) => {
      if (target instanceof Node && !menu.contains(target)) menu.open = false;
    });
  }
}

/** Returns the current settings, with the part of the time that counts. */
export function readSettings({ data, sides }: Model, range: TimeRange | undefined): Settings {
  const isChecked = (name: string, value: string) =>
    document.querySelector<HTMLInputElement>(`input[name="${name}"][value="${value}"]`)?.checked === true;
  const width = isChecked("width", "before") ? "before" : isChecked("width", "after") ? "after" : "both";
  const isCounted = (thread: number) =>
    sides === undefined
      ? data.threads.length < 2 || isChecked("thread", String(thread))
      : width === "both" || (width === "before") === (thread === 0);
  return {
    width,
    measure: isChecked("measure", "total") ? "total" : "self",
    view: isChecked("view", "sandwich") ? "sandwich" : isChecked("view", "time") ? "time" : "heavy",
    isFlame: isChecked("direction", "flame"),
    colouring: isChecked("colour", "change") ? "change" : isChecked("colour", "package") ? "package" : "kind",
    choice: {
      threads: data.threads.map((_, thread) => isCounted(thread)),
      inlined: isChecked("show", "inlined"),
      builtins: isChecked("show", "builtins"),
      cpp: isChecked("show", "cpp"),
      tiers: isChecked("show", "tiers"),
      folded: sides === undefined && isChecked("show", "folded"),
      range,
    },
  };
}

/** Selects a view as a click would. */
export function setView(view: ViewName): void {
  const input = document.querySelector<HTMLInputElement>(`input[name="view"][value="${view}"]`);
  if (input === null || input.checked) return;
  input.checked = true;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

/** The search field and the number of matches. */
export class SearchBox {
  readonly #input = byId("search", HTMLInputElement);
  readonly #output = byId("matches", HTMLOutputElement);
  #query: Query | undefined;
  /** Whether the search is of a link, and may take for ever: it waits for Enter. */
  #isWaiting = false;

  constructor(changed: () => void, step: (isForward: boolean) => void) {
    this.#input.addEventListener("input", () => {
      this.#read();
      changed();
    });
    this.#input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      if (this.#isWaiting) {
        this.#read();
        changed();
      }
      step(!event.shiftKey);
    });
  }

  /** The current search; undefined if there is none. */
  get query(): Query | undefined {
    return this.#query;
  }

  /** What the reader typed. */
  get text(): string {
    return this.#input.value;
  }

  /** Searches for a text that the reader did not type: a link to this page can have any. */
  set text(text: string) {
    this.#input.value = text;
    this.#read();
    this.#isWaiting = this.#query !== undefined && !isQuick(text);
    if (!this.#isWaiting) return;
    this.#query = undefined;
    this.#output.textContent = "Enter searches: this pattern may take long";
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  /** Shows the matches and their share. */
  show(matches: Matches | undefined, scale: MatchScale): void {
    if (this.#isWaiting || this.#input.getAttribute("aria-invalid") === "true") return;
    this.#output.textContent = matches === undefined ? "" : matchesText(matches, scale);
  }

  #read(): void {
    this.#isWaiting = false;
    try {
      this.#query = readQuery(this.#input.value);
      this.#input.removeAttribute("aria-invalid");
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#query = undefined;
      this.#input.setAttribute("aria-invalid", "true");
      this.#output.textContent = "invalid regular expression";
    }
  }
}

/** What matches are a share of. */
interface MatchScale {
  /** All ticks of the page. */
  readonly all: number;
  /** Only if the page compares two sides. */
  readonly sides: Whole | undefined;
  readonly unit: PageUnit;
}

function matchesText({ ticks, count, sides: [before, after] = [0, 0] }: Matches, scale: MatchScale): string {
  const { all, sides, unit } = scale;
  const functions = countOf(count, "function");
  if (sides !== undefined) return `${changeText(before, after, sides)} in ${functions}`;
  return `${shareText(ticks, all)} · ${unitText(ticks, unit)} in ${functions}`;
}

/** A frame on the path to the zoomed one. */
interface Crumb {
  readonly title: string;
  readonly box: number;
}

/** Longer paths are shown without the callers in their middle. */
const LIMIT = 9;

/** Shows the path to the zoomed frame and on to the selected one, the root first. A click on a frame zooms to it. */
export function showCrumbs(crumbs: readonly Crumb[], zoomed: number, open: (box: number) => void): void {
  const list = within(byId("crumbs", HTMLElement), "ol", HTMLOListElement);
  const left = crumbs.length - LIMIT;
  const shown = left > 0 ? [...crumbs.slice(0, 2), ...crumbs.slice(2 + left)] : crumbs;
  list.replaceChildren(
    ...shown.map(({ title, box }, i) => {
      const button = element("button", { type: "button", textContent: title, title });
      if (box === zoomed) button.setAttribute("aria-current", "true");
      button.addEventListener("click", () => open(box));
      const item = element("li", {}, button);
      if (left > 0 && i === 1)
        item.append(element("span", { className: "gap", textContent: `… ${left} more` }));
      return item;
    }),
  );
  const last = list.lastElementChild;
  if (last !== null) list.scrollLeft = list.scrollWidth;
}

/** Dark or light: as in the system until the reader chooses. */
export class Theme {
  readonly #dark = matchMedia("(prefers-color-scheme: dark)");
  readonly #button = byId("theme", HTMLButtonElement);
  readonly #changed: () => void;
  #chosen: ThemeName | undefined;
  #isOnPaper = false;

  constructor(changed: () => void) {
    this.#changed = changed;
    document.documentElement.dataset.theme = this.name;
    this.#button.setAttribute("aria-pressed", String(this.name === "dark"));
    this.#dark.addEventListener("change", () => this.#apply());
    this.#button.addEventListener("click", () => {
      this.#chosen = this.name === "dark" ? "light" : "dark";
      this.#apply();
    });
  }

  #apply(): void {
    document.documentElement.dataset.theme = this.name;
    this.#button.setAttribute("aria-pressed", String(this.name === "dark"));
    this.#changed();
  }

  /** Shows light colours while `isOn`: on paper. */
  set isOnPaper(isOn: boolean) {
    this.#isOnPaper = isOn;
    this.#apply();
  }

  get name(): ThemeName {
    if (this.#isOnPaper) return "light";
    return this.#chosen ?? (this.#dark.matches ? "dark" : "light");
  }
}
