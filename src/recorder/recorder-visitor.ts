import type { LogRecord } from "../parser/rows/row-decoders.js";
import type { TickRecord } from "../parser/rows/tick.js";
import type { Address } from "../profile/units.js";
import type { EmbeddedBuiltins } from "./builtins.js";
import type { LibraryMap } from "./library-map.js";
import type { Resolver } from "./resolver.js";

/** What a recorder knows of one run of a log, as it is now. */
export interface VisitedRun {
  readonly resolver: Pick<Resolver, "codeAt" | "codeFrom">;
  readonly libraries: LibraryMap;
  readonly builtins: EmbeddedBuiltins;
}

/**
 * Takes the records of a log as a recorder has applied them, for outputs that need more than functions and stacks: each
 * piece of code and each address.
 */
export interface RecorderVisitor {
  beginRun(run: VisitedRun): void;
  /** Takes a tick that is in the range asked for. */
  tick(tick: TickRecord): void;
  /** Takes any other record, which was applied before. */
  record(record: Exclude<LogRecord, TickRecord>): void;
  /** Is told that other code may be at the addresses of `[start, end)` from now on. */
  forget(start: Address, end: Address): void;
  endRun(): void;
}
