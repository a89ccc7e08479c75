import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { nextOf } from "../helpers/next-of.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures/", import.meta.url));
/** Reports that need no name. */
const REPORTS = ["top", "lines", "ics", "deopts", "timeline", "threads", "startup", "tree", "doctor"];

/** The folders of fixtures, but those of logs that are no logs, or of starts of several versions. */
const FOLDERS = readdirSync(FIXTURES).filter((name) => name !== "hostile" && name !== "startup");

describe("what [Next] says after each report of", () => {
  it.each(FOLDERS)("%s", async (folder) => {
    const cwd = `${FIXTURES}${folder}`;
    const pages = new Map<string, readonly string[]>();
    for (const report of REPORTS) {
      // Some reports refuse some logs, and say why.
      const { status, stdout } = await warmTicks([report, "."], { cwd });
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
  });
});

/** So many commands are run of each folder: each function leads to another one. */
const MOST = 10;
