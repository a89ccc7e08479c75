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
import type { ViewFlags } from "../options.js";
import { printReport } from "../print-report.js";
import { warn } from "../terminal.js";
import { checkTokenLimit, type TokenLimitFlags } from "../token-limit.js";

interface FunctionFlags extends ViewFlags, TokenLimitFlags {
  all?: boolean;
  /** In percent of the function's ticks. */
  min: number;
}

/** Runs `ticks function`. Returns the exit status: 1 if no function has that name. */
export async function runFunction(words: readonly string[], flags: FunctionFlags): Promise<number> {
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
