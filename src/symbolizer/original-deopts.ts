import type { Deopts } from "../profile/deopt.js";
import type { FunctionSources } from "./function-sources.js";

/** A position as V8 logs it for a deoptimization; inlined ones have several. */
const POSITION = /<([^<>]*):(\d+):(\d+)>/g;

/** Returns deoptimizations with the original names and positions of their functions. */
export function originalDeopts(deopts: Deopts, functions: FunctionSources): Deopts {
  return {
    ...deopts,
    entries: deopts.entries.map((entry) => ({
      ...entry,
      function: entry.function === undefined ? undefined : functions.named(entry.function),
      position: entry.position.replace(POSITION, (whole, file: string, line: string, column: string) => {
        const original = functions.originalPosition(file, { line: Number(line), column: Number(column) });
        return original === undefined ? whole : `<${original}>`;
      }),
    })),
    demoted: deopts.demoted.map((entry) => ({ ...entry, function: functions.named(entry.function) })),
  };
}
