import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ticks } from "../../helpers/cli.ts";
import { expectValid } from "../../helpers/schema.ts";
import { type SimulatedFunction, type SimulatedRun, simulatedLog } from "../../helpers/simulated-run.ts";

const folder = mkdtempSync(join(tmpdir(), "diff-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FUNCTIONS: readonly SimulatedFunction[] = Array.from({ length: 10 }, (_, i) => ({
  name: `part${i}`,
  weight: 1,
}));
const SLOW = FUNCTIONS.map((one, i) => (i === 3 ? { ...one, weight: 1.5 } : one));

/** Writes runs into a folder. */
function record(name: string, count: number, run: Partial<SimulatedRun>): void {
  mkdirSync(join(folder, name));
  for (let i = 0; i < count; i++) {
    const seed = 1000 * name.length + 7 * name.charCodeAt(0) + i;
    const log = simulatedLog({ file: "/srv/r1/app.js", functions: FUNCTIONS, ticks: 3000, seed, ...run });
    writeFileSync(join(folder, name, `isolate-0x1-${100 + i}-v8.log`), log);
  }
}

beforeAll(() => {
  record("before", 5, {});
  record("again", 5, {});
  record("slow", 5, { functions: SLOW });
  record("moved", 3, { file: "/srv/r2/app.js", offset: 12 });
  record("renamed", 3, {
    file: "/srv/r2/main.js",
    functions: FUNCTIONS.map(({ name, weight }) => ({ name: `${name}Now`, body: name, weight })),
  });
  const start = { name: "start", weight: 3 };
  record("start", 5, { functions: [...FUNCTIONS, start], ticks: 3900 });
  record("long", 5, { functions: [...FUNCTIONS, { ...start, weight: 1 }], ticks: 9900 });
  record("coarse", 5, { ticks: 300, interval: 10_000 });
});

const diff = (...args: readonly string[]) => ticks(["diff", ...args], { cwd: folder });

async function document(...args: readonly string[]) {
  const { stdout, stderr, status } = await diff(...args, "--json");
  expect([stderr, status]).toEqual(["", 0]);
  const found = JSON.parse(stdout);
  expectValid("diff", found);
  return found;
}

describe("ticks diff", () => {
  it("says first what got slower, then shows the rows", async () => {
    const { stdout, stderr, status } = await diff("before", "--", "slow");
    expect([stderr, status]).toEqual(["", 0]);
    const lines = stdout.split("\n");
    expect(lines[0]).toBe("before: before (5 logs): 5 runs, 15000 ticks, V8 14.6.202.34-node.34");
    expect(stdout).toMatch(
      /^part3 got slower: \d+\.\d\d% to \d+\.\d\d% \(95 %: \+.* to \+.*\)\. The other 9 /m,
    );
    expect(stdout).toMatch(/^5 runs against 5 find a change of \d+ % or more/m);
    expect(stdout).toMatch(/^ {2}slower .* part3 {2}app\.js:4$/m);
    expect(stdout.match(/^ {2}~ /gm)).toHaveLength(9);
  });

  it("says that nothing changed between runs of the same program", async () => {
    const { stdout } = await diff("before", "again");
    expect(stdout).toContain("No function changed: all 10 differ by no more than runs of the same code do.");
    const itself = await document("before", "--", "before");
    expect(itself.rows.every((row: { self: { change: number } }) => row.self.change === 0)).toBe(true);
  });

  it("compares runs with other intervals", async () => {
    const found = await document("before", "--", "coarse");
    expect(found.after.runs[0].intervalUs).toBe(10_000);
    expect(found.rows.every((row: { verdict: string }) => row.verdict === "same")).toBe(true);
  });

  it("says that runs of another length are no change", async () => {
    const found = await document("start", "--", "long");
    expect(found.rows.every((row: { verdict: string }) => row.verdict === "same")).toBe(true);
    expect(found.lengthRatio).toBeGreaterThan(2.8);
    expect(found.changedByLength).toBe(1);
    const { stdout } = await diff("start", "--", "long");
    expect(stdout.replaceAll("\n", " ")).toMatch(
      /The runs after are [23]\.\d times as long as those before\. The share of 1 function may differ by that alone, as that of a start does: no verdict on them\./,
    );
  });

  it("finds functions that moved with their file, or were renamed", async () => {
    expect((await document("before", "--", "moved")).matched).toBe(1);
    const found = await document("before", "--", "renamed");
    expect(found.matched).toBe(1);
    expect(found.rows[0].matchedBy).toBe("source");
    expect(found.rows[0].key).toMatch(/^main\.js part\dNow$/);
    expect(found.rows[0].keyBefore).toMatch(/^app\.js part\d$/);
    const named = await document(
      "before",
      "renamed",
      "--rename",
      "s/app/main/",
      "--rename",
      String.raw`s/(part\d)/$1Now/`,
    );
    expect(named.rows.every((row: { matchedBy: string }) => row.matchedBy === "key")).toBe(true);
  });

  it("gives no verdict for one run a side", async () => {
    const logs = ["before/isolate-0x1-100-v8.log", "slow/isolate-0x1-100-v8.log"];
    const { stdout } = await diff(...logs);
    expect(stdout).toContain("One run a side: no verdict.");
    expect(stdout).toMatch(/it takes \d+ runs a side or more to settle it\./);
    expect(stdout).not.toContain("verdict  before");
    expect((await document(logs[0]!, "--", logs[1]!)).hasVerdict).toBe(false);
  });

  it("takes options after the second side, and writes Markdown", async () => {
    const { stdout } = await diff("before", "--", "slow", "--md", "--by", "file");
    expect(stdout).toContain("**No file changed");
    expect(stdout).toContain("| verdict | before | after |");
    expect(stdout).toContain("`app.js`");
  });

  it.each(["function", "file", "package", "line", "category"])("counts all ticks by %s", async (by) => {
    const found = await document("before", "--", "slow", "--by", by, "-n", "3", "--focus", "part");
    const sum = (side: "before" | "after") =>
      found.rows.reduce(
        (all: number, row: { self: Record<string, number> }) => all + row.self[side]!,
        found.rest[side],
      );
    expect(sum("before")).toBeCloseTo(100, 8);
    expect(sum("after")).toBeCloseTo(100, 8);
  });

  it("sorts and leaves out rows", async () => {
    const rows = async (...args: string[]) => {
      const found = await document("before", "--", "slow", ...args);
      return found.rows.map((row: { name: string }) => row.name);
    };
    expect(await rows("--sort", "name", "-n", "2")).toEqual(["part0", "part1", "part3"]);
    expect(await rows("--min", "2")).toEqual(["part3"]);
  });

  it.each([
    [["before"], "name the logs before and those after, with -- between them"],
    [["before", "--"], "name the logs before and those after, with -- between them"],
    [["before", "--", "nowhere"], "nowhere: "],
    [["before", "again", "--rename", "part"], "--rename part: expected s/from/to/"],
    [["before", "again", "--rename", "s/(/x/"], "--rename: invalid regular expression ("],
    [["before", "again", "--per", "1"], "Expected two numbers above 0"],
    [["before", "again", "--per", "1,2", "--scale", "unchanged"], "--per does not go with --scale unchanged"],
  ])("refuses %j", async (args, message) => {
    const { stdout, stderr, status } = await diff(...args);
    expect([stdout, status]).toEqual(["", 2]);
    expect(stderr).toContain(message);
  });
});
