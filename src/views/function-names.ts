import type { VmStateName } from "../profile/vm-state.js";
import type { Callable } from "./function-stacks.js";
import type { ProfiledFunction } from "./function-table.js";
import { shortFiles } from "./short-files.js";

/** What native code without a caller is listed under, by the VM state that it was in. */
const STATE_TITLES: Record<VmStateName, string> = {
  js: "(no stack)",
  gc: "(garbage collection)",
  parser: "(parser)",
  "bytecode-compiler": "(bytecode compiler)",
  compiler: "(optimizing compiler)",
  other: "(other work of V8)",
  external: "(external code)",
  "atomics-wait": "(Atomics.wait)",
  idle: "(idle)",
  logging: "(logging)",
  "idle-external": "(idle, external code)",
  unknown: "(unknown state)",
};

/** A function's name for people in two parts. Control characters of the log are still in them. */
export interface ShownName {
  readonly title: string;
  /** The short file and the line where it begins; the short library of native code; empty where there is none. */
  readonly position: string;
}

/** What the functions of a profile are shown as, with files shortened to what tells them apart. */
export class FunctionNames {
  readonly #files: ReadonlyMap<string, string>;

  constructor(functions: readonly ProfiledFunction[]) {
    this.#files = shortFiles(functions.flatMap(({ file }) => file ?? []));
  }

  /** A file or library of the profile for short. */
  file(file: string): string {
    return this.#files.get(file) ?? file;
  }

  function({ kind, title, file, line }: ProfiledFunction): ShownName {
    if (file === undefined || file === "") return { title, position: "" };
    const short = this.file(file);
    if (kind === "library") return { title: short, position: "" };
    return { title, position: line === undefined ? short : `${short}:${line}` };
  }

  callable(callable: Callable): ShownName {
    return callable.kind === "function"
      ? this.function(callable.function)
      : { title: STATE_TITLES[callable.state], position: "" };
  }
}
