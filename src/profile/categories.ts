/**
 * The one table of what ticks were doing. All that groups ticks has its groups and their names from here: `top`, `timeline`, `threads`,
 * `live`, budgets, `doctor`, the flame page, and files for Firefox. Only the sections of `process` differ: {@link sectionOf}.
 */

import type { Frame, UnknownReason } from "./frame.js";
import { isIdle, isWait, VM_STATES, type VmStateName } from "./vm-state.js";

/** What a tick was doing. */
export type Category =
  | "js"
  | "builtins"
  | "native"
  | "gc"
  | "compiler"
  | "bytecode-compiler"
  | "parser"
  | "profiler"
  | "atomics-wait"
  | "idle"
  | "unknown";

/** What is painted over time on the flame page, from the bottom up. */
export const TIME_CATEGORIES = [
  "js",
  "builtins",
  "native",
  "gc",
  "compile",
  "parse",
  "idle",
  "other",
] as const;

/** What a thread did at a time, on the flame page. */
export type TimeCategory = (typeof TIME_CATEGORIES)[number];

/** The titles of {@link TIME_CATEGORIES}, in a legend. */
export const TIME_TITLES: Readonly<Record<TimeCategory, string>> = {
  js: "JavaScript",
  builtins: "V8’s builtins",
  native: "C++",
  gc: "Garbage collection",
  compile: "Compiling",
  parse: "Parsing",
  idle: "Waiting",
  other: "Other",
};

/** Firefox's categories of frames that we use, and the colours that it has for them. */
export const FIREFOX_COLORS = {
  Other: "grey",
  Idle: "transparent",
  JavaScript: "yellow",
  V8: "lightblue",
  Native: "blue",
  "GC / CC": "orange",
} as const;

/** The name of a category in Firefox. */
export type FirefoxCategory = keyof typeof FIREFOX_COLORS;

interface CategoryRow {
  readonly category: Category;
  readonly title: string;
  /** Its title beside a timeline. */
  readonly short: string;
  /** Its column in a table of threads. Categories can share one. */
  readonly column: string;
  /** The VM states that say it, whatever code ran; none if only the code does. */
  readonly states: readonly VmStateName[];
  /** The kind of spikes that it makes: work of V8 itself. */
  readonly spike?: "gc" | "parser" | "compiler";
  readonly time: TimeCategory;
  readonly firefox: FirefoxCategory;
}

/** The categories in the order of reports. Each tick has one: {@link CATEGORY_OF_STATE}, else {@link categoryOfCode}. */
export const CATEGORIES: readonly CategoryRow[] = [
  {
    category: "js",
    title: "JavaScript and WebAssembly",
    short: "JS",
    column: "JS",
    states: [],
    time: "js",
    firefox: "JavaScript",
  },
  {
    category: "builtins",
    title: "V8's builtins, stubs and regular expressions",
    short: "builtins",
    column: "builtins",
    states: [],
    time: "builtins",
    firefox: "V8",
  },
  {
    category: "native",
    title: "C++ and other native code",
    short: "C++",
    column: "C++",
    states: [],
    time: "native",
    firefox: "Native",
  },
  {
    category: "gc",
    title: "garbage collection",
    short: "GC",
    column: "GC",
    states: ["gc"],
    spike: "gc",
    time: "gc",
    firefox: "GC / CC",
  },
  {
    category: "compiler",
    title: "optimizing compilers",
    short: "optimize",
    column: "compile",
    states: ["compiler"],
    spike: "compiler",
    time: "compile",
    firefox: "Native",
  },
  {
    category: "bytecode-compiler",
    title: "bytecode compiler",
    short: "compile",
    column: "compile",
    states: ["bytecode-compiler"],
    spike: "compiler",
    time: "compile",
    firefox: "Native",
  },
  {
    category: "parser",
    title: "parser",
    short: "parse",
    column: "compile",
    states: ["parser"],
    spike: "parser",
    time: "parse",
    firefox: "Native",
  },
  {
    category: "profiler",
    title: "the profiler itself",
    short: "profiler",
    column: "profiler",
    states: ["logging"],
    time: "other",
    firefox: "Native",
  },
  {
    category: "atomics-wait",
    title: "waiting in Atomics.wait",
    short: "waiting",
    column: "idle",
    states: ["atomics-wait"],
    time: "idle",
    firefox: "Idle",
  },
  {
    category: "idle",
    title: "idle",
    short: "idle",
    column: "idle",
    states: ["idle", "idle-external", "idle-inferred"],
    time: "idle",
    firefox: "Idle",
  },
  {
    category: "unknown",
    title: "unknown function",
    short: "unknown",
    column: "unknown",
    states: [],
    time: "other",
    firefox: "Other",
  },
];

export function categoryIndex(category: Category): number {
  return CATEGORIES.findIndex((row) => row.category === category);
}

export function categoryRow(category: Category): CategoryRow {
  return CATEGORIES[categoryIndex(category)]!;
}

