import type { RowName } from "../../compare/run-groups.js";
import { TicksError } from "../../errors.js";
import { MATCHED_NAME_LENGTH } from "../../limits.js";
import { printable } from "../../views/label.js";

/**
 * Returns a function that renames rows by expressions of the form `s/from/to/`, where `from` is a regular
 * expression and `$1` in `to` a group of it. Any character can stand for the slashes. Throws a
 * {@link TicksError} for another form.
 */
export function renamer(expressions: readonly string[]): (name: RowName) => RowName {
  const rules = expressions.map(parse);
  const rename = (text: string) =>
    // A pattern can take time quadratic in the length of a name, and names come from the log.
    text.length > MATCHED_NAME_LENGTH
      ? text
      : rules.reduce((name, { from, to }) => name.replace(from, to), text);
  if (rules.length === 0) return (name) => name;
  return (name) => {
    const family = rename(name.family);
    return {
      ...name,
      family,
      key: family + name.key.slice(name.family.length),
      title: rename(name.title),
      file: name.file === undefined ? undefined : rename(name.file),
    };
  };
}

function parse(expression: string): { readonly from: RegExp; readonly to: string } {
  const mark = expression[1] ?? "/";
  const [start, source, to, flags, ...more] = expression.split(mark);
  const isWhole = start === "s" && source !== undefined && source !== "" && more.length === 0;
  if (!isWhole || to === undefined || flags === undefined || !/^[gimsu]*$/.test(flags)) {
    throw new TicksError(
      "BAD_OPTION",
      `--rename ${printable(expression)}: expected s/from/to/`,
      "If from or to has a slash, use another character: s|old/|new/|",
    );
  }
  try {
    return { from: new RegExp(source, flags), to };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new TicksError("BAD_OPTION", `--rename: invalid regular expression ${printable(source)}`);
  }
}
