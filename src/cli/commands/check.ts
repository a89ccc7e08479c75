import { existsSync, lstatSync } from "node:fs";
import { badOption, TicksError } from "../../base/errors.js";
import { groupBy } from "../../base/maps.js";
import { counted } from "../../base/text.js";
import {
  type Budget,
  budgetsOfWaits,
  CODE_METRICS,
  checkBudgets,
  type Metric,
  unknownSelectors,
} from "../../compare/budgets.js";
import { newNamesOfFiles } from "../../compare/diff.js";
import type { SelectedRun, Selector } from "../../compare/selections.js";
import { printable } from "../../facts/label.js";
import { nearNames } from "../../facts/near-names.js";
import { refuseMemory } from "../../inputs/inputs.js";
import { writeWholeFile } from "../../io/atomic-file.js";
import { CATEGORY_OF_STATE } from "../../profile/categories.js";
import type { ProfileInfo } from "../../profile/profile.js";
import type { CheckReport } from "../../reports/check.js";
import { READ_MEMORY } from "../../reports/words.js";
import { titleOf } from "../log-paths.js";
import type { ViewFlags } from "../options.js";
import { printReport } from "../print-report.js";
import { type ReadRun, type RunOptions, readSides } from "../read-runs.js";
import { commandOfLogs } from "../recordings.js";
import { type GivenRun, givenRuns } from "../sides.js";
import { type PagerFlag, terminalWidth, warn, writeReport } from "../terminal.js";
import { BUDGET_FILE, parseBudget, readBudgets, turnBudget } from "./check/budget-file.js";

const FORMATS = ["text", "md", "github", "junit", "json"] as const;

interface CheckFlags extends ViewFlags, PagerFlag {
  budget?: string;
  /** Each `NAME=MAX`. */
  maxSelf?: string[];
  maxTotal?: string[];
  maxTicks?: string[];
  maxDeopts?: string[];
  maxGrowth?: string[];
  /** Each `NAME=SIZE`. */
  maxAllocated?: string[];
  /** In milliseconds. */
  maxTurn?: number;
  per?: number;
  against?: string[];
  init?: boolean;
  strict?: boolean;
  format: (typeof FORMATS)[number];
  pretty?: boolean;
}

/** What budgets of memory can limit. */
const OF_MEMORY: ReadonlySet<Metric> = new Set(["self", "total", "growth", "allocated"]);

/** What V8 was doing: that takes time, and allocates nothing. */
const OF_TIME: ReadonlySet<string> = new Set(Object.values(CATEGORY_OF_STATE));

/** Throws a {@link TicksError} for budgets of memory where the runs count time, and the other way round; and for options of time. */
function refuseOtherKind(
  budgets: readonly Budget[],
  infos: readonly ProfileInfo[],
  { idle }: Pick<CheckFlags, "idle">,
): void {
  if (idle) refuseMemory(infos, "Leave out --idle: it counts what waited.");
  const ofState = budgets.find(
    ({ selector: { kind, name } }) => kind === "category" && typeof name === "string" && OF_TIME.has(name),
  );
  if (ofState !== undefined)
    refuseMemory(infos, `It has no ${ofState.title}: limit its memory, --max-allocated NAME=10MB.`);
  const wrong = budgets.find(({ metric }) => !OF_MEMORY.has(metric));
  if (wrong !== undefined)
    refuseMemory(infos, `It has no ${wrong.metric}: limit its memory, --max-allocated NAME=10MB.`);
  const [size] = budgets.filter(({ metric }) => metric === "allocated");
  const timed = infos.find(({ memory }) => memory?.of !== "bytes");
  if (size === undefined || timed === undefined) return;
  throw badOption(
    `${printable(timed.title)} has no bytes, and a budget limits what ${printable(size.title)} allocates`,
    `Record what is allocated: ticks record --allocations -- COMMAND. Of a folder that has both: ${READ_MEMORY}`,
  );
}

/** Runs `ticks check`. Returns the exit status. */
export async function runCheck(logs: readonly string[], flags: CheckFlags): Promise<number> {
  return flags.init ? runInit(logs, flags) : checkLogs(logs, flags);
}

