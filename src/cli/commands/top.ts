import { type Command, InvalidArgumentError } from "commander";
import type { TopReport } from "../../reporters/top/top-report.js";
import { topOf } from "../../views/top.js";
import { loadView, warnProblems } from "../load-profile.js";
import { addFormatOptions, addViewOptions, type ViewFlags } from "../options.js";
import { jsonLayout, styleOf, terminalWidth, writeReport } from "../terminal.js";
import {
  addTokenLimit,
  checkTokenLimit,
  linesOfPage,
  nameColumns,
  type TokenLimitFlags,
} from "../token-limit.js";

interface TopFlags extends ViewFlags, TokenLimitFlags {
  /** The number of rows of each list. */
  limit: number;
}

/** Adds the options and the action of `ticks top`. */
export function configure(command: Command): void {
  command.option("-n, --limit <n>", "number of rows per list, up to 1000", rows, 10);
  addFormatOptions(command, ["text", "json", "md"]);
  addTokenLimit(command);
  addViewOptions(command);
  command.action(async (logs: string[], flags: TopFlags) => {
    process.exitCode = await runTop(logs, flags);
  });
}

function rows(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 1000)
    throw new InvalidArgumentError("Expected a whole number from 1 to 1000.");
  return number;
}

/** Runs `ticks top`. Returns the exit status. */
async function runTop(args: readonly string[], flags: TopFlags): Promise<number> {
  checkTokenLimit(flags);
  const loaded = await loadView(args, flags, { deopts: true, timeline: true });
  const { profile } = loaded;
  const { limit } = flags;
  const logs = args.length > 0 ? args : profile.info.logs;
  await writeReport(await linesOf({ profile, top: topOf(profile, limit), limit, logs }, flags), flags);
  warnProblems(loaded, { saysIdle: true });
  return 0;
}

async function linesOf(report: TopReport, flags: TopFlags): Promise<Iterable<string>> {
  if (flags.format === "json")
    return (await import("../../reporters/top/json.js")).topJson(report, jsonLayout(flags));
  if (flags.format === "md") {
    const { topPage } = await import("../../reporters/top/markdown.js");
    return linesOfPage(topPage(report, { nameColumns: nameColumns(flags) }), flags);
  }
  const { topText } = await import("../../reporters/top/text.js");
  return topText(report, { style: await styleOf(flags.color), width: pageWidth() });
}

/** Returns the width of the page: that of the terminal, without limit in a file or a pipe, where names are searched for. */
function pageWidth(): number {
  return process.stdout.isTTY ? terminalWidth() : Number.POSITIVE_INFINITY;
}
