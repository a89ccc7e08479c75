import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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
      /\npid 100 worker 1\na column is .*; 0 is [\d.]+ ms after the first profile began\n/,
    );
  });

  it("is one thread of its folder", async () => {
    const { stdout } = await warmTicks(["top", "cpuprofile", "--thread", "worker"], { cwd });
    expect(stdout).toMatch(/^cpuprofile \(1 of 2 profiles\): 60 samples\n/);
  });
});
