import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { findProgram, readerOptions, viewerOptions } from "../../src/io/child-program.ts";

describe.skipIf(process.platform === "win32")("a program", () => {
  const here = process.cwd();
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ticks-program-"));
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
  afterAll(() => rmSync(folder, { recursive: true }));

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
