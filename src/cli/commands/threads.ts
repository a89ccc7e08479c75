import { writeLines } from "../../io/output.js";
import { threadsJson, threadsMarkdown, threadsText } from "../../reporters/threads/text.js";
import { loadView, tellProblems } from "../load-profile.js";
import { styleOf } from "../terminal.js";
import type { ViewFlags } from "../view-options.js";

export interface ThreadsFlags extends ViewFlags {
  format: "text" | "json" | "md";
}

const REPORTERS = { text: threadsText, json: threadsJson, md: threadsMarkdown };

/** Runs `ticks threads`; the result is the exit status. */
export async function runThreads(args: readonly string[], flags: ThreadsFlags): Promise<number> {
  const loaded = await loadView(args, flags);
  const lines = REPORTERS[flags.format].report(loaded.profile, { style: await styleOf(flags.color) });
  await writeLines(process.stdout, lines);
  tellProblems(loaded);
  return 0;
}
