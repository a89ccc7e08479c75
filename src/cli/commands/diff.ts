import { compareRuns } from "../../compare/diff.js";
import type { RunGroup } from "../../compare/run-groups.js";
import type { ScaleName } from "../../compare/scales.js";
import { TicksError } from "../../errors.js";
import type { DiffOrder, DiffReport } from "../../reports/diff.js";
import { leavesOut } from "../filter-options.js";
import { inputFiles } from "../log-input.js";
import type { FormatFlags, ViewFlags } from "../options.js";
import { printReport } from "../print-report.js";
import { readSides } from "../read-runs.js";
import { type GivenRun, givenRuns, renamer, splitSides, titleOfRuns } from "../sides.js";

interface DiffFlags extends ViewFlags, FormatFlags {
  output?: string;
  by: RunGroup;
  scale: ScaleName;
  per?: readonly [number, number];
  rename?: string[];
  sort: DiffOrder;
  min: number;
  limit: number;
}

export async function runDiff(words: readonly string[], flags: DiffFlags): Promise<void> {
  const { by, per, sort: order, min, limit } = flags;
  const name = per === undefined ? flags.scale : "cpu";
  if (per !== undefined && flags.scale === "unchanged")
    throw new TicksError("BAD_OPTION", "--per does not go with --scale unchanged");
  if (name === "cpu" && flags.idle)
    throw new TicksError("BAD_OPTION", "--idle does not go with --scale cpu: what waits takes no CPU");
  const rename = renamer(flags.rename ?? []);
  const sides = splitSides(words);
  const given = [await givenRuns(sides.before), await givenRuns(sides.after)] as const;
  const output =
    flags.output === undefined ? undefined : await differenceFile(flags.output, { given, flags });
  const read = await readSides(given, {
    flags,
    groups: output === undefined ? [by] : [by, "function"],
    hasEffects: given.some((runs) => runs.length < 2),
    hasProfile: output !== undefined,
  });
  const compare = (group: number) => {
    const [before, after] = read.map((runs) => runs.map(({ summaries }) => summaries[group]!));
    return compareRuns(before!, after!, { scale: { name, per }, rename });
  };
  const diff = compare(0);
  if (diff === undefined) {
    throw new TicksError(
      "NO_TICKS",
      "--scale unchanged: nothing has ticks in all runs",
      "Use --scale share, or record longer runs.",
    );
  }
  const [titleBefore, titleAfter] = given.map(titleOfRuns);
  const report: DiffReport = {
    diff,
    by,
    before: titleBefore!,
    after: titleAfter!,
    order,
    min,
    limit,
    words: sides,
    isFiltered: leavesOut(flags),
  };
  await printReport((await import("../../reports/diff.js")).DIFF, report, flags);
  if (output === undefined) return;
  const functions = by === "function" ? diff : compare(1)!;
  const [first, second] = read.map((runs) => runs.map(({ profile }) => profile!));
  await output.write({ diff: functions, before: first!, after: second! }, [titleBefore!, titleAfter!]);
}

/** Loads what writes a difference, and checks its file before the logs are read. */
async function differenceFile(
  path: string,
  { given, flags }: { readonly given: readonly (readonly GivenRun[])[]; readonly flags: ViewFlags },
) {
  const { DifferenceFile } = await import("./diff/difference-file.js");
  const logs = given.flat(2).map(({ path }) => path);
  return new DifferenceFile(path, inputFiles(logs, flags));
}
