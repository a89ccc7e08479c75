import { randomBytes } from "node:crypto";
import { basename, isAbsolute, resolve, sep } from "node:path";
import { badOption } from "../../base/errors.js";
import { shellWord } from "../../base/shown-text.js";
import type { Text } from "../../base/text.js";
import { compareRuns } from "../../compare/diff.js";
import type { Diff } from "../../compare/diff-model.js";
import { perRunScale } from "../../compare/scales.js";
import { type FlamePageDiff, flamePageDiff } from "../../exports/flame/diff-page-data.js";
import { pageDocument } from "../../exports/flame/flame-document.js";
import { printable } from "../../facts/label.js";
import { openInBrowser } from "../../io/child-program.js";
import { isFolder } from "../../io/find-logs.js";
import { readFlamePageParts } from "../../io/flame-page-parts.js";
import { STDIN } from "../../io/input.js";
import { spoken } from "../../render/spoken.js";
import { cutMiddle } from "../../render/width.js";
import { unmatchedNote } from "../../reports/diff.js";
import type { DiffReport } from "../../reports/diff-rows.js";
import { summaryOf } from "../../reports/diff-summary.js";
import { causeText } from "../../reports/diff-words.js";
import { counted } from "../../reports/words.js";
import { leavesOut } from "../filter-options.js";
import { type FlameFlags, writeFlame, writeFlamePage } from "../flame-file.js";
import { inputFiles } from "../log-input.js";
import { logsOrDefault } from "../log-paths.js";
import { SIDES } from "../options.js";
import { checkOutput } from "../output-file.js";
import { readSides } from "../read-runs.js";
import { refuseUnusedOptions } from "../redact-options.js";
import { type GivenRun, givenRuns, renamer, splitSides, titleOfRuns } from "../sides.js";
import { warn } from "../terminal.js";

/** Runs `ticks flame`. Returns the exit status. */
export async function runFlame(args: readonly string[], flags: FlameFlags): Promise<number> {
  refuseUnwritable(flags);
  refuseUnusedOptions(flags);
  if (args.includes(SIDES)) {
    if (flags.by === "package") {
      const hint = "To compare packages: ticks diff --by package";
      throw badOption("--by package draws one side only", hint);
    }
    return runComparison(args, flags);
  }
  if (flags.rename !== undefined) {
    throw badOption("--rename needs two sides", "Such as: ticks flame before/ -- after/");
  }
  if (args.length === 2 && args.every(isFolder)) {
    const [before, after] = args.map((arg) => shellWord(printable(arg)));
    const comparison = `ticks flame ${before} -- ${after}`;
    warn(`both folders are in one picture. To compare them: ${comparison}`);
  }
  const logs = await logsOrDefault(args, flags);
  const isTyped = flags.output !== undefined;
  const output = flags.output ?? defaultOutput(args, logs);
  if (output !== STDIN) checkOutput({ path: output, isTyped }, inputFiles(logs, flags));
  await writeFlame(args, flags, { output, isTyped });
  return 0;
}

/**
 * Returns a file name in the current folder, made from that of the log unless there are several or it is
 * standard input.
 */
export function defaultOutput(args: readonly string[], logs: readonly string[]): string {
  const names = args.length > 0 ? args : logs;
  const name = names.length === 1 && names[0] !== STDIN ? basename(names[0]!) : "";
  const stem = name.replace(/\.(?:gz|zst|br)$/, "").replace(/\.log$/, "");
  return `${stem === "" ? "ticks" : stem}.flame.html`;
}

/** The page if the user names none. */
const OUTPUT = "diff.flame.html";
/** Names in sentences are cut to this many columns. */
const NAME_COLUMNS = 60;

