import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../helpers/folder.ts";
import { warmTicks } from "../helpers/warm-cli.ts";

const folder = testFolder();
const file = join(folder, "a.cpuprofile");
const at = (functionName: string, lineNumber: number, url = "/srv/a.js") => ({
  callFrame: { functionName, scriptId: "1", url, lineNumber, columnNumber: lineNumber < 0 ? -1 : 0 },
});
// 2 samples of slow take 90 ms, 8 of fast take 10 ms: the mean would say 20 and 80.
writeFileSync(
  file,
  JSON.stringify({
    nodes: [
      { id: 1, ...at("(root)", -1, ""), children: [2] },
      { id: 2, ...at("main", 0), children: [3, 4] },
      { id: 3, ...at("slow", 9), hitCount: 2, positionTicks: [{ line: 11, ticks: 2 }] },
      { id: 4, ...at("fast", 19), hitCount: 8, positionTicks: [{ line: 22, ticks: 8 }] },
    ],
    startTime: 0,
    endTime: 100_000,
    samples: [3, 4, 4, 4, 4, 3, 4, 4, 4, 4],
    timeDeltas: [0, 40_000, 1250, 1250, 1250, 1250, 50_000, 1250, 1250, 1250],
  }),
);

async function linesOf(...args: readonly string[]): Promise<string> {
  const { status, stdout } = await warmTicks(args);
  expect(status).toBe(0);
  return stdout.replace(/ +/g, " ");
}

describe("the time of samples in reports", () => {
  it("of ticks top is that of the file, not a mean", async () => {
    const text = await linesOf("top", file);
    expect(text).toMatch(/\n 8 10\.0 80\.0% .*8 fast a\.js:20\n 2 90\.0 20\.0% .*2 slow a\.js:10\n/);
    expect(text).toMatch(/\n 2 90\.0 20\.0% .* 2 2 a\.js:11 slow/);
    expect(text).toMatch(/\n 10 100 100\.0% .*JavaScript and WebAssembly/);
    expect(text).toMatch(/\n 8 10\.0 80\.0% .*main → fast/);
  });

  it.each([
    ["tree", /\n 8 10\.0 80\.0% 8 ├ fast a\.js:20\n 2 90\.0 20\.0% 2 └ slow a\.js:10/],
    ["tree --heavy", /\n 2 90\.0 20\.0% slow a\.js:10\n 2 90\.0 20\.0% ← main/],
    ["lines", /\n 8 10\.0 80\.0% 8 a\.js:22 fast.*\n 2 90\.0 20\.0% 2 a\.js:11 slow/],
    ["threads", /\n 1 a 10 100 100\.0%|\n 1 a\.cpuprofile 10 100 100\.0%/],
  ])("of ticks %s, too", async (command, expected) => {
    const [name, ...options] = command.split(" ");
    expect(await linesOf(name!, file, ...options)).toMatch(expected);
  });

  it("of ticks function is in its facts, callees and lines", async () => {
    const text = await linesOf("function", file, "main");
    expect(text).toContain("self 0 (0.0%, 0 ms) total 10 (100.0%, 100 ms)");
    expect(text).toMatch(/\n 8 10\.0 80\.0% fast a\.js:20\n 2 90\.0 20\.0% slow a\.js:10/);
    expect(await linesOf("function", file, "slow")).toMatch(/\n 2 90\.0 2 11\b/);
  });

  it("is in JSON in microseconds", async () => {
    const { functions } = JSON.parse(await linesOf("top", file, "--format", "json"));
    const times = functions.bySelf.map(({ name, selfUs, totalUs }: Record<string, unknown>) => [
      name,
      selfUs,
      totalUs,
    ]);
    expect(times).toEqual([
      ["fast", 10_000, 10_000],
      ["slow", 90_000, 90_000],
    ]);
  });
});
