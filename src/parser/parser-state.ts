import type { Micros } from "../profile/units.js";
import type { Dialect } from "./dialect.js";

/** Where a parser is in a log, between two rows: what another one needs to go on. */
export interface ParserState {
  readonly dialect: Dialect;
  readonly isDialectKnown: boolean;
  readonly hasCrlf: boolean;
  readonly line: number;
  readonly knownRows: number;
  readonly ticks: number;
  /** Of the last tick. */
  readonly timestamp: Micros;
  /** The beginning of a line whose end has not come yet. */
  readonly rest: Uint8Array;
}
