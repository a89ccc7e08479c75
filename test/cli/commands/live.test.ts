import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { COMMAND_ENV, TICKS } from "../../helpers/cli.ts";
import { fixtureLog } from "../../helpers/fixtures.ts";
import { testFolder } from "../../helpers/folder.ts";
import { expectValid } from "../../helpers/schema.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

const FIXTURES = fileURLToPath(new URL("../../../fixtures", import.meta.url));

describe("ticks live", () => {
  const folder = testFolder();
  beforeAll(() => {
    mkdirSync(join(folder, "run"));
    mkdirSync(join(folder, "none"));
    // One with its end, one without.
    for (const [name, file] of [
      ["node-26-guide", "isolate-0x1-77-v8.log"],
      ["node-26-hidden", "isolate-0x2-77-v8.log"],
    ] as const) {
      writeFileSync(join(folder, "run", file), fixtureLog(name));
      copyFileSync(join(FIXTURES, name, "isolate.log.symbols"), join(folder, "run", `${file}.symbols`));
    }
  });
  const run = (...args: string[]) => warmTicks(args, { cwd: folder });

  it("ends with the page of ticks top, byte for byte", async () => {
    const [live, top] = await Promise.all([run("live", "run", "--duration", "0"), run("top", "run")]);
    expect([live.status, live.stderr]).toEqual([0, top.stderr]);
    const at = live.stdout.indexOf("\n\n");
    expect(live.stdout.slice(0, at)).toMatch(/^\d+\.\d s {2}\d+ ticks, \d+\/s/);
    expect(live.stdout.slice(at + 2)).toBe(top.stdout);
  });

  it("prints JSON lines, the last one that of ticks top", async () => {
    const [live, top] = await Promise.all([
      run("live", "run", "--duration", "0", "--json"),
      run("top", "run", "--json"),
    ]);
    const lines = live.stdout.trimEnd().split("\n");
    const documents = lines.map((line) => JSON.parse(line));
    expectValid("top", documents.at(-1));
    expect(documents.at(-1)).toEqual(JSON.parse(top.stdout));
    for (const document of documents.slice(0, -1)) expectValid("live", document);
    expect(documents.at(-2).ticks).toBe(documents.at(-1).ticks);
  });

  it.skipIf(process.platform === "win32")(
    "ends with that page after Ctrl-C too, in a file or a pipe",
    async () => {
      // A program may go on whose log has no end and no process in its name.
      const log = fixtureLog("node-26-hidden").toString("latin1").replace("\nprofiler,end\n", "\n");
      writeFileSync(join(folder, "none", "own-name.log"), log, "latin1");
      const child = spawn(process.execPath, [TICKS, "live", "own-name.log"], {
        cwd: join(folder, "none"),
        env: COMMAND_ENV,
        stdio: ["ignore", "pipe", "ignore"],
      });
      let stdout = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        if (stdout === "") child.kill("SIGINT");
        stdout += text;
      });
      const ended = await once(child, "close");
      const top = await warmTicks(["top", "own-name.log"], { cwd: join(folder, "none") });
      rmSync(join(folder, "none", "own-name.log"));
      expect(ended).toEqual([0, null]);
      expect(stdout.endsWith(`\n\n${top.stdout}`)).toBe(true);
    },
  );

  it("follows the newest run of the current folder", async () => {
    const { stdout, status } = await warmTicks(["live", "--duration", "0", "--json"], {
      cwd: join(folder, "run"),
    });
    expect(status).toBe(0);
    const [first] = stdout.split("\n").map((line) => JSON.parse(line || "{}"));
    expect(first.threads.map((thread: { log: string }) => thread.log).sort()).toEqual([
      "isolate-0x1-77-v8.log",
      "isolate-0x2-77-v8.log",
    ]);
  });

  it("says what it cannot follow", async () => {
    expect(await run("live", "-")).toMatchObject({
      status: 2,
      stderr: "ticks: ticks live follows files, not standard input\nTry: ticks top -\n",
    });
    expect((await run("live", "nothing.log")).stderr).toBe(
      "ticks: nothing.log: no such file\nStart the program first, or name its folder.\n",
    );
    expect((await run("live", "none", "--duration", "0")).stderr).toContain(
      "ticks: no log was written here while ticks live ran\nStart the program with node --prof in this folder; or: ticks record --live",
    );
    expect((await run("live", "run", "--duration", "-1")).status).toBe(2);
  });
});
