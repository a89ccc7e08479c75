import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readElfFile } from "../../src/symbols/binary-file.ts";
import { canRun, nmSource } from "../../src/symbols/sources.ts";
import type { LibraryFile } from "../../src/symbols/symbol-source.ts";
import { libraryOf, textsOf } from "../helpers/binary-functions.ts";
import { elfImage } from "../helpers/elf-image.ts";
import { machOImage } from "../helpers/mach-o-image.ts";

describe.skipIf(process.platform === "win32")("an nm (needs a shell)", () => {
  let folder = "";
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "ticks-nm-")));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const at = (name: string) => join(folder, name);
  function script(name: string, text: string): string {
    writeFileSync(at(name), `#!/bin/sh\n[ "$1" = --version ] && exit\n${text}\n`);
    chmodSync(at(name), 0o755);
    return at(name);
  }
  function library(name = "lib.so"): LibraryFile {
    const file = at(name);
    writeFileSync(file, elfImage({ symbols: [{ name: "main", value: 0x1100, size: 0x10 }] }));
    return { path: file, file, binary: readElfFile(file)!, start: 0, end: 0, slide: 0, base: 0 };
  }
  const limits = { milliseconds: 300, bytes: 1000 };
  const load = (program: string, found = library()) => nmSource({ program, limits }).load(found);
  const LINE = "0000000000001100 0000000000000010 T main";

  it("gets the file by its whole path, after the end of the options, elsewhere, without secrets", async () => {
    const program = script("tell", `printf '%s\\n' "$*" "$PWD" "$TOKEN" >> ${at("told")}\necho '${LINE}'`);
    process.env.TOKEN = "secret";
    const found = library("-o.so");
    const table = await load(program, { ...found, file: relative(process.cwd(), found.file) });
    delete process.env.TOKEN;
    expect(table).toMatchObject({ length: 1 });
    expect(readFileSync(at("told"), "utf8").split("\n")).toEqual([
      `-n -S -- ${at("-o.so")}`,
      "/",
      "",
      `-n -S -D -- ${at("-o.so")}`,
      "/",
      "",
      "",
    ]);
  });

  it("has names without the underscore that Mach-O files have before each", async () => {
    const file = at("lib.dylib");
    writeFileSync(file, machOImage({}));
    const found = await libraryOf(file, "mach-o");
    const lines = ["_main", "__ZN1a1bEv", "plain"].map((name, i) => `0000000100001${i}00 T ${name}`);
    const table = await load(script("prints-mac", `printf '%s\\n' '${lines.join("' '")}'`), found);
    expect("kind" in table ? [] : textsOf(table).map((text) => text.replace(/^\S+ /, ""))).toEqual([
      "main",
      "_ZN1a1bEv",
      "plain",
    ]);
  });

  it("that never ends is stopped, and so is one that only what it started keeps from ending", async () => {
    const said = { kind: "tool-stopped" };
    expect(await load(script("sleeps", `echo '${LINE}'\nexec sleep 600`))).toMatchObject(said);
    expect(
      await load(script("has-child", `echo '${LINE}'\nsleep 600 & echo $! > ${at("child")}\nwait`)),
    ).toMatchObject(said);
    process.kill(Number(readFileSync(at("child"), "utf8")));
  });

  it("that prints without end is stopped", async () => {
    for (const text of [`while :; do echo '${LINE}'; done`, "exec cat /dev/zero"]) {
      const source = nmSource({
        program: script("prints", text),
        limits: { ...limits, milliseconds: 20_000 },
      });
      expect(await source.load(library())).toMatchObject({ kind: "tool-stopped" });
    }
  });

  it("has lines that are too long left out", async () => {
    const program = script("long", `head -c 3000000 /dev/zero | tr '\\0' 'a'\necho\necho '${LINE}'`);
    const source = nmSource({ program });
    expect(await source.load(library())).toMatchObject({ length: 1 });
  });

  it("is not there where it cannot be run", async () => {
    expect(await canRun(script("fine", "exit 3"))).toBe(true);
    expect(await canRun(at("nowhere"))).toBe(false);
    writeFileSync(at("no-program"), "");
    expect(await canRun(at("no-program"))).toBe(false);
    expect(existsSync(at("lib.so"))).toBe(true);
    expect(await load(at("lib.so"))).toEqual({ kind: "tool-failed", tool: at("lib.so") });
  });
});
