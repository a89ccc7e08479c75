import type { Command } from "commander";
import { writeLines } from "../../io/output.js";

/** Adds the action of `ticks guide`. */
export function configure(command: Command): void {
  command.action(async () => {
    const { GUIDE } = await import("./guide/guide-text.js");
    await writeLines(process.stdout, GUIDE.trimEnd().split("\n"));
  });
}
