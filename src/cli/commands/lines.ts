import { type Command, Option } from "commander";
import { TicksError } from "../../errors.js";
import type { LineOrder, LinesReport } from "../../reports/lines.js";
import { REPORTS } from "../../reports/reports.js";
import { findFiles, nearFiles } from "../../views/file-search.js";
import { FunctionNames } from "../../views/function-names.js";
import { printable } from "../../views/label.js";
import { type LineTicks, lineTicks } from "../../views/line-ticks.js";
import { listing, type PlacesInLine, placesInLines } from "../../views/listing.js";
import { SourceTexts } from "../../views/source-texts.js";
import { loadView, warnProblems } from "../load-profile.js";
import { logArguments } from "../log-paths.js";
import { addFormatOptions, addViewOptions, positiveNumber, type ViewFlags } from "../options.js";
import { printReport } from "../print-report.js";
import { warn } from "../terminal.js";
import { addTokenLimit, checkTokenLimit, type TokenLimitFlags } from "../token-limit.js";

interface LinesFlags extends ViewFlags, TokenLimitFlags {
  all?: boolean;
  limit: number;
  sort: LineOrder;
}

/** The number of lines shown before and after a line with ticks. */
const CONTEXT = 2;
/** The number of scripts suggested if none was found. */
const SUGGESTIONS = 5;

const FOOTER = `
FILE is the full name of a script or the end of its path. The text comes from
the log. If the log does not have it (before Node 16, or for the original
sources of a source map), ticks reads the file on this machine, if it is under
a --source-root.

Exit status: 0 done; 1 no file of that name has ticks; 2 error.`;

/** Adds the options and the action of `ticks lines`. */
export function configure(command: Command): void {
  command
    .option("--all", "show all lines, not only the hottest or those near ticks")
    .addOption(new Option("-n, --limit <n>", "number of hot lines").argParser(positiveNumber).default(20))
    .addOption(
      new Option("--sort <by>", "sort by the ticks of the line itself, or by those with its callees")
        .choices(["self", "total"])
        .default("self"),
    );
  addFormatOptions(command, ["text", "json", "md"]);
  addTokenLimit(command);
  addViewOptions(command);
  command.addHelpText("after", FOOTER);
  command.action(async (log: string | undefined, file: string | undefined, flags: LinesFlags) => {
    process.exitCode = await runLines([log ?? [], file ?? []].flat(), flags);
  });
}

/** Runs `ticks lines`. Returns the exit status: 1 if no script of that name has ticks. */
async function runLines(words: readonly string[], flags: LinesFlags): Promise<number> {
  checkTokenLimit(flags);
  const { logs, query } = logArguments(words);
  const loaded = await loadView(logs, flags, { columns: "long-lines" });
  const { profile } = loaded;
  const table = profile.table;
  const names = new FunctionNames(table.functions, profile.info);
  const sources = new SourceTexts(profile.sources, loaded.files.readSource);
  const options = { byFunction: query === undefined };
  const lines = sorted(lineTicks(profile, options), flags.sort);
  const places = placesInLines(profile, sources, options);
  const file = query === undefined ? undefined : await fileOf(query, lines, names);
  if (query !== undefined && file === undefined) {
    warnProblems(loaded);
    return 1;
  }
  const report: LinesReport = {
    profile,
    names,
    sources,
    order: flags.sort,
    limit: flags.all ? Number.POSITIVE_INFINITY : flags.limit,
    places,
    ...linesOf(file, lines, { sources, flags, places }),
  };
  await printReport(REPORTS.lines, report, flags);
  warnProblems(loaded);
  return 0;
}

/** Sorts lines, hottest first. They come sorted by self ticks, which also decides between equal totals. */
function sorted(lines: readonly LineTicks[], order: LineOrder): readonly LineTicks[] {
  return order === "self" ? lines : lines.toSorted((a, b) => b.total - a.total);
}

function linesOf(
  file: string | undefined,
  all: readonly LineTicks[],
  { sources, flags, places }: { sources: SourceTexts; flags: LinesFlags; places: PlacesInLine },
): Pick<LinesReport, "lines" | "script"> {
  if (file === undefined) return { lines: all, script: undefined };
  const lines = all.filter((line) => line.file === file);
  const text = sources.linesOf(file);
  const context = flags.all ? Number.POSITIVE_INFINITY : CONTEXT;
  return {
    lines,
    script: { file, listing: listing(lines, text, { places, context }), origin: text?.origin },
  };
}

/**
 * Returns the file that a query matches. Warns and returns undefined for no match; throws if there are
 * several.
 */
async function fileOf(
  query: string,
  lines: readonly LineTicks[],
  names: FunctionNames,
): Promise<string | undefined> {
  const files = new Set(lines.flatMap(({ file }) => file ?? []));
  const [found, ...others] = findFiles(query, files);
  if (found === undefined) {
    warn(`no script named ${printable(query)} has ticks`);
    const known = Array.from(files, (file) => names.file(file));
    const near = nearFiles(query, known);
    const hottest = known.slice(0, SUGGESTIONS);
    if (near.length > 0) warn(`did you mean ${near.map(printable).join(", ")}?`);
    else if (hottest.length > 0) warn(`the hottest scripts are ${hottest.map(printable).join(", ")}`);
  } else if (others.length > 0) {
    const { selfOf } = await import("../../reports/lines.js");
    const list = [found, ...others].map((file) => {
      const ticks = selfOf(lines.filter((line) => line.file === file));
      return `  ${String(ticks).padStart(5)}  ${printable(file)}`;
    });
    throw new TicksError(
      "BAD_OPTION",
      `several scripts match ${printable(query)}:\n   self  script\n${list.join("\n")}`,
      "Give more of the path.",
    );
  }
  return found;
}
