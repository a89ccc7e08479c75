import { copyFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { testFolder } from "../helpers/folder.ts";
import { expectNextRows } from "../helpers/next-rows.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures/", import.meta.url));
/** The folders of fixtures, but those of logs that are no logs, or of starts of several versions. */
const FOLDERS = readdirSync(FIXTURES).filter((name) => name !== "hostile" && name !== "startup");

const KB = 1024;

/** Allocations of two functions, each sample of 32 KB. */
function heapProfile(): string {
  const node = (id: number, functionName: string, lineNumber: number, children: readonly object[] = []) => ({
    callFrame: { functionName, scriptId: "1", url: "file:///srv/a.js", lineNumber, columnNumber: 4 },
    selfSize: id * 40 * 32 * KB,
    id,
    children,
  });
  const head = node(0, "(root)", -1, [node(1, "main", 0, [node(2, "copy", 9)])]);
  const samples = Array.from({ length: 120 }, (_, i) => ({
    ...{ size: 32 * KB, nodeId: i < 40 ? 1 : 2, ordinal: i + 1 },
  }));
  return JSON.stringify({ head, samples });
}

describe("what [Next] says after each report of", () => {
  it.each(FOLDERS)("%s", async (folder) => {
    await expectNextRows(`${FIXTURES}${folder}`);
  });

  it.each(readdirSync(`${FIXTURES}startup`).filter((name) => name.endsWith(".gz")))(
    "startup/%s",
    async (name) => {
      await expectNextRows(`${FIXTURES}startup`, name);
    },
  );

  it("a profile of memory, alone and beside one of time", async () => {
    const cwd = testFolder();
    writeFileSync(join(cwd, "a.heapprofile"), heapProfile());
    await expectNextRows(cwd);
    const [profile = ""] = readdirSync(`${FIXTURES}cpuprofile`);
    copyFileSync(`${FIXTURES}cpuprofile/${profile}`, join(cwd, profile));
    await expectNextRows(cwd);
  });

  it.each(["chrome-trace", "pprof", "cpuprofile"])("what was exported as %s", async (format) => {
    const cwd = testFolder();
    const log = `${FIXTURES}node-26-guide/isolate.log.gz`;
    const file = format === "pprof" ? "a.pb.gz" : `a.${format === "cpuprofile" ? format : "json"}`;
    const { status, stderr } = await warmTicks(["export", log, "--format", format, "-o", file], { cwd });
    expect(status, stderr).toBe(0);
    await expectNextRows(cwd, file);
  });
});
