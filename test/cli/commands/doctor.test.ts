import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../helpers/folder.ts";
import { logOf, NODE_26 } from "../../helpers/logs.ts";
import { expectValid } from "../../helpers/schema.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

const GUIDE = fileURLToPath(new URL("../../../fixtures/node-26-guide", import.meta.url));

describe("ticks doctor", () => {
  const folder = testFolder();
  beforeAll(() => {
    const rows = [
      "shared-library,/nowhere/lib.so,0x8000,0xa000,0",
      "code-creation,JS,10,1,0x1000,256,f x.js:1:1,0xf1,*",
    ];
    const good = Array.from({ length: 9 }, (_, i) => `tick,0x1001,${i * 1000},0,0x0,0`);
    writeFileSync(join(folder, "bad.log"), logOf(...NODE_26, ...rows, ...good, "tick,0x8001,9000,0,0x0,6"));
  });
  const run = (...args: string[]) => warmTicks(["doctor", ...args], { cwd: folder });

  it("tells where the ticks are, and fails when too many have no function", async () => {
    const { stdout, status } = await run("bad.log");
    expect(stdout).toMatch(/ 9 +90\.0% +0 +JavaScript and WebAssembly\n/);
    expect(stdout).toMatch(/ 1 +10\.0% +1 +C\+\+ and other native code\n/);
    expect(stdout).toMatch(/ 1 +library code without a symbol\n/);
    expect(stdout).toMatch(/10 +100\.0% +1 +all\n/);
    expect(stdout).toContain("/nowhere/lib.so: it is not on this machine. Run `ticks symbols LOG`");
    expect(status).toBe(1);
    expect((await run("--max-unknown", "10", "bad.log")).status).toBe(0);
    expect((await run("--max-unknown", "101", "bad.log")).status).toBe(2);
  });

  it("has idle ticks apart, and drops them with --no-idle, like all that counts them", async () => {
    const rows = Array.from({ length: 20 }, (_, i) => `tick,0x0,${i * 1000},0,0x0,8`);
    const code = "code-creation,JS,10,1,0x1000,256,f x.js:1:1,0xf1,*";
    const work = Array.from({ length: 8 }, (_, i) => `tick,0x1001,${30_000 + i * 1000},0,0x0,0`);
    writeFileSync(join(folder, "idle.log"), logOf(...NODE_26, code, ...work, ...rows));
    const { stdout, status } = await run("idle.log");
    expect(stdout).toMatch(/ 20 +0 +idle: not in the shares\n/);
    expect(stdout).toContain("71.4 % of the ticks are idle: without --idle, shares are of the others.");
    expect(status).toBe(0);
    const without = await run("--no-idle", "idle.log");
    expect(without.stdout).toMatch(/ 8 +100\.0% +0 +all/);
    expect(without.stdout).not.toContain("are idle");

    for (const command of ["process", "startup", "export --format collapsed", "timeline", "threads"]) {
      const all = await warmTicks([...command.split(" "), "idle.log"], { cwd: folder });
      // Shares of these are of the others already.
      const hint = "71.4 % of the ticks are idle; to see the others alone, add --no-idle";
      expect(all.stderr.includes(hint), command).toBe(!/^t/.test(command));
      const rest = await warmTicks([...command.split(" "), "--no-idle", "idle.log"], { cwd: folder });
      expect([rest.stderr.includes("are idle"), rest.status], command).toEqual([false, 0]);
    }
    const preprocess = ["export", "--format", "preprocess", "--no-idle", "idle.log"];
    expect(JSON.parse((await warmTicks(preprocess, { cwd: folder })).stdout).ticks).toHaveLength(8);
  }, 60_000);

  it("does not advise what was just done", async () => {
    writeFileSync(join(folder, "wrong.nm"), "0000000000001000 T f\n0000000000900000 T g\n");
    const { stdout } = await run("--symbols", "/nowhere/lib.so=wrong.nm", "bad.log");
    const problem = "/nowhere/lib.so: the given symbols are at other addresses. ";
    expect(stdout).toContain(
      `${problem}Save them again from the exact file that the log was recorded with.\n`,
    );
    expect(stdout).not.toContain("--symbols");
  });

  it("says the same to programs", async () => {
    const { stdout, status } = await run("--format", "json", "bad.log");
    const document = JSON.parse(stdout);
    expectValid("doctor", document);
    expect(document).toMatchObject({
      command: "doctor",
      schemaVersion: 1,
      logs: ["bad.log"],
      ticks: 10,
      unknownTicks: 1,
      unknownPercent: 10,
    });
    expect(
      document.coverage.reduce((sum: number, row: { percent: number }) => sum + row.percent, 0),
    ).toBeCloseTo(100, 6);
    expect(document.libraries).toEqual([
      {
        path: "/nowhere/lib.so",
        buildId: null,
        source: null,
        symbols: 0,
        namedTicks: 0,
        unnamedTicks: 1,
        problem: { kind: "not-found", message: expect.any(String) },
      },
    ]);
    expect(document.sampling).toMatchObject({ intervalAskedUs: 1000, intervalUs: 1000 });
    expect(status).toBe(1);
  });

  it("fails a log without ticks", async () => {
    writeFileSync(join(folder, "none.log"), logOf(...NODE_26, "profiler,begin,1000"));
    const { stdout, stderr, status } = await run("none.log");
    expect(stdout).toContain("No samples. Run longer, or under load.");
    expect([stderr, status]).toEqual(["ticks: none.log has no ticks\n", 1]);
    expect((await run("none.log", "--json")).status).toBe(1);
  });

  it("trusts a good log", async () => {
    const { stdout, status } = await warmTicks(["doctor", "isolate.log.gz"], { cwd: GUIDE });
    // Callers are missing above the program, which changes nothing: there is nothing to do.
    expect(stdout).toMatch(
      /^.*\nTrust it: \d+\.\d % of the ticks have a function\.\n\n \[What to do\]:\n {2}none\n/,
    );
    expect(status).toBe(0);
  });
});
