import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as zlib from "node:zlib";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  choosePager,
  findProgram,
  readerOptions,
  showInPager,
  viewerOptions,
} from "../../src/io/child-program.ts";
import { fileTimes, logSize, openLog } from "../../src/io/input.ts";
import type { CompressionDiagnostic } from "../../src/io/log-chunks.ts";
import { keepPacked, unpacked } from "../../src/io/unpacked.ts";
import { analyze } from "../../src/load/analyze.ts";
import { testFolder } from "../helpers/folder.ts";
import { chunksOf, logOf, NODE_26, profileOf } from "../helpers/logs.ts";
import { createRandom } from "../helpers/random.ts";

const FILE = fileURLToPath(import.meta.url);

it("has the size and the times of files only, and no error for any path", () => {
  expect(logSize(FILE)).toBeGreaterThan(300);
  expect(fileTimes(FILE)?.changed).toBeGreaterThan(Date.UTC(2020, 0));
  const others = ["-", ".", "nowhere", `${FILE}/x`, "x".repeat(5000), "nul\0"];
  expect(others.flatMap((path) => [logSize(path), fileTimes(path)])).toEqual(
    others.flatMap(() => [undefined, undefined]),
  );
});

it("finds no file of a name with a zero byte", async () => {
  const read = async () => {
    for await (const _ of openLog("nul\0")) break;
  };
  await expect(read()).rejects.toMatchObject({ code: "NOT_FOUND" });
});

const folder = testFolder();

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

describe.skipIf(process.platform === "win32")("a program", () => {
  const here = process.cwd();
  let folder = "";
  beforeAll(() => {
    folder = testFolder();
    for (const name of ["a/tool", "b/tool", "tool", "plain/tool"]) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), "#!/bin/sh\n");
      chmodSync(join(folder, name), name.startsWith("plain") ? 0o644 : 0o755);
    }
    mkdirSync(join(folder, "folder/tool"), { recursive: true });
    mkdirSync(join(folder, "links"));
    symlinkSync(join(folder, "b/tool"), join(folder, "links/tool"));
  });
  afterEach(() => process.chdir(here));

  const pathOf = (...folders: string[]) => ({
    PATH: folders.map((name) => join(folder, name)).join(delimiter),
  });

  it("is the first on the PATH that can be run", () => {
    const find = (...folders: string[]) => findProgram("tool", pathOf(...folders));
    expect(find("a", "b")).toBe(join(folder, "a/tool"));
    expect(find("nowhere", "plain", "folder", "b", "a")).toBe(join(folder, "b/tool"));
    expect(find("links")).toBe(join(folder, "links/tool"));
    expect(find("nowhere", "plain")).toBeUndefined();
    expect(findProgram("", pathOf("a"))).toBeUndefined();
    expect(findProgram("to\0ol", pathOf("a"))).toBeUndefined();
    expect(findProgram("sh", {})).toMatch(/^\/(?:usr\/)?bin\/sh$/);
  });

  it("is never taken from the current folder, unless it is named with a slash", () => {
    process.chdir(folder);
    for (const PATH of ["", ".", ":", "a:b", "./a::b:.", "..", "~/bin"]) {
      expect(findProgram("tool", { PATH })).toBeUndefined();
      expect(readerOptions({ PATH }).env?.PATH).toBe("");
    }
    expect(findProgram("tool", { PATH: `.:a:${folder}/b` })).toBe(join(folder, "b/tool"));
    expect(findProgram("./tool", pathOf("a"))).toBe(join(process.cwd(), "tool"));
    expect(findProgram("a/tool")).toBe(join(process.cwd(), "a/tool"));
    expect(findProgram(join(folder, "a/tool"), {})).toBe(join(folder, "a/tool"));
    expect(findProgram("./nowhere")).toBeUndefined();
  });

  it("that reads a file learns nothing of the user's environment but where things are", () => {
    const env = { PATH: `.${delimiter}/bin`, HOME: "/home/x", CI_TOKEN: "secret", LANG: "de_DE.UTF-8" };
    expect(readerOptions(env)).toMatchObject({ cwd: "/", shell: false });
    expect(readerOptions(env).env).toEqual({ PATH: "/bin", HOME: "/home/x", LC_ALL: "C" });
    expect(viewerOptions(env).env).toEqual({ ...env, PATH: "/bin" });
  });
});

