import { cutMiddle, widthOf } from "./width.js";

const ARROW = " → ";

/** Long names are cut to so many columns, one after the other, before any is left out. */
const NAME_COLUMNS = [40, 32, 24];

/**
 * A stack in at most so many columns: names with arrows between, the outermost first. Where they do not fit, long ones
 * are cut, then those after the outermost left out.
 */
export function stackLine(names: readonly string[], columns: number): string {
  for (const limit of [Number.POSITIVE_INFINITY, ...NAME_COLUMNS]) {
    const text = names.map((name) => cutMiddle(name, limit)).join(ARROW);
    if (widthOf(text) <= columns) return text;
  }
  const limit = names.length > 1 ? Math.floor((columns - 2 * ARROW.length) / 2) : columns;
  const [first = "", ...others] = names.map((name) => cutMiddle(name, Math.min(limit, NAME_COLUMNS[0]!)));
  for (let dropped = 1; dropped < others.length; dropped++) {
    const text = [first, "…", ...others.slice(dropped)].join(ARROW);
    if (widthOf(text) <= columns) return text;
  }
  return cutMiddle([first, ...others.slice(-1)].join(ARROW), columns);
}
