/** Returns the element of the page with this id. */
export function byId<E extends HTMLElement>(id: string, type: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
  return found;
}

/** Returns the first element inside another that matches a selector. */
export function within<E extends Element>(parent: ParentNode, selector: string, type: new () => E): E {
  const found = parent.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`the page has no ${selector}`);
  return found;
}

/** Creates an element. Text is never read as markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

/** Paints what is left and right of a part of a canvas paler. */
export function paintPaler(
  context: CanvasRenderingContext2D,
  { left, right, width, height }: Readonly<Record<"left" | "right" | "width" | "height", number>>,
  background: string,
): void {
  context.fillStyle = background;
  context.globalAlpha = 0.66;
  context.fillRect(0, 0, left, height);
  context.fillRect(right, 0, width - right, height);
  context.globalAlpha = 1;
}