describe("pager", () => {
  const folder = testFolder();

  for (const name of ["less", "more", "sh"]) {
    writeFileSync(join(folder, name), "#!/bin/sh\n");
    chmodSync(join(folder, name), 0o755);
  }

  /** The command that an environment asks for. */
  function chosen(env: Record<string, string>): string[] | undefined {
    const pager = choosePager({ PATH: folder, TERM: "xterm", ...env });
    return pager && [pager.program.slice(folder.length + 1), ...pager.args];
  }

  describe.skipIf(process.platform === "win32")("the pager", () => {
    it.each<[Record<string, string>, string[] | undefined]>([
      [{}, ["less"]],
      [{ PAGER: "more -s" }, ["more", "-s"]],
      [{ TICKS_PAGER: "less  -R ", PAGER: "more" }, ["less", "-R"]],
      [{ TICKS_PAGER: "", PAGER: "more" }, undefined],
      [{ PAGER: "" }, undefined],
      [{ TERM: "dumb" }, undefined],
      [{ TERM: "", TICKS_PAGER: "more" }, undefined],
      [{ PAGER: "cat" }, undefined],
      [{ PAGER: "nonesuch" }, undefined],
      [{ PAGER: "sed s/a/b/ | more" }, ["sh", "-c", "sed s/a/b/ | more"]],
      [{ PAGER: "more 'a b'" }, ["sh", "-c", "more 'a b'"]],
      // The current folder may hold a stranger's program.
      [{ PATH: ".", PAGER: "pager.test.ts" }, undefined],
    ])("%j", (env, command) => {
      expect(chosen(env)).toEqual(command);
    });

    it("is told what git tells it, unless the user says else", () => {
      expect(choosePager({ PATH: folder, TERM: "xterm", USER: "me" })!.env).toEqual({
        PATH: folder,
        TERM: "xterm",
        USER: "me",
        LESS: "FRX",
        LV: "-c",
      });
      expect(choosePager({ PATH: folder, TERM: "xterm", LESS: "", LV: "x" })!.env).toMatchObject({
        LESS: "",
        LV: "x",
      });
    });

    const run = (script: string, chunks: Iterable<string>) =>
      showInPager({ program: "/bin/sh", args: ["-c", script], env: { PATH: process.env.PATH } }, chunks);

    it("gets all chunks", async () => {
      const file = join(folder, "out");
      expect(await run(`exec cat > '${file}'`, ["a", "b".repeat(200_000), "c\n"])).toBeUndefined();
      expect((await import("node:fs")).readFileSync(file, "utf8")).toBe(`a${"b".repeat(200_000)}c\n`);
    });

    it("may be closed early: no more is made", async () => {
      let made = 0;
      function* chunks() {
        for (; made < 1000; made++) yield "x".repeat(10_000);
      }
      expect(await run("exit 3", chunks())).toBeUndefined();
      expect(made).toBeLessThan(100);
    });

    it("gives all back where it cannot be started", async () => {
      const chunks = ["a", "b", "c"];
      const missing = { program: join(folder, "nonesuch"), args: [], env: {} };
      expect(Array.from((await showInPager(missing, chunks)) ?? [])).toEqual(chunks);
      const given = (await run("nonesuch 2> /dev/null", chunks)) ?? [];
      expect(Array.from(given)).toEqual(chunks);
    });

    it("passes on what the chunks throw", async () => {
      function* chunks() {
        yield "a";
        throw new Error("lost");
      }
      await expect(run("cat > /dev/null", chunks())).rejects.toThrow("lost");
      expect(process.listenerCount("SIGINT")).toBe(0);
    });
  });
});
