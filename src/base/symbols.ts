import { SHOWN_NAME_LENGTH } from "./limits.js";

/**
 * Shortens a native symbol: removes argument types, template arguments, the result type, and the version of a
 * dynamic symbol. Names that are not C++ stay as they are.
 */
export function shortSymbol(symbol: string): string {
  if (symbol.length > SHOWN_NAME_LENGTH) return symbol;
  const plain = withoutVersion(symbol);
  const open = argumentsOf(plain);
  if (open === undefined) return plain;
  const flat = withoutTemplates(plain.slice(0, open));
  // `void v8::internal::f`; but `operator new` and `(anonymous namespace)` have spaces of their own.
  const name = flat.replace(/\(anonymous namespace\)/g, "(anonymous)");
  const space = name.lastIndexOf(" ", name.search(/\boperator\b|$/) - 1);
  return space < 0 ? name : name.slice(space + 1);
}

/** Returns `read` for the dynamic symbol `read@@GLIBC_2.2.5`. */
export function withoutVersion(symbol: string): string {
  return symbol.replace(/@@?[\w.]+$/, "");
}

/** Returns the index where the arguments of a C++ function begin; undefined if the name has none. */
export function argumentsOf(symbol: string): number | undefined {
  const end = symbol.lastIndexOf(")");
  if (
    end < 0 ||
    !/^(?: const| volatile| &&?|\[clone [^\]]*\]| \[clone [^\]]*\]| \(\.[\w.]+\))*$/.test(
      symbol.slice(end + 1),
    )
  )
    return undefined;
  let depth = 0;
  for (let i = end; i >= 0; i--) {
    if (symbol[i] === ")") depth++;
    else if (symbol[i] === "(" && --depth === 0) return i > 0 ? i : undefined;
  }
  return undefined;
}

/** Returns `a<b<c>>::d` as `a<…>::d`. */
function withoutTemplates(name: string): string {
  // The brackets of these operators are part of the name.
  const operator = /\boperator(?:<<=?|>>=?|<=>|<=?|>=?|->\*?)/.exec(name);
  const end = operator?.index ?? name.length;
  let flat = "";
  let depth = 0;
  for (const character of name.slice(0, end)) {
    if (character === "<" && depth++ === 0) flat += "<…>";
    else if (character === ">" && depth > 0) depth--;
    else if (depth === 0) flat += character;
  }
  return flat + name.slice(end);
}
