import type { CodeSourceInfoRecord } from "../parser/rows/code-source-info.js";
import type { Address } from "../profile/units.js";

/** A function of a script: what all its code, in any tier, has in common. */
export interface LoggedFunction {
  /** As logged: its name, a space, `script:line:column`. */
  readonly name: string;
  /** The id of its script; -1 while no row told. */
  script: number;
  /** Where it starts in its script, in UTF-16 units; -1 while no row told. */
  start: number;
  end: number;
  /** The positions of its bytecode; empty while no row told. */
  bytecodePositions: string;
}

/** From which source a piece of code was made. */
export interface CodeSource {
  /** As the row has them: {@link PositionTable} reads them. */
  readonly positions: string;
  readonly inlinings: string;
  /** The inlined functions; undefined for one that the log has not named. */
  readonly functions: readonly (LoggedFunction | undefined)[];
}

/** The functions of a log by the address of their SharedFunctionInfo, which garbage collection moves. */
export class LoggedFunctions {
  readonly #functions = new Map<Address, LoggedFunction>();

  /** The function of new code: another one took the address when the name differs. */
  named(sfi: Address, name: string): LoggedFunction {
    let found = this.#functions.get(sfi);
    if (found?.name !== name) {
      found = { name, script: -1, start: -1, end: -1, bytecodePositions: "" };
      this.#functions.set(sfi, found);
    }
    return found;
  }

  move(from: Address, to: Address): void {
    const found = this.#functions.get(from);
    if (found === undefined) return;
    this.#functions.delete(from);
    this.#functions.set(to, found);
  }

  /** What a row says of the code of a function, with the functions as they are called now. */
  source(record: CodeSourceInfoRecord): CodeSource {
    const { positions, inlinings, functions } = record;
    return { positions, inlinings, functions: functions.map((sfi) => this.#functions.get(sfi)) };
  }
}
