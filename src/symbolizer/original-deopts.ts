import type { Deopts } from "../profile/deopt.js";
import type { FunctionSources } from "./function-sources.js";

/** A place in the position of a deoptimization. */
const PLACE = /<([^<>]*):(\d+):(\d+)>/g;

/** Deoptimizations with the names and places that the authors of the functions gave them. */
export function originalDeopts(deopts: Deopts, functions: FunctionSources): Deopts {
  return {
    ...deopts,
    entries: deopts.entries.map((entry) => ({
      ...entry,
      function: entry.function === undefined ? undefined : functions.named(entry.function),
      position: entry.position.replace(PLACE, (whole, file: string, line: string, column: string) => {
        const place = functions.place(file, { line: Number(line), column: Number(column) });
        return place === undefined ? whole : `<${place}>`;
      }),
    })),
    demoted: deopts.demoted.map((entry) => ({ ...entry, function: functions.named(entry.function) })),
  };
}
