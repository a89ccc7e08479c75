import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { isPlainLog, STDIN } from "../../src/io/input.ts";

const folder = mkdtempSync(join(tmpdir(), "ticks-plain-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("isPlainLog", () => {
  it("tells a log that can be read as it stands from all others", () => {
    const text = "v8-version,14,6,202,34,-node.34,0\n";
    const logs: Record<string, Buffer> = {
      plain: Buffer.from(text),
      empty: Buffer.alloc(0),
      gzip: gzipSync(text),
      zstd: Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0),
      utf16: Buffer.from(`\ufeff${text}`, "utf16le"),
      mark: Buffer.from(`\ufeff${text}`),
    };
    const plain = Object.entries(logs).flatMap(([name, bytes]) => {
      const path = join(folder, `${name}.log`);
      writeFileSync(path, bytes);
      return isPlainLog(path) ? [name] : [];
    });
    expect(plain).toEqual(["plain", "empty"]);
    expect([STDIN, folder, join(folder, "none.log")].map(isPlainLog)).toEqual([false, false, false]);
  });
});
