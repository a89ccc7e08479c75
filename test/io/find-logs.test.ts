import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  allLogsIn,
  describeLog,
  expandPatterns,
  isFolder,
  logFoldersIn,
  logsIn,
  newestFirst,
} from "../../src/io/find-logs.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ticks-find-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function folderOf(name: string, ...files: readonly string[]): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (const file of files) writeFileSync(join(path, file), "tick,1\nx\ntick,2\n");
  return path;
}

it("replaces patterns by the logs and tables that match them", () => {
  const path = folderOf(
    "patterns",
    "isolate-00000209B99A60A0-v8.log",
    "isolate-0x1-9-v8.log",
    "isolate.js",
    "a.log.gz",
  );
  for (const name of ["run-1", "run-2"]) folderOf(join("patterns", name), "v8.log", "run.parquet", ".v8.log");
  writeFileSync(join(path, "what?.log"), "");
  const expand = (...patterns: string[]) =>
    expandPatterns(patterns.map((one) => join(path, one))).map((one) => one.slice(path.length + 1));
  const logs = ["isolate-00000209B99A60A0-v8.log", "isolate-0x1-9-v8.log"];
  expect(expand("isolate*")).toEqual(logs);
  expect(expand("isolate-*-v8.log", "a.log.gz")).toEqual([...logs, "a.log.gz"]);
  expect(expand("is?late-*x*-*.log")).toEqual([logs[1]]);
  expect(expand("run-*/*")).toEqual([
    "run-1/run.parquet",
    "run-1/v8.log",
    "run-2/run.parquet",
    "run-2/v8.log",
  ]);
  expect(expand("what?.log", "none*.log", "none*/*.log", "*.js")).toEqual([
    ...["what?.log", "none*.log", "none*/*.log", "*.js"],
  ]);
});

it("finds what V8 and --logfile call logs, by name", () => {
  const logs = [
    "host-3.isolate-0x7f00-77-v8.log",
    "isolate-00000209B99A60A0-v8.log",
    "isolate-0x1-9-app.log",
    "isolate-0x1-v8-9.log.zst",
    "isolate-0x2-10-v8.log.br",
    "isolate-0x3-11-chrome.prof",
    "isolate-0x4-12-v8-prof",
    "isolate.log.gz",
    "v8-4711.log",
    "v8.log",
  ];
  const others = [
    "app.log",
    "v8.log.symbols",
    "isolate.txt",
    "npm-v8.log.bak",
    "envoy8.log",
    "isolated.log",
    "v8.prof",
    "a.prof",
  ];
  const path = folderOf("names", ...others, ...logs);
  expect(logsIn(path)).toEqual(logs.map((name) => join(path, name)));
});

it("takes a log and its compressed copy once", () => {
  const path = folderOf("copies", "v8.log", "v8.log.gz", "isolate-0x1-v8.log.gz", "isolate-0x1-v8.log.zst");
  expect(logsIn(path)).toEqual(
    ["isolate-0x1-v8.log.gz", "isolate-0x1-v8.log.zst", "v8.log"].map((name) => join(path, name)),
  );
  expect(allLogsIn(path)).toHaveLength(4);
});

it("takes nothing but files: no folders in it, no pipes, no links to nowhere or to themselves", () => {
  const path = folderOf("kinds", "v8.log");
  mkdirSync(join(path, "isolate-1-v8.log"));
  expect(spawnSync("mkfifo", [join(path, "isolate-2-v8.log")]).status).toBe(0);
  symlinkSync("nowhere", join(path, "isolate-3-v8.log"));
  symlinkSync("isolate-4-v8.log", join(path, "isolate-4-v8.log"));
  symlinkSync("v8.log", join(path, "isolate-5-v8.log"));
  expect(logsIn(path)).toEqual(["isolate-5-v8.log", "v8.log"].map((name) => join(path, name)));
});

it("finds the folders in a folder that have logs, one level down, and follows no links", () => {
  const path = folderOf("above", "v8.log");
  for (const name of ["b", "a"]) {
    folderOf(`above/${name}`, "v8.log", "isolate-0x1-v8.log", "x.txt");
  }
  folderOf("above/none", "x.txt");
  folderOf("above/deep");
  folderOf("above/deep/deeper", "v8.log");
  symlinkSync("a", join(path, "link"));
  expect(logFoldersIn(path)).toEqual(["a", "b"].map((name) => ({ path: join(path, name), logs: 2 })));
  expect(logFoldersIn(join(path, "none"))).toEqual([]);
});

it("says why a folder cannot be read", () => {
  const file = join(folderOf("file", "v8.log"), "v8.log");
  expect(() => logsIn(file)).toThrow(`${file}: cannot read the folder (ENOTDIR)`);
  expect([isFolder(folder), isFolder(file), isFolder(join(file, "x")), isFolder("-")]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

it("lists the newest first, with ticks, where they can be counted", async () => {
  const path = folderOf("times", "isolate-0x1-v8.log", "isolate-0x2-v8.log", "isolate-0x3-v8.log");
  for (const [i, time] of [2000, 3000, 1000].entries()) {
    utimesSync(join(path, `isolate-0x${i + 1}-v8.log`), time, time);
  }
  expect(newestFirst(logsIn(path))).toEqual([2, 1, 3].map((i) => join(path, `isolate-0x${i}-v8.log`)));
  expect(await describeLog(newestFirst(logsIn(path))[0]!)).toMatchObject({ bytes: 16, ticks: 2 });
  const broken = join(path, "broken.gz");
  writeFileSync(broken, Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]));
  expect((await describeLog(broken)).ticks).toBeUndefined();
});
