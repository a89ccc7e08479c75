import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { type BreakdownRow, breakdown } from "./breakdown.js";
import { type Warning, warningsOf } from "./coverage.js";
import { costlyDeopts, type DeoptRow } from "./deopts.js";
import { FunctionNames } from "./function-names.js";
import { FunctionTable, type ProfiledFunction } from "./function-table.js";
import { type HeavyStacks, heavyStacks } from "./heavy-stacks.js";
import { type HotLines, hotLines } from "./hot-lines.js";
import { type PackageRow, packageTicks } from "./package-ticks.js";
import { innermostProgram } from "./program-frames.js";
import { type TopFunctions, topFunctions } from "./top-functions.js";

/** The summary that `ticks top` shows. All lists are ranked; only `stacks` is limited. */
export interface Top {
  /** Ticks that are not excluded; shares are of these. */
  readonly ticks: Ticks;
  readonly warnings: readonly Warning[];
  readonly breakdown: readonly BreakdownRow[];
  readonly stacks: HeavyStacks;
  readonly functions: TopFunctions;
  readonly lines: HotLines;
  readonly packages: readonly PackageRow[];
  /** Deoptimizations that cost ticks; empty if the profile was read without `deopts`. */
  readonly deopts: readonly DeoptRow[];
  /** The function to look at next; undefined if there is none. */
  readonly next: ProfiledFunction | undefined;
  readonly names: FunctionNames;
}

/** Returns the summary of a profile, with at most `limit` stacks. */
export function topOf(profile: Profile, limit: number): Top {
  const table = new FunctionTable(profile.frames);
  const functions = topFunctions(profile, table);
  return {
    ticks: profile.info.ticks - profile.info.excluded,
    warnings: warningsOf(profile),
    breakdown: breakdown(profile),
    stacks: heavyStacks(profile, table, limit),
    functions,
    lines: hotLines(profile, table),
    packages: packageTicks(profile),
    deopts: costlyDeopts(profile).filter(({ cost }) => cost > 0),
    next: nextOf(profile, table, functions),
    names: new FunctionNames(table.functions),
  };
}

/**
 * Returns the program's function with most ticks, including Node, V8 and native callees, or else the hottest
 * function.
 */
function nextOf(
  profile: Profile,
  table: FunctionTable,
  { bySelf }: TopFunctions,
): ProfiledFunction | undefined {
  const { tree, samples } = profile;
  const innermost = innermostProgram(profile, table);
  const ticks = new Float64Array(table.functions.length);
  for (let i = 0; i < samples.length; i++) {
    const node = innermost[samples.node[i]!]!;
    if (node !== ROOT) ticks[table.ofFrame[tree.frame[node]!]!]! += samples.ticks[i]!;
  }
  let hottest: number | undefined;
  for (const [id, inProgram] of ticks.entries()) {
    if (inProgram > 0 && (hottest === undefined || inProgram > ticks[hottest]!)) hottest = id;
  }
  if (hottest !== undefined) return table.functions[hottest];
  return bySelf.find(({ function: { frame } }) => frame.kind !== "unknown")?.function;
}
