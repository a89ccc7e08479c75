import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { FunctionSources } from "./function-sources.js";

/** The functions whose name and position contain a text, ignoring case. */
export interface NamedFunctions {
  readonly named: string;
}

/** Which frames have lines: all, none, all but those of Node's own scripts, or only those of some functions. */
export type LinesOf = boolean | "program" | NamedFunctions;

/** The functions whose frames have lines. */
export class LinedFunctions {
  readonly #sources: FunctionSources;
  readonly #linesOf: LinesOf;
  /** By function: whether it has the name that is asked for. */
  readonly #named = new Map<LoggedFunction, boolean>();

  constructor(sources: FunctionSources, linesOf: LinesOf) {
    this.#sources = sources;
    this.#linesOf = linesOf;
  }

  /** Returns whether the frames of a function have lines; undefined stands for one that the log does not name. */
  has(logged: LoggedFunction | undefined): boolean {
    if (typeof this.#linesOf === "boolean") return this.#linesOf;
    if (this.#linesOf === "program") return logged === undefined || !this.#sources.isOfNode(logged);
    return logged !== undefined && this.#isNamed(logged, this.#linesOf);
  }

  #isNamed(logged: LoggedFunction, { named }: NamedFunctions): boolean {
    let isNamed = this.#named.get(logged);
    if (isNamed === undefined) {
      isNamed = this.#sources.nameOf(logged).toLowerCase().includes(named.toLowerCase());
      this.#named.set(logged, isNamed);
    }
    return isNamed;
  }
}
