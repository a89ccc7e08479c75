import type { CodeDeoptRecord } from "../parser/rows/code-deopt.js";
import type { CodeSourceInfoRecord } from "../parser/rows/code-source-info.js";
import type { Address, Micros } from "../profile/units.js";

/** The code of one `code-creation` row. */
export interface LoggedCode {
  /** Its index among all code of the log, from 0. */
  readonly number: number;
  readonly name: string;
  /** As logged: `Builtin`, `JS`, `RegExp`, … */
  readonly codeType: string;
  readonly timestamp: Micros;
  /** The number of its function; {@link NO_FUNCTION} if it is not one. */
  readonly function: number;
  /** V8's name of a function's tier; empty if the code is not a function. */
  readonly tier: string;
  /** The number of libraries that the log had named before it. */
  readonly libraries: number;
  /** The index of the library in which it was created, once its run has ended; -1 for none. */
  library: number;
  /** Its address when it was created. */
  readonly start: Address;
  /** Its current address. */
  address: Address;
  /** Its last logged source positions. */
  source: LoggedSource | undefined;
  /** Its first deoptimization. Later ones come from stacks that still ran it. */
  deopt: CodeDeoptRecord | undefined;
}

/** The source positions of a code, and the numbers of the functions inlined in it, null if unknown. */
export interface LoggedSource {
  readonly info: CodeSourceInfoRecord;
  readonly functions: readonly (number | null)[];
}

export const NO_FUNCTION = -1;

/** A function and the numbers of its code in the order of the log. */
export interface LoggedFunction {
  readonly name: string;
  readonly codes: number[];
}
