import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { VERSION } from "../../src/base/version.ts";
import type { Run } from "./cli.ts";
import { ALL_LINES, LOG } from "./command-lines.mjs";
import { expectValid, schemaNames } from "./schema.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));
/** The hash of what each command line of {@link testHashes} prints. */
const HASHES = fileURLToPath(new URL("../printed.json", import.meta.url));
const USUAL = ["process.txt", "process--format=json--pretty--only-summary.json"];
const isUpdate = process.env.UPDATE === "1";

/** The folders of `fixtures/`. */
export const CASES: readonly string[] = readdirSync(FIXTURES);

function hasOneLog(name: string): boolean {
  return existsSync(join(FIXTURES, name, "isolate.log.gz"));
}

function logOf(name: string): string {
  if (name === "startup") return "commonjs-16.log.gz";
  return hasOneLog(name) ? "isolate.log.gz" : ".";
}

type RunCommand = (args: readonly string[], options: { readonly cwd: string }) => Promise<Run>;

/** Returns the files of a case whose text a command prints. */
export function expectedFiles(name: string): string[] {
  const folder = join(FIXTURES, name, "expected");
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => !file.endsWith(".stderr")) : [];
  return files.length === 0 && isUpdate && hasOneLog(name) ? USUAL : files;
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
 * is beside it, in `….stderr`. `UPDATE=1` rewrites them, and makes the usual ones for a new case that has none; read them
 * before they are committed. `isOneOfEach`: of the files of one name, only the first.
 */
export function testGoldens(run: RunCommand, isOneOfEach = false): void {
  const files = new Set<string>();
  for (const name of CASES) {
    for (const file of expectedFiles(name)) {
      if (isOneOfEach && files.has(file)) continue;
      files.add(file);
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

/** The cases in which some commands find most. */
const RICH: Readonly<Record<string, string>> = {
  deopts: "node-26-ics",
  ics: "node-26-ics",
  startup: "startup",
  threads: "node-12-threads",
};

/**
 * Whether the same log gives the same text everywhere: not if it is compressed, made of what a bundler wrote, of a random key, of
 * the time of day, or of the libraries of this machine.
 */
function isSameEverywhere({ args, form }: (typeof ALL_LINES)[number]): boolean {
  return form !== "bytes" && form !== "html" && !["live", "redact", "symbols"].includes(args[0]!);
}

/**
 * Makes a test of every command line in every form: what it prints for a recorded log has the hash that `test/printed.json` has,
 * and JSON is by its schema. There are a first and a second log for each. `UPDATE=1` writes the hashes of both; `git stash` and
 * the command line itself show what changed.
 */
export function testHashes(run: RunCommand, number: 0 | 1): void {
  const known: Record<string, string> = JSON.parse(readFileSync(HASHES, "utf8"));
  const found: Record<string, string> = {};
  const cases = CASES.filter((name) => name !== "hostile");
  for (const line of ALL_LINES.filter(isSameEverywhere)) {
    const command = line.args[0]!;
    // By its words, so that a new command line changes no other one's log.
    const i = createHash("sha256").update(line.args.join(" ")).digest().readUInt16LE();
    const both = [RICH[command] ?? cases[(7 * i + 11) % cases.length]!, cases[(7 * i) % cases.length]!];
    const names = isUpdate ? both : [both[number]!];
    it(`${line.args.join(" ")}: ${names.join(", ")}`, async () => {
      for (const name of names) {
        const words = line.args.map((word) =>
          word === LOG ? logOf(name) : word === "FUNCTION" ? "/./" : word,
        );
        const { status, stdout, stderr } = await run(words, { cwd: join(FIXTURES, name) });
        const key = `${name}: ${words.join(" ")}`;
        const text = stdout.replaceAll(VERSION, "VERSION");
        found[key] = createHash("sha256").update(`${status}\n${stderr}\n${text}`).digest("hex").slice(0, 16);
        if (!isUpdate) expect(found[key], key).toBe(known[key]);
        if (line.form === "json" && stdout !== "" && schemaNames().includes(command))
          if (!words.some((word) => /^--(?:preprocess|serialize)/.test(word)))
            expectValid(command, JSON.parse(stdout));
      }
    });
  }
  // In an order that does not depend on that of the tests: a difference shows what changed.
  const sorted = () => Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (isUpdate) afterAll(() => writeFileSync(HASHES, `${JSON.stringify(sorted(), null, 2)}\n`));
}
