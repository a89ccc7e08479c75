import { type Command, Option } from "commander";
import { TicksError } from "../../errors.js";
import { writeLines } from "../../io/output.js";
import { DESCRIBED_FUNCTIONS } from "../../limits.js";
import type { FunctionReport } from "../../reporters/function/text.js";
import { functionDetails } from "../../views/function-details.js";
import { FunctionNames } from "../../views/function-names.js";
import { findFunctions, nearFunctions } from "../../views/function-search.js";
import { FunctionStacks } from "../../views/function-stacks.js";
import { functionTicks } from "../../views/function-ticks.js";
import { printable } from "../../views/label.js";
import { SourceTexts } from "../../views/source-texts.js";
import { loadView, warnProblems } from "../load-profile.js";
import { logArguments } from "../log-paths.js";
import { addFormatOptions, addViewOptions, percentage, type ViewFlags } from "../options.js";
import { jsonLayout, styleOf, textWidth, warn } from "../terminal.js";
import {
  addTokenLimit,
  checkTokenLimit,
  linesOfPage,
  nameColumns,
  type TokenLimitFlags,
} from "../token-limit.js";

interface FunctionFlags extends ViewFlags, TokenLimitFlags {
  all?: boolean;
  /** In percent of the function's ticks. */
  min: number;
}

const FOOTER = `
NAME is a function's name, file:line where it begins or has ticks, /a regular
expression/ (/…/i in any case), or a part of its name or place. Without a LOG
it is looked for in the only log of the folder.

Exit status: 0 found; 1 no function of that name has ticks; 2 trouble.`;

/** Adds the options and the action of `ticks function`. */
export function configure(command: Command): void {
  command
    .usage("[options] [LOG...] NAME")
    .addHelpText("after", FOOTER)
    .option("--all", "show all functions that match, not only the hottest")
    .addOption(
      new Option("--min <percent>", "sum up callers and callees with less of the function's ticks")
        .argParser(percentage)
        .default(1),
    );
  addFormatOptions(command, ["text", "json", "md"]);
  addTokenLimit(command);
  addViewOptions(command);
  command.action(async (words: string[], flags: FunctionFlags) => {
    process.exitCode = await runFunction(words, flags);
  });
}

/** Runs `ticks function`; the result is the exit status: 1 when no function has that name. */
async function runFunction(words: readonly string[], flags: FunctionFlags): Promise<number> {
  checkTokenLimit(flags);
  const { logs, wanted } = logArguments(words);
  if (wanted === undefined || wanted === "") {
    throw new TicksError("BAD_OPTION", "no function is named", "Try: ticks function LOG NAME");
  }
  checkPattern(wanted);
  const loaded = await loadView(logs, flags, { timeline: true });
  const { profile } = loaded;
  const stacks = new FunctionStacks(profile);
  const sources = new SourceTexts(profile.sources, loaded.files.readSource);
  const { table } = stacks;
  const ticks = functionTicks(profile, table);
  const ids = findFunctions(wanted, { table, ticks, frames: profile.frames })?.ids ?? [];
  const shown = ids.slice(0, flags.all ? DESCRIBED_FUNCTIONS : 1);
  const suggestions = ids.length > 0 ? [] : nearFunctions(wanted, table, ticks);
  const report: FunctionReport = {
    profile,
    query: wanted,
    matches: ids.map((id) => ({
      function: table.functions[id]!,
      self: ticks.self[id]!,
      total: ticks.total[id]!,
    })),
    details: shown.map((id) => functionDetails(profile, id, { stacks, sources })),
    suggestions,
    names: new FunctionNames(table.functions),
  };
  if (ids.length === 0) warnNotFound(wanted, suggestions);
  if (ids.length > 0 || flags.format === "json") {
    await writeLines(process.stdout, await linesOf(report, { flags, sources }));
  }
  if (flags.all && ids.length > shown.length) {
    warn(`${ids.length} functions match: only the first ${shown.length} are described`);
  }
  warnProblems(loaded);
  return ids.length > 0 ? 0 : 1;
}

function checkPattern(wanted: string): void {
  const pattern = /^\/(.+)\/(i?)$/s.exec(wanted);
  if (pattern === null) return;
  try {
    new RegExp(pattern[1]!, pattern[2]);
  } catch (error) {
    throw new TicksError("BAD_OPTION", `${printable(wanted)}: ${(error as Error).message}`);
  }
}

function warnNotFound(wanted: string, suggestions: readonly string[]): void {
  warn(`no function with ticks is called ${printable(wanted)}`);
  if (suggestions.length > 0) warn(`did you mean ${suggestions.map(printable).join(", ")}?`);
}

async function linesOf(
  report: FunctionReport,
  { flags, sources }: { flags: FunctionFlags; sources: SourceTexts },
): Promise<Iterable<string>> {
  if (flags.format === "json")
    return (await import("../../reporters/function/json.js")).functionJson(
      report,
      sources,
      jsonLayout(flags),
    );
  if (flags.format === "md") {
    const { functionPage } = await import("../../reporters/function/markdown.js");
    const layout = { least: flags.min, sources, nameColumns: nameColumns(flags) };
    return linesOfPage(functionPage(report, layout), flags);
  }
  const { functionText } = await import("../../reporters/function/text.js");
  return functionText(report, { style: await styleOf(flags.color), width: textWidth(), least: flags.min });
}
