import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { warmTicks } from "../../helpers/warm-cli.ts";

const GUIDE = fileURLToPath(new URL("../../../fixtures/node-26-inlining/isolate.log.gz", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "ticks-usage-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
copyFileSync(GUIDE, join(folder, "isolate-0x1-77-v8.log.gz"));
mkdirSync(join(folder, "tre"));

const LOG = "isolate-0x1-77-v8.log.gz";
const run = (...args: string[]) => warmTicks(args, { cwd: folder });

/** What a wrong command line is told; it prints nothing else. */
async function error(...args: string[]): Promise<string> {
  const { stdout, stderr, status } = await run(...args);
  expect([stdout, status]).toEqual(["", 2]);
  return stderr.trimEnd();
}

describe("a misspelt command", () => {
  it.each([
    [["tpo", LOG], "top"],
    [["tpo"], "top"],
    [["--no-pager", "tpo", LOG], "top"],
    [["lin", LOG], "lines"],
    [["EXPORT", LOG], "export"],
    [["thread", LOG], "threads"],
    [["help", "tpo"], "help top"],
  ])("%j", async (args, meant) => {
    const word = args.find((arg) => arg !== "--no-pager" && arg !== "help");
    expect(await error(...args)).toBe(`ticks: unknown command ${word}; did you mean \`ticks ${meant}\`?`);
  });

  it("is none where a file has that name, or where the name is one of a file", async () => {
    expect(await error("tre")).toMatch(/^ticks: tre: no isolate/);
    expect(await error("tree.log")).toMatch(/^ticks: tree\.log: no such file/);
    expect(await error("./tpo")).toMatch(/^ticks: \.\/tpo: no such file/);
    expect(await error("nobody")).toMatch(/^ticks: nobody: no such file/);
  });

  it("is one that comes too late", async () => {
    expect(await error("--json", "top", LOG)).toBe(
      "ticks: top: no such file\nA command comes first: ticks top …",
    );
  });
});

describe("a wrong option", () => {
  it.each([
    [["top", LOG, "--jsn"], "unknown option --jsn; did you mean --json?\nAll options: ticks top --help"],
    [
      ["top", "--frmat=x", LOG],
      "unknown option --frmat; did you mean --format?\nAll options: ticks top --help",
    ],
    [
      [LOG, "--inline"],
      "unknown option --inline; did you mean --inlines?\nAll options: ticks process --help",
    ],
    [
      ["top", "--nopager", LOG],
      "unknown option --nopager; did you mean --no-pager?\nAll options: ticks top --help",
    ],
    [
      ["top", "--heavy", LOG],
      "unknown option --heavy; it is an option of tree\nAll options: ticks top --help",
    ],
    [["top", "--qqqqqqq"], "unknown option --qqqqqqq\nAll options: ticks top --help"],
    [["top", "--format", "jsn"], "--format jsn: Allowed choices are text, json, md. Did you mean json?"],
    [["top", "-n", "x"], "--limit x: Expected a whole number from 1 to 1000."],
    [["top", "-n"], "--limit needs a value: -n, --limit <n>"],
    [["symbols"], "missing LOG\nUsage: ticks symbols [options] <LOG>"],
    [["symbols", "a", "b"], "too many arguments: 2, not 1\nUsage: ticks symbols [options] <LOG>"],
    [["completion", "csh"], "SHELL csh: Allowed choices are bash, zsh, fish. Did you mean zsh?"],
  ])("%j", async (args, words) => {
    expect(await error(...args)).toBe(`ticks: ${words}`);
  });
});

describe("options that other programs have", () => {
  it.each(["top", "tree", "lines", "deopts", "timeline", "threads", "process", "doctor"])(
    "work on %s",
    async (command) => {
      const [json, short] = await Promise.all([
        run(command, LOG, "--format", "json"),
        run(command, LOG, "--json", "--no-color"),
      ]);
      expect(JSON.parse(json.stdout)).toMatchObject({ command });
      expect(short).toEqual(json);
    },
  );

  it("have short forms for every format", async () => {
    const [md, short] = await Promise.all([run("top", LOG, "--format", "md"), run("top", LOG, "--md")]);
    expect(md.stdout).toMatch(/^# /);
    expect(short.stdout).toBe(md.stdout);
    // The longer one counts.
    expect((await run("top", LOG, "--md", "--format", "json")).stdout).toMatch(/^\{/);
  });

  it("limit rows", async () => {
    const tree = JSON.parse((await run("tree", LOG, "-n", "3", "--json")).stdout);
    expect(JSON.stringify(tree).match(/"depth":/g) ?? []).toHaveLength(3);
    const [lines, short] = await Promise.all([run("lines", LOG, "--limit", "2"), run("lines", LOG, "-n2")]);
    expect(lines.stdout).not.toBe((await run("lines", LOG)).stdout);
    expect(short).toEqual(lines);
  });

  it("are those of help and version, everywhere", async () => {
    for (const command of ["top", "symbols", "completion"]) {
      expect((await run(command, "-h")).stdout).toContain(`Usage: ticks ${command}`);
      expect((await run(command, "-V")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    }
  });
});

describe("a log that does not exist", () => {
  it.each([
    [["isolate-0x1-7-v8.log.gz"], LOG],
    [["top", "isolate"], LOG],
    [["redact", "isolate-0x2-77-v8.log.gz", "-o", "x"], LOG],
    [["process", "--preprocess", "isolate-0x2-77-v8.log.gz"], LOG],
    [
      ["symbols", `../${folder.split("/").at(-1)}/isolate-0x2-77-v8.log.gz`],
      join("..", folder.split("/").at(-1)!, LOG),
    ],
  ])("%j", async (args, meant) => {
    expect(await error(...args)).toMatch(/^ticks: .*: no such file; did you mean /);
    expect(await error(...args)).toContain(`did you mean ${meant}?`);
  });
});
