import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Profile as PprofProfile, StringTable } from "pprof-format";
import { describe, expect, it } from "vitest";
import { testFolder } from "../helpers/folder.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const cwd = fileURLToPath(new URL("../../fixtures", import.meta.url));
const MAIN = "cpuprofile/CPU.20260101.120000.100.0.001.cpuprofile";
const LOG = "node-24-garbage/isolate.log.gz";

describe("a profile in place of a log", () => {
  it.each([
    ["deopts", "deoptimizations", "ticks record --deopts -- node app.js"],
    ["ics", "inline caches", "ticks record --ics -- node app.js"],
    ["process", "the libraries and C++ functions of this report", "ticks record -- node app.js"],
  ])("lacks what ticks %s shows, which says what to record", async (command, what, hint) => {
    const { status, stdout, stderr } = await warmTicks([command, MAIN], { cwd });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`${MAIN} is a CPU profile, without ${what}\n`);
    expect(stderr).toContain(hint);
  });

  it.each([
    ["top", LOG, MAIN],
    ["diff", LOG, MAIN],
    ["flame", LOG, "--", MAIN, "-o", "-"],
  ])("is not counted together with a log: ticks %s", async (...args) => {
    const { status, stderr } = await warmTicks(args, { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain(`${LOG} is a log and ${MAIN} a CPU profile: they cannot be counted together`);
  });

  it("is compared with another one, by samples", async () => {
    const { status, stdout } = await warmTicks(["diff", MAIN, MAIN], { cwd });
    expect(status).toBe(0);
    expect(stdout).toContain("248 samples");
    expect(stdout).not.toMatch(/\d ticks\b/);
  });

  it.each([
    ["function", "prase", "no function named prase has samples\n"],
    ["lines", "prase.js", "no script named prase.js has samples\n"],
  ])("is in its own words where ticks %s finds nothing", async (command, name, said) => {
    expect((await warmTicks([command, MAIN, name], { cwd })).stderr).toContain(said);
  });

  it.each([
    [["--thread", "9"], / thread +ms\n( +\d .* +\d{2,3}(\.\d+)?\n)+Select/],
    [["--from", "1e9"], /--from \d+ ms is after the end of the profile: its last sample is at \d+\.\d ms\n/],
    [["--to", "0"], / has samples from /],
    [["--symbols", "none.so=/bin/ls"], /no library of that name has samples\n/],
  ])("is in its own words where there is nothing to count: %s", async (options, said) => {
    const { stderr } = await warmTicks(["top", MAIN, ...options], { cwd });
    expect(stderr).toMatch(said);
    expect(stderr).not.toMatch(/\bticks\b(?!:)|\b\d{1,3}\.\d{4}/);
  });

  it.each([MAIN, "cpuprofile"])("is not followed by ticks live: %s", async (path) => {
    const { status, stdout, stderr } = await warmTicks(["live", path], { cwd });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      `ticks: ${MAIN} is a CPU profile: it does not grow, so there is nothing to follow\nSee it with: ticks top ${MAIN}\n`,
    );
  });

  it.each(["timeline", "startup"])("without times is refused by ticks %s", async (command) => {
    const folder = testFolder();
    const node = { id: 1, callFrame: { functionName: "main", url: "/a.js", lineNumber: 0 }, hitCount: 5 };
    const file = join(folder, "a.cpuprofile");
    writeFileSync(file, JSON.stringify({ nodes: [node] }));
    const { status, stdout, stderr } = await warmTicks([command, file]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("a.cpuprofile: its samples have no times, so it does not tell what ");
  });

  it("begins on the timeline after the first one of its machine", async () => {
    const { stdout } = await warmTicks(["timeline", "cpuprofile"], { cwd });
    expect(stdout).toMatch(
      /\nthread 2: pid 100 worker 1\na column is .*; 0 is [\d.]+ ms after the first profile began\n/,
    );
  });

  it("is one thread of its folder", async () => {
    const { stdout } = await warmTicks(["top", "cpuprofile", "--thread", "worker"], { cwd });
    expect(stdout).toMatch(/^cpuprofile \(1 of 2 profiles\): 60 samples\n/);
  });
});

describe("a pprof profile with times only", () => {
  const folder = testFolder();
  /** `handle` takes so many ns, and `main`, which calls it, one ms. */
  function timesOnly(name: string, handle: number): string {
    const strings = new StringTable();
    const text = (word: string) => strings.dedup(word);
    const of = (name: string, id: number) => ({
      id,
      name: text(name),
      filename: text("/srv/main.go"),
      startLine: 10 * id,
    });
    const bytes = new PprofProfile({
      sampleType: [{ type: text("cpu"), unit: text("nanoseconds") }],
      sample: [
        { locationId: [2, 1], value: [handle] },
        { locationId: [1], value: [1_000_000] },
      ],
      location: [1, 2].map((id) => ({ id, line: [{ functionId: id, line: 10 * id + 1 }] })),
      function: [of("main.main", 1), of("main.handle", 2)],
      periodType: { type: text("cpu"), unit: text("nanoseconds") },
      period: 1,
      stringTable: strings,
    }).encode();
    const file = join(folder, name);
    writeFileSync(file, bytes);
    return file;
  }
  const before = timesOnly("before.pb", 9_000_000);
  const after = timesOnly("after.pb", 900_000_000);
  const UNKNOWN = "does not say how many samples it is from";

  it.each([["top"], ["tree"], ["lines"], ["function", "main.handle"]])(
    "has at least as many samples as rows, and says what is not known: ticks %s",
    async (command, ...names) => {
      const { stdout } = await warmTicks([command, before, ...names]);
      expect(stdout).toContain("at least 2 samples");
      expect(stdout).toContain(UNKNOWN);
      expect(stdout).not.toContain("±");
    },
  );

  it("says it in ticks threads, doctor, export and flame", async () => {
    const { stdout: threads } = await warmTicks(["threads", before]);
    expect(threads).toContain("1 thread, at least 2 samples");
    const { stdout: doctor } = await warmTicks(["doctor", before]);
    expect(doctor).toContain(UNKNOWN);
    expect(doctor).toMatch(/interval measured, without gaps +unknown\n/);
    const page = join(folder, "page.html");
    const { stderr } = await warmTicks(["flame", before, "-o", page]);
    expect(stderr).toContain("wrote at least 2 samples to ");
  });

  it("has no verdict nor interval in ticks diff, of one run a side and of three", async () => {
    for (const runs of [1, 3]) {
      const [first, second] = [before, after].map((file) => new Array<string>(runs).fill(file));
      const { status, stdout } = await warmTicks(["diff", ...first!, "--", ...second!]);
      expect(status).toBe(0);
      expect(stdout).toContain(`${UNKNOWN}: nothing tells how sure shares are. So there is no verdict`);
      expect(stdout).not.toMatch(/95 %|slower|almost surely|record --runs/);
    }
  });

  it("breaks no budget of shares or growth", async () => {
    const budgets = ["--max-total", "main.handle=10", "--max-growth", "main.handle=5", "--against", before];
    const { status, stdout } = await warmTicks(["check", after, after, after, ...budgets]);
    expect(status).toBe(0);
    expect(stdout).toContain("2 budgets: 2 are inconclusive");
    expect(stdout).toContain(UNKNOWN);
    expect((await warmTicks(["check", after, "--strict", ...budgets])).status).toBe(1);
  });
});
