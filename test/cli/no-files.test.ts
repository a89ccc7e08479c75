import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openLog } from "../../src/io/input.ts";
import { isRegularFile, openRegular, readRegularFile } from "../../src/io/regular-file.ts";
import { readRecordFile } from "../../src/record/recording-file.ts";
import { ticks } from "../helpers/cli.ts";
import { testFolder } from "../helpers/folder.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const folder = testFolder();

const LOG = [
  "v8-version,12,4,254,21,-node.20,0",
  "profiler,begin,1000",
  "code-creation,JS,11,900,0x3e5f40001000,200,work /srv/app.js:3:9,0x2a0b1c2d3e0,*",
  ...[1, 2, 3].map((time) => `tick,0x3e5f40001010,${time}000,0,0x0,0`),
  "",
].join("\n");

function folderOf(name: string): string {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, "v8.log"), LOG);
  return join(folder, name);
}

/** Makes a pipe that nobody writes to: whoever waits for it, waits for ever. */
function pipeAt(path: string): string {
  expect(spawnSync("mkfifo", [path]).status).toBe(0);
  return path;
}

const GENERATED = "/proc/self/environ";

describe.skipIf(process.platform === "win32")("what is no regular file", () => {
  it("is not opened by any reader", async () => {
    const pipe = pipeAt(join(folder, "pipe"));
    const found = [pipe, "/dev/null", folder, ...(existsSync(GENERATED) ? [GENERATED] : [])];
    for (const path of found) {
      expect(isRegularFile(path), path).toBe(false);
      expect(() => openRegular(path, "it"), path).toThrow("it is not a regular file");
      expect(() => readRegularFile(path, 1000), path).toThrow(/not a regular file/);
    }
    await expect(openLog(pipe, { isFound: true })[Symbol.asyncIterator]().next()).rejects.toThrow(
      /not a regular file/,
    );
  });

  it("is no recording", () => {
    const path = folderOf("recording");
    pipeAt(join(path, "record.json"));
    expect(readRecordFile(path)).toBeUndefined();
  });

  it("stops no command that finds it in a folder", async () => {
    const path = folderOf("found");
    pipeAt(join(path, "isolate-0x1-1-v8.log"));
    if (existsSync(GENERATED)) symlinkSync(GENERATED, join(path, "isolate-0x2-2-v8.log"));
    const { status, stdout } = await warmTicks(["threads", path, "--json", "--no-cache"]);
    expect([status, JSON.parse(stdout).threads.length]).toEqual([0, 1]);
    pipeAt(join(path, "record.json"));
    const redacted = await warmTicks(["redact", path, "-o", join(folder, "redacted")]);
    expect(redacted.stderr).toContain("record.json is not a regular file");
    pipeAt(join(path, "v8.log.symbols"));
    const said = /v8\.log\.symbols is not a regular file\nRemove it, or use --symbols FILE\./;
    expect((await warmTicks(["top", join(path, "v8.log")])).stderr).toMatch(said);
    expect((await warmTicks(["redact", join(path, "v8.log"), "-o", join(folder, "one.log")])).stderr).toMatch(
      said,
    );
    expect(
      (await warmTicks(["redact", "--check", join(path, "v8.log"), join(path, "v8.log")])).stderr,
    ).toMatch(said);
  });

  it("is refused where a file is named", async () => {
    const cwd = folderOf("named");
    const pipe = pipeAt(join(cwd, "ticks.budget.json"));
    expect((await warmTicks(["check", "v8.log"], { cwd })).stderr).toMatch(
      /budget\.json is not a regular file/,
    );
    const map = await warmTicks(["process", "v8.log", "--source-map", pipe], { cwd });
    expect(map.stderr).toMatch(/not a source map \(it is not a regular file\)/);
    const key = await warmTicks(["redact", "v8.log", "-o", "out.log", "--key", pipe], { cwd });
    expect(key.stderr).toMatch(/--key .* is not a regular file/);
  });

  it("can be a log that the user names", async () => {
    const cwd = folderOf("piped");
    const pipe = pipeAt(join(cwd, "pipe.log"));
    const direct = await warmTicks(["process", "v8.log"], { cwd });
    const [piped] = await Promise.all([
      ticks(["process", pipe], { cwd }),
      new Promise((done) => setTimeout(done, 0)).then(() =>
        spawnSync("sh", ["-c", 'cat v8.log > "$1"', "sh", pipe], { cwd }),
      ),
    ]);
    expect(piped.stdout.split("\n").slice(1)).toEqual(direct.stdout.split("\n").slice(1));
  });
});
