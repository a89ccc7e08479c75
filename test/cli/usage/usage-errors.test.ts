import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readCommandLine } from "../../../src/cli/arguments.ts";
import { EXPORT_FORMATS } from "../../../src/cli/commands/export.ts";
import { COMMANDS, commandNamed } from "../../../src/cli/commands.ts";
import { allOptions, TOPICS } from "../../../src/cli/options.ts";
import { optionsOf } from "../../../src/cli/read-options.ts";
import { RUN_GROUPS } from "../../../src/compare/run-groups.ts";
import { SCALES } from "../../../src/compare/scales.ts";
import { CODE_KINDS } from "../../../src/facts/filter-profile.ts";
import { VM_STATES } from "../../../src/profile/vm-state.ts";
import { namesOf } from "../../../src/reports/command-row.ts";
import { testFolder } from "../../helpers/folder.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

const GUIDE = fileURLToPath(new URL("../../../fixtures/node-26-inlining/isolate.log.gz", import.meta.url));

const folder = testFolder();
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

  it("is none after an option of the program", async () => {
    expect(await error("--no-cache", "top", "gone.log")).toMatch(/^ticks: gone\.log: no such file/);
    expect(await error("--no-cache", "tpo", LOG)).toMatch(/^ticks: unknown command tpo/);
  });

  it("is one that comes too late", async () => {
    expect(await error("--json", "top", LOG)).toBe(
      "ticks: top: no such file\nA command comes first: ticks top …",
    );
  });
});

describe("a wrong option", () => {
  it.each([
    [["top", LOG, "--jsn"], "unknown option --jsn; did you mean --json?\nAll options: ticks top --help-all"],
    [
      ["top", "--frmat=x", LOG],
      "unknown option --frmat; did you mean --format?\nAll options: ticks top --help-all",
    ],
    [
      [LOG, "--inline"],
      "unknown option --inline; did you mean --inlines of ticks process?\nAll options: ticks top --help-all",
    ],
    [
      ["top", "--nopager", LOG],
      "unknown option --nopager; did you mean --no-pager?\nAll options: ticks top --help-all",
    ],
    [
      ["top", "--heavy", LOG],
      "unknown option --heavy; it is an option of tree\nAll options: ticks top --help-all",
    ],
    [["top", "--qqqqqqq"], "unknown option --qqqqqqq\nAll options: ticks top --help-all"],
    [["top", "--format", "jsn"], "--format jsn: expected text, json or md; did you mean json?"],
    [
      ["process", "--separate-icc", LOG],
      "unknown option --separate-icc; did you mean --separate-ic?\nAll options: ticks process --help-all",
    ],
    [["process", "-ni", LOG], "unknown option -ni: use --no-idle"],
    [["top", "-n", "x"], "--limit x: expected a whole number from 1 to 1000"],
    [["top", "-n"], "--limit needs a value: -n, --limit <n>"],
    [["symbols"], "missing LOG\nUsage: ticks symbols [options] <LOG>"],
    [["symbols", "a", "b"], "too many arguments: 2, not 1\nUsage: ticks symbols [options] <LOG>"],
    [["completion", "csh"], "SHELL csh: expected bash, zsh or fish; did you mean zsh?"],
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

describe("a time", () => {
  it.each(["--from 2", "--from 2ms", "--from 0.002s", "--from 2000us"])("can be written %s", async (text) => {
    const { stdout, status } = await run("top", LOG, ...text.split(" "), "--json");
    expect(status).toBe(0);
    // Commands to run next have it as it was given.
    const same = (await run("top", LOG, "--from=2", "--json")).stdout;
    expect(stdout.replaceAll(` ${text}`, "")).toBe(same.replaceAll(" --from=2", ""));
  });

  it.each(["x", "5x", "s", "-1", ""])("is not %j", async (text) => {
    expect(await error("top", LOG, `--to=${text}`)).toBe(
      `ticks: --to ${text}: expected a time such as 10s, 500ms or 2min`,
    );
  });

  it("of a tick may have a unit too", async () => {
    expect(await error("record", "--interval", "2s", "--", "node")).toContain("expected 20 to 1000000");
    expect(await error("record", "--interval", "19us", "--", "node")).toContain("expected 20 to 1000000");
  });
});

describe("the help", () => {
  it("of every command fits 80 columns, and ends with two examples that the parser takes", async () => {
    for (const row of COMMANDS.filter(({ group }) => group !== undefined)) {
      for (const flag of ["--help", "--help-all"]) {
        const { stdout } = await run(row.name, flag);
        expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
        expect(stdout.endsWith(`\n\nExamples:\n  ticks ${row.examples.join("\n  ticks ")}\n`)).toBe(true);
      }
      for (const example of row.examples) {
        const [words] = example.split(/ [|>] /);
        const line = readCommandLine(words!.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", "")));
        expect(line.row).toBe(row);
        expect(() => optionsOf(line)).not.toThrow();
      }
    }
  });

  it("of ticks top fits 40 lines: options that commands share have a line together", async () => {
    const { stdout } = await run("top", "--help");
    expect(stdout.split("\n").length).toBeLessThanOrEqual(30);
    expect(stdout).toMatch(/^Filters: --focus --ignore --hide --only .* … \(ticks help filters\)$/m);
    const { stdout: all } = await run("top", "--help-all");
    for (const one of allOptions(commandNamed("top")!)) {
      if (!one.isHidden) expect(all).toContain(namesOf(one).long);
    }
    expect(all).toContain("drop stacks with a matching frame");
  });

  it("of a topic explains its options, once for all commands", async () => {
    for (const { name, options } of TOPICS) {
      const { stdout } = await run("help", name);
      for (const one of options) expect(stdout.includes(`  ${one.flags}`)).toBe(!one.isHidden);
    }
    expect(await error("help", "filtrs")).toContain("did you mean `ticks help filters`?");
  });

  it("hides options without effect, which work", async () => {
    expect((await run("process", "--help-all")).stdout).not.toContain("--linux");
    expect((await run("process", LOG, "--linux")).status).toBe(0);
    expect((await run("flame", "--help")).stdout).not.toContain("--color");
  });
});

describe("the table of commands", () => {
  it("has the choices that the code knows", () => {
    const choicesOf = (name: string, flags: string) =>
      allOptions(commandNamed(name)!).find((one) => one.flags === flags)!.choices;
    expect(choicesOf("top", "--only <kind>")).toEqual(CODE_KINDS);
    expect(choicesOf("top", "--state <name>")).toEqual(VM_STATES.filter((name) => name !== "unknown"));
    expect(choicesOf("diff", "--by <group>")).toEqual(RUN_GROUPS);
    expect(choicesOf("diff", "--scale <name>")).toEqual(SCALES);
    expect(choicesOf("diff", "--sort <column>")).toEqual(["change", "before", "after", "total", "name"]);
    const formats = EXPORT_FORMATS.map(({ name }) => name);
    expect(choicesOf("export", "--format <name>")?.toSorted()).toEqual(formats.sort());
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
