import type { Profile } from "../../profile/profile.js";
import type { FunctionTable, ProfiledFunction } from "../../views/function-table.js";
import { printable } from "../../views/label.js";
import { type StableKey, stableKeys } from "../../views/stable-key.js";

/** The functions of a profile, and what pprof's tools call each. */
export interface PprofNames {
  readonly table: FunctionTable;
  /** By function of the table. */
  readonly names: readonly string[];
}

/**
 * Returns the names of functions, which pprof's tools know them by: their stable keys, so that files of two
 * versions of a program can be compared. `::` is before the function's own name, because a box without room for
 * all of it shows what is behind the last `::` or dot. Native code has its library as the mapping.
 *
 * Source: pprof, internal/report/shortnames.go, `shortNameList`.
 */
export function pprofNames(profile: Profile): PprofNames {
  const { table, keys } = stableKeys(profile);
  return { table, names: table.functions.map((one, id) => nameOf(one, keys[id]!)) };
}

function nameOf({ frame, title }: ProfiledFunction, { key, file, name, ordinal }: StableKey): string {
  switch (frame.kind) {
    case "js":
      if (file === undefined) return printable(key);
      return `${printable(file)}::${printable(ordinal > 1 ? `${name}#${ordinal}` : name)}`;
    case "native":
      return printable(name);
    case "code":
    case "unknown":
      return printable(title);
  }
}
