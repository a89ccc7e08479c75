import type { MappedCode } from "../symbols/process-map.js";
import type { Redactor } from "./redactor.js";
import { hexDigits } from "./row-text.js";

/** Returns the map of a process again, without the device and the number of each file, with paths as in its log. */
export function redactMap(mapped: readonly MappedCode[], redactor: Redactor): string {
  return mapped
    .map(({ from, to, library: { start, path } }) => {
      const [first, end, offset] = [from, to, from - start].map(hexDigits);
      return `${first}-${end} r-xp ${offset} 00:00 0 ${redactor.library(path)}\n`;
    })
    .join("");
}
