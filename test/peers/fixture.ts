import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { ticks } from "../helpers/cli.ts";

/** Where the recorded logs are. */
export const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));

/** The recorded logs. */
export const CASES = readdirSync(FIXTURES).sort();

/** Where the files of one peer go; taken away after its tests. */
export const OUT = mkdtempSync(join(tmpdir(), "ticks-peer-"));
afterAll(() => rmSync(OUT, { recursive: true, force: true }));

/** Exports a recorded log as a user would, with these options, and gives the path of the file. */
export async function exported(
  name: string,
  extension: string,
  ...options: readonly string[]
): Promise<string> {
  const file = join(OUT, `${name}.${extension}`);
  const log = join(FIXTURES, name, "isolate.log.gz");
  const { status, stderr } = await ticks(["export", log, "-o", file, ...options]);
  if (status !== 0) throw new Error(stderr);
  return file;
}

/** What `ticks process` counts in a recorded log. */
export async function ticksOf(name: string): Promise<number> {
  const { stdout } = await ticks(["process", join(FIXTURES, name, "isolate.log.gz"), "--format", "json"]);
  return JSON.parse(stdout).ticks.total;
}
