import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { VERSION } from "../../src/version.ts";
import type { Run } from "./cli.ts";
import { expectValid } from "./schema.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));
const USUAL = ["process.txt", "process--format=json--pretty--only-summary.json"];
const isUpdate = process.env.UPDATE === "1";

/** The folders of `fixtures/`. */
export const CASES: readonly string[] = readdirSync(FIXTURES);

function logOf(name: string): string {
  return existsSync(join(FIXTURES, name, "isolate.log.gz")) ? "isolate.log.gz" : ".";
}

/** Returns the files of a case whose text a command prints. */
export function expectedFiles(name: string): string[] {
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

/**
 * Makes a test of every file `fixtures/CASE/expected/COMMAND[--OPTION…][++WORD…].EXT`: what the command prints, with these
 * options, for the log of the case, or for its folder where that has logs under their own names. What it says on standard error
 * is beside it, in `….stderr`. `UPDATE=1` rewrites them, and makes the usual ones for a case that has none; read them before
 * they are committed. `run` runs the commands.
 */
export function testGoldens(
  run: (args: readonly string[], options: { readonly cwd: string }) => Promise<Run>,
): void {
  for (const name of CASES) {
    for (const file of expectedFiles(name)) {
      it(`${name}: ${commandOf(file, logOf(name)).join(" ")}`, async () => {
        const {
          stdout: printed,
          stderr,
          status,
        } = await run(commandOf(file, logOf(name)), {
          cwd: join(FIXTURES, name),
        });
        expect(status).toBe(0);
        const stdout = printed.replace(`"version": "${VERSION}"`, '"version": "VERSION"');
        const path = join(FIXTURES, name, "expected", file);
        if (isUpdate) {
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, stdout);
          if (stderr !== "") writeFileSync(`${path}.stderr`, stderr);
        }
        expect(stderr).toBe(existsSync(`${path}.stderr`) ? readFileSync(`${path}.stderr`, "utf8") : "");
        expect(stdout).toBe(readFileSync(path, "utf8"));
        if (file.endsWith(".json")) expectValid(file.split("--")[0]!, JSON.parse(stdout));
      });
    }
  }
}
