import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { VERSION } from "../src/version.ts";
import { warmTicks } from "./helpers/warm-cli.ts";

/**
 * Every file `fixtures/CASE/expected/COMMAND[--OPTION…][++WORD…].EXT` is a test: what the command prints, with these
 * options, for the log of the case, or for its folder where that has logs under their own names; what it says on standard error is beside it, in `….stderr`. `UPDATE=1` rewrites them, and makes the usual ones for a case that has none; read them before
 * they are committed.
 */
const FIXTURES = fileURLToPath(new URL("../fixtures", import.meta.url));
const USUAL = ["process.txt", "process--format=json--pretty--only-summary.json"];
const isUpdate = process.env.UPDATE === "1";

const cases = readdirSync(FIXTURES);

function logOf(name: string): string {
  return existsSync(join(FIXTURES, name, "isolate.log.gz")) ? "isolate.log.gz" : ".";
}

function expectedFiles(name: string): string[] {
  const folder = join(FIXTURES, name, "expected");
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => !file.endsWith(".stderr")) : [];
  return files.length === 0 && isUpdate ? USUAL : files;
}

/** `function--min=5++main.txt` as the words of a command line: what follows `++` comes after the log. */
function commandOf(file: string, log: string): string[] {
  const [head = "", ...words] = file.replace(/\.\w+$/, "").split("++");
  const [command = "", ...options] = head.split("--");
  return [command, ...options.map((option) => `--${option}`), log, ...words];
}

describe("what is printed for each recorded log", () => {
  for (const name of cases) {
    for (const file of expectedFiles(name)) {
      it(`${name}: ${commandOf(file, logOf(name)).join(" ")}`, async () => {
        const run = await warmTicks(commandOf(file, logOf(name)), { cwd: join(FIXTURES, name) });
        expect(run.status).toBe(0);
        const stdout = run.stdout.replace(`"version": "${VERSION}"`, '"version": "VERSION"');
        const path = join(FIXTURES, name, "expected", file);
        if (isUpdate) {
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, stdout);
          if (run.stderr !== "") writeFileSync(`${path}.stderr`, run.stderr);
        }
        expect(run.stderr).toBe(existsSync(`${path}.stderr`) ? readFileSync(`${path}.stderr`, "utf8") : "");
        expect(stdout).toBe(readFileSync(path, "utf8"));
      });
    }
  }

  it("is there for every case", () => {
    expect(cases.length).toBeGreaterThan(0);
    // What hostile logs may make commands do has a test of its own, and so have start-ups.
    const silent = cases.filter((name) => expectedFiles(name).length === 0);
    expect(silent).toEqual(["hostile", "startup"]);
  });
});
