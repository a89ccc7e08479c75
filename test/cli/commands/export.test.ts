import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { EXPORTERS } from "../../../src/exports/exporters.ts";
import { testFolder } from "../../helpers/folder.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

const CASE = fileURLToPath(new URL("../../../fixtures/node-24-garbage", import.meta.url));
const FOLDER = testFolder();
cpSync(join(CASE, "isolate.log.gz"), join(FOLDER, "isolate.log.gz"));
cpSync(join(CASE, "isolate.log.symbols"), join(FOLDER, "isolate.log.symbols"));

const TICKS = 795;
const run = (...args: string[]) => warmTicks(["export", ...args], { cwd: FOLDER });

function collapsedTicks(text: string): number {
  return text
    .split("\n")
    .slice(0, -1)
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

describe("ticks export", () => {
  it("writes to standard output where that is no terminal, and says nothing", async () => {
    const { stdout, stderr, status } = await run("isolate.log.gz", "--format", "collapsed");
    expect(collapsedTicks(stdout)).toBe(TICKS);
    expect([stderr, status]).toEqual(["", 0]);
    expect((await run("isolate.log.gz", "--format", "collapsed", "-o", "-")).stdout).toBe(stdout);
  });

  it("writes to a file, whose name says the format, and says so", async () => {
    const { stdout, stderr, status } = await run("isolate.log.gz", "-o", "out.cpuprofile");
    expect([stdout, stderr, status]).toEqual(["", `ticks: wrote ${TICKS} ticks to out.cpuprofile\n`, 0]);
    expect(JSON.parse(readFileSync(join(FOLDER, "out.cpuprofile"), "utf8")).nodes.length).toBeGreaterThan(50);
  });

  it("refuses formats over time of a profile without times, with its name, and writes nothing", async () => {
    const callFrame = { functionName: "f", scriptId: "1", url: "/a.js", lineNumber: 1, columnNumber: 1 };
    const nodes = [{ id: 1, callFrame, hitCount: 3, children: [] }];
    writeFileSync(join(FOLDER, "counts.cpuprofile"), JSON.stringify({ nodes, startTime: 0, endTime: 3000 }));
    for (const { name } of EXPORTERS.filter(({ needsTimeline }) => needsTimeline)) {
      const { stdout, stderr, status } = await run("counts.cpuprofile", "--format", name, "-o", "-");
      expect([stdout, status], name).toEqual(["", 2]);
      expect(stderr, name).toMatch(/^ticks: counts\.cpuprofile: its samples have no times/);
    }
  });

  it("has labels and a start in the formats with a place for them", async () => {
    const labels = ["--label", "env=prod", "--label", "deploy=v2", "--start", "2026-11-22T10:00:00Z"];
    const { status } = await run("isolate.log.gz", ...labels, "-o", "out.trace.json");
    expect(status).toBe(0);
    const { metadata, otherData } = JSON.parse(readFileSync(join(FOLDER, "out.trace.json"), "utf8"));
    expect(metadata.startTime).toBe("2026-11-22T10:00:00.000Z");
    expect(otherData).toMatchObject({ env: "prod", deploy: "v2" });
  });

  it.each([
    [["--label", "env=prod", "--format", "collapsed"], "--format collapsed has no place for --label"],
    [["--start", "2026-11-22T10:00:00Z", "--format", "preprocess"], "preprocess has no place for --start"],
    [["--label", "env", "--format", "pprof"], "--label env: expected KEY=VALUE"],
    [["--label", "Env=x", "--format", "pprof"], "label Env: not a key"],
    [["--label", "log=x", "--format", "pprof"], "label log: every profile has its own log"],
    [["--label", "env=", "--format", "pprof"], "label env: a value has 1 to 1000 characters"],
    [["--start", "yesterday", "--format", "pprof"], "--start yesterday: not a time"],
    [["--start", "2026-11-22T10:00", "--format", "pprof"], "--start 2026-11-22T10:00: not a time"],
  ])("refuses %j", async (args, message) => {
    const { stdout, stderr, status } = await run("isolate.log.gz", ...args);
    expect([stdout, status]).toEqual(["", 2]);
    expect(stderr).toContain(message);
  });

  it("compresses where the file's name asks for it", async () => {
    await run("isolate.log.gz", "-o", "out.speedscope.json.gz");
    const packed = readFileSync(join(FOLDER, "out.speedscope.json.gz"));
    const { profiles } = JSON.parse(gunzipSync(packed).toString());
    expect(profiles[0].endValue).toBe(TICKS);
  });

  it("writes the same JSON as process --preprocess", async () => {
    const { stdout, status } = await run("isolate.log.gz", "--format", "preprocess");
    const other = await warmTicks(["process", "--preprocess", "isolate.log.gz"], { cwd: FOLDER });
    expect(stdout === other.stdout).toBe(true);
    expect(status).toBe(0);
    expect(JSON.parse(stdout).ticks).toHaveLength(TICKS);
  });

  it("takes filters", async () => {
    const { stdout } = await run("isolate.log.gz", "--format", "collapsed", "--state", "gc");
    const { stdout: json } = await run("isolate.log.gz", "--format", "preprocess", "--state", "gc");
    const collecting = JSON.parse(json).ticks.length;
    expect(collecting).toBeGreaterThan(10);
    expect(collapsedTicks(stdout)).toBe(collecting);
    const early = await run("isolate.log.gz", "--format", "preprocess", "--to", "300");
    const { ticks: first }: { ticks: { tm: number }[] } = JSON.parse(early.stdout);
    expect(first.length).toBeGreaterThan(10);
    expect(first.every(({ tm }) => tm <= 300_000)).toBe(true);
  });

  it("takes several logs, but for what is of one", async () => {
    const other = "other.log.gz";
    cpSync(join(FOLDER, "isolate.log.gz"), join(FOLDER, other));
    const { stdout } = await run("isolate.log.gz", other, "--format", "collapsed");
    expect(collapsedTicks(stdout)).toBe(2 * TICKS);
    expect(await run("isolate.log.gz", other, "--format", "preprocess")).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/takes one log/),
    });
  });

  it("suggests what a wrong format may mean", async () => {
    const wrong = async (name: string) => (await run("isolate.log.gz", "--format", name)).stderr;
    expect(await wrong("colapsed")).toMatch(/unknown --format colapsed; did you mean collapsed\?/);
    expect(await wrong("firefox")).toMatch(/did you mean gecko\?/);
    expect(await wrong("perfetto")).toMatch(/did you mean chrome-trace\?/);
    expect(await wrong("zzz")).toMatch(/unknown --format zzz\n {2}collapsed +\.folded\n {2}cpuprofile +\./);
    expect((await run("isolate.log.gz", "--format", "zzz")).status).toBe(2);
  });

  it("asks for a format where none is given", async () => {
    expect(await run("isolate.log.gz")).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/missing --format/),
    });
  });

  it("lists the extensions that it knows where a file has another", async () => {
    const { stderr, status } = await run("isolate.log.gz", "-o", "x.foo");
    const [first, ...list] = stderr.trimEnd().split("\n");
    expect(first).toBe(
      "ticks: no format has the extension .foo: add --format, or use one of these extensions",
    );
    const rows = list.slice(0, -1).map((row) => row.trim().split(/ +/));
    expect(rows).toEqual(
      [...EXPORTERS.map(({ name, extension }) => [name, `.${extension}`])].concat([
        ["preprocess", ".preprocess.json"],
      ]),
    );
    expect(status).toBe(2);
    expect((await run("isolate.log.gz", "-o", "x.json.gz")).stderr).toContain("the extension .json:");
  });

  it("does not write over the log", async () => {
    const { status, stderr } = await run("isolate.log.gz", "--format", "collapsed", "-o", "./isolate.log.gz");
    expect([status, stderr]).toEqual([2, expect.stringMatching(/would overwrite the log/)]);
  });

  it("tells where it cannot write", async () => {
    const { status, stderr } = await run(
      "isolate.log.gz",
      "--format",
      "collapsed",
      "-o",
      "no/such/folder.txt",
    );
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^ticks: no\/such\/folder.txt cannot be written: its folder does not exist/),
    ]);
    expect(existsSync(join(FOLDER, "no"))).toBe(false);
  });

  it("lists the formats", async () => {
    const { stdout } = await run("--help");
    const list = stdout.slice(stdout.indexOf("Formats:")).replace(/\s+/g, " ");
    for (const { name, description } of EXPORTERS) expect(list).toContain(` ${name} ${description} `);
    expect(list).toContain(
      " preprocess the JSON of node --prof-process --preprocess, for speedscope and 0x ",
    );
  });
});
