import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { Profile as PprofProfile } from "pprof-format";
import { beforeAll, describe, expect, it } from "vitest";
import type { Run } from "../../helpers/cli.ts";
import { testFolder } from "../../helpers/folder.ts";
import { expectValid } from "../../helpers/schema.ts";
import { type SimulatedFunction, type SimulatedRun, simulatedLog } from "../../helpers/simulated-run.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

const folder = testFolder();

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
  record("changed", 5, {
    functions: FUNCTIONS.map((one, i) => (i === 3 ? { ...one, body: "part3 ** 2", weight: 4 } : one)),
    ticks: 3900,
  });
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

/** Writes the runs of folders as pprof profiles into folders beside them. */
async function exportAll(...names: readonly string[]) {
  for (const name of names) {
    mkdirSync(join(folder, `${name}-pprof`));
    for (const [i, log] of readdirSync(join(folder, name)).sort().entries()) {
      const args = [join(name, log), "-o", join(`${name}-pprof`, `run${i}.pb.gz`)];
      expect((await warmTicks(["export", ...args], { cwd: folder })).status).toBe(0);
    }
  }
}

/** What was asked for: many tests look at the same page. */
const known = new Map<string, Promise<Run>>();

function diff(...args: readonly string[]): Promise<Run> {
  const key = args.join("\0");
  const run = known.get(key) ?? warmTicks(["diff", ...args], { cwd: folder });
  known.set(key, run);
  return run;
}

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
    expect(lines[0]).toBe("before: before (5 logs): 5 runs, 15000 ticks, Node 26");
    expect(lines[3]).toBe(
      "A run takes about as much CPU on its JavaScript threads as before: 3000 → 3000 ticks (3.00 → 3.00 s), 95 %: -80 to +80.",
    );
    expect(stdout.replaceAll("\n", " ")).toMatch(
      /part3 got slower: \d+ → \d+ ticks a run, \d+\.\d → \d+\.\d% \(95 %: \+.* to \+.* points\)\. The other 9 /,
    );
    expect(stdout).toMatch(
      /^5 runs a side find changes of \d+ % and more in what takes a tenth of the time\.$/m,
    );
    expect(stdout).toMatch(/^ {2}slower .* part3 {2}app\.js:4$/m);
    expect(stdout.match(/^ {2}~ /gm)).toHaveLength(9);
  });

  it("tells what a run takes, then the function whose source changed with its lines, and what to do next", async () => {
    const { stdout } = await diff("before", "--", "changed");
    const lines = stdout.split("\n");
    expect(lines[3]).toBe(
      "A run takes 30 % more CPU on its JavaScript threads: 3000 → 3900 ticks (3.00 → 3.90 s).",
    );
    expect(lines[4]).toMatch(/^The source of 1 function of the program changed: part3 \d+ → 1\d{3} ticks\. /);
    const first = lines.findIndex((line) => line.includes("part3  app.js:4"));
    expect(lines[first]).toMatch(/^ {2}slower .* \+\d+% .* → .*% /);
    expect(lines.slice(first + 1, first + 4)).toEqual([
      "         its source changed",
      "           - function part3(x) { return part3; }",
      "           + function part3(x) { return part3 ** 2; }",
    ]);
    expect(stdout.slice(stdout.indexOf("[Next]"))).toContain(
      "\n  ticks function changed part3\n  # the change as a picture\n  ticks flame before -- changed\n",
    );
    const { stdout: markdown } = await diff("before", "--", "changed", "--md");
    expect(markdown).toContain(`**${lines[3]}**\n`);
    expect(markdown).toContain(
      "<br>its source changed<br>  `- function part3(x) { return part3; }`<br>  `+ function part3(x) { return part3 ** 2; }`",
    );
    const found = await document("before", "--", "changed");
    expect(found.summary[0]).toBe(lines[3]);
    expect(found.rows[0]).toMatchObject({
      name: "part3",
      part: "changed",
      foldedInto: null,
      noVerdict: null,
    });
    expect(found.nextSteps.map(({ kind }: { kind: string }) => kind)).toEqual(["function", "flame"]);
  });

  it("says why a share with an interval without 0 has no verdict", async () => {
    const { stdout } = await diff("before", "--", "changed");
    expect(stdout).not.toContain("+0.0 to +0.0");
    const found = await document("start", "--", "long", "-n", "20");
    const names = found.rows.flatMap((row: { noVerdict: string | null; name: string }) =>
      row.noVerdict === "length" ? [row.name] : [],
    );
    expect(names).toContain("start");
    expect(names).toHaveLength(found.changedByLength);
    expect((await diff("start", "--", "long", "-n", "20")).stdout).toMatch(/^ {2}~ run length .* start /m);
  });

  it("says with one run a side that a large difference is almost surely real", async () => {
    const [before, after] = ["start/isolate-0x1-100-v8.log", "slow/isolate-0x1-100-v8.log"];
    const { stdout } = await diff(before, after);
    expect(stdout.replaceAll("\n", " ")).toMatch(
      /The run after took 23 % less CPU .* One run a side: no verdict, but a difference this large is almost surely real: start 2\d\.\d → 0\.0% of all ticks\. Below 20 points it may be chance\./,
    );
    expect(stdout).toContain("ticks record --runs 5 -- node app.js");
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
    expect(found.changedByLength).toBeGreaterThanOrEqual(1);
    const { stdout } = await diff("start", "--", "long");
    expect(stdout.replaceAll("\n", " ")).toMatch(
      /The runs have another length: the shares? of th(is|ese) functions? may differ by that alone, as that of a start does, so that there is no verdict on .*start/,
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

  it("reads exports to pprof as the logs that they were made of", async () => {
    await exportAll("before", "slow");
    interface Row {
      readonly key: string;
      readonly self: { readonly before: number; readonly after: number };
      readonly total: { readonly before: number; readonly after: number };
    }
    const shares = async (...sides: readonly string[]) => {
      const { rows } = await document(...sides, "-n", "500");
      return rows.map(({ key, self, total }: Row) =>
        [key, ...[self.before, self.after, total.before, total.after].map((one) => one.toFixed(9))].join(" "),
      );
    };
    const logs = await shares("before", "--", "slow");
    expect(logs.length).toBeGreaterThan(5);
    expect(await shares("before-pprof", "--", "slow-pprof")).toEqual(logs);
    // Its functions of one name are numbered, and some of them have no ticks.
    const log = fileURLToPath(new URL("../../../fixtures/node-20-bundle/isolate.log.gz", import.meta.url));
    expect((await warmTicks(["export", log, "-o", "bundle.pb.gz"], { cwd: folder })).status).toBe(0);
    const own = await shares(log, "--", log);
    expect(own.join("\n")).toMatch(/^node:internal\/console\/constructor value#4 /m);
    expect((await shares("bundle.pb.gz", "--", "bundle.pb.gz")).sort()).toEqual(own.sort());
  });

  it("refuses a Parquet file with what to do instead", async () => {
    writeFileSync(join(folder, "run.parquet"), "PAR1, or not");
    const { stderr, status } = await diff("run.parquet", "--", "slow");
    expect(status).toBe(2);
    expect(stderr).toContain("run.parquet is a Parquet table, not a V8 log");
    expect(stderr).toContain("fleet.sql of this package compares runs in it");
  });

  it("writes the difference for pprof", async () => {
    const { stderr, status } = await diff("before", "--", "slow", "-o", "slow.pb.gz");
    expect([stderr, status]).toEqual(["ticks: wrote the difference to slow.pb.gz\n", 0]);
    const profile = PprofProfile.decode(gunzipSync(readFileSync(join(folder, "slow.pb.gz"))));
    const text = (index: number | bigint) => profile.stringTable.strings[Number(index)];
    const value = profile.sample.map((sample) => ({
      isBase: sample.label.some(({ key, str }) => text(key) === "pprof::base" && text(str) === "true"),
      // The library reads all numbers without a sign.
      ppm: Number(BigInt.asIntN(64, BigInt(sample.value[0]!))),
    }));
    expect(profile.sampleType.map(({ type, unit }) => [text(type), text(unit)])).toEqual([["share", "ppm"]]);
    const sum = (isBase: boolean) =>
      value.filter((one) => one.isBase === isBase).reduce((all, { ppm }) => all + ppm, 0);
    expect([sum(true), sum(false)]).toEqual([-1_000_000, 1_000_000]);
    expect(value.every(({ isBase, ppm }) => (isBase ? ppm <= 0 : ppm >= 0))).toBe(true);
  });

  it("writes the difference as difffolded does, with the functions matched", async () => {
    const { stderr } = await diff("before", "--", "renamed", "-o", "names.folded", "--scale", "cpu");
    expect(stderr).toBe("ticks: wrote the difference to names.folded\n");
    const lines = readFileSync(join(folder, "names.folded"), "utf8").trimEnd().split("\n");
    const columns = lines.map((line) => /^main\.js part\dNow (\d+) (\d+)$/.exec(line)!.slice(1).map(Number));
    expect(columns).toHaveLength(10);
    for (const side of [0, 1])
      expect(columns.reduce((all, row) => all + row[side]!, 0) / 3_000_000).toBeCloseTo(1, 2);
    const whole = readFileSync(join(folder, "names.folded"));
    const { stderr: error, status } = await diff("before", "--", "nowhere", "-o", "names.folded");
    expect(status).toBe(2);
    expect(error).toContain("nowhere");
    expect(readFileSync(join(folder, "names.folded"))).toEqual(whole);
  });

  it("takes options after the second side, and writes Markdown", async () => {
    const { stdout } = await diff("before", "--", "slow", "--md", "--by", "file");
    expect(stdout).toContain(
      "\nA run takes about as much CPU on its JavaScript threads as before: 3000 → 3000 ticks",
    );
    expect(stdout).toContain("| verdict | before | after | change | 95 % of share | share | file |");
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
    [["before", "again", "-o", "x.txt"], "--output x.txt: unknown kind of file"],
    [["before", "again", "-o", "before/isolate-0x1-100-v8.log"], "unknown kind of file"],
    [["before", "again", "--per", "1"], "expected two numbers above 0"],
    [["before", "again", "--per", "1,2", "--scale", "unchanged"], "--per does not go with --scale unchanged"],
  ])("refuses %j", async (args, message) => {
    const { stdout, stderr, status } = await diff(...args);
    expect([stdout, status]).toEqual(["", 2]);
    expect(stderr).toContain(message);
  });
});
