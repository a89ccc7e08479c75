import { cutMiddle, fits, widthOf } from "./width.js";

const ARROW = " → ";

/** Long names are cut to so many columns, one after the other, before any is left out. */
const NAME_COLUMNS = [40, 32, 24];

/**
 * A stack in at most so many columns: names with arrows between, the outermost first. Where they do not fit, long ones
 * are cut, then those after the outermost left out.
 */
export function stackLine(names: readonly string[], columns: number): string {
  for (const limit of [Number.POSITIVE_INFINITY, ...NAME_COLUMNS]) {
    if (widthUpTo(names, limit, columns) > columns) continue;
    return names.map((name) => cutMiddle(name, limit)).join(ARROW);
  }
  const limit = names.length > 1 ? Math.floor((columns - 2 * ARROW.length) / 2) : columns;
  const cut = (name: string) => cutMiddle(name, Math.min(limit, NAME_COLUMNS[0]!));
  const first = cut(names[0] ?? "");
  const last: string[] = [];
  let left = columns - widthOf(first) - ARROW.length - widthOf(LEFT_OUT);
  for (let i = names.length - 1; i > 1; i--) {
    const name = cut(names[i]!);
    left -= ARROW.length + widthOf(name);
    if (left < 0) break;
    last.push(name);
  }
  if (last.length > 0) return [first, LEFT_OUT, ...last.reverse()].join(ARROW);
  return cutMiddle([first, ...names.slice(1).slice(-1).map(cut)].join(ARROW), columns);
}

/** What stands for names that are left out. */
const LEFT_OUT = "…";

/** How many columns a stack takes; where it is more than `columns`, some number above that. */
function widthUpTo(names: readonly string[], limit: number, columns: number): number {
  let width = -ARROW.length;
  for (const name of names) {
    if (limit === Number.POSITIVE_INFINITY && !fits(name, columns)) return columns + 1;
    width += ARROW.length + widthOf(cutMiddle(name, limit));
    if (width > columns) break;
  }
  return width;
}
