import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { analyze } from "../../src/analyze.ts";
import { openLog } from "../../src/io/input.ts";
import { keepPacked, unpacked } from "../../src/io/unpacked.ts";
import type { CompressionDiagnostic } from "../../src/log-chunks.ts";
import { chunksOf, logOf, NODE_26, profileOf } from "../helpers/logs.ts";
import { createRandom } from "../helpers/random.ts";

const folder = mkdtempSync(join(tmpdir(), "ticks-unpacked-"));
afterAll(() => rmSync(folder, { recursive: true }));

const random = createRandom(4);
const CODE = "code-creation,JS,10,1,0x10000,65536,f /a.js:1:1,0x1,*";
const ROWS = [
  ...NODE_26,
  CODE,
  ...Array.from(
    { length: 6000 },
    (_, i) => `tick,0x${(0x10000 + random(65536)).toString(16)},${1000 * i},0,0x0,0`,
  ),
];
const TEXT = logOf(...ROWS);

interface Format {
  readonly pack: (bytes: Uint8Array) => Buffer;
  readonly hasFrames: boolean;
}

/** What this Node has. */
const FORMATS: Record<string, Format> = {
  gz: { pack: (bytes) => zlib.gzipSync(bytes), hasFrames: false },
  br: { pack: (bytes) => zlib.brotliCompressSync(bytes), hasFrames: true },
};
const { zstdCompressSync } = zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer };
if (zstdCompressSync !== undefined) FORMATS.zst = { pack: zstdCompressSync, hasFrames: true };

describe.each(Object.entries(FORMATS))("%s", (extension, { pack }) => {
  const whole = pack(TEXT);
  const path = join(folder, `a.log.${extension}`);

  /** All that comes out of a file, and what is said of its end. */
  async function read(bytes: Uint8Array) {
    writeFileSync(path, bytes);
    const log = openLog(path);
    const parts: Buffer[] = [];
    for await (const chunk of log) parts.push(Buffer.from(chunk));
    const text = Buffer.concat(parts);
    return { text, isAll: text.equals(TEXT), fault: log.diagnostic() };
  }

  it("is whole where nothing is wrong, also in several parts and before padding", async () => {
    const { isAll, fault: none } = await read(whole);
    expect([isAll, none]).toEqual([true, undefined]);
    const { text, fault } = await read(Buffer.concat([whole, whole, pack(Buffer.from("x"))]));
    expect([text.length, fault]).toEqual([2 * TEXT.length + 1, undefined]);
    if (extension === "gz")
      expect((await read(Buffer.concat([whole, Buffer.alloc(99)]))).fault).toBeUndefined();
  });

  it("comes out up to its cut", async () => {
    let before = 0;
    for (const share of [0.6, 0.9, 0.99]) {
      const { text, fault } = await read(whole.subarray(0, share * whole.length));
      expect(fault).toBe("cut-compression");
      expect(TEXT.subarray(0, text.length).equals(text)).toBe(true);
      expect(text.length).toBeGreaterThanOrEqual(before);
      before = text.length;
    }
    if (extension === "gz") expect(before).toBeGreaterThan(0.95 * TEXT.length);
  });

  it("comes out whole before what does not belong to it", async () => {
    const garbage = Buffer.from("this is no compressed data at all");
    const { isAll, fault } = await read(Buffer.concat([whole, garbage]));
    expect([isAll, fault]).toEqual([true, "damaged-compression"]);
  });

  it("cannot be read where nothing comes out", async () => {
    for (const bytes of [
      whole.subarray(0, 12),
      Buffer.concat([whole.subarray(0, 4), Buffer.alloc(999, 0xff)]),
    ]) {
      await expect(read(bytes)).rejects.toMatchObject({ code: "BAD_COMPRESSION" });
    }
  });
});

describe("a byte of a .gz that is another one", () => {
  const whole = zlib.gzipSync(TEXT);
  /** What comes out of so many bytes. */
  const textOf = (length: number) =>
    zlib.gunzipSync(whole.subarray(0, length), { finishFlush: zlib.constants.Z_SYNC_FLUSH });

  /** All that comes out of bytes that can be read once. */
  async function read(bytes: Uint8Array) {
    const faults: CompressionDiagnostic[] = [];
    const parts: Buffer[] = [];
    const compression = { create: () => zlib.createGunzip(), hasFrames: false };
    const out = unpacked(keepPacked(chunksOf(bytes, 777)), compression, (fault) => faults.push(fault));
    for await (const part of out) parts.push(Buffer.from(part));
    return { text: Buffer.concat(parts), faults };
  }

  it("leaves all that comes out before it", async () => {
    for (const share of [0.05, 0.5, 0.8, 0.9999]) {
      const at = Math.floor(share * whole.length);
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 0x55;
      const { text, faults } = await read(damaged);
      const before = textOf(at);
      expect(faults).toEqual(["damaged-compression"]);
      expect(text.subarray(0, before.length).equals(before)).toBe(true);
    }
  });

  it("is a fault of the log, with the line where the rows end", async () => {
    const path = join(folder, "flipped.log.gz");
    const damaged = Buffer.from(whole);
    damaged[whole.length - 5]! ^= 1; // The checksum.
    writeFileSync(path, damaged);
    const { info } = await analyze(openLog(path));
    expect(info).toMatchObject({
      ticks: 6000,
      diagnostics: [{ code: "damaged-compression", count: 1, line: ROWS.length }],
    });
    writeFileSync(path, whole.subarray(0, whole.length / 2));
    const cut = (await analyze(openLog(path))).info;
    expect(cut.ticks).toBeGreaterThan(2000);
    expect(cut.diagnostics).toMatchObject([{ code: "cut-compression", line: cut.ticks + 4 }]);
  });
});

it("UTF-16 cut inside a unit loses no row but the last", async () => {
  const path = join(folder, "utf16.log");
  const rows = [...NODE_26, CODE, "tick,0x10000,1,0,0x0,0"];
  const bytes = Buffer.from(`\ufeff${rows.join("\n")}\ntick,0x10000`, "utf16le");
  writeFileSync(path, bytes.subarray(0, -1));
  const { info } = await analyze(openLog(path));
  expect(info).toMatchObject({ ticks: 1, diagnostics: [{ code: "cut-row", line: 5 }] });
  expect((await profileOf(logOf(...rows))).info.ticks).toBe(1);
});
