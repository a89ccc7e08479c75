import type { FunctionNames, ShownName } from "../../views/function-names.js";
import type { Callable } from "../../views/function-stacks.js";

/** Returns the name and position of a tree node; undefined means no caller. */
export function shownCallable(names: FunctionNames, callable: Callable | undefined): ShownName {
  return callable === undefined ? { title: "(no caller)", position: "" } : names.callable(callable);
}
