import { writeLines } from "../../io/output.js";
import type { DeoptReport } from "../../reporters/deopts/deopt-words.js";
import { deoptsJson } from "../../reporters/deopts/json.js";
import { deoptsMarkdown } from "../../reporters/deopts/markdown.js";
import { deoptsText } from "../../reporters/deopts/text.js";
import { deoptView } from "../../views/deopts.js";
import { loadView, tellProblems } from "../load-profile.js";
import { styleOf, terminalWidth } from "../terminal.js";
import type { ViewFlags } from "../view-options.js";

export interface DeoptsFlags extends ViewFlags {
  limit?: number;
  format: "text" | "json" | "md";
}

/** How many rows people are shown. */
const ROWS = 20;

/** Runs `ticks deopts`; the result is the exit status. */
export async function runDeopts(args: readonly string[], flags: DeoptsFlags): Promise<number> {
  const loaded = await loadView(args, flags, { deopts: true });
  const { profile } = loaded;
  const limit = flags.limit ?? (flags.format === "json" ? Number.POSITIVE_INFINITY : ROWS);
  const lines = await linesOf({ profile, view: deoptView(profile), limit }, flags);
  await writeLines(process.stdout, lines);
  tellProblems(loaded);
  return 0;
}

async function linesOf(report: DeoptReport, { format, color }: DeoptsFlags): Promise<Iterable<string>> {
  if (format === "json") return deoptsJson(report);
  if (format === "md") return deoptsMarkdown(report);
  return deoptsText(report, { style: await styleOf(color), width: terminalWidth() });
}
