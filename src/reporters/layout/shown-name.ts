import type { FunctionNames, ShownName } from "../../views/function-names.js";
import type { Callable } from "../../views/function-stacks.js";
import type { ProfiledFunction } from "../../views/function-table.js";
import { shortSymbol } from "./short-symbol.js";

/** The short names of native functions that were asked for. */
const shortNames = new WeakMap<ProfiledFunction, string>();

/** A function's name and place, native ones without what makes them long. */
export function shownFunction(names: FunctionNames, found: ProfiledFunction): ShownName {
  const name = names.function(found);
  if (found.kind !== "native") return name;
  const title = shortNames.get(found) ?? shortSymbol(name.title);
  shortNames.set(found, title);
  return { ...name, title };
}

/** The same of what stands in a tree; undefined where a stack begins. */
export function shownCallable(names: FunctionNames, callable: Callable | undefined): ShownName {
  if (callable === undefined) return { title: "(no caller)", position: "" };
  return callable.kind === "function" ? shownFunction(names, callable.function) : names.callable(callable);
}
