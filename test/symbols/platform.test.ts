import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocateOptions, locateLibrary } from "../../src/symbols/load-library.ts";
import { platformOf } from "../../src/symbols/platform.ts";
import { elfImage } from "../helpers/elf-image.ts";
import { machOImage, universalImage } from "../helpers/mach-o-image.ts";
import { peImage } from "../helpers/pe-image.ts";

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
    ] as const) {
      expect(await locate({ platform, host })).toBe(path);
    }
    // Here it is an ELF file, of course.
    expect(await locate({ platform: "macos", host: "darwin" })).toEqual({
      kind: "damaged",
      format: "Mach-O",
    });
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

  it("from Windows is looked for as in a root folder, then by its name", async () => {
    const inside = join(folder, "Program Files", "nodejs");
    mkdirSync(inside, { recursive: true });
    writeFileSync(join(inside, "node.exe"), peImage({}));
    writeFileSync(join(folder, "addon.node"), peImage({}));
    const find = async (path: string) => {
      const found = await locateLibrary(library(path), { host: "linux", target: folder });
      return "problem" in found ? found.problem : found.file;
    };
    for (const root of ["C:\\", "d:/", "\\\\server\\share\\"]) {
      expect(await find(`${root}Program Files\\nodejs\\node.exe`)).toBe(join(inside, "node.exe"));
      expect(await find(`${root}a\\..\\..\\Program Files/nodejs/node.exe`)).toBe(join(inside, "node.exe"));
      expect(await find(`${root}app\\addon.node`)).toBe(join(folder, "addon.node"));
      expect(await find(`${root}gone.dll`)).toEqual({ kind: "not-found" });
    }
    expect(await find(`C:\\${basename(path)}`)).toEqual({ kind: "damaged", format: "PE" });
  });

  it("is told by its first bytes where the system of the log is not known", async () => {
    for (const [format, image] of [
      ["pe", peImage({})],
      ["mach-o", machOImage({})],
      ["mach-o", universalImage([machOImage({})])],
    ] as const) {
      writeFileSync(join(folder, "program"), image);
      const found = await locateLibrary(library(join(folder, "program")), {
        platform: "unknown",
        host: "linux",
      });
      expect(found).toMatchObject({ binary: { format } });
      const asLinux = { platform: "linux", host: "linux" } as const;
      expect(await locateLibrary(library(join(folder, "program")), asLinux)).toEqual({
        problem: { kind: "not-elf" },
      });
    }
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
