import { byId, element, within } from "./elements.js";

/** A frame on the path to the zoomed one. */
export interface Crumb {
  readonly title: string;
  readonly box: number;
}

/** Longer paths are shown without the callers in their middle. */
const LIMIT = 9;

/** Shows the path to the zoomed frame, the root first. A click on a caller zooms out to it. */
export function showCrumbs(crumbs: readonly Crumb[], open: (box: number) => void): void {
  const list = within(byId("crumbs", HTMLElement), "ol", HTMLOListElement);
  const left = crumbs.length - LIMIT;
  const shown = left > 0 ? [...crumbs.slice(0, 2), ...crumbs.slice(2 + left)] : crumbs;
  list.replaceChildren(
    ...shown.map(({ title, box }, i) => {
      const button = element("button", { type: "button", textContent: title, title });
      if (i === shown.length - 1) button.setAttribute("aria-current", "true");
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
