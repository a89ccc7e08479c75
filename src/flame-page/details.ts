import { byId, element } from "./elements.js";
import type { FrameFacts } from "./frame-facts.js";

/** The actions for the selected frame. */
export interface DetailActions {
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