/** By VM state: the category that it says, whatever code ran. */
export const CATEGORY_OF_STATE: Readonly<Partial<Record<VmStateName, Category>>> = Object.fromEntries(
  CATEGORIES.flatMap(({ category, states }) => states.map((state) => [state, category])),
);

/** The categories of ticks that waited, as far as V8 says: they use no CPU, and are said apart. */
export const WAITS: readonly Category[] = CATEGORIES.flatMap(({ category, time }) =>
  time === "idle" ? [category] : [],
);

/** Parsing and compiling, of all kinds. */
export const COMPILING: readonly Category[] = CATEGORIES.flatMap(({ category, column }) =>
  column === "compile" ? [category] : [],
);

/** Returns the category of code, if no VM state says another. */
export function categoryOfCode({ kind }: Pick<Frame, "kind">): Category {
  return CODE[kind];
}

const CODE: Readonly<Record<Frame["kind"], Category>> = {
  js: "js",
  code: "builtins",
  native: "native",
  unknown: "unknown",
};

/** The section of the `process` report that a frame belongs to. */
export type FunctionKind = "js" | "native" | "library" | "unknown";

/**
 * Returns the section of `process` that a frame is in. It must equal that of `node --prof-process`, and so is none of
 * {@link CATEGORIES}: builtins are JavaScript, garbage collection and compilers are C++, and native code without a name is
 * a shared library.
 *
 * Source: V8, tools/tickprocessor.mjs, `printStatistics`.
 */
export function sectionOf(frame: Frame): FunctionKind {
  switch (frame.kind) {
    case "js":
    case "code":
      return "js";
    case "native":
      return frame.symbol === undefined ? "library" : "native";
    case "unknown":
      return "unknown";
  }
}

/** What is known of the function that a tick was in, whatever V8 says that it did. */
export type CoverageCategory = "js" | "builtins" | "native" | "kernel" | "idle" | "no-symbol" | UnknownReason;

interface CoverageRow {
  readonly category: CoverageCategory;
  readonly title: string;
  /** Whether the function is known, or none ran. */
  readonly hasFunction: boolean;
}

/** What can be known of a function, in the order of reports. */
export const COVERAGE: readonly CoverageRow[] = [
  { category: "js", title: "JavaScript and WebAssembly functions", hasFunction: true },
  { category: "builtins", title: categoryRow("builtins").title, hasFunction: true },
  { category: "native", title: "native functions", hasFunction: true },
  { category: "kernel", title: "kernel code mapped into the process ([vdso])", hasFunction: true },
  { category: "idle", title: "idle: nothing ran", hasFunction: true },
  { category: "no-symbol", title: "library code without a symbol", hasFunction: false },
  { category: "no-pc", title: "no address: the sampler could not read one", hasFunction: false },
  { category: "builtin-gap", title: "gaps between V8's copied builtins", hasFunction: false },
  { category: "code-gone", title: "code already moved or freed", hasFunction: false },
  { category: "unmapped", title: "outside all logged code and libraries", hasFunction: false },
];

/** Returns what is known of a frame. */
export function coverageCategory(frame: Frame): CoverageCategory {
  switch (frame.kind) {
    case "js":
      return "js";
    case "code":
      return "builtins";
    case "native":
      if (frame.symbol !== undefined) return "native";
      return frame.library.startsWith("[") ? "kernel" : "no-symbol";
    case "unknown":
      return frame.reason;
  }
}

/** What ticks are grouped by: what the tick was doing, as in `ticks top`, or the state that V8 says it was in. */
export type GroupBy = "category" | "state";

/** A group of ticks. Categories and states that mean the same have the same name. */
export type GroupName = Category | VmStateName;

/** What a table of groups says of one. */
export interface GroupRow {
  readonly name: GroupName;
  /** As {@link CategoryRow}. */
  readonly short: string;
  readonly column: string;
  /** Whether it is work of V8 itself, which timelines highlight. */
  readonly isOverhead: boolean;
  /** Whether the thread waited. */
  readonly isWait: boolean;
}

/** The titles of VM states beside a timeline that are no categories. */
const STATE_TITLES: Readonly<Partial<Record<VmStateName, string>>> = {
  "idle-external": "idle ext",
  "idle-inferred": "idle ≈",
};

/** The groups of each grouping, in the order of reports. */
export const TICK_GROUPS: Readonly<Record<GroupBy, readonly GroupRow[]>> = {
  category: CATEGORIES.map(({ category, short, column, spike }) => {
    return {
      name: category,
      short,
      column,
      isOverhead: spike !== undefined,
      isWait: WAITS.includes(category),
    };
  }),
  state: VM_STATES.map((name, state) => {
    const row = CATEGORIES.find(({ category }) => category === name);
    const column = isIdle(state) ? "idle" : row?.column === "compile" ? "compile" : name;
    return {
      name,
      short: STATE_TITLES[name] ?? row?.short ?? name,
      column,
      isOverhead: row?.spike !== undefined,
      isWait: isWait(state),
    };
  }),
};
