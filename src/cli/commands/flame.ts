import { randomBytes } from "node:crypto";
import { basename, resolve } from "node:path";
import { compareRuns } from "../../compare/diff.js";
import type { Diff } from "../../compare/diff-model.js";
import { badOption } from "../../errors.js";
import { diffPageData } from "../../exporters/flame/diff-page-data.js";
import { flameDocument, pageDocument } from "../../exporters/flame/flame-document.js";
import { openInBrowser } from "../../io/child-program.js";
import { isFolder } from "../../io/find-logs.js";
import { STDIN } from "../../io/input.js";
import { writeChunks, writeFile } from "../../io/output.js";
import { readPageParts } from "../../io/page-parts.js";
import { allSamples } from "../../profile/sample-table.js";
import { causeText, type DiffReport, summaryOf, unmatchedNote } from "../../reports/diff.js";
import { wordsFor } from "../../reports/units.js";
import { cutMiddle } from "../../reports/width.js";
import { counted, shellWord } from "../../reports/words.js";
import { printable } from "../../views/label.js";
import { packageStacks } from "../../views/package-stacks.js";
import { leavesOut } from "../filter-options.js";
import { loadView, warnProblems } from "../load-profile.js";
import { inputFiles } from "../log-input.js";
import { logsOrDefault } from "../log-paths.js";
import { SIDES, type ViewFlags } from "../options.js";
import { checkOutput } from "../output-file.js";
import { readSides } from "../read-runs.js";
import { type RedactFlags, redactedBy, refuseUnusedOptions } from "../redact-options.js";
import { type GivenRun, givenRuns, renamer, splitSides, titleOfRuns } from "../sides.js";
import { warn } from "../terminal.js";
import { warnMissingCallers } from "../warnings.js";

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
  const logs = await logsOrDefault(args);
  const isTyped = flags.output !== undefined;
  const output = flags.output ?? defaultOutput(args, logs);
  if (output !== STDIN) checkOutput({ path: output, isTyped }, inputFiles(logs, flags));
  const view = { ...flags, sourceMaps: flags.sourceMaps && !flags.redact };
  const loaded = await loadView(args, view, { timeline: true, deopts: "events", columns: "long-lines" });
  const { info } = loaded.profile;
  const stacks = flags.by === "package" ? packageStacks(loaded.profile) : loaded.profile;
  const shown = flags.source === false ? { ...stacks, sources: [] } : stacks;
  // Both need the same key, or a callback would not be found among the functions.
  const redaction = { ...flags, ...(flags.redact && { key: flags.key ?? randomBytes(32).toString("hex") }) };
  const page = flameDocument(await redactedBy(shown, redaction), readPageParts(), {
    whole: loaded.whole === loaded.profile ? undefined : await redactedBy(loaded.whole, redaction),
  });
  await writePage(page, {
    output,
    isTyped,
    what: wordsFor(info, counted(allSamples(loaded.profile.samples), "tick")),
  });
  warnProblems(loaded);
  if (process.stderr.isTTY) warnMissingCallers(loaded.profile);
  if (flags.open) await openInBrowser(resolve(output));
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
  const given = [await givenRuns(sides.before), await givenRuns(sides.after)] as const;
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
  const [before, after] = given.map((runs) => (flags.redact ? hiddenTitle(runs) : titleOfRuns(runs)));
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
  const page = diffPageData({
    diff,
    categories: compare(1),
    stacks: [stacksBefore!, stacksAfter!],
    titles: [before!, after!],
    summary: [...summaryOf(report, show), ...unmatchedNote(report)],
    causesOf: ({ causes }) => causes.map((cause) => causeText(cause, diff, show)),
  });
  const runs = [diff.before, diff.after].map(({ length }) => length);
  const what = `${runs[0]} against ${counted(runs[1]!, "run")}`;
  await writePage(pageDocument(page, readPageParts({ hasSides: true })), { output, isTyped, what });
  if (flags.open) await openInBrowser(resolve(output));
  return 0;
}

/** Returns what a page without private names calls the runs of a side. */
function hiddenTitle(runs: readonly GivenRun[]): string {
  return counted(runs.flat().length, "log");
}

/** The options of `ticks flame`. */
interface FlameFlags extends ViewFlags, RedactFlags {
  output?: string;
  open?: boolean;
  source?: boolean;
  rename?: string[];
  by: "function" | "package";
}

/** Throws a {@link TicksError} for a page that cannot be opened. */
function refuseUnwritable({ open, output }: FlameFlags): void {
  if (open && output === STDIN) throw badOption("--open does not work with -o -", "Leave one of them out.");
}

/** Where a page goes. */
interface PageTarget {
  /** A path, or `-` for standard output. */
  readonly output: string;
  /** Whether the user typed the path. */
  readonly isTyped: boolean;
  /** What the page has, for the message: `1,234 ticks`. */
  readonly what: string;
}

/** Writes a page, given in parts, and says so unless it goes to standard output. */
async function writePage(parts: Iterable<string>, { output, isTyped, what }: PageTarget): Promise<void> {
  if (output === STDIN) {
    await writeChunks(process.stdout, parts);
    return;
  }
  const name = printable(output);
  let bytes = 0;
  const counted = function* () {
    for (const part of parts) {
      bytes += Buffer.byteLength(part);
      yield part;
    }
  };
  await writeFile(output, counted(), { name, isTyped });
  warn(`wrote ${what} to ${name} (${Math.max(1, Math.round(bytes / 1000))} KB)`);
}
