import { byId, element } from "./elements.js";
import type { FrameFacts } from "./frame-facts.js";

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
