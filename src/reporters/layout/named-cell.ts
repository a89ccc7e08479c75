import type { Ticks } from "../../profile/units.js";
import type { ShownName } from "../../views/function-names.js";
import { INFERRED, printable } from "../../views/label.js";
import { fittedSymbol } from "./fitted-symbol.js";
import type { Style } from "./style.js";
import { cutMiddle, endsOf, widthOf } from "./width.js";

/** The minimum width of a position, even beside a long name. */
const POSITION_COLUMNS = 16;

export interface NamedCellOptions {
  readonly columns: number;
  readonly style: Style;
  /** Marks after the name: `×3`, `[inlined]`. Default: none. */
  readonly marks?: string | undefined;
  /** Styles the name. Default: no style. */
  readonly paint?: ((name: string) => string) | undefined;
}

/**
 * Returns a function's name, marks and position, at most `columns` wide. What does not fit is cut in the
 * middle, a symbol first in its types.
 */
export function namedCell({ title, position, isSymbol }: ShownName, options: NamedCellOptions): string {
  const { columns, style, marks = "", paint = (name) => name } = options;
  const name = printable(endsOf(title, columns));
  const where = printable(endsOf(position, columns));
  const free = Math.max(POSITION_COLUMNS, columns - (marks === "" ? 0 : widthOf(marks) + 1));
  const beside =
    where === "" ? 0 : Math.min(widthOf(where), Math.max(POSITION_COLUMNS, free - widthOf(name) - 2)) + 2;
  const left = Math.max(0, free - beside);
  const shown = isSymbol ? fittedSymbol(name, left) : cutMiddle(name, left);
  const tail = marks === "" ? "" : ` ${marks}`;
  if (where === "") return paint(shown) + tail;
  return `${paint(shown)}${tail}  ${style.faint(cutMiddle(where, Math.max(0, free - widthOf(shown) - 2)))}`;
}

/** Returns `[≈]` if all ticks are inferred, else `[3 ≈]`; empty for none. */
export function inferredMark(inferred: Ticks, ticks: Ticks): string {
  if (inferred === 0) return "";
  return inferred === ticks ? `[${INFERRED}]` : `[${inferred} ${INFERRED}]`;
}

/** Returns the marks of a function that is called: what part of its ticks is inlined, and what is inferred. */
export function callMarks({
  ticks,
  inlined,
  inferred,
}: Record<"ticks" | "inlined" | "inferred", Ticks>): string {
  return [inlinedMark(inlined, ticks), inferredMark(inferred, ticks)].filter((mark) => mark !== "").join(" ");
}

/** Returns `[inlined]` if all ticks are, else `[3 inlined]`; empty for none. */
export function inlinedMark(inlined: Ticks, ticks: Ticks): string {
  if (inlined === 0) return "";
  return inlined === ticks ? "[inlined]" : `[${inlined} inlined]`;
}
