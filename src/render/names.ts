import { SHOWN_NAME_LENGTH } from "../base/limits.js";
import { argumentsOf, shortSymbol, withoutVersion } from "../base/symbols.js";
import { amount, isEmpty, joined, type Text, text } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { ShownName } from "../facts/function-names.js";
import { INFERRED, printable } from "../facts/label.js";
import type { Style } from "./style.js";
import { cutMiddle, endsOf, fits, widthOf } from "./width.js";

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
export function inferredMark(inferred: Ticks, ticks: Ticks): Text {
  return partMark(inferred, ticks, INFERRED);
}

/** Returns the marks of a function that is called: what part of its ticks is inlined, and what is inferred. */
export function callMarks({
  ticks,
  inlined,
  inferred = 0,
}: Record<"ticks" | "inlined", Ticks> & { readonly inferred?: Ticks | undefined }): Text {
  const marks = [partMark(inlined, ticks, "inlined"), inferredMark(inferred, ticks)];
  return joined(
    marks.filter((mark) => !isEmpty(mark)),
    " ",
  );
}

/** Returns `[inlined]` if all ticks are, else `[3 inlined]`; empty for none. */
function partMark(part: Ticks, ticks: Ticks, what: string): Text {
  if (part === 0) return "";
  return part === ticks ? `[${what}]` : text`[${amount(part)} ${what}]`;
}

/**
 * Returns a native symbol in at most `columns` columns. Only what does not fit is cut, the least telling
 * first: the version of a dynamic symbol, the middle of the argument types, then of the template arguments,
 * the result type, and the middle of the name.
 */
export function fittedSymbol(symbol: string, columns: number): string {
  if (fits(symbol, columns)) return symbol;
  const plain = withoutVersion(symbol);
  if (fits(plain, columns)) return plain;
  const short = shortSymbol(symbol);
  const open = argumentsOf(plain);
  if (open === undefined || !fits(short, columns)) return cutMiddle(short, columns);
  const name = plain.slice(0, open);
  if (fits(`${name}(…)`, columns))
    return `${name}(${cutMiddle(plain.slice(open + 1, plain.lastIndexOf(")")), columns - widthOf(name) - 2)})`;
  // The name has its result type or template arguments still.
  const [before, after] = short.split("<…>");
  if (after === undefined || short.split("<…>").length > 2) return short;
  const from = name.indexOf("<", Math.max(0, name.indexOf(before!)));
  const to = name.lastIndexOf(">");
  const room = columns - widthOf(before!) - widthOf(after) - 2;
  return from < 0 || to < from ? short : `${before}<${cutMiddle(name.slice(from + 1, to), room)}>${after}`;
}

/** Longer native names lose their template arguments in lists. */
const LISTED_COLUMNS = 60;

/**
 * Returns a native symbol for a list: without parameters, result type and the version of a dynamic symbol; of a long one, without
 * template arguments too.
 */
export function listedSymbol(symbol: string): string {
  if (symbol.length > SHOWN_NAME_LENGTH) return symbol;
  const plain = withoutVersion(symbol);
  const open = argumentsOf(plain);
  if (open === undefined) return plain;
  const name = plain.slice(0, open);
  const short = shortSymbol(plain);
  const from = name.indexOf(short.split("<…>", 1)[0]!);
  const whole = from < 0 ? name : name.slice(from);
  return fits(whole, LISTED_COLUMNS) ? whole : short;
}

/** Returns a name for a list. A native one has no parameters: `ticks function` and JSON have all of it. */
export function listedName(name: ShownName): ShownName {
  return name.isSymbol === true ? { ...name, title: listedSymbol(name.title) } : name;
}
