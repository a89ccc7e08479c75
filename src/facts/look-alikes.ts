import { valueAt } from "../base/maps.js";

/** What a row shows of a function. */
interface Shown {
  readonly title: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/**
 * The functions that only their column tells from another one: of the same name, on the same line. All code of a
 * minified script is on one line.
 */
export class LookAlikes {
  /** By title, file and line: their columns. Only of titles that several functions have. */
  readonly #columns = new Map<string, Map<string, Map<number, Set<number>>>>();

  constructor(functions: readonly Shown[]) {
    const repeated = repeatedTitles(functions);
    for (const { title, file, line, column } of functions) {
      if (!repeated.has(title) || file === undefined || line === undefined || column === undefined) continue;
      const files = valueAt(this.#columns, title, () => new Map<string, Map<number, Set<number>>>());
      const lines = valueAt(files, file, () => new Map<number, Set<number>>());
      valueAt(lines, line, () => new Set<number>()).add(column);
    }
  }

  /** Returns whether a function is one of them, by what is shown of it. */
  has({ title, file, line, column }: Shown): boolean {
    if (file === undefined || line === undefined || column === undefined) return false;
    return (this.#columns.get(title)?.get(file)?.get(line)?.size ?? 0) > 1;
  }
}

/** Most functions have a name of their own, and need no more than this. */
function repeatedTitles(functions: readonly Shown[]): ReadonlySet<string> {
  const titles = new Set<string>();
  const repeated = new Set<string>();
  for (const { title } of functions) (titles.has(title) ? repeated : titles).add(title);
  return repeated;
}
