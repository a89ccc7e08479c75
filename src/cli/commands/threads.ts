import { type Command, Option } from "commander";
import { writeLines } from "../../io/output.js";
import { loadView, warnProblems } from "../load-profile.js";
import { addViewOptions, type ViewFlags } from "../options.js";
import { styleOf } from "../terminal.js";

interface ThreadsFlags extends ViewFlags {
  format: "text" | "json" | "md";
}

const FOOTER = `
A thread is an isolate with a log of its own: the main one of a process, or a
worker. A folder stands for all logs in it, not in the folders inside. --thread
of every command picks threads by #, name, PID or isolate, or by main or worker.`;

/** Adds the options and the action of `ticks threads`. */
export function configure(command: Command): void {
  command
    .addOption(new Option("--format <name>", "output format").choices(["text", "json", "md"]).default("text"))
    .addHelpText("after", FOOTER);
  addViewOptions(command);
  command.action(async (logs: string[], flags: ThreadsFlags) => {
    process.exitCode = await runThreads(logs, flags);
  });
}

/** Runs `ticks threads`; the result is the exit status. */
async function runThreads(args: readonly string[], flags: ThreadsFlags): Promise<number> {
  const loaded = await loadView(args, flags);
  const { threadsJson, threadsMarkdown, threadsText } = await import("../../reporters/threads/text.js");
  const reporter = { text: threadsText, json: threadsJson, md: threadsMarkdown }[flags.format];
  const lines = reporter.report(loaded.profile, { style: await styleOf(flags.color) });
  await writeLines(process.stdout, lines);
  warnProblems(loaded);
  return 0;
}
