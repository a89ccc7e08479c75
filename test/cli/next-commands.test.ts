import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { nextOf } from "../helpers/next-of.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures/", import.meta.url));

const PAGES: readonly (readonly [folder: string, ...words: string[]])[] = [
  ["node-20-bundle", "top", "isolate.log.gz"],
  ["node-20-bundle", "function", "isolate.log.gz", "sortNumbers"],
  ["node-20-bundle", "lines", "isolate.log.gz"],
  ["node-20-bundle", "timeline", "isolate.log.gz"],
  ["node-26-hidden", "top", "isolate.log.gz"],
  ["node-26-hidden", "function", "isolate.log.gz", "stores"],
  ["node-26-hidden", "lines", "isolate.log.gz", "hidden-callers.js"],
  ["node-26-hidden", "ics", "isolate.log.gz"],
  ["node-26-hidden", "deopts", "isolate.log.gz"],
  ["node-14-scripts", "deopts", "isolate.log.gz"],
  ["node-26-ics", "ics", "isolate.log.gz"],
  ["node-26-guide", "threads", "isolate.log.gz"],
  ["node-12-threads", "threads", "."],
  ["startup", "startup", "commonjs-26.log.gz"],
  ["cpuprofile", "top", "."],
  ["cpuprofile", "lines", "."],
  ["cpuprofile", "top", ".", "--only", "deps"],
  ["node-12-threads", "top", ".", "--thread", "1,3", "--source-root=."],
  ["startup", "threads", "commonjs-16.log.gz", "commonjs-26.log.gz", "modules-20.log.gz"],
];

describe("what [Next] says", () => {
  it.each(PAGES)("after %s: ticks %s %s", async (folder, ...words) => {
    const cwd = `${FIXTURES}${folder}`;
    const { stdout } = await warmTicks(words, { cwd });
    const commands = nextOf(stdout);
    expect(commands.length, stdout).toBeGreaterThan(0);
    for (const command of commands.filter(([name]) => name !== "record")) {
      expect(command).not.toEqual(words);
      const next = await warmTicks(command, { cwd });
      expect(next.status, `${command.join(" ")}: ${next.stderr}`).toBe(0);
      expect(next.stdout, command.join(" ")).toMatch(/\n +\d/);
    }
  });

  it("names the folder for all of its logs, and keeps the options that say what is read", async () => {
    const cwd = `${FIXTURES}node-12-threads`;
    const logs = readdirSync(cwd).filter((name) => name.endsWith(".log.gz"));
    const nextAfter = async (...words: string[]) => nextOf((await warmTicks(words, { cwd })).stdout);
    const reading = ["--source-root", ".", "--thread", "1,3"];
    expect((await nextAfter("top", ...logs, ...reading, "--limit", "5"))[0]).toEqual([
      "function",
      ".",
      "burn",
      ...reading,
    ]);
    // The command about one thread is about no other.
    expect(await nextAfter("threads", ...logs, "--thread=1,3", "--no-inferred")).toEqual([
      ["top", ".", "--thread", "1", "--no-inferred"],
    ]);
    expect((await nextAfter("function", ...logs.slice(1), "burn"))[0]).toEqual([
      "function",
      ...logs.slice(1),
      expect.any(String),
    ]);
  });

  it("stands LOGS for many", async () => {
    const cwd = `${FIXTURES}startup`;
    const logs = readdirSync(cwd)
      .filter((name) => name.endsWith(".log.gz"))
      .slice(0, 4);
    const { stdout } = await warmTicks(["threads", ...logs], { cwd });
    expect(nextOf(stdout)[0]!.slice(0, 2)).toEqual(["top", "LOGS"]);
    expect(stdout).toContain(`LOGS in commands: ${logs.join(" ")}`);
  });
});
