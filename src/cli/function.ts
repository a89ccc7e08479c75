import { TicksError } from "../errors.js";
import { writeLines } from "../io/output.js";
import { DESCRIBED_FUNCTIONS } from "../limits.js";
import { functionJson } from "../reporters/function/json.js";
import { functionMarkdown } from "../reporters/function/markdown.js";
import { type FunctionReport, functionText } from "../reporters/function/text.js";
import { functionDetails } from "../views/function-details.js";
import { FunctionNames } from "../views/function-names.js";
import { findFunctions, nearFunctions } from "../views/function-search.js";
import { FunctionStacks } from "../views/function-stacks.js";
import { functionTicks } from "../views/function-ticks.js";
import { printable } from "../views/label.js";
import { SourceTexts } from "../views/source-texts.js";
import { loadView, tellProblems } from "./load-profile.js";
import { logArguments } from "./log-arguments.js";
import { styleOf, textWidth, warn } from "./terminal.js";
import type { ViewFlags } from "./view-options.js";

export interface FunctionFlags extends ViewFlags {
  all?: boolean;
  /** In percent of the function's ticks. */
  min: number;
  format: "text" | "json" | "md";
}

/** Runs `ticks function`; the result is the exit status: 1 when no function has that name. */
export async function runFunction(words: readonly string[], flags: FunctionFlags): Promise<number> {
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
  if (ids.length === 0) tellMiss(wanted, suggestions);
  if (ids.length > 0 || flags.format === "json") {
    await writeLines(process.stdout, await linesOf(report, { flags, sources }));
  }
  if (flags.all && ids.length > shown.length) {
    warn(`${ids.length} functions match: only the first ${shown.length} are described`);
  }
  tellProblems(loaded);
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

function tellMiss(wanted: string, near: readonly string[]): void {
  warn(`no function with ticks is called ${printable(wanted)}`);
  if (near.length > 0) warn(`did you mean ${near.map(printable).join(", ")}?`);
}

async function linesOf(
  report: FunctionReport,
  { flags, sources }: { flags: FunctionFlags; sources: SourceTexts },
): Promise<Iterable<string>> {
  if (flags.format === "json") return functionJson(report, sources);
  if (flags.format === "md") return functionMarkdown(report, { least: flags.min, sources });
  return functionText(report, { style: await styleOf(flags.color), width: textWidth(), least: flags.min });
}
