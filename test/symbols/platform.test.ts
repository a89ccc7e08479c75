import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocateOptions, locateLibrary } from "../../src/symbols/locate.ts";
import { platformOf } from "../../src/symbols/platform.ts";
import { elfImage } from "../helpers/elf-image.ts";

const library = (path: string, slide = 0) => ({ path, start: 0x10000, end: 0x20000, slide });

describe("the platform of a log", () => {
  it("shows in its libraries", () => {
    for (const [platform, ...libraries] of [
      ["windows", library("C:\\node.exe")],
      ["windows", library("D:/node.exe"), library("/usr/lib/dyld")],
      ["windows", library("\\\\server\\share\\node.exe")],
      ["macos", library("/usr/local/bin/node", 0x4000)],
      ["macos", library("/usr/local/bin/node"), library("/usr/lib/dyld")],
      ["macos", library("/usr/local/bin/node"), library("/usr/lib/libSystem.B.dylib")],
      ["macos", library("/System/Library/Frameworks/Foundation"), library("/opt/x.so")],
      ["linux", library("/usr/bin/node"), library("[vdso]"), library("/System/Index/lib/libz")],
      ["linux", library("/usr/bin/node"), library("/lib/libc.so.6")],
      ["linux", library("/lib/ld-musl-x86_64.so.1")],
      ["unknown", library("/usr/bin/node")],
      ["unknown"],
    ] as const) {
      expect([libraries.map(({ path }) => path), platformOf(libraries)]).toEqual([
        libraries.map(({ path }) => path),
        platform,
      ]);
    }
  });
});

describe("a library of a log", () => {
  let folder = "";
  let path = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ticks-platform-"));
    path = join(folder, "node");
    writeFileSync(path, elfImage({ symbols: [{ name: "main", value: 0x1000 }] }));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Where a file that is there was found, or why it was not looked for. */
  const locate = async (options: LocateOptions) => {
    const found = await locateLibrary(library(path), options);
    return "problem" in found ? found.problem : found.file;
  };

  it("is looked for on a machine that can have it", async () => {
    for (const [platform, host] of [
      ["linux", "linux"],
      ["unknown", "linux"],
      ["linux", "freebsd"],
      ["unknown", "darwin"],
      ["macos", "darwin"],
    ] as const) {
      expect(await locate({ platform, host })).toBe(path);
    }
  });

  it("is not looked for on a machine of another system", async () => {
    for (const [platform, host] of [
      ["windows", "linux"],
      ["windows", "darwin"],
      ["macos", "linux"],
      ["macos", "win32"],
      ["linux", "win32"],
      ["linux", "darwin"],
      ["unknown", "win32"],
    ] as const) {
      expect(await locate({ platform, host })).toEqual({ kind: "other-system", system: platform });
    }
  });

  it("is looked for where the user says, whatever its system", async () => {
    const target = folder;
    const file = join(folder, basename(path));
    expect(await locate({ platform: "linux", host: "win32", target })).toBe(file);
    expect(await locate({ platform: "unknown", host: "win32", target })).toBe(file);
    // It is there, but in the format of another system than the log's.
    expect(await locate({ platform: "macos", host: "linux", target })).toEqual({
      kind: "damaged",
      format: "Mach-O",
    });
    const apk = await locateLibrary(library("/data/app/base.apk"), {
      platform: "linux",
      host: "darwin",
      apkEmbeddedLibrary: path,
    });
    expect(apk).toMatchObject({ file: path });
  });

  it("tells alone where it is from when nothing else does", async () => {
    const host = "linux";
    const from = (system: string) => ({ problem: { kind: "other-system", system } });
    expect(await locateLibrary(library(path, 0x4000), { host })).toEqual(from("macos"));
    expect(await locateLibrary(library("C:\\x"), { host })).toEqual(from("windows"));
    expect(await locateLibrary(library("/usr/bin/node"), { host: "win32" })).toEqual(from("unknown"));
    expect(await locateLibrary(library("[vdso]"), { host: "win32" })).toEqual({ problem: undefined });
  });
});
