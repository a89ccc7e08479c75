import type { V8Version } from "../profile/v8-version.js";
import { UNKNOWN_STATE, type VmState, type VmStateName, vmState } from "../profile/vm-state.js";

/** What changed in the log between V8 versions and cannot be told from a row alone. */
export interface Dialect {
  /** Whether texts stand between double quotes. Where they do not, a quote is a character like any other. */
  readonly hasQuotes: boolean;
  /** Translates the number of a tick's VM state. */
  readonly vmStates: readonly VmState[];
  /** Whether function names are written raw, with newlines in them. */
  readonly hasRawNames: boolean;
  /** V8 cuts every row at this many bytes; 0 when it does not. */
  readonly rowLimit: number;
}

const STATES_3: VmStateName[] = [
  "js",
  "gc",
  "compiler",
  "other",
  "external",
  "idle",
  "parser",
  "bytecode-compiler",
];
const STATES_6: VmStateName[] = [
  "js",
  "gc",
  "parser",
  "bytecode-compiler",
  "compiler",
  "other",
  "external",
  "idle",
];
const STATES_8: VmStateName[] = [...STATES_6.slice(0, 7), "atomics-wait", "idle", "logging", "idle-external"];

/** V8's newest dialect, also for a log that names no version. */
export const NEWEST_DIALECT: Dialect = {
  hasQuotes: false,
  vmStates: STATES_8.map(vmState),
  hasRawNames: true,
  rowLimit: 0,
};

/** The dialect of logs without a version that quote their texts: V8 3, whose functions do not always end alike. */
export const QUOTED_DIALECT: Dialect = {
  hasQuotes: true,
  vmStates: STATES_3.map(vmState),
  hasRawNames: false,
  rowLimit: 2047,
};

/**
 * The dialect of a V8 version. Node 8 is V8 6.2, Node 10 6.8, Node 14 8.4, Node 16 9.4, Node 18 10.2, Node 20 11.3.
 *
 * Source: V8, src/common/globals.h and src/vm-state.h, `enum StateTag`; src/logging/log.cc; logs of each version.
 */
export function dialectOf({ major, minor }: V8Version): Dialect {
  if (major < 6 || (major === 6 && minor < 3)) return { ...QUOTED_DIALECT, hasRawNames: true };
  const vmStates = (major < 8 ? STATES_6 : STATES_8).map(vmState);
  return { hasQuotes: false, vmStates, hasRawNames: major >= 9, rowLimit: 0 };
}

/** The VM state behind a number in the log. */
export function translateState(dialect: Dialect, number: number): VmState {
  return dialect.vmStates[number] ?? UNKNOWN_STATE;
}
