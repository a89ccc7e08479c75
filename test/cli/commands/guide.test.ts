import { execFile } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { GUIDE } from "../../../src/cli/commands/guide.ts";
import { fixtureLog } from "../../helpers/fixtures.ts";
import { testFolder } from "../../helpers/folder.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";
import { foreignMarkup } from "../../hostile/markdown.ts";

const FIXTURES = fileURLToPath(new URL("../../../fixtures", import.meta.url));

/** What the words in capitals stand for, in the folder of this test. */
const MEANT: Readonly<Record<string, string>> = {
  LOG: "isolate.log",
  NAME: "handle",
  FILE: "guide-server.js",
  DIR: "logs",
  N: "1000",
  COMMAND: "top",
};

/** Every command line of the guide: the lines of its code blocks and its code spans that are more than an option. */
const BLOCKS = Array.from(GUIDE.matchAll(/^```sh\n(.*?)^```$/gms), ([, text]) =>
  text!.trim().split("\n"),
).flat();
const SPANS = Array.from(GUIDE.replace(/^```.*?^```$/gms, "").matchAll(/`([^`]+)`/g), ([, text]) => text!);
const LINES = Array.from(new Set([...BLOCKS, ...SPANS.filter((span) => /^ticks |^node .*\.js$/.test(span))]));

const folder = testFolder();

beforeAll(() => {
  writeFileSync(join(folder, "isolate.log"), fixtureLog("node-26-guide"));
  copyFileSync(join(FIXTURES, "node-26-guide/isolate.log.symbols"), join(folder, "isolate.log.symbols"));
  mkdirSync(join(folder, "logs"));
  cpSync(join(FIXTURES, "node-12-threads"), join(folder, "logs"), { recursive: true });
  for (const side of ["before", "after"]) {
    mkdirSync(join(folder, side));
    writeFileSync(join(folder, side, "isolate-0x1-1-v8.log"), fixtureLog("node-26-guide"));
  }
  const end = "const end = Date.now() + 100;";
  // `ticks` alone reads the newest recording of a folder: that of ticks, not that of memory.
  for (const name of ["recorded", "allocated"]) {
    mkdirSync(join(folder, name));
    writeFileSync(
      join(folder, name, "app.js"),
      `${end}\nwhile (Date.now() < end) JSON.stringify(process.memoryUsage());\n`,
    );
  }
});

describe("ticks guide", () => {
  it("is one page in Markdown: at most 900 words, 80 columns wide", async () => {
    const { stdout, stderr, status } = await warmTicks(["guide"]);
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(stdout).toBe(GUIDE);
    expect(stdout.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(900);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const lists = /^(?:bullet_list|ordered_list|list_item)_/;
    expect(foreignMarkup(stdout).filter((markup) => !lists.test(markup))).toEqual([]);
  });

  it("names every command that reads a log", () => {
    const named = new Set(LINES.map((line) => line.split(" ")[1]));
    for (const command of [
      "top",
      "doctor",
      "function",
      "tree",
      "lines",
      "deopts",
      "ics",
      "timeline",
      "threads",
      "flame",
    ])
      expect(named).toContain(command);
  });

  const [RECORDINGS, READERS] = [true, false].map((isRecording) =>
    LINES.filter((line) => /^ticks\b/.test(line) && line.startsWith("ticks record ") === isRecording),
  );

  it.each(RECORDINGS!)("%s", async (line) => {
    const place = line.includes("--allocations") ? "allocated" : "recorded";
    const { stderr, status } = await warmTicks(line.split(" ").slice(1), { cwd: join(folder, place) });
    expect(status).toBe(0);
    expect(stderr).toMatch(/^ticks: recorded 1 (?:log|heap profile) .* in ticks-/m);
  });

  it.each(READERS!)("%s", async (line) => {
    const words = line.split(" ").slice(1);
    const { stderr, status, stdout } = await warmTicks(
      words.map((word) => MEANT[word] ?? word),
      { cwd: words.length === 0 ? join(folder, "recorded") : folder },
    );
    // The log of this test has no packages.
    const told = stderr.replace(/^ticks: (?:wrote|processing|.* -> |--only deps matches nothing).*\n/, "");
    expect({ stderr: told, status }).toEqual({
      stderr: "",
      status: 0,
    });
    if (words[0] !== "flame") expect(stdout.length).toBeGreaterThan(80);
  });

  it.each(LINES.filter((line) => !/^ticks\b/.test(line)))("%s", async (line) => {
    const [node, ...args] = line.split(" ");
    expect(node).toBe("node");
    await promisify(execFile)(process.execPath, args, { cwd: join(folder, "recorded") });
  });

  it("has no other option than there are", async () => {
    const options = new Set(SPANS.flatMap((span) => /^--[\w-]+/.exec(span)?.[0] ?? []));
    const ofV8 = ["--no-sparkplug"];
    const helps = await Promise.all(["top", "record"].map((name) => warmTicks([name, "--help-all"])));
    const help = helps.map(({ stdout }) => stdout).join("");
    for (const option of options) if (!ofV8.includes(option)) expect(help).toContain(option);
    expect(options.size).toBeGreaterThan(ofV8.length);
  });

  it("tells the intervals of Wilson", () => {
    const rows = Array.from(GUIDE.matchAll(/^\| ([\d,]+) \| ([\d.]+) to ([\d.]+) % \|$/gm));
    expect(rows).toHaveLength(3);
    for (const [, ticksInAll, from, to] of rows) {
      const [n, p, z] = [Number(ticksInAll!.replace(",", "")), 0.1, 1.959964];
      const middle = p + z ** 2 / (2 * n);
      const half = z * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2));
      const percent = (share: number) => ((100 * share) / (1 + z ** 2 / n)).toFixed(1);
      expect([from, to]).toEqual([percent(middle - half), percent(middle + half)]);
    }
  });
});
