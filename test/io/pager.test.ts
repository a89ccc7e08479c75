import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { choosePager, showInPager } from "../../src/io/child-program.ts";

const folder = mkdtempSync(join(tmpdir(), "ticks-pager-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
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
