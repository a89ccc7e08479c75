import type { Ticks } from "../base/units.js";
import type { Profile } from "../profile/profile.js";
import { Analysis } from "./analysis.js";
import { breakdownOf, categories } from "./breakdown.js";
import { costlyDeopts, type DeoptRow } from "./deopts.js";
import { type Warning, warningsOf } from "./doubts.js";
import type { Finding } from "./findings/finding.js";
import { findings } from "./findings/findings.js";
import { NODES_LOADER } from "./findings/marks.js";
import { memoryFindings } from "./findings/memory.js";
import { type FunctionChain, functionChains } from "./function-chains.js";
import { FunctionNames } from "./function-names.js";
import { type ProfiledFunction, UNNAMED } from "./function-table.js";
import { heavyStacks } from "./heavy-stacks.js";
import { type HotLines, hotLines, linesOfPackages } from "./hot-lines.js";
import { icTicksOf } from "./ics.js";
import { innermostTicks } from "./innermost-ticks.js";
import { isEntry } from "./label.js";
import { loadingTicks } from "./loading-ticks.js";
import { type NextStep, nextSteps } from "./next-steps.js";
import { isLoaderFrame, packageTicks } from "./package-ticks.js";
import { appFunctions, programFunctions } from "./program-frames.js";
import { type ThreadTotals, threadTotals } from "./thread-totals.js";
import { type TopFunctions, topFunctions } from "./top-functions.js";
import { type TopLists, withRanges } from "./top-ranges.js";

/** A thread and its number, which `--thread` selects it by. */
export interface RankedThread extends ThreadTotals {
  /** From 1, in the order of the profile. */
  readonly number: number;
}

/** The summary that `ticks top` shows. All lists are ranked; `topOf` limits `stacks` alone, and that of the library each of them. */
export interface Top extends TopLists {
  /** Ticks that are not excluded; shares are of these. */
  readonly ticks: Ticks;
  readonly warnings: readonly Warning[];
  /** What is known well enough to say what it means, the largest share first. */
  readonly findings: readonly Finding[];
  /**
   * The functions by total, those that own the same ticks together. Leaves out Node's module loader, V8's entries to C++
   * functions and from there, and native functions that are among the first by self: a native function stands in one list.
   */
  readonly chains: readonly FunctionChain[];
  /** Where the innermost function of the program itself was. */
  readonly app: HotLines;
  /** Where the innermost function of the program or of a package was. */
  readonly lines: HotLines;
  /** Those of {@link lines} that are of packages. */
  readonly packageLines: HotLines;
  /** Deoptimizations that cost ticks; empty if the profile was read without `deopts`. */
  readonly deopts: readonly DeoptRow[];
  /** The native functions that the program or a package called in most of their ticks: their lines have these. */
  readonly explained: ReadonlySet<ProfiledFunction>;
  /** The function to look at next; undefined if there is none. */
  readonly next: ProfiledFunction | undefined;
  /** What to run next, the most telling first. */
  readonly steps: readonly NextStep[];
  /** The threads, most ticks first; empty if there is only one. */
  readonly threads: readonly RankedThread[];
  readonly names: FunctionNames;
}