async function checkLogs(logs: readonly string[], flags: CheckFlags): Promise<number> {
  const { budgets, units: unitsOfFile } = budgetsOf(flags);
  if (flags.against === undefined && budgets.some(({ metric }) => metric === "growth"))
    throw badOption("a budget limits growth: name the baseline with --against");
  const [unseen] = flags.idle ? [] : budgetsOfWaits(budgets);
  if (unseen !== undefined)
    throw badOption(`a budget limits ${unseen.title}, and what waited is left out`, "To count them: --idle");
  const { against = [] } = flags;
  const given = [await givenRuns(logs, flags), against.length === 0 ? [] : await givenRuns(against, flags)];
  const sides = given.filter((runs) => runs.length > 0);
  const hasEffects = sides.some((runs) => runs.length < 2);
  const selectors = budgets.map(({ selector }) => selector);
  const options: RunOptions = { flags: clonable(flags), groups: ["function"], selectors, hasEffects };
  const read = await readSides(sides, sides.length < 2 ? { ...options, groups: [] } : options);
  refuseOtherKind(
    budgets,
    read.flat().flatMap(({ infos }) => infos),
    flags,
  );
  const [runs = [], before = []] = read.map((side) => side.map(({ selected }) => selected));
  const oldNames = before.length === 0 ? [] : namesBefore(budgets, { runs, before, read });
  const baseline = oldNames.some((selector, i) => selector !== selectors[i])
    ? (await readSides([given[1]!], { ...options, groups: [], selectors: oldNames }))[0]!.map(
        ({ selected }) => selected,
      )
    : before;
  const checked = { runs, baseline, units: flags.per ?? unitsOfFile };
  refuseUnknown(budgets, checked);
  const [title = "", baselineTitle] = given.map((side) => titleOf(side.flat(), () => true));
  const report: CheckReport = {
    results: checkBudgets(budgets, checked),
    title,
    runs,
    baseline: flags.against === undefined ? undefined : { title: baselineTitle ?? "", runs: baseline },
    isStrict: flags.strict ?? false,
    folder: process.cwd(),
    command: commandOfLogs(given[0]!.flat().map(({ path }) => path)),
  };
  await print(report, flags);
  const { isFailure } = await import("../../reports/check.js");
  return report.results.some((result) => isFailure(result, report)) ? 1 : 0;
}

/** Returns what selects the code of budgets in a baseline: where only that lacks it, by the name that its file had then. */
function namesBefore(
  budgets: readonly Budget[],
  {
    runs,
    before,
    read,
  }: {
    readonly runs: readonly SelectedRun[];
    readonly before: readonly SelectedRun[];
    readonly read: readonly (readonly ReadRun[])[];
  },
): Selector[] {
  const missing = new Set(unknownSelectors(budgets, before));
  for (const budget of unknownSelectors(budgets, runs)) missing.delete(budget);
  if (missing.size === 0) return budgets.map(({ selector }) => selector);
  const [now = [], old = []] = read.map((side) => side.map(({ summaries }) => summaries[0]!));
  const files = newNamesOfFiles([old, now], {});
  return budgets.map((budget) =>
    missing.has(budget) ? withOldFile(budget.selector, files) : budget.selector,
  );
}

/** `files`: by old name, the new one. */
function withOldFile(selector: Selector, files: ReadonlyMap<string, string>): Selector {
  const { kind, name } = selector;
  if (typeof name !== "string") return selector;
  for (const [old, now] of files) {
    if (kind === "file" && `/${now}`.endsWith(`/${name}`)) return { kind, name: old };
    if (kind === "function" && name.startsWith(`${now} `))
      return { kind, name: old + name.slice(now.length) };
  }
  return selector;
}

/** Returns the flags that reading needs: patterns can be sent to another thread, budgets need not be. */
function clonable({
  maxSelf,
  maxTotal,
  maxTicks,
  maxDeopts,
  maxGrowth,
  maxAllocated,
  maxTurn,
  ...flags
}: CheckFlags): ViewFlags {
  return flags;
}

function budgetsOf(flags: CheckFlags): {
  readonly budgets: readonly Budget[];
  readonly units: number | undefined;
} {
  const { maxSelf, maxTotal, maxTicks, maxDeopts, maxGrowth, maxAllocated, maxTurn } = flags;
  const texts = {
    self: maxSelf,
    total: maxTotal,
    ticks: maxTicks,
    deopts: maxDeopts,
    growth: maxGrowth,
    allocated: maxAllocated,
  };
  const own = [
    ...CODE_METRICS.flatMap((metric) => (texts[metric] ?? []).map((text) => parseBudget(text, metric))),
    ...(maxTurn === undefined ? [] : [turnBudget(maxTurn)]),
  ];
  const file = flags.budget ?? (existsSync(BUDGET_FILE) ? BUDGET_FILE : undefined);
  if (file === undefined && own.length === 0) {
    throw badOption(
      "no budgets: there is no ticks.budget.json here, and no --max option",
      "Write a file to start with: ticks check --init LOG",
    );
  }
  const read = file === undefined ? { budgets: [], units: undefined } : readBudgets(file);
  const budgets = [...read.budgets, ...own];
  if (budgets.length === 0)
    throw badOption(
      `no budgets: ${printable(file ?? BUDGET_FILE)} has none`,
      "Delete it and write another: ticks check --init LOG",
    );
  return { budgets, units: read.units };
}

