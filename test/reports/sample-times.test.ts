import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pageData } from "../../src/exports/flame/page-data.ts";
import { Analysis } from "../../src/facts/analysis.ts";
import { unpackColumn } from "../../src/flame-page/page-data.ts";
import { analyze } from "../../src/load/analyze.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import { allSamples } from "../../src/profile/sample-table.ts";
import { testFolder } from "../helpers/folder.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const folder = testFolder();
const at = (functionName: string, lineNumber: number, url = "/srv/a.js") => ({
  callFrame: { functionName, scriptId: "1", url, lineNumber, columnNumber: lineNumber < 0 ? -1 : 0 },
});

/** 2 samples of slow take 90 ms, 8 of fast take 10 ms, and 1 that waited 100 ms; all `factor` times as long. */
function profileText(factor = 1): string {
  const deltas = [0, 40_000, 1250, 1250, 1250, 1250, 50_000, 1250, 1250, 1250, 1250];
  return JSON.stringify({
    nodes: [
      { id: 1, ...at("(root)", -1, ""), children: [2, 5] },
      { id: 2, ...at("main", 0), children: [3, 4] },
      { id: 3, ...at("slow", 9), hitCount: 2, positionTicks: [{ line: 11, ticks: 2 }] },
      { id: 4, ...at("fast", 19), hitCount: 8, positionTicks: [{ line: 22, ticks: 8 }] },
      { id: 5, ...at("(idle)", -1, "") },
    ],
    startTime: 0,
    endTime: 200_000 * factor,
    samples: [3, 4, 4, 4, 4, 3, 4, 4, 4, 4, 5],
    timeDeltas: deltas.map((delta) => delta * factor),
  });
}

const file = join(folder, "a.cpuprofile");
const longer = join(folder, "b.cpuprofile");
writeFileSync(file, profileText());
writeFileSync(longer, profileText(3));

async function linesOf(...args: readonly string[]): Promise<string> {
  const { status, stdout } = await warmTicks(args);
  expect(status).toBe(0);
  return stdout.replace(/ +/g, " ");
}

