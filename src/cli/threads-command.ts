import { type Command, Option } from "commander";
import type { ThreadsFlags } from "./commands/threads.js";
import { addViewOptions } from "./view-options.js";

const FOOTER = `
A thread is an isolate with a log of its own: the main one of a process, or a
worker. A folder stands for all logs in it, not in the folders inside. --thread
of every command picks threads by #, name, PID or isolate, or by main or worker.`;

/** Adds `ticks threads`. */
export function addThreadsCommand(program: Command): void {
  const command = program
    .command("threads [LOG...]")
    .description("list the threads of logs or of a folder of them, with the ticks of each")
    .addOption(new Option("--format <name>", "output format").choices(["text", "json", "md"]).default("text"))
    .addHelpText("after", FOOTER);
  addViewOptions(command);
  command.action(async (logs: string[], flags: ThreadsFlags) => {
    const { runThreads } = await import("./commands/threads.js");
    process.exitCode = await runThreads(logs, flags);
  });
}