/** Runs `ticks flame BEFORE... -- AFTER...`. Returns the exit status. */
async function runComparison(words: readonly string[], flags: FlameFlags): Promise<number> {
  const rename = renamer(flags.rename ?? []);
  const sides = splitSides(words, "flame");
  const given = [await givenRuns(sides.before, flags), await givenRuns(sides.after, flags)] as const;
  const paths = given.flat(2).map(({ path }) => path);
  const [output, isTyped] = [flags.output ?? OUTPUT, flags.output !== undefined];
  if (output !== STDIN) checkOutput({ path: output, isTyped }, inputFiles(paths, flags));
  // All runs need the same key, or no function of one would be found in another.
  const key = flags.key ?? randomBytes(32).toString("hex");
  const read = await readSides(given, {
    flags: { ...flags, sourceMaps: flags.sourceMaps && !flags.redact },
    groups: ["function", "category"],
    hasEffects: given.some((runs) => runs.length < 2),
    hasStacks: true,
    redact: flags.redact ? { ...flags, key } : undefined,
  });
  const compare = (group: number): Diff => {
    const [before, after] = read.map((runs) => runs.map(({ summaries }) => summaries[group]!));
    // There is always a scale for shares.
    return compareRuns(before!, after!, { scale: { name: "share" }, rename })!;
  };
  const diff = compare(0);
  const show = (name: string) => cutMiddle(printable(name), NAME_COLUMNS);
  const say = (text: Text) => spoken(text, show, { input: diff.before[0]?.input });
  const [before, after] = flags.redact ? given.map(hiddenTitle) : pageTitles(given);
  const report: DiffReport = {
    diff,
    by: "function",
    before: before!,
    after: after!,
    order: "change",
    min: 0,
    limit: 0,
    isFiltered: leavesOut(flags),
  };
  const [stacksBefore, stacksAfter] = read.map((runs) =>
    runs.map(({ stacks }) => (flags.source === false ? { ...stacks!, sources: [] } : stacks!)),
  );
  const page = flamePageDiff({
    diff,
    categories: compare(1),
    stacks: [stacksBefore!, stacksAfter!],
    runScale: diff.judgedBy === "run" ? runScaleOf(diff) : undefined,
    titles: [before!, after!],
    summary: [...summaryOf(report), ...unmatchedNote(report)].map(say),
    causesOf: ({ causes }) => causes.map((cause) => say(causeText(cause, diff))),
  });
  const runs = [diff.before, diff.after].map(({ length }) => length);
  const what = `${runs[0]} against ${counted(runs[1]!, "run")}`;
  await writeFlamePage(pageDocument(page, readFlamePageParts({ hasSides: true })), { output, isTyped, what });
  if (flags.open) await openInBrowser(resolve(output));
  return 0;
}

/** Returns what a tick of each run stands for, in ticks, milliseconds, bytes or objects of a run. */
function runScaleOf({ before, after }: Diff): NonNullable<FlamePageDiff["runScale"]> {
  const { unit, scale } = perRunScale(before, after);
  // Nothing is told here of units of work.
  return {
    unit: unit as NonNullable<FlamePageDiff["runScale"]>["unit"],
    factors: [scale.before, scale.after],
  };
}

/** Returns the titles of the sides: a page is shown to others, so absolute paths lose the folder that all logs share. */
function pageTitles(given: readonly (readonly GivenRun[])[]): string[] {
  const names = given.flat(2).map(({ folder, path }) => folder ?? path);
  const [first = [], ...others] = names.filter(isAbsolute).map((name) => resolve(name).split(sep));
  const differs = first.findIndex((part, i) => others.some((other) => other[i] !== part));
  const cut = first.slice(0, differs < 0 ? -1 : differs).join(sep).length + 1;
  const short = (name: string) => (isAbsolute(name) ? resolve(name).slice(cut) || basename(name) : name);
  return given.map((runs) =>
    titleOfRuns(
      runs.map((run) =>
        run.map((log) => ({
          ...log,
          path: short(log.path),
          folder: log.folder === undefined ? undefined : short(log.folder),
        })),
      ),
    ),
  );
}

/** Returns what a page without private names calls the runs of a side. */
function hiddenTitle(runs: readonly GivenRun[]): string {
  return counted(runs.flat().length, "log");
}

/** Throws a {@link TicksError} for a page that cannot be opened. */
function refuseUnwritable({ open, output }: FlameFlags): void {
  if (open && output === STDIN) throw badOption("--open does not work with -o -", "Leave one of them out.");
}
