import type { CodeDeoptRecord } from "../parser/rows/code-deopt.js";
import type { CodeSourceInfoRecord } from "../parser/rows/code-source-info.js";
import type { Address, Micros } from "../profile/units.js";

/** The code of one `code-creation` row. */
export interface LoggedCode {
  /** Its place among all codes of the log, counted from 0. */
  readonly number: number;
  readonly name: string;
  /** The word of the log: `Builtin`, `JS`, `RegExp`, … */
  readonly codeType: string;
  readonly timestamp: Micros;
  /** The number of its function; {@link NO_FUNCTION} for code that is none. */
  readonly function: number;
  /** What V8 calls the tier of a function; empty for code that is none. */
  readonly tier: string;
  /** How many libraries the log had named before it. */
  readonly libraries: number;
  /** Where its row placed it. */
  readonly start: Address;
  /** Where it is now. */
  address: Address;
  /** The last source positions that were logged for it. */
  source: LoggedSource | undefined;
  /** The first time that it was deoptimized: later ones are of stacks that were still running it. */
  deopt: CodeDeoptRecord | undefined;
}

/** The source positions of a code, and the numbers of the functions inlined in it, null for unknown ones. */
export interface LoggedSource {
  readonly info: CodeSourceInfoRecord;
  readonly functions: readonly (number | null)[];
}

export const NO_FUNCTION = -1;

/** A function, and the numbers of its codes in the order of the log. */
export interface LoggedFunction {
  readonly name: string;
  readonly codes: number[];
}
