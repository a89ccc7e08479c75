import { byId, element, within } from "./elements.js";
import type { Model } from "./model.js";
import { countOf } from "./number-text.js";
import type { Settings, ViewName } from "./settings.js";
import { addSideControls } from "./side-controls.js";

/** Sets up the controls for a profile and calls `changed` after each change. */
export function listenToControls({ data, slices, sides }: Model, changed: () => void): void {
  if (sides !== undefined) addSideControls();
  byId("view-time", HTMLElement).hidden = slices === undefined;
  const threads = byId("threads", HTMLDetailsElement);
  threads.hidden = data.threads.length < 2 || sides !== undefined;
  const list = byId("thread-list", HTMLDivElement);
  list.replaceChildren();
  for (const [number, { title, ticks }] of data.threads.entries()) {
    const box = element("input", { type: "checkbox", name: "thread", value: String(number), checked: true });
    const share = element("span", { className: "share", textContent: countOf(ticks, "tick") });
    list.append(element("label", {}, box, element("span", { textContent: title }), " ", share));
  }
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
    document.addEventListener("pointerdown", ({ target }) => {
      if (target instanceof Node && !menu.contains(target)) menu.open = false;
    });
  }
}

/** Returns the current settings. */
export function readSettings({ data, sides }: Model): Settings {
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
