import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { loadLogs, originOfLog, readMapFile, TicksError } from "../../src/index.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));
const FOLDER = mkdtempSync(join(tmpdir(), "ticks-load-"));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

describe("loadLogs", () => {
  it("reads the logs of a folder with their threads named and in order", async () => {
    const profile = await loadLogs(join(FIXTURES, "node-12-threads"));
    const names = profile.info.threads.map(({ name }) => name);
    expect(names[0]).toMatch(/^pid \d+ main$/);
    expect(names[1]).toMatch(/^pid \d+ worker 0x/);
    const { node, thread, ticks, length } = profile.samples;
    expect(Array.from(ticks.subarray(0, length)).reduce((sum, count) => sum + count, 0)).toBe(
      profile.info.ticks,
    );
    expect(Math.max(...thread.subarray(0, node.length && length))).toBe(names.length - 1);
  });

  it("names C++ functions from the symbols beside a log", async () => {
    const { frames } = await loadLogs(join(FIXTURES, "node-24-garbage", "isolate.log.gz"));
    expect(frames.some((frame) => frame.kind === "native" && frame.symbol !== undefined)).toBe(true);
    expect(frames.some((frame) => frame.kind === "js" && frame.line > 0)).toBe(true);
  });

  it("skips logs that cannot be read if it is told to", async () => {
    cpSync(join(FIXTURES, "node-24-garbage", "isolate.log.gz"), join(FOLDER, "isolate-0x1-1-v8.log.gz"));
    writeFileSync(join(FOLDER, "isolate-0x2-1-v8.log"), "");
    await expect(loadLogs([FOLDER])).rejects.toThrow(TicksError);
    const skipped: string[] = [];
    const profile = await loadLogs([FOLDER], { onUnreadable: (path) => skipped.push(path) });
    expect(skipped).toEqual([join(FOLDER, "isolate-0x2-1-v8.log")]);
    expect(profile.info.ticks).toBe(795);
    await expect(loadLogs([])).rejects.toThrow("no logs");
  });
});

describe("originOfLog", () => {
  it("says which process and isolate wrote a log", () => {
    expect(originOfLog("/x/isolate-0x38DB74c0-16691-v8.log")).toEqual({ pid: 16691, isolate: "0x38db74c0" });
  });
});

describe("readMapFile", () => {
  it("reads a map by its path or URL, and nothing else", async () => {
    const path = join(FOLDER, "a.js.map");
    writeFileSync(path, "{}");
    expect(await readMapFile(path, true)).toBe("{}");
    expect(await readMapFile(`file://${path}`, true)).toBe("{}");
    expect(await readMapFile(join(FOLDER, "none.map"), true)).toBeUndefined();
    expect(await readMapFile("file://host/share/a.map", true)).toBeUndefined();
  });
});
