import type { Command } from "commander";
import type { FlameFlags } from "./commands/flame.js";
import { addRedactOptions } from "./redact-options.js";
import { addViewOptions } from "./view-options.js";

/** Adds `ticks flame`. */
export function addFlameCommand(program: Command): void {
  const command = program
    .command("flame [LOG...]")
    .description("write a flame graph: one HTML file, to open in a browser, without a server or a network")
    .option("-o, --output <file>", "where to write it, - for standard output (default: LOG.flame.html, here)")
    .option("--open", "open it in the browser")
    .option("--no-source", "embed no source texts");
  addViewOptions(command);
  addRedactOptions(command);
  command.action(async (logs: string[], flags: FlameFlags) => {
    const { runFlame } = await import("./commands/flame.js");
    process.exitCode = await runFlame(logs, flags);
  });
}
