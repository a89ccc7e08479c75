import type { Ticks } from "../../profile/units.js";
import type { ShownName } from "../../views/function-names.js";
import { printable } from "../../views/label.js";
import type { Style } from "./style.js";
import { cutMiddle, endsOf, widthOf } from "./width.js";

/** What a place gets at least before the name beside it is cut. */
const POSITION_COLUMNS = 16;

export interface NamedCellOptions {
  readonly columns: number;
  readonly style: Style;
  /** What stands behind the name: `×3`, `[inlined]`. Default: nothing. */
  readonly marks?: string | undefined;
  /** What the name looks like. Default: as it is. */
  readonly paint?: ((name: string) => string) | undefined;
}

/** A function's name, its marks and its place, in at most so many columns; both are cut in their middle. */
export function namedCell({ title, position }: ShownName, options: NamedCellOptions): string {
  const { columns, style, marks = "", paint = (name) => name } = options;
  const name = printable(endsOf(title, columns));
  const where = printable(endsOf(position, columns));
  const free = Math.max(POSITION_COLUMNS, columns - (marks === "" ? 0 : widthOf(marks) + 1));
  const beside =
    where === "" ? 0 : Math.min(widthOf(where), Math.max(POSITION_COLUMNS, free - widthOf(name) - 2)) + 2;
  const shown = cutMiddle(name, Math.max(0, free - beside));
  const tail = marks === "" ? "" : ` ${marks}`;
  if (where === "") return paint(shown) + tail;
  return `${paint(shown)}${tail}  ${style.faint(cutMiddle(where, Math.max(0, free - widthOf(shown) - 2)))}`;
}

/** `[inlined]` where all ticks are, else how many. */
export function inlinedMark(inlined: Ticks, ticks: Ticks): string {
  if (inlined === 0) return "";
  return inlined === ticks ? "[inlined]" : `[${inlined} inlined]`;
}
