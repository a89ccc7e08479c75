import type { Text } from "../../base/text.js";
import type { Ticks } from "../../base/units.js";
import type { ProfiledFunction } from "../function-table.js";
import type { MadeAt } from "../made-at.js";

/** What a finding is about: a row of {@link RULES}, or what is not seen on a single stack. */
export type FindingKind =
  | "async-hooks"
  | "console"
  | "child-process-sync"
  | "zlib-sync"
  | "crypto-sync"
  | "fs-sync"
  | "hashing"
  | "intl"
  | "code-from-text"
  | "regexp-compile"
  | "json"
  | "array-search"
  | "array-shift"
  | "array-splice"
  | "spread"
  | "text-replace"
  | "regexp"
  | "collections"
  | "prototypes"
  | "classes"
  | "define-property"
  | "weak-references"
  | "text-coding"
  | "deep-equal"
  | "dynamic-import"
  | "buffer-concat"
  | "buffers"
  | "streams"
  | "events"
  | "buffer-text"
  | "copies"
  | "stack-trace"
  | "inspect"
  | "system"
  | "environment"
  | "timers"
  | "urls"
  | "files"
  | "dates"
  | "number-text"
  | "spread-call"
  | "keys"
  | "array-copy"
  | "sort"
  | "proxy"
  | "bigint"
  | "flatten"
  | "generators"
  | "promises"
  | "strings"
  | "megamorphic"
  | "slow-properties"
  | "sparse-elements"
  | "recursion"
  | "own-code"
  | "hot-code"
  | "text-split"
  | "text-search"
  | "text-case"
  | "locks"
  | "mixed-types"
  | "late-loading"
  | "package"
  | "gc"
  | "loading"
  | "deopt-loop"
  | "optimizing"
  | "one-worker"
  | "spinning"
  | "tick-chain"
  | "idle";

/** Something that stands out, with what is known about its kind. */
export interface Finding {
  readonly kind: FindingKind;
  /** What a fix would save: the ticks of all stacks on which this work is seen below the program's lines, and with {@link FindingPlace.isRow} their rest. */
  readonly ticks: Ticks;
  /** Of the ticks that are shown; of `idle`, of all ticks, or of the time. */
  readonly percent: number;
  /** Where in the program most of it is; undefined if the log does not tell. */
  readonly place: FindingPlace | undefined;
  /** All lines that it is at, most ticks first. Their ticks are no more than those of the finding. */
  readonly places: readonly FindingPlace[];
  /** The line of another function that calls the place most often; undefined if none does. It is often the one to change. */
  readonly caller: FindingPlace | undefined;
  /** Where the regular expression is made, or the code at its place; undefined if it is at the place, or not known. */
  readonly made: MadeAt | undefined;
  /** The hottest line near it, where the log does not tell the places of most ticks; undefined otherwise. */
  readonly likely: FindingPlace | undefined;
  /** The line of a package that does most of it, if the program only calls that; of a package, its hottest line. Undefined otherwise. */
  readonly inPackage: FindingPlace | undefined;
  /** The threads that it is about, most ticks first. */
  readonly threads: readonly BusyThread[];
  /** Whether much garbage is collected just after the place: its ticks come on top. */
  readonly makesGarbage: boolean;
  /** What it is and does, as the end of a sentence. */
  readonly what: Text;
  /** What to do instead, or how to see more. */
  readonly advice: string | undefined;
}

/** A thread, and how much of its time it was busy. */
interface BusyThread {
  readonly name: string;
  /** Those that did not wait. */
  readonly ticks: Ticks;
  /** In percent. */
  readonly busy: number;
}

/** A line of the program or, if none of it is on the stack, of a package. */
export interface FindingPlace {
  readonly function: ProfiledFunction;
  /** From 1: the line that called it, or where the function begins if that is not known. */
  readonly line: number;
  /** Ticks of the finding at this line. */
  readonly ticks: Ticks;
  /** The column in the line, from 1; undefined if it is not known. */
  readonly column: number | undefined;
  /** Whether the line is known, and not only its function. */
  readonly isLineKnown: boolean;
  /** Whether a row of the program's lines, or of packages', has the same ticks. */
  readonly isRow: boolean;
}
