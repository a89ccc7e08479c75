import type { ProfileInfo } from "../profile/profile.js";
import { hasOneCompilerState } from "../profile/v8-era.js";
import type { VmStateName } from "../profile/vm-state.js";
import type { Callable } from "./function-stacks.js";
import { nameAt, type ShownFunction } from "./function-table.js";
import { LookAlikes } from "./look-alikes.js";
import { shortFiles } from "./short-files.js";

/** Returns `line`, or `line:column`; empty if unknown. */
function lineOf({ line, column }: Pick<ShownFunction, "line" | "column">, hasColumn = true): string {
  if (line === undefined) return "";
  return hasColumn && column !== undefined ? `${line}:${column}` : String(line);
}

/** Titles for native code without a caller, by VM state. */
const STATE_TITLES: Record<VmStateName, string> = {
  js: "(no stack)",
  gc: "(garbage collection)",
  parser: "(parser)",
  "bytecode-compiler": "(bytecode compiler)",
  compiler: "(optimizing compiler)",
  other: "(other V8 work)",
  external: "(external code)",
  "atomics-wait": "(Atomics.wait)",
  idle: "(idle)",
  logging: "(profiler)",
  "idle-external": "(idle, external code)",
  unknown: "(unknown state)",
  "idle-inferred": "(idle, inferred)",
};

/** A function's name for people, in two parts. Control characters are not escaped yet. */
export interface ShownName {
  readonly title: string;
  /** The short file and start line, or the short library of native code; empty for none. */
  readonly position: string;
  /** Whether the title is the symbol of native code, which can be shortened at its types. Default: false. */
  readonly isSymbol?: boolean | undefined;
}

/** The names shown for the functions of a profile, with files shortened as far as they stay distinct. */
export class FunctionNames {
  readonly #files: ReadonlyMap<string, string>;
  /** Those that their line does not tell apart. */
  readonly #alike: LookAlikes;
  readonly #states: Record<VmStateName, string>;

  /** `info` tells the age of the V8, whose words may be others. Default: today's. */
  constructor(functions: readonly ShownFunction[], info?: Pick<ProfileInfo, "v8" | "isUnversioned">) {
    const isOld = info !== undefined && hasOneCompilerState(info);
    this.#states = isOld ? { ...STATE_TITLES, compiler: "(compiler)" } : STATE_TITLES;
    this.#alike = new LookAlikes(functions);
    this.#files = shortFiles(functions.flatMap(({ file }) => file ?? []));
  }

  /** Returns the short name of a file or library of the profile. */
  file(file: string): string {
    return this.#files.get(file) ?? file;
  }

  function(shown: ShownFunction): ShownName {
    const { kind, title, file } = shown;
    if (kind === "library" && file !== undefined && file !== "")
      return { title: this.file(file), position: "" };
    return { ...nameAt(title, this.position(shown)), ...(kind === "native" && file && { isSymbol: true }) };
  }

  /** Returns the short file and start line of a function, or the short library of native code; empty for none. */
  position(shown: ShownFunction): string {
    const { file } = shown;
    if (file === undefined || file === "") return this.isAlike(shown) ? lineOf(shown) : "";
    const line = lineOf(shown, this.isAlike(shown));
    return line === "" ? this.file(file) : `${this.file(file)}:${line}`;
  }

  /** Returns whether another function has the same name and is on the same line. */
  isAlike(shown: ShownFunction): boolean {
    return this.#alike.has(shown);
  }

  callable(callable: Callable): ShownName {
    return callable.kind === "function" ? this.function(callable.function) : this.state(callable.state);
  }

  /** Returns the name of native code without a caller, by the VM state. */
  state(state: VmStateName): ShownName {
    return { title: this.#states[state], position: "" };
  }
}
