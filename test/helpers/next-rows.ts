import { expect } from "vitest";
import { nextOf } from "./next-of.ts";
import { warmTicks } from "./warm-cli.ts";

/** Reports that need no name. */
const REPORTS = ["top", "lines", "ics", "deopts", "timeline", "threads", "startup", "tree", "doctor"];

/** So many commands are run of each folder: each function leads to another one. */
const MOST = 10;

/** Runs the commands that follow from all reports of what is in a folder, and those that follow from these: each must have rows. */
export async function expectNextRows(cwd: string, path = "."): Promise<void> {
  const pages = new Map<string, readonly string[]>();
  for (const report of REPORTS) {
    // Some reports refuse some logs, and say why.
    const { status, stdout } = await warmTicks([report, path], { cwd });
    if (status === 0) for (const command of nextOf(stdout)) pages.set(command.join("\0"), command);
  }
  // The pages that these commands make have commands too.
  for (const [, command] of pages) {
    if (command[0] === "record") continue;
    const { status, stdout, stderr } = await warmTicks(command, { cwd });
    const line = command.join(" ");
    expect(status, `${line}: ${stderr}`).toBe(0);
    expect(stdout, line).toMatch(/\n +\d/);
    for (const next of nextOf(stdout)) {
      expect(next.join(" ")).not.toBe(line);
      if (pages.size < MOST) pages.set(next.join("\0"), next);
    }
  }
  expect(pages.size).toBeGreaterThan(0);
}
