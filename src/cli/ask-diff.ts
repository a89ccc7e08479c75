import { TicksError } from "../base/errors.js";
import { compareRuns, newNamesOfFiles } from "../compare/diff.js";
import type { RunGroup } from "../compare/run-groups.js";
import type { ScaleName } from "../compare/scales.js";
import { refuseMemory } from "../inputs/inputs.js";
import type { DiffOrder, DiffReport } from "../reports/diff-rows.js";
import { nothingInAll } from "../reports/diff-words.js";
import { leavesOut } from "./filter-options.js";
import type { FormatFlags, ViewFlags } from "./options.js";
import { printReport } from "./print-report.js";
import { readSides } from "./read-runs.js";
import { commandOfLogs } from "./recordings.js";
import { type GivenRun, givenRuns, renamer, type Sides, titleOfRuns } from "./sides.js";
import type { PageStream } from "./terminal.js";

/** The options of `ticks diff` that say what is compared, and which rows are shown. */
export interface DiffFlags extends ViewFlags {
  by: RunGroup;
  scale: ScaleName;
  per?: readonly [number, number];
  rename?: string[];
  sort: DiffOrder;
  min: number;
  limit: number;
}

/** Reads the runs of both sides, and compares them. `wish.given` is called with the logs before they are read. */
export async function askDiff(
  sides: Sides,
  flags: DiffFlags,
  wish: {
    /** The options of the command line for commands to run next. Default: none. */
    readonly options?: DiffReport["options"];
    readonly hasStacks?: boolean;
    readonly given?: (given: readonly (readonly GivenRun[])[]) => Promise<void>;
  } = {},
) {
  const { by, per, sort: order, min, limit } = flags;
  const { hasStacks = false } = wish;
  const name = per === undefined ? flags.scale : "cpu";
  const rename = renamer(flags.rename ?? []);
  const given = [await givenRuns(sides.before, flags), await givenRuns(sides.after, flags)] as const;
  await wish.given?.(given);
  const read = await readSides(given, {
    flags,
    groups: hasStacks || by === "file" ? [by, "function"] : [by],
    hasEffects: given.some((runs) => runs.length < 2),
    hasProfile: hasStacks,
  });
  if (flags.scale === "cpu")
    refuseMemory(
      read.flat().flatMap(({ infos }) => infos),
      "Leave out --scale cpu. --per works for memory, too.",
    );
  const summaries = (group: number) => {
    const [before, after] = read.map((runs) => runs.map((run) => run.summaries[group]!));
    return [before!, after!] as const;
  };
  const files = by === "file" ? newNamesOfFiles(summaries(1), { rename }) : undefined;
  const compare = (group: number) => {
    const [before, after] = summaries(group);
    return compareRuns(before, after, {
      scale: { name, per },
      rename,
      files: group === 0 ? files : undefined,
    });
  };
  const diff = compare(0);
  if (diff === undefined) {
    throw new TicksError(
      "NO_TICKS",
      `--scale unchanged: ${nothingInAll(summaries(0)[0][0])}`,
      "Use --scale share, or record longer runs.",
    );
  }
  const [before = "", after = ""] = given.map(titleOfRuns);
  const report: DiffReport = {
    ...{ diff, by, before, after, order, min, limit, words: sides, options: wish.options },
    isFiltered: leavesOut(flags),
    command: commandOfLogs(given[1].flat().map(({ path }) => path)),
  };
  /** Of functions, whatever the rows are. */
  const ofFunctions = () => (by === "function" ? diff : compare(1)!);
  return { report, read, ofFunctions };
}

/** Prints the page of `ticks diff`; default: to standard output. */
export async function printDiff(
  report: DiffReport,
  flags: DiffFlags & FormatFlags,
  stream?: PageStream,
): Promise<void> {
  await printReport((await import("../reports/diff.js")).DIFF, report, flags, { stream });
}
