import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { readSourceFile } from "../../src/io/source-file.ts";

const folder = mkdtempSync(join(tmpdir(), "ticks-source-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "a b.js");
writeFileSync(path, "text");

describe("readSourceFile", () => {
  it("reads paths and file URLs", () => {
    expect(readSourceFile(path)).toBe("text");
    expect(readSourceFile(`${pathToFileURL(path)}?v=1`)).toBe("text");
  });

  it.each([
    join(folder, "no.js"),
    folder,
    "a b.js",
    "node:fs",
    "",
    "file://elsewhere/a.js",
    "https://example.org/a.js",
    "file:///%00",
    "/dev/zero",
    "/a\0b",
  ])("knows no text of %j", (file) => {
    expect(readSourceFile(file)).toBeUndefined();
  });
});