/** Throws a {@link TicksError} for budgets of what no run has: such a limit would hold for ever, as after a file was renamed. */
function refuseUnknown(
  all: readonly Budget[],
  { runs, baseline }: { readonly runs: readonly SelectedRun[]; readonly baseline: readonly SelectedRun[] },
): void {
  const budgets = unknownSelectors(all, runs);
  const [budget] = budgets;
  if (budget === undefined) return;
  const near = nearSelectors(
    budget,
    runs.flatMap(({ names }) => names),
  );
  const more = budgets.length > 1 ? ` (and ${counted(budgets.length - 1, "more budget")})` : "";
  const wasThere = baseline.length > 0 && !unknownSelectors(all, baseline).includes(budget);
  const hint = near.length > 0 ? `Did you mean ${near.map(printable).join(", ")}?` : undefined;
  throw new TicksError(
    "NOT_FOUND",
    wasThere
      ? `only the runs of --against have ${printable(budget.title)}, which a budget limits${more}`
      : `no log has ${printable(budget.title)}, which a budget limits${more}`,
    wasThere ? "If it was renamed, name it anew in the budget; if it is gone, remove the budget." : hint,
  );
}

/**
 * Returns at most three words for what exists and a budget may mean; those of the kind that it names come first. Of a package those of
 * most ticks, if none has a name like it: a function whose name is only like that of a package is not meant.
 */
function nearSelectors({ selector: { kind, name } }: Budget, words: readonly string[]): string[] {
  if (typeof name !== "string") return [];
  const kindOf = (word: string) => /^(file|package):/.exec(word)?.[1] ?? "function";
  const bare = (word: string) => word.replace(/^(?:file|package):/, "");
  const byName = groupBy(new Set(words), bare);
  const isMeant = (word: string) => kind === "function" || kindOf(word) === kind || bare(word) === name;
  const found = nearNames(name, byName.keys(), 3).flatMap((one) => byName.get(one)!.filter(isMeant));
  const near =
    found.length === 0 && kind === "package" ? words.filter((word) => kindOf(word) === kind) : found;
  return Array.from(new Set(near))
    .toSorted((a, b) => Number(kindOf(b) === kind) - Number(kindOf(a) === kind))
    .slice(0, 3);
}

async function print(report: CheckReport, { format, ...flags }: CheckFlags): Promise<void> {
  if (format !== "github" && format !== "junit")
    return printReport(
      (await import("../../reports/check.js")).CHECK,
      report,
      { ...flags, format },
      { width: terminalWidth() },
    );
  const { checkGithub, checkJunit } = await import("../../reports/check.js");
  await writeReport(format === "github" ? checkGithub(report) : checkJunit(report), flags);
}

const SCHEMA = "https://unpkg.com/v8-ticks/dist/schemas/budget.schema.json";

/** Writes a file of budgets. Returns the exit status. */
async function runInit(logs: readonly string[], flags: CheckFlags): Promise<number> {
  const file = flags.budget ?? BUDGET_FILE;
  // A link that leads nowhere is there too.
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw badOption(`${printable(file)} exists`, "Delete it first, or name another with --budget.");
  const runs: readonly GivenRun[] = await givenRuns(logs, flags);
  const [read = []] = await readSides([runs], {
    flags: clonable(flags),
    groups: ["function", "file", "package", "category"],
    hasEffects: runs.length < 2,
  });
  const { initialBudgets } = await import("./check/init.js");
  const by = (group: number) => read.map(({ summaries }) => summaries[group]!);
  const summaries = { functions: by(0), files: by(1), packages: by(2), categories: by(3) };
  const text = initialBudgets(summaries, SCHEMA);
  if (text === undefined)
    throw badOption(
      `${printable(file)} is not written: no function, file or package of the program takes 2 % of a run`,
      "Record a run that does more of its own work, or limit something by hand: --max-self category:gc=10",
    );
  try {
    writeWholeFile(file, text);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new TicksError("NOT_WRITABLE", `${printable(file)} cannot be written: ${code}`);
  }
  warn(`wrote ${printable(file)}`);
  if (runs.length === 1)
    warn(
      "it is of one run, which does not tell how much runs differ: record three, and write it anew of all",
    );
  return 0;
}
