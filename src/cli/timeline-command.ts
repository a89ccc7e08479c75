import { type Command, Option } from "commander";
import type { TimelineFlags } from "./commands/timeline.js";
import { positiveNumber, slices } from "./options.js";
import { addViewOptions } from "./view-options.js";

/** Adds `ticks timeline`. */
export function addTimelineCommand(program: Command): void {
  const command = program
    .command("timeline [LOG...]")
    .description("print what V8 did over time, and the functions of its spikes")
    .option("--slices <n>", "cut the time into so many slices (default: what fits the width)", slices)
    .option("-n, --limit <n>", "how many spikes of a thread, the largest", positiveNumber, 5)
    .addOption(
      new Option("--format <name>", "output format").choices(["text", "json", "md"]).default("text"),
    );
  addViewOptions(command);
  command.action(async (logs: string[], flags: TimelineFlags) => {
    const { runTimeline } = await import("./commands/timeline.js");
    process.exitCode = await runTimeline(logs, flags);
  });
}
