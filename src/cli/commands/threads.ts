import type { Command } from "commander";
import { writeLines } from "../../io/output.js";
import { threadsJson } from "../../reporters/threads/json.js";
import { threadsMarkdown } from "../../reporters/threads/markdown.js";
import { threadsText } from "../../reporters/threads/text.js";
import { loadView, warnProblems } from "../load-profile.js";
import { addFormatOptions, addViewOptions, type FormatFlags, type ViewFlags } from "../options.js";
import { jsonLayout, styleOf } from "../terminal.js";

interface ThreadsFlags extends ViewFlags, FormatFlags {}

const REPORTERS = { text: threadsText, json: threadsJson, md: threadsMarkdown };

const FOOTER = `
A thread is an isolate with a log of its own: the main one of a process, or a
worker. A folder stands for all logs in it, not in the folders inside. --thread
of every command picks threads by #, name, PID or isolate, or by main or worker.`;

/** Adds the options and the action of `ticks threads`. */
export function configure(command: Command): void {
  command.addHelpText("after", FOOTER);
  addFormatOptions(command, ["text", "json", "md"]);
  addViewOptions(command);
  command.action(async (logs: string[], flags: ThreadsFlags) => {
    process.exitCode = await runThreads(logs, flags);
  });
}

/** Runs `ticks threads`; the result is the exit status. */
async function runThreads(args: readonly string[], flags: ThreadsFlags): Promise<number> {
  const loaded = await loadView(args, flags);
  const lines = REPORTERS[flags.format].report(loaded.profile, {
    style: await styleOf(flags.color),
    ...jsonLayout(flags),
  });
  await writeLines(process.stdout, lines);
  warnProblems(loaded);
  return 0;
}
