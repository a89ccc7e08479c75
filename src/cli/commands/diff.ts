import { type Command, InvalidArgumentError, Option } from "commander";
import { compareRuns } from "../../compare/diff.js";
import { RUN_GROUPS, type RunGroup } from "../../compare/run-groups.js";
import { SCALES, type ScaleName } from "../../compare/scales.js";
import { TicksError } from "../../errors.js";
import type { DiffOrder, DiffReport } from "../../reports/diff.js";
import { REPORTS } from "../../reports/reports.js";
import { leavesOut } from "../filter-options.js";
import { inputFiles } from "../log-input.js";
import {
  addFormatOptions,
  addViewOptions,
  type FormatFlags,
  type ViewFlags,
  wholeNumber,
} from "../options.js";
import { printReport } from "../print-report.js";
import { readSides } from "../read-runs.js";
import { type GivenRun, givenRuns, renamer, splitSides, titleOfRuns } from "../sides.js";

const ORDERS: readonly DiffOrder[] = ["change", "before", "after", "total", "name"];

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

const DETAILS = `
Each log, or the logs of one PID in a folder, is a run. With two runs a side or
more, each change gets a verdict: it counts if runs of the same code would
seldom differ so much. Record several runs a side, five or more, in turns.

Examples:
  ticks diff before/ -- after/
  ticks diff v1-*.log -- v2-*.log --by package
  ticks diff before/ -- after/ --scale cpu --per 10000,10000`;

/** Adds the options and the action of `ticks diff`. */
export function configure(command: Command): void {
  command
    .usage("[options] BEFORE... -- AFTER...")
    .addOption(new Option("--by <group>", "what to compare").choices(RUN_GROUPS).default("function"))
    .addOption(
      new Option(
        "--scale <name>",
        "compare shares of all ticks, CPU time, or shares as if most code took as long as before",
      )
        .choices(SCALES)
        .default("share"),
    )
    .option("--per <n,m>", "units of work of each run before and after; implies --scale cpu", units)
    .option("--rename <s/from/to/>", "rename functions and files of the first side; repeatable", collected)
    .addOption(new Option("--sort <what>", "sort rows").choices(ORDERS).default("change"))
    .option("--min <number>", "leave out rows that change by less, in the numbers of the scale", amount, 0)
    .option("-n, --limit <n>", "number of rows without a verdict, and of Node and V8", wholeNumber, 10);
  command.option(
    "-o, --output <file>",
    "also write the difference of all stacks: .pb.gz for pprof, .folded for flamegraph.pl",
  );
  addFormatOptions(command, ["text", "json", "md"]);
  addViewOptions(command);
  command.addHelpText("after", DETAILS);
  command.action(async (words: string[], flags: DiffFlags) => {
    await runDiff(words, flags);
  });
}

function units(text: string): readonly [number, number] {
  const numbers = text.split(",").map(Number);
  const [before, after] = numbers;
  if (numbers.length !== 2 || !numbers.every((number) => number > 0 && Number.isFinite(number)))
    throw new InvalidArgumentError("Expected two numbers above 0, such as 1000,1200.");
  return [before!, after!];
}

function amount(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !(number >= 0)) throw new InvalidArgumentError("Expected a number, 0 or more.");
  return number;
}

function collected(text: string, previous: string[] = []): string[] {
  return [...previous, text];
}

async function runDiff(words: readonly string[], flags: DiffFlags): Promise<void> {
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
  await printReport(REPORTS.diff, report, flags);
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
