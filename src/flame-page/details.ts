import { byId, element } from "./elements.js";
import type { FrameFacts } from "./frame-facts.js";

/** The actions for the selected frame. */
interface DetailActions {
  openSandwich(): void;
  openSource(): void;
}

/**
 * Shows the facts about the selected frame; a hint instead if there is none. `noSource` is why the page does
 * not have its source; undefined if it does.
 */
export function showDetails(
  facts: FrameFacts | string,
  noSource: string | undefined,
  actions: DetailActions,
): void {
  const host = byId("details", HTMLElement);
  if (typeof facts === "string") {
    host.replaceChildren(element("p", { className: "hint", textContent: facts }));
    return;
  }
  const fact = (name: string, value: string) =>
    value === ""
      ? []
      : [element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value }))];
  const button = (text: string, action: () => void) => {
    const made = element("button", { type: "button", textContent: text });
    made.addEventListener("click", action);
    return made;
  };
  const buttons = facts.kinds === "" ? [] : [button("Callers & callees", actions.openSandwich)];
  if (noSource === undefined) buttons.push(button("Source", actions.openSource));
  host.replaceChildren(
    element(
      "div",
      { className: "named" },
      element("strong", { textContent: facts.title, title: facts.title }),
      element("span", { className: "position", textContent: facts.position, title: facts.position }),
    ),
    element(
      "dl",
      {},
      ...facts.amounts.flatMap(({ name, text }) => fact(name, text)),
      ...fact("Code", [facts.kinds, facts.inlined, facts.inferred].filter((text) => text !== "").join(", ")),
      ...fact("Package", facts.origin),
      ...fact("Source", facts.kinds === "" ? "" : (noSource ?? "")),
      ...fact("Changed with it", facts.causes?.join("; ") ?? ""),
    ),
    element("div", { className: "actions" }, ...buttons),
  );
}

const DISTANCE = 14;

/** Shows facts about the frame under the pointer. */
export class Tooltip {
  readonly #box = byId("tooltip", HTMLDivElement);

  show(facts: FrameFacts, x: number, y: number): void {
    this.#box.replaceChildren(element("strong", { textContent: facts.title }));
    const line = (text: string, className = "") => {
      if (text !== "") this.#box.append(element("div", { textContent: text, className }));
    };
    line(facts.position, "position");
    line([facts.kinds, facts.inlined, facts.inferred].filter((text) => text !== "").join(" · "));
    if (facts.origin.toLowerCase() !== facts.kinds.toLowerCase()) line(facts.origin);
    for (const { name, text } of facts.amounts) line(`${name.toLowerCase()} ${text}`);
    for (const cause of facts.causes ?? []) line(cause, "position");
    this.#place(x, y);
  }

  /** Shows what is no frame. */
  showText(
    { title, lines }: { readonly title: string; readonly lines: readonly string[] },
    x: number,
    y: number,
  ): void {
    this.#box.replaceChildren(element("strong", { textContent: title }));
    for (const line of lines) this.#box.append(element("div", { textContent: line }));
    this.#place(x, y);
  }

  #place(x: number, y: number): void {
    this.#box.hidden = false;
    const { width, height } = this.#box.getBoundingClientRect();
    const left = x + DISTANCE + width > innerWidth ? x - DISTANCE - width : x + DISTANCE;
    const top = y + DISTANCE + height > innerHeight ? y - DISTANCE - height : y + DISTANCE;
    this.#box.style.left = `${Math.max(4, left)}px`;
    this.#box.style.top = `${Math.max(4, top)}px`;
  }

  hide(): void {
    this.#box.hidden = true;
  }
}
