import { writeLines } from "../../io/output.js";
import { topJson } from "../../reporters/top/json.js";
import { topMarkdown } from "../../reporters/top/markdown.js";
import { topText } from "../../reporters/top/text.js";
import type { TopReport } from "../../reporters/top/top-report.js";
import { topOf } from "../../views/top.js";
import { loadView, tellProblems } from "../load-profile.js";
import { styleOf, terminalWidth } from "../terminal.js";
import type { ViewFlags } from "../view-options.js";

export interface TopFlags extends ViewFlags {
  /** How many rows a list has. */
  limit: number;
  format: "text" | "json" | "md";
}

/** Runs `ticks top`; the result is the exit status. */
export async function runTop(args: readonly string[], flags: TopFlags): Promise<number> {
  const loaded = await loadView(args, flags, { deopts: true });
  const { profile } = loaded;
  const { limit } = flags;
  const logs = args.length > 0 ? args : profile.info.logs;
  await writeLines(
    process.stdout,
    await linesOf({ profile, top: topOf(profile, limit), limit, logs }, flags),
  );
  tellProblems(loaded);
  return 0;
}

async function linesOf(report: TopReport, flags: TopFlags): Promise<Iterable<string>> {
  if (flags.format === "json") return topJson(report);
  if (flags.format === "md") return topMarkdown(report);
  return topText(report, { style: await styleOf(flags.color), width: terminalWidth() });
}
