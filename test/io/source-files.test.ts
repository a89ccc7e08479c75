import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { SOURCE_FILE_BYTES } from "../../src/base/limits.ts";
import { type SourceRoot, sourceFilesUnder } from "../../src/io/source-files.ts";
import { testFolder } from "../helpers/folder.ts";

const folder = testFolder();
const SECRET = "secret";
const root = join(folder, "root");
mkdirSync(join(root, "src"), { recursive: true });
mkdirSync(join(folder, "root-2"));
writeFileSync(join(root, "a b.js"), "text");
writeFileSync(join(root, "src", "x.js"), "inner");
writeFileSync(join(folder, "secret.js"), SECRET);
writeFileSync(join(folder, "root-2", "secret.js"), SECRET);
symlinkSync(join(folder, "secret.js"), join(root, "link.js"));
symlinkSync(folder, join(root, "up"));
symlinkSync(join(root, "src", "x.js"), join(root, "inside.js"));
symlinkSync("loop.js", join(root, "loop.js"));
writeFileSync(join(root, "sparse.js"), "");
truncateSync(join(root, "sparse.js"), SOURCE_FILE_BYTES + 1);

/** What the reader makes of a file, as a source and as a map. */
async function read(file: string, roots: readonly (string | SourceRoot)[]) {
  const files = sourceFilesUnder(roots);
  const [source, map] = [files.readSource(file), await files.readMap(file, true)];
  const isRefused = files.refused.sources.has(file);
  expect(files.refused.maps.has(file)).toBe(map === null);
  expect(map ?? undefined).toBe(source);
  return isRefused ? "refused" : source;
}

describe("sourceFilesUnder", () => {
  it.each([
    [join(root, "a b.js"), "text"],
    [`${pathToFileURL(join(root, "a b.js"))}?v=1`, "text"],
    [join(root, "src", "..", "a b.js"), "text"],
    [join(root, "inside.js"), "inner"],
    [`${root}/./src//x.js`, "inner"],
  ])("reads %s", async (file, text) => {
    expect(await read(file, [root])).toBe(text);
    expect(await read(file, [join(folder, "root-2"), root])).toBe(text);
    expect(await read(file, [join(root, "up", "root")])).toBe(text);
    expect(await read(file, [])).toBe("refused");
  });

  it.each([
    ["a path beside the root", join(folder, "secret.js")],
    ["a path that begins as the root does", join(folder, "root-2", "secret.js")],
    ["a path that leads out", `${root}/../secret.js`],
    ["a URL that leads out", `${pathToFileURL(root)}/../secret.js`],
    ["a URL that leads out, with escapes", `${pathToFileURL(root)}/%2e%2e/secret.js`],
    ["a link", join(root, "link.js")],
    ["a folder that is a link", join(root, "up", "secret.js")],
  ])("refuses %s", async (_, file) => {
    expect(await read(file, [root])).toBe("refused");
  });

  it.each([
    ["another host", `file://elsewhere${root}/a%20b.js`],
    ["a share", "\\\\elsewhere\\share\\a.js"],
    ["escaped slashes", `${pathToFileURL(root)}%2f..%2fsecret.js`],
    ["a broken URL", "file://["],
    ["an escaped NUL", `${pathToFileURL(root)}/a%00.js`],
    ["a NUL", join(root, "a\0b.js")],
    ["what is no path", "node:fs"],
    ["a relative path", "a b.js"],
    ["nothing", ""],
    ["another scheme", "https://example.org/a.js"],
    ["a file that is not there", join(root, "no.js")],
    ["a folder", root],
    ["a link to itself", join(root, "loop.js")],
  ])("has no text of %s", async (_, file) => {
    expect(await read(file, [root])).toBeUndefined();
  });

  it("reads no file that is too large", () => {
    expect(sourceFilesUnder([root]).readSource(join(root, "sparse.js"))).toBeUndefined();
  });

  it.skipIf(process.platform === "win32")("reads nothing of the system, and waits for no pipe", async () => {
    const fifo = join(root, "fifo.js");
    expect(spawnSync("mkfifo", [fifo]).status).toBe(0);
    symlinkSync("/proc/self/environ", join(root, "environ.js"));
    const system = ["/proc/self/environ", "/proc/kmsg", "/dev/zero", "/sys/kernel/notes", "/dev/stdin"];
    for (const roots of [[root], ["/"]]) expect(await read(fifo, roots)).toBeUndefined();
    for (const file of [...system, ...system.map((path) => pathToFileURL(path).href)]) {
      for (const roots of [[root], ["/"], ["/proc"], ["/dev"]])
        expect(await read(file, roots)).toBeUndefined();
    }
    for (const file of [`/proc/self/root${folder}/secret.js`, join(root, "environ.js")]) {
      expect(await read(file, ["/"])).toBeUndefined();
    }
  });

  it.each([
    ["/home/ci/app", "/home/ci/app/src/x.js"],
    ["/home/ci/app/", "file:///home/ci/app/src/x.js"],
    ["file:///home/ci/app", "/home/ci/app/src/x.js"],
    ["C:\\ci\\app", "C:\\ci\\app\\src\\x.js"],
    ["C:\\ci\\app", "file:///C:/ci/app/src/x.js"],
    ["webpack://app", "webpack://app/./src/x.js"],
    ["/", "/src/x.js"],
  ])("takes a root for %s, so that %s is in it", async (logged, file) => {
    expect(await read(file, [{ folder: root, logged }])).toBe("inner");
  });

  it("takes a root for no other folder", async () => {
    const roots = [{ folder: root, logged: "/home/ci/app" }];
    expect(await read("/home/ci/app/../secret.js", roots)).toBe("refused");
    expect(await read("/home/ci/app/src/../../secret.js", roots)).toBe("refused");
    expect(await read(`/home/ci/app/../${basename(root)}-2/secret.js`, roots)).toBe("refused");
    expect(await read("/home/ci/application/src/x.js", roots)).toBe("refused");
  });

  it("misses only maps that somebody asked for", async () => {
    const files = sourceFilesUnder([]);
    expect(await files.readMap("/srv/app.js.map", false)).toBeNull();
    expect(files.refused.maps.size).toBe(0);
  });

  it("wants folders", () => {
    for (const path of [
      join(folder, "no"),
      join(folder, "secret.js"),
      join(folder, "secret.js", "x"),
      "x".repeat(10_000),
    ]) {
      expect(() => sourceFilesUnder([path])).toThrow("no such folder");
    }
  });
});
