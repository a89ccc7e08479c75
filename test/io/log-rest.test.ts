import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { openLog } from "../../src/io/input.ts";

const folder = mkdtempSync(join(tmpdir(), "ticks-rest-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What is left of a log after each chunk, by the bytes read so far. */
async function restsOf(path: string) {
  const log = openLog(path);
  const rests: unknown[] = [log.rest()];
  for await (const chunk of log) rests.push([chunk.length, log.rest()]);
  return rests;
}

describe("the rest of a log", () => {
  const text = "v8-version,14,6,202,34,-node.34,0\n".repeat(40_000);
  const file = (name: string, bytes: Uint8Array) => {
    const path = join(folder, `${name}.log`);
    writeFileSync(path, bytes);
    return path;
  };

  it("is in its file, from the bytes on that were read", async () => {
    const path = file("plain", Buffer.from(text));
    expect(await restsOf(path)).toEqual([
      undefined,
      [1 << 20, { path }],
      [text.length - (1 << 20), { path }],
    ]);
  });

  it("is nowhere as it stands where the log is compressed or has another encoding", async () => {
    for (const [name, bytes] of Object.entries({
      gzip: gzipSync(text),
      utf16: Buffer.from(`\ufeff${text}`, "utf16le"),
      mark: Buffer.from(`\ufeff${text}`),
    })) {
      const rests = await restsOf(file(name, bytes));
      expect(rests.length, name).toBeGreaterThan(1);
      expect(
        rests.flat().filter((rest) => typeof rest === "object"),
        name,
      ).toEqual([]);
    }
  });
});
