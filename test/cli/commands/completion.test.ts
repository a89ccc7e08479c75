import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { CODE_KINDS } from "../../../src/facts/filter-profile.ts";
import { testFolder } from "../../helpers/folder.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

const folder = testFolder();
mkdirSync(join(folder, "logs"));
for (const name of ["a b.log", "x.log.gz", "CPU.1.cpuprofile", "notes.txt"])
  writeFileSync(join(folder, name), "");

const PROGRAM = fileURLToPath(new URL("../../../bin/ticks.js", import.meta.url));
const SHELLS = ["bash", "zsh", "fish"];
const scripts = new Map<string, string>();
beforeAll(async () => {
  for (const shell of SHELLS) {
    const { stdout, status } = await warmTicks(["completion", shell]);
    expect(status).toBe(0);
    scripts.set(shell, stdout);
    writeFileSync(join(folder, `script.${shell}`), stdout);
  }
});

const isThere = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

const answers = testFolder();

/** What bash offers for the last of some words, as it splits them. The answer to what it asks is made in a process that is warm. */
async function offered(...words: string[]): Promise<string[]> {
  const { stdout } = await warmTicks(["complete", "--", ...words], { cwd: folder });
  writeFileSync(join(answers, "answer"), stdout);
  const found = offeredBy(`printf '%s\\0' "$@" > '${answers}/asked'; cat '${answers}/answer'`, words);
  const asked = readFileSync(join(answers, "asked"), "utf8");
  expect(asked.split("\0")).toEqual(["complete", "--", ...words, ""]);
  return found;
}

function offeredBy(command: string, words: readonly string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(" ");
  const { stdout, stderr } = spawnSync(
    "bash",
    [
      "-c",
      `ticks() { ${command}; }; source script.bash; COMP_WORDS=(ticks ${line}); COMP_CWORD=${words.length}; _ticks; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
    { cwd: folder, encoding: "utf8" },
  );
  expect(stderr).toBe("");
  return stdout.split("\n").slice(0, -1);
}

const LOGS = ["a b.log", "x.log.gz", "CPU.1.cpuprofile", "logs"];

describe.skipIf(!isThere("bash"))("the completion of bash", () => {
  it.each([
    [["t"], ["top", "tree", "timeline", "threads"]],
    [["--no-pager", "to"], ["top"]],
    [["x"], ["x.log.gz"]],
    [["top", ""], LOGS],
    [["top", "a"], ["a b.log"]],
    [["top", "not"], ["notes.txt"]],
    [
      ["top", "--fo"],
      ["--format", "--focus", "--force-symbols"],
    ],
    [["process", "--only-s"], ["--only-summary"]],
    [
      ["top", "--format", ""],
      ["text", "json", "md"],
    ],
    [
      ["redact", "--format", ""],
      ["text", "json"],
    ],
    [["top", "--format", "=", "j"], ["json"]],
    [
      ["top", "--format", "="],
      ["text", "json", "md"],
    ],
    [
      ["--color", "a"],
      ["auto", "always"],
    ],
    [["tree", "x.log.gz", "--only", ""], CODE_KINDS],
    [["top", "--target", ""], ["logs"]],
    [["top", "--nm", "n"], ["notes.txt"]],
    [["top", "-n", ""], [""]],
    [["top", "--no-p"], ["--no-pager"]],
    [["export", "--format", "ca"], ["callgrind"]],
    [["completion", ""], SHELLS],
    [["help", "do"], ["doctor"]],
  ])("%j", async (words, found) => {
    expect(await offered(...words)).toEqual(found);
  });

  it("offers commands to record, and then their files", async () => {
    expect(offeredBy(`node '${PROGRAM}' "$@"`, ["record", "--", "nod"])).toContain("node");
    expect(await offered("record", "--runs", "3", "--", "node", "--x", "not")).toEqual(["notes.txt"]);
  });

  it("offers each log once", async () => {
    writeFileSync(join(folder, "logs", "b.log"), "");
    mkdirSync(join(folder, "logs", "c.log"), { recursive: true });
    expect((await offered("lines", "logs/")).sort()).toEqual(["logs/b.log", "logs/c.log"]);
  });

  it("offers every command and some option of each", async () => {
    const commands = (await offered("")).filter((word) => !LOGS.includes(word));
    expect(commands).toContain("process");
    expect(commands.length).toBeGreaterThan(12);
    for (const command of commands) {
      if (command === "help") continue;
      const { stdout } = await warmTicks(["complete", "--", command, "--"]);
      expect(stdout, command).toMatch(/^--help\b/m);
    }
  });

  it("is registered", () => {
    const { stdout } = spawnSync("bash", ["-c", "source script.bash; complete -p ticks"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stdout.trim()).toBe("complete -o filenames -F _ticks ticks");
  });
});

describe("what can stand for a word", () => {
  it("is a function or a file of the log before it", async () => {
    const log = fileURLToPath(new URL("../../../fixtures/node-26-guide/isolate.log.gz", import.meta.url));
    const { stdout } = await warmTicks(["complete", "--", "function", log, "ha"]);
    expect(stdout.split("\n")).toEqual(expect.arrayContaining(["hash\t", "handle\t", ":log"]));
    const lines = await warmTicks(["complete", "--", "lines", log, ""]);
    expect(lines.stdout.split("\n")[0]).toBe("guide-server.js\t");
  });
});

describe("every script", () => {
  it.each(SHELLS)("only asks ticks: %s", (shell) => {
    const script = scripts.get(shell)!;
    expect(script.split("\n").length).toBeLessThan(45);
    expect(script).toContain(" complete -- ");
    expect(script).not.toContain("--focus");
  });

  for (const shell of SHELLS) {
    it.skipIf(!isThere(shell))(`is one that ${shell} can read`, () => {
      const { status, stderr } = spawnSync(shell, ["-n", `script.${shell}`], {
        cwd: folder,
        encoding: "utf8",
      });
      expect([stderr, status]).toEqual(["", 0]);
    });
  }

  it("has balanced quotes in zsh and fish, whatever the help says", () => {
    for (const shell of ["zsh", "fish"]) {
      const plain = scripts.get(shell)!.replace(/\\'|'\\''/g, "");
      for (const line of plain.split("\n")) expect(line.split("'").length % 2, line).toBe(1);
    }
  });
});
