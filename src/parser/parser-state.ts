import type { Micros } from "../profile/units.js";
import type { Dialect } from "./dialect.js";

/** The state of a parser between two rows, from which another parser can continue. */
export interface ParserState {
  readonly dialect: Dialect;
  readonly isDialectKnown: boolean;
  readonly hasCrlf: boolean;
  readonly line: number;
  readonly knownRows: number;
  readonly ticks: number;
  /** Time of the last tick. */
  readonly timestamp: Micros;
  /** The beginning of an unfinished line. */
  readonly rest: Uint8Array;
}
