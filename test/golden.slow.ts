import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { type CapturedProgram, capturedRun } from "./helpers/captured-run.mjs";
import { COMMAND_ENV } from "./helpers/cli.ts";
import { testGoldens, testHashes } from "./helpers/golden-reports.ts";
import { ROOT } from "./helpers/pages.ts";
import { warmTicks } from "./helpers/warm-cli.ts";

const SHIPPED = join(ROOT, "dist/program");

/** Loads a file of the program that is shipped, which has a hash in its name. */
function shipped(name: string): Partial<CapturedProgram> {
  const file = readdirSync(SHIPPED).find((one) => one.startsWith(`${name}-`))!;
  return createRequire(import.meta.url)(join(SHIPPED, file));
}

describe("what the program that is shipped prints, each command line once", () => {
  const [env, cwd] = [process.env, process.cwd()];
  beforeAll(() => {
    process.env = { ...COMMAND_ENV };
  });
  afterAll(() => {
    process.env = env;
    process.chdir(cwd);
  });
  const program = { ...shipped("arguments"), ...shipped("program"), errorText: String } as CapturedProgram;
  testGoldens(async (args, { cwd }) => {
    process.chdir(cwd);
    const { status, stdout, stderr } = await capturedRun(program, args);
    return { status, stdout: stdout.toString("utf8"), stderr };
  }, true);
});

describe("the hash of what is printed by", () => {
  testHashes(warmTicks, 1);
});
