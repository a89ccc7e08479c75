import { execFileSync } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { TopData } from "../../src/reports/top-facts.ts";
import { wrongFindings } from "../helpers/finding-rows.ts";
import { testFolder } from "../helpers/folder.ts";
import { expectNextRows } from "../helpers/next-rows.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const PLANTED = fileURLToPath(new URL("../programs/planted/", import.meta.url));

/** Records a program, each isolate in a log of its own; returns the folder. */
function recorded(program: string): string {
  const folder = testFolder();
  cpSync(join(PLANTED, program), join(folder, program));
  cpSync(join(PLANTED, "packages"), join(folder, "node_modules"), { recursive: true });
  execFileSync(process.execPath, ["--prof", program], { cwd: folder, stdio: "pipe" });
  return folder;
}

// What is found depends on the machine: that pages agree with themselves does not.
describe("a program with a planted problem", () => {
  it.each(readdirSync(PLANTED).filter((name) => name.endsWith(".cjs")))("%s", async (program) => {
    const cwd = recorded(program);
    const { status, stdout, stderr } = await warmTicks(["top", ".", "--json", "--limit", "1000"], { cwd });
    expect(status, stderr).toBe(0);
    const top = JSON.parse(stdout) as TopData;
    expect(top.ticks).toBeGreaterThan(0);
    expect(wrongFindings(top)).toEqual([]);
    await expectNextRows(cwd);
  });
});