async function* inOnePiece(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe("samples weigh their time", () => {
  it("in the shares, order and numbers of ticks top", async () => {
    const text = await linesOf("top", file);
    expect(text).toContain("a.cpuprofile: 10 samples\n");
    expect(text).toContain(
      "100 of 200 ms waited (idle); shares are of the other 100 ms: --idle counts them.",
    );
    expect(text).toMatch(
      /\n ms share .*\n 90\.0 90\.0% .* 90\.0 90\.0 a\.js:11 slow.*\n 10\.0 10\.0% .* a\.js:22/,
    );
    expect(text).toMatch(/Where the time went\]:\n ms share .*\n 100 100\.0% .*JavaScript and WebAssembly/);
    expect(text).toMatch(/\n self share .*\n 90\.0 90\.0% .*slow a\.js:10\n 10\.0 10\.0% .*fast a\.js:20\n/);
    expect(text).not.toMatch(/\d ticks?\b/);
  });

  it("in what a page of few tokens drops", async () => {
    const text = await linesOf("top", file, "--format", "md", "--limit-tokens", "330");
    expect(text).toMatch(/… \d+ rows? with \d+(?:\.\d)? ms in all tables together dropped/);
  });

  it.each([
    ["tree", /\n 90\.0 90\.0% 90\.0 ├ slow a\.js:10\n 10\.0 10\.0% 10\.0 └ fast a\.js:20/],
    ["tree --heavy", /\n 90\.0 90\.0% slow a\.js:10\n 90\.0 90\.0% ← main/],
    ["lines", /\n 90\.0 90\.0% 90\.0 a\.js:11 slow.*\n 10\.0 10\.0% 10\.0 a\.js:22 fast/],
    [
      "threads",
      /\n # thread ms share waited JS .*\n 1 a\.cpuprofile 100 100\.0% 100 100 .* 90\.0% slow a\.js:10/,
    ],
    ["doctor", /\n 100 100\.0% 0 JavaScript/],
  ])("of ticks %s, too", async (command, expected) => {
    const [name, ...options] = command.split(" ");
    expect(await linesOf(name!, file, ...options)).toMatch(expected);
  });

  it("in the facts, callees and lines of ticks function", async () => {
    const text = await linesOf("function", file, "main");
    expect(text).toContain("self 0 ms (0.0%) total 100 ms (100.0%)");
    expect(text).toMatch(/Callees \(100 ms\)\]:\n ms share callee\n 90\.0 90\.0% slow.*\n 10\.0 10\.0% fast/);
    expect(await linesOf("function", file, "slow")).toMatch(/\n 90\.0 90\.0 11\b/);
  });

  it("over all the time that they take in ticks timeline", async () => {
    const { ticks, threads } = JSON.parse(
      await linesOf("timeline", file, "--format", "json", "--slices", "4"),
    );
    expect(ticks).toBe(11);
    const { idle, js } = threads[0].lanes as Record<string, readonly number[]>;
    const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
    expect([sum(idle!), sum(js!)].map((one) => one.toFixed(1))).toEqual(["5.5", "5.5"]);
    // The slices are 25 ms up to the last sample, at 100 ms: the first sample, of 40 ms, is in two of them.
    expect(js![0]).toBeCloseTo((25 * 11) / 200, 1);
    expect(await linesOf("timeline", file)).toMatch(/JS \S+.* 100 100\.0%\n/);
  });

  it("in JSON, whose ticks have two decimals and whose times are exact", async () => {
    const { ticks, excludedTicks, functions } = JSON.parse(await linesOf("top", file, "--format", "json"));
    expect([ticks, excludedTicks]).toEqual([5.5, 5.5]);
    const row = ({ name, self, selfPercent, selfUs, totalUs }: Record<string, unknown>) => [
      name,
      self,
      selfPercent,
      selfUs,
      totalUs,
    ];
    expect(functions.bySelf.map(row)).toEqual([
      ["slow", 4.95, 90, 90_000, 90_000],
      ["fast", 0.55, 10, 10_000, 10_000],
    ]);
  });

  it("in ticks diff, by the time of a run", async () => {
    const text = await linesOf("diff", file, longer);
    expect(text).toContain("1 run, 10 samples and 100 ms that waited (idle)");
    expect(text).toMatch(/before after change .*\n 90 270 \+200% .*slow.*\n 10\.0 30\.0 \+200% .*fast/);
  });

  it("in the limits of ticks check", async () => {
    const budget = join(folder, "budget.json");
    const limit = (max: number) =>
      JSON.stringify({ budgets: [{ select: { function: "a.js slow" }, metric: "self", max }] });
    writeFileSync(budget, limit(50));
    // 2 of 10 samples would be 20 %.
    const { stdout } = await warmTicks(["check", "--budget", budget, file]);
    expect(stdout.replace(/ +/g, " ")).toContain("90.0%");
  });

  it("in profiles that are merged, whatever their samples take", async () => {
    const read = async (factor: number) =>
      (await analyze(inOnePiece(profileText(factor)), { timeline: true })) as never;
    const merged = mergeProfiles([await read(1), await read(3)]);
    const { table, functionTicks } = Analysis.of(merged);
    const slow = table.functions.findIndex(({ name }) => name === "slow");
    const { tickTime = 0, ticks } = merged.info;
    expect([Math.round(ticks), allSamples(merged.samples)]).toEqual([22, 22]);
    expect(Math.round(functionTicks.self[slow]! * tickTime)).toBe(4 * 90_000);
    const ofTimeline = merged.timeline!.ticks!.slice(0, 22).reduce((sum, one) => sum + one, 0);
    expect(ofTimeline).toBeCloseTo(ticks, 5);
  });

  it("in the page of ticks flame, in microseconds", async () => {
    const data = pageData(await analyze(inOnePiece(profileText()), { timeline: true }));
    expect([data.unit, data.ticks]).toEqual(["µs", 200_000]);
    const sums = (column: string) => Array.from(unpackColumn(column)).reduce((sum, one) => sum + one, 0);
    expect(sums(data.samples.ticks)).toBe(200_000);
    expect(sums(data.times!.threads[0]!.ticks)).toBe(200_000);
  });

  it.each(["cpuprofile", "chrome-trace", "pprof"])("in %s and back", async (format) => {
    const exported = join(folder, `again.${format}`);
    await warmTicks(["export", "--format", format, "--idle", file, "-o", exported]);
    const { ticks, functions } = JSON.parse(await linesOf("top", exported, "--format", "json", "--idle"));
    expect(ticks).toBe(11);
    const times = functions.bySelf.map(({ name, selfUs }: Record<string, unknown>) => [name, selfUs]);
    expect(times).toEqual([
      ["(idle)", 100_000],
      ["slow", 90_000],
      ["fast", 10_000],
    ]);
  });

  it.each([
    ["collapsed", /slow \S+ 90000\n.*fast \S+ 10000\n/],
    ["callgrind", /events: Microseconds\nsummary: 200000\n/],
    ["speedscope", /"unit":"microseconds".*"weights":\[40000,5000,50000,5000,100000\]/s],
    ["gecko", /"weight":\[40,5,50,\d.*"weightType":"tracing-ms"/s],
  ])("in the weights of %s", async (format, expected) => {
    const exported = join(folder, `a.${format}`);
    await warmTicks(["export", "--format", format, file, "-o", exported]);
    expect(readFileSync(exported, "utf8")).toMatch(expected);
  });
});
