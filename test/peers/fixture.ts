import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { ticks } from "../helpers/cli.ts";

/** Where the recorded logs are. */
export const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));

const NAMES = readdirSync(FIXTURES).sort();

/** The recorded logs of one thread. */
export const CASES = NAMES.filter((name) => existsSync(join(FIXTURES, name, "isolate.log.gz")));
/** Folders with a log for each of several threads. */
export const FOLDERS = NAMES.filter(
  (name) =>
    !CASES.includes(name) && readdirSync(join(FIXTURES, name)).some((file) => file.startsWith("isolate")),
);

/** Where the files of one peer go; taken away after its tests. */
export const OUT = mkdtempSync(join(tmpdir(), "ticks-peer-"));
afterAll(() => rmSync(OUT, { recursive: true, force: true }));

const files = new Map<string, Promise<string>>();
const sums = new Map<string, Promise<number>>();

/** Exports a recorded log as a user would, once for each form, and gives the path of the file, whose name says the form. */
export function exported(name: string, extension: string, ...flags: readonly string[]): Promise<string> {
  const file = join(OUT, `${[name, ...flags].join("")}.${extension}`);
  const known = files.get(file) ?? exportTo(file, [logOf(name), ...flags]);
  files.set(file, known);
  return known;
}

/** What `ticks process` counts in a recorded log. */
export function ticksOf(name: string): Promise<number> {
  const known = sums.get(name) ?? countTicks(logOf(name));
  sums.set(name, known);
  return known;
}

async function exportTo(file: string, args: readonly string[]): Promise<string> {
  const { status, stderr } = await ticks(["export", ...args, "-o", file]);
  if (status !== 0) throw new Error(stderr);
  return file;
}

async function countTicks(log: string): Promise<number> {
  const { stdout } = await ticks(["process", log, "--format", "json"]);
  return JSON.parse(stdout).ticks;
}

/** The log of a case, or its folder. */
function logOf(name: string): string {
  return join(FIXTURES, name, CASES.includes(name) ? "isolate.log.gz" : "");
}
