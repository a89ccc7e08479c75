import { type Command, Option } from "commander";
import { TicksError } from "../../errors.js";
import { writeLines } from "../../io/output.js";
import type { LineOrder, LinesReport } from "../../reporters/lines/text.js";
import { findFiles, nearFiles } from "../../views/file-search.js";
import { FunctionNames } from "../../views/function-names.js";
import { FunctionTable } from "../../views/function-table.js";
import { printable } from "../../views/label.js";
import { type LineTicks, lineTicks } from "../../views/line-ticks.js";
import { listing } from "../../views/listing.js";
import { SourceTexts } from "../../views/source-texts.js";
import { loadView, warnProblems } from "../load-profile.js";
import { logArguments } from "../log-paths.js";
import { addFormatOptions, addViewOptions, positiveNumber, type ViewFlags } from "../options.js";
import { jsonLayout, styleOf, textWidth, warn } from "../terminal.js";
import {
  addTokenLimit,
  checkTokenLimit,
  linesOfPage,
  nameColumns,
  type TokenLimitFlags,
} from "../token-limit.js";

interface LinesFlags extends ViewFlags, TokenLimitFlags {
  all?: boolean;
  limit: number;
  sort: LineOrder;
}

/** Lines shown around those with ticks. */
const CONTEXT = 2;
/** Scripts named where none was found: those with the hottest lines. */
const SUGGESTIONS = 5;

const FOOTER = `
FILE is a script's full name or the end of its path. Its text is that of the
log. Where the log has none (before Node 16, or of the sources of a source map),
it is that of the file on this machine, if it is under a --source-root.

Exit status: 0 done; 1 no such file has ticks; 2 trouble.`;

/** Adds the options and the action of `ticks lines`. */
export function configure(command: Command): void {
  command
    .addHelpText("after", FOOTER)
    .option("--all", "all lines, not only the hottest or those near ticks")
    .addOption(new Option("--limit <n>", "how many hot lines").argParser(positiveNumber).default(20))
    .addOption(
      new Option("--sort <by>", "by the ticks of the line itself, or with what it called")
        .choices(["self", "total"])
        .default("self"),
    );
  addFormatOptions(command, ["text", "json", "md"]);
  addTokenLimit(command);
  addViewOptions(command);
  command.action(async (log: string | undefined, file: string | undefined, flags: LinesFlags) => {
    process.exitCode = await runLines([log ?? [], file ?? []].flat(), flags);
  });
}

/** Runs `ticks lines`; the result is the exit status: 1 when no script of that name has ticks. */
async function runLines(words: readonly string[], flags: LinesFlags): Promise<number> {
  checkTokenLimit(flags);
  const { logs, wanted } = logArguments(words);
  const loaded = await loadView(logs, flags);
  const { profile } = loaded;
  const table = new FunctionTable(profile.frames);
  const names = new FunctionNames(table.functions);
  const sources = new SourceTexts(profile.sources, loaded.files.readSource);
  const lines = sorted(lineTicks(profile, table), flags.sort);
  const file = wanted === undefined ? undefined : await fileOf(wanted, lines, names);
  if (wanted !== undefined && file === undefined) {
    warnProblems(loaded);
    return 1;
  }
  const report: LinesReport = {
    profile,
    names,
    sources,
    order: flags.sort,
    ...linesOf(file, lines, { sources, flags }),
  };
  await writeLines(process.stdout, await textOf(report, flags));
  warnProblems(loaded);
  return 0;
}

/** Hottest first. Lines come by self, and those that are equal stay so. */
function sorted(lines: readonly LineTicks[], order: LineOrder): readonly LineTicks[] {
  return order === "self" ? lines : lines.toSorted((a, b) => b.total - a.total);
}

function linesOf(
  file: string | undefined,
  all: readonly LineTicks[],
  { sources, flags }: { sources: SourceTexts; flags: LinesFlags },
): Pick<LinesReport, "lines" | "script"> {
  if (file === undefined) return { lines: all, script: undefined };
  const lines = all.filter((line) => line.file === file);
  const text = sources.linesOf(file);
  const context = flags.all ? Number.POSITIVE_INFINITY : CONTEXT;
  return { lines, script: { file, listing: listing(lines, text, { context }), origin: text?.origin } };
}

/** The one file that a path means; undefined, with a word on it, where it means none. Throws where it means several. */
async function fileOf(
  wanted: string,
  lines: readonly LineTicks[],
  names: FunctionNames,
): Promise<string | undefined> {
  const files = new Set(lines.flatMap(({ file }) => file ?? []));
  const [found, ...others] = findFiles(wanted, files);
  if (found === undefined) {
    warn(`no script with ticks is called ${printable(wanted)}`);
    const known = Array.from(files, (file) => names.file(file));
    const near = nearFiles(wanted, known);
    const hottest = known.slice(0, SUGGESTIONS);
    if (near.length > 0) warn(`did you mean ${near.map(printable).join(", ")}?`);
    else if (hottest.length > 0) warn(`the hottest are ${hottest.map(printable).join(", ")}`);
  } else if (others.length > 0) {
    const { selfOf } = await import("../../reporters/lines/text.js");
    const list = [found, ...others].map((file) => {
      const ticks = selfOf(lines.filter((line) => line.file === file));
      return `  ${String(ticks).padStart(5)}  ${printable(file)}`;
    });
    throw new TicksError(
      "BAD_OPTION",
      `several scripts end in ${printable(wanted)}:\n   self  script\n${list.join("\n")}`,
      "Name one by more of its path.",
    );
  }
  return found;
}

async function textOf(report: LinesReport, flags: LinesFlags): Promise<Iterable<string>> {
  if (flags.format === "json")
    return (await import("../../reporters/lines/json.js")).linesJson(report, jsonLayout(flags));
  const limit = flags.all ? Number.POSITIVE_INFINITY : flags.limit;
  if (flags.format === "md") {
    const { linesPage } = await import("../../reporters/lines/markdown.js");
    return linesOfPage(linesPage(report, { limit, nameColumns: nameColumns(flags) }), flags);
  }
  const { linesText } = await import("../../reporters/lines/text.js");
  return linesText(report, { style: await styleOf(flags.color), width: textWidth(), limit });
}