/** Returns the summary of a profile, with at most `limit` stacks, and intervals for `limit` rows of each list. */
export function topOf(of: Profile, limit: number): Top {
  const profile = Analysis.of(of);
  const { table } = profile;
  const { analysis: byFunction } = profile.byFunction;
  const packages = packageTicks(byFunction, limit);
  const functions = topFunctions(profile);
  const categoryOf = categories(byFunction);
  const found = {
    ticks: profile.info.ticks - profile.info.excluded,
    breakdown: breakdownOf(profile, { samples: byFunction.samples, ofSample: categoryOf }),
    ...hotLinesOf(profile),
    packages: { ...packages, ofFrame: table.ofFrame.map((id) => packages.ofFrame[id]!) },
    deopts: costlyDeopts(profile).filter(({ cost }) => cost > 0),
    next: nextOf(byFunction, functions),
    loading: loadingTicks(profile),
  };
  const known = {
    ...found,
    rows: [...found.app.lines, ...found.lines.lines],
    packages: new Map(
      found.packages.rows.flatMap(({ origin, ticks }) =>
        origin?.kind === "deps" ? [[origin.name, ticks]] : [],
      ),
    ),
  };
  const said = profile.info.memory === undefined ? findings(profile, known) : memoryFindings(profile);
  const isLoader = isLoaderFrame();
  const bySelf = new Set(functions.bySelf.slice(0, limit));
  const top = {
    ...found,
    warnings: warningsOf(profile),
    stacks: heavyStacks(byFunction, { limit, categoryOf }),
    functions,
    chains: functionChains(
      byFunction,
      functions.byTotal.filter((row) => {
        const { kind, origin, frame } = row.function;
        if (kind === "native") return !bySelf.has(row) && !isEntry(row.function.name);
        if (frame.kind === "code") return !isEntry(row.function.title);
        return origin.kind !== "node" || !(isLoader(frame) || isOfNodesLoader(row.function));
      }),
    ),
    findings: said,
    explained: explainedFunctions(byFunction),
    steps: nextSteps(byFunction, {
      ...found,
      loading: found.loading.startup,
      icTicks: icTicksOf(profile),
      findings: said,
    }),
    table: byFunction.table,
    threads: rankedThreads(profile),
    names: new FunctionNames(table.functions, profile.info),
  };
  const ranged = withRanges(
    byFunction,
    { ...top, packages, categoryOf },
    { confidence: profile.confidence, ofFunctions: byFunction.confidence, limit },
  );
  return { ...top, ...ranged, packages: { ...top.packages, rows: ranged.packages.rows } };
}

/** Returns the native functions whose ticks are mostly below functions of the program or of packages. */
function explainedFunctions(profile: Analysis): Set<ProfiledFunction> {
  const { samples, tree, table } = profile;
  const { ofSample } = innermostTicks(profile, programFunctions(table));
  /** By function: its own ticks, those below the program less the others. */
  const balance = new Float64Array(table.functions.length);
  for (let i = 0; i < samples.length; i++) {
    const id = table.ofFrame[tree.frame[samples.node[i]!]!]!;
    balance[id]! += ofSample[i]! > 0 ? samples.ticks[i]! : -samples.ticks[i]!;
  }
  return new Set(table.functions.filter(({ kind }, id) => kind === "native" && balance[id]! > 0));
}

/** Whether a function only loads Node's own modules, or is the code of one as it loads. */
function isOfNodesLoader({ file = "", title, line }: ProfiledFunction): boolean {
  return NODES_LOADER.test(file) || (title === UNNAMED && line === 1);
}

function rankedThreads(profile: Profile): RankedThread[] {
  if (profile.info.threads.length < 2) return [];
  return threadTotals(profile)
    .map((thread, i) => ({ ...thread, number: i + 1 }))
    .sort((a, b) => b.ticks - a.ticks);
}

/** Returns the lines of the program itself, those of the program with its packages, and of these those of packages. */
function hotLinesOf(profile: Analysis): Pick<Top, "app" | "lines" | "packageLines"> {
  const { table } = profile;
  const [isApp, isProgram] = [appFunctions(table), programFunctions(table)];
  const lines = hotLines(profile, isProgram);
  const hasPackages = isProgram.some((is, id) => is !== isApp[id]);
  return {
    app: hasPackages ? hotLines(profile, isApp) : lines,
    lines,
    packageLines: linesOfPackages(lines),
  };
}

/**
 * Returns the program's function with most ticks, including Node, V8 and native callees, or else the hottest
 * function.
 */
function nextOf(profile: Analysis, { bySelf }: TopFunctions): ProfiledFunction | undefined {
  const { table } = profile;
  const { ticks } = innermostTicks(profile, programFunctions(table));
  let hottest: number | undefined;
  for (let id = 0; id < ticks.length; id++) {
    const inProgram = ticks[id]!;
    if (inProgram > 0 && (hottest === undefined || inProgram > ticks[hottest]!)) hottest = id;
  }
  if (hottest !== undefined) return table.functions[hottest];
  return bySelf.find(({ function: { frame } }) => frame.kind !== "unknown")?.function;
}
