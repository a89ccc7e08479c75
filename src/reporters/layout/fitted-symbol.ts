import { argumentsOf, shortSymbol } from "./short-symbol.js";
import { cutMiddle, fits, widthOf } from "./width.js";

/**
 * Returns a native symbol in at most `columns` columns. Only what does not fit is cut, the least telling
 * first: the version of a dynamic symbol, the middle of the argument types, then of the template arguments,
 * the result type, and the middle of the name.
 */
export function fittedSymbol(symbol: string, columns: number): string {
  if (fits(symbol, columns)) return symbol;
  const plain = symbol.replace(/@@?[\w.]+$/, "");
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
