import type { V8Version } from "../profile/v8-version.js";
import { UNKNOWN_STATE, type VmState, type VmStateName, vmState } from "../profile/vm-state.js";

/** The differences between V8 versions that a row alone does not show. */
export interface Dialect {
  /** Whether texts are in double quotes. If not, a quote is an ordinary character. */
  readonly hasQuotes: boolean;
  /** The VM state for each state number of a tick. */
  readonly vmStates: readonly VmState[];
  /**
   * Whether V8 was too old to write its version: up to 3.28. Function rows may then lack the function's address,
   * and positions a column.
   */
  readonly isUnversioned: boolean;
  /** Whether function names are written unescaped, including newlines. */
  readonly hasRawNames: boolean;
  /** The length in bytes at which V8 cuts rows; 0 if it does not. */
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

/** V8's newest dialect, also used for a log without a version. */
export const NEWEST_DIALECT: Dialect = {
  hasQuotes: false,
  vmStates: STATES_8.map(vmState),
  isUnversioned: false,
  hasRawNames: true,
  rowLimit: 0,
};

/** The dialect of logs that have no version but quote their texts: V8 1 to 3. */
export const QUOTED_DIALECT: Dialect = {
  hasQuotes: true,
  vmStates: STATES_3.map(vmState),
  isUnversioned: true,
  hasRawNames: true,
  rowLimit: 2047,
};

/**
 * Returns the dialect of a V8 version. Node 8 has V8 6.2, Node 10 6.8, Node 14 8.4, Node 16 9.4, Node 18
 * 10.2, Node 20 11.3.
 *
 * Source: V8, src/common/globals.h and src/vm-state.h, `enum StateTag`; src/logging/log.cc; logs of each
 * version.
 */
export function dialectOf({ major, minor }: V8Version): Dialect {
  if (major < 6 || (major === 6 && minor < 3)) return { ...QUOTED_DIALECT, isUnversioned: false };
  const vmStates = (major < 8 ? STATES_6 : STATES_8).map(vmState);
  return { ...NEWEST_DIALECT, vmStates, hasRawNames: major >= 9 };
}

/** Returns the VM state for a state number in the log. */
export function translateState(dialect: Dialect, number: number): VmState {
  return dialect.vmStates[number] ?? UNKNOWN_STATE;
}
