import { type Command, Option } from "commander";
import { TicksError } from "../../errors.js";
import { DESCRIBED_FUNCTIONS } from "../../limits.js";
import type { FunctionReport } from "../../reports/function.js";
import { REPORTS } from "../../reports/reports.js";
import { functionDetails } from "../../views/function-details.js";
import { FunctionNames } from "../../views/function-names.js";
import { findFunctions, hottestFunctions, nearFunctions, partOfNames } from "../../views/function-search.js";
import { FunctionStacks } from "../../views/function-stacks.js";
import { printable } from "../../views/label.js";
import { SourceTexts } from "../../views/source-texts.js";
import { loadView, warnProblems } from "../load-profile.js";
import { logArguments } from "../log-paths.js";
import { addFormatOptions, addViewOptions, percentage, type ViewFlags } from "../options.js";
import { printReport } from "../print-report.js";
import { warn } from "../terminal.js";
import { addTokenLimit, checkTokenLimit, type TokenLimitFlags } from "../token-limit.js";

interface FunctionFlags extends ViewFlags, TokenLimitFlags {
  all?: boolean;
  /** In percent of the function's ticks. */
  min: number;
}

const FOOTER = `
NAME is the name of a function, file:line where it starts or has ticks, a
regular expression (/RE/, or /RE/i to ignore case), or part of its name or
position. Without LOG, ticks reads the only log in the current folder.

Exit status: 0 found; 1 no function of that name has ticks; 2 error.`;

/** Adds the options and the action of `ticks function`. */
export function configure(command: Command): void {
  command
    .usage("[options] [LOG...] NAME")
    .option("--all", "show all functions that match, not only the hottest")
    .addOption(
      new Option(
        "--min <percent>",
        "sum up callers and callees with less than this share of the function's ticks",
      )
        .argParser(percentage)
        .default(1),
    );
  addFormatOptions(command, ["text", "json", "md"]);
  addTokenLimit(command);
  addViewOptions(command);
  command.addHelpText("after", FOOTER);
  command.action(async (words: string[], flags: FunctionFlags) => {
    process.exitCode = await runFunction(words, flags);
  });
}

/** Runs `ticks function`. Returns the exit status: 1 if no function has that name. */
async function runFunction(words: readonly string[], flags: FunctionFlags): Promise<number> {
  checkTokenLimit(flags);
  const { logs, query } = logArguments(words);
  if (query === undefined || query === "") {
    throw new TicksError(
      "BAD_OPTION",
      "missing NAME: which function to show",
      "Usage: ticks function LOG NAME",
    );
  }
  checkPattern(query);
  // Only the lines of these functions are shown.
  const named = partOfNames(query);
  const lines = named === undefined ? true : { named };
  const loaded = await loadView(logs, flags, { timeline: true, lines, columns: true });
  const { profile } = loaded;
  const stacks = new FunctionStacks(profile);
  const sources = new SourceTexts(profile.sources, loaded.files.readSource);
  const { table } = stacks;
  const ticks = profile.functionTicks;
  const ids = findFunctions(query, { table, ticks, frames: profile.frames })?.ids ?? [];
  const shown = ids.slice(0, flags.all ? DESCRIBED_FUNCTIONS : 1);
  const suggestions = ids.length > 0 ? [] : nearFunctions(query, table, ticks);
  const report: FunctionReport = {
    profile,
    query,
    matches: ids.map((id) => ({
      function: table.functions[id]!,
      self: ticks.self[id]!,
      total: ticks.total[id]!,
    })),
    details: shown.map((id) => functionDetails(profile, id, { stacks, sources })),
    suggestions,
    names: new FunctionNames(table.functions, profile.info),
    sources,
    least: flags.min,
  };
  if (ids.length === 0) warnNotFound(query, suggestions, hottestFunctions(table, ticks));
  if (ids.length > 0 || flags.format === "json") await printReport(REPORTS.function, report, flags);
  if (flags.all && ids.length > shown.length) {
    warn(`showing only the first ${shown.length} of ${ids.length} functions that match`);
  }
  warnProblems(loaded);
  return ids.length > 0 ? 0 : 1;
}

function checkPattern(query: string): void {
  const pattern = /^\/(.+)\/(i?)$/s.exec(query);
  if (pattern === null) return;
  try {
    new RegExp(pattern[1]!, pattern[2]);
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid/, "invalid");
    throw new TicksError("BAD_OPTION", `${printable(query)}: ${reason}`);
  }
}

function warnNotFound(query: string, suggestions: readonly string[], hottest: readonly string[]): void {
  warn(`no function named ${printable(query)} has ticks`);
  if (suggestions.length > 0) warn(`did you mean ${suggestions.map(printable).join(", ")}?`);
  else if (hottest.length > 0) warn(`the hottest are ${hottest.map(printable).join(", ")}`);
}
