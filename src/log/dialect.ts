import type { V8Version } from "../profile/v8-version.js";
import { EXTERNAL, UNKNOWN_STATE, type VmState, type VmStateName, vmState } from "../profile/vm-state.js";

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

/** The state for each number, in V8 of this version and later, up to the version of the next row. */
interface NumberedStates {
  readonly major: number;
  readonly minor: number;
  /** Whether the version row must name Node (`-node.20`), or must not; undefined if both will do. */
  readonly namesNode?: boolean;
  readonly states: readonly VmStateName[];
}

const PARSER_FIRST = ["js", "gc", "parser", "bytecode-compiler", "compiler", "other", "external"] as const;

/**
 * The VM states of every V8, oldest first. The last row that fits a version counts. V8 3.12 to 3.19 had a
 * state for the thread that optimizes. Node 8 took the parser's states over from V8 6.2, but at the end, so that addons
 * kept working; it is the only V8 6.2 whose version row does not name Node. Node 14 took over the wait of
 * Atomics before V8 8.2.
 *
 * Source: `enum StateTag` in V8's src/v8globals.h (to 3.2x), include/v8.h (to 9.x), include/v8-unwinder.h and
 * include/v8-internal.h, of each version and of the headers that come with each Node; logs of Node 0.10 to 26.
 */
const STATES: readonly NumberedStates[] = [
  { major: 0, minor: 0, states: ["js", "gc", "compiler", "other", "external"] },
  { major: 3, minor: 12, states: ["js", "gc", "compiler", "compiler", "other", "external"] },
  { major: 3, minor: 20, states: ["js", "gc", "compiler", "other", "external", "idle"] },
  { major: 6, minor: 2, states: [...PARSER_FIRST, "idle"] },
  {
    major: 6,
    minor: 2,
    namesNode: false,
    states: ["js", "gc", "compiler", "other", "external", "idle", "parser", "bytecode-compiler"],
  },
  { major: 6, minor: 3, states: [...PARSER_FIRST, "idle"] },
  { major: 8, minor: 1, namesNode: true, states: [...PARSER_FIRST, "atomics-wait", "idle"] },
  { major: 8, minor: 2, states: [...PARSER_FIRST, "atomics-wait", "idle", "logging", "idle-external"] },
];

/** Returns the VM state for each number in the logs of a V8 version. */
function statesOf({ major, minor, embedder }: Pick<V8Version, "major" | "minor" | "embedder">): VmState[] {
  const namesNode = embedder.startsWith("-node");
  const fits = (row: NumberedStates) =>
    (row.major < major || (row.major === major && row.minor <= minor)) &&
    (row.namesNode ?? namesNode) === namesNode;
  return STATES.findLast(fits)?.states.map(vmState) ?? [];
}

/** V8's newest dialect, also used for a log without a version. */
export const NEWEST_DIALECT: Dialect = {
  hasQuotes: false,
  vmStates: statesOf({ major: 99, minor: 0, embedder: "" }),
  isUnversioned: false,
  hasRawNames: true,
  rowLimit: 0,
};

/** The dialect of logs that have no version but quote their texts: V8 1 to 3. */
export const QUOTED_DIALECT: Dialect = {
  hasQuotes: true,
  vmStates: statesOf({ major: 3, minor: 20, embedder: "" }),
  isUnversioned: true,
  hasRawNames: true,
  rowLimit: 2047,
};

/**
 * Returns the dialect of a V8 version. Node 8 and 9 have V8 6.2, Node 10 6.8, Node 14 8.4, Node 16 9.4, Node 18
 * 10.2, Node 20 11.3.
 *
 * Source: V8, src/logging/log.cc and its predecessor src/log.cc; logs of each version.
 */
export function dialectOf(version: V8Version): Dialect {
  const { major, minor } = version;
  const vmStates = statesOf(version);
  if (major < 6 || (major === 6 && minor < 3)) return { ...QUOTED_DIALECT, vmStates, isUnversioned: false };
  return { ...NEWEST_DIALECT, vmStates, hasRawNames: major >= 9 };
}

/** Returns the VM state for a state number in the log; `hasStackPointer` is whether the tick has one. */
export function translateState(dialect: Dialect, number: number, hasStackPointer = false): VmState {
  // V8 3.12 to 3.14 could lack a version row. Their state 5 is not idle, which no V8 with this column had.
  if (number === 5 && hasStackPointer && dialect.isUnversioned) return EXTERNAL;
  return dialect.vmStates[number] ?? UNKNOWN_STATE;
}
