import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultOutput } from "../../../src/cli/commands/flame.ts";
import { ticks } from "../../helpers/cli.ts";
import { logOf, NODE_26, tickAt } from "../../helpers/logs.ts";

describe("ticks flame", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ticks-flame-"));
    const code = "code-creation,JS,10,1,0x1000,256,f x.js:1:1,0xf1,*";
    writeFileSync(join(folder, "a.log"), logOf(...NODE_26, code, tickAt(0x1001), tickAt(0x1002)));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    ticks(["flame", ...args], { cwd: folder, env });

  it("writes a page here, after the log, and says so on stderr alone", async () => {
    const { stdout, stderr, status } = await run([join(folder, "a.log")]);
    expect([stdout, status]).toEqual(["", 0]);
    expect(stderr).toMatch(/^ticks: wrote 2 ticks to a\.flame\.html \(\d+ KB\)\n$/);
    const page = readFileSync(join(folder, "a.flame.html"), "utf8");
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain('"ticks":2');
    expect(page).not.toContain("{{");
  });

  it("writes it elsewhere, or to standard output", async () => {
    expect((await run(["a.log", "-o", "b.html"])).stderr).toContain("wrote 2 ticks to b.html");
    const { stdout, stderr } = await run(["a.log", "-o", "-"]);
    expect(stdout).toBe(readFileSync(join(folder, "b.html"), "utf8"));
    expect(stderr).toBe("");
  });

  it("says what cannot be", async () => {
    const nowhere = await run(["a.log", "-o", "nowhere/b.html"]);
    expect([nowhere.status, nowhere.stdout]).toEqual([2, ""]);
    expect(nowhere.stderr).toContain("nowhere/b.html cannot be written");
    const log = readFileSync(join(folder, "a.log"));
    expect((await run(["a.log", "-o", "./a.log"])).stderr).toContain(
      "--output ./a.log would overwrite the log",
    );
    expect(readFileSync(join(folder, "a.log"))).toEqual(log);
    const both = await run(["a.log", "-o", "-", "--open"]);
    expect([both.status, both.stdout]).toEqual([2, ""]);
    expect(both.stderr).toContain("--open does not work with -o -");
  });

  it.skipIf(process.platform !== "linux")(
    "opens it with the opener of the system, without a shell",
    async () => {
      const opener = join(folder, "xdg-open");
      writeFileSync(opener, `#!/bin/sh\nprintf '%s' "$1" > '${folder}/opened'\n`);
      chmodSync(opener, 0o755);
      const name = "it's $(touch hacked).html";
      const PATH = `${folder}${delimiter}${process.env.PATH}`;
      expect((await run(["a.log", "-o", name, "--open"], { PATH })).status).toBe(0);
      await expect.poll(() => existsSync(join(folder, "opened"))).toBe(true);
      await expect.poll(() => readFileSync(join(folder, "opened"), "utf8")).toBe(join(folder, name));
      expect(existsSync(join(folder, "hacked"))).toBe(false);
      const without = await run(["a.log", "-o", "c.html", "--open"], { PATH: "/nowhere" });
      expect(without.status).toBe(2);
      expect(without.stderr).toMatch(
        /wrote 2 ticks to c\.html.*\nticks: --open: wrote the file but could not open it/,
      );
    },
  );

  it("names the page after the only log", () => {
    const name = (args: readonly string[], logs: readonly string[] = []) => defaultOutput(args, logs);
    expect(name(["/logs/isolate-0x1-v8.log"])).toBe("isolate-0x1-v8.flame.html");
    expect(name(["isolate.log.gz"])).toBe("isolate.flame.html");
    expect(name([], ["isolate-0x1-v8.log"])).toBe("isolate-0x1-v8.flame.html");
    expect(name(["a.log", "b.log"])).toBe("ticks.flame.html");
    expect(name(["-"])).toBe("ticks.flame.html");
    expect(name(["/logs/run/"])).toBe("run.flame.html");
  });
});
