import { byId, element } from "./elements.js";
import type { FrameFacts } from "./frame-facts.js";

/** The actions for the selected frame. */
export interface DetailActions {
  openSandwich(): void;
  openSource(): void;
}

/**
 * Shows the facts about the selected frame; undefined for none. `hasSource` is whether the page has its
 * source.
 */
export function showDetails(facts: FrameFacts | undefined, hasSource: boolean, actions: DetailActions): void {
  const host = byId("details", HTMLElement);
  if (facts === undefined) {
    host.replaceChildren(
      element("p", {
        className: "hint",
        textContent: "Click a frame or use the arrow keys to select one.",
      }),
    );
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
  if (hasSource) buttons.push(button("Source", actions.openSource));
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
      ...fact("Total", facts.total),
      ...fact("Here", facts.here),
      ...fact("Self", facts.self),
      ...fact("Code", [facts.kinds, facts.inlined].filter((text) => text !== "").join(", ")),
      ...fact("Package", facts.origin),
    ),
    element("div", { className: "actions" }, ...buttons),
  );
}
