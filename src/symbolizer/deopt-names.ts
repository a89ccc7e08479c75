import { changedPositions } from "../profile/deopt.js";
import type { DeoptNames } from "../recorder/deopt-costs.js";
import type { FunctionSources } from "./function-sources.js";

/** Returns the names of deoptimizations that other reports have too: original ones, and those of scripts without a name. */
export function deoptNames(functions: FunctionSources): DeoptNames {
  return {
    functionName: (name, script) => functions.named(name, script),
    position: (position, { script, inlinedScript }) =>
      changedPositions(position, ({ file, isOutermost, ...at }) =>
        functions.shownPosition(file, at, isOutermost ? script : inlinedScript),
      ),
  };
}
