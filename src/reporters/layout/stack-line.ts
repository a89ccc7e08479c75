import { cutMiddle, fits, widthOf } from "./width.js";

/** Stands between the names of a stack. */
export const ARROW = " → ";

/** Names are cut to these widths, one after the other, before any is left out. */
const NAME_COLUMNS = [40, 32, 24];

/**
 * Returns a stack in at most `columns` columns: names joined by arrows, outermost first. If they do not fit,
 * long names are cut; then names after the outermost are left out.
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

/** Stands for names that are left out. */
const LEFT_OUT = "…";

/** Returns the width of a stack, or any larger number once it exceeds `columns`. */
function widthUpTo(names: readonly string[], limit: number, columns: number): number {
  let width = -ARROW.length;
  for (const name of names) {
    if (limit === Number.POSITIVE_INFINITY && !fits(name, columns)) return columns + 1;
    width += ARROW.length + widthOf(cutMiddle(name, limit));
    if (width > columns) break;
  }
  return width;
}
