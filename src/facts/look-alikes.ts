import { valueAt } from "../base/maps.js";

/** What a row shows of a function. */
interface Shown {
  readonly title: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/**
 * Returns the functions that only their column tells from another one: of the same name, on the same line. All
 * code of a minified script is on one line.
 */
export function lookAlikes<Named extends Shown>(functions: readonly Named[]): ReadonlySet<Named> {
  const repeated = repeatedTitles(functions);
  const known = new Map<string, Map<string, Map<number, Named>>>();
  const alike = new Set<Named>();
  for (const one of functions) {
    const { title, file, line, column } = one;
    if (!repeated.has(title)) continue;
    if (file === undefined || line === undefined || column === undefined) continue;
    const lines = valueAt(
      valueAt(known, title, () => new Map<string, Map<number, Named>>()),
      file,
      () => new Map<number, Named>(),
    );
    const other = lines.get(line);
    if (other === undefined) lines.set(line, one);
    else if (other.column !== column) alike.add(other).add(one);
  }
  return alike;
}

/** Most functions have a name of their own, and need no more than this. */
function repeatedTitles(functions: readonly Shown[]): ReadonlySet<string> {
  const titles = new Set<string>();
  const repeated = new Set<string>();
  for (const { title } of functions) (titles.has(title) ? repeated : titles).add(title);
  return repeated;
}
