import type { FunctionNames, ShownName } from "../../views/function-names.js";
import type { Callable } from "../../views/function-stacks.js";
import type { ProfiledFunction } from "../../views/function-table.js";
import { shortSymbol } from "./short-symbol.js";

/** Caches the short names of native functions. */
const shortNames = new WeakMap<ProfiledFunction, string>();

/** Returns a function's name and position. Native names are shortened. */
export function shownFunction(names: FunctionNames, found: ProfiledFunction): ShownName {
  const name = names.function(found);
  if (found.kind !== "native") return name;
  const title = shortNames.get(found) ?? shortSymbol(name.title);
  shortNames.set(found, title);
  return { ...name, title };
}

/** Returns the name and position of a tree node; undefined means no caller. */
export function shownCallable(names: FunctionNames, callable: Callable | undefined): ShownName {
  if (callable === undefined) return { title: "(no caller)", position: "" };
  return callable.kind === "function" ? shownFunction(names, callable.function) : names.callable(callable);
}
