import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ticks } from "../helpers/cli.ts";
import { testFolder } from "../helpers/folder.ts";

/** A CPU profile of a chain of calls, each sampled once. */
function chain(length: number): string {
  const callFrame = (functionName: string, lineNumber: number) => ({
    ...{ functionName, scriptId: "1", url: lineNumber < 0 ? "" : "file:///srv/a.js" },
    ...{ lineNumber, columnNumber: 0 },
  });
  const calls = Array.from({ length }, (_, i) => ({
    id: i + 2,
    callFrame: callFrame("call", i % 90),
    children: i < length - 1 ? [i + 3] : [],
  }));
  return JSON.stringify({
    nodes: [{ id: 1, callFrame: callFrame("(root)", -1), children: [2] }, ...calls],
    ...{ startTime: 0, endTime: length * 1000, samples: calls.map(({ id }) => id) },
    timeDeltas: calls.map(() => 1000),
  });
}

const folder = testFolder();

function profileOf(length: number): string {
  const path = join(folder, `${length}.cpuprofile`);
  writeFileSync(path, chain(length));
  return path;
}

it.each([["collapsed"], ["speedscope"]])(
  "%s of deep stacks is no longer than their number allows",
  async (format) => {
    const lengthOf = async (calls: number) => {
      const { stdout, stderr, status } = await ticks([
        "export",
        profileOf(calls),
        "--format",
        format,
        "-o",
        "-",
      ]);
      expect(status).toBe(0);
      expect(stderr).toContain("stacks of more than 1,024 frames (those in the middle are one frame");
      return stdout.length;
    };
    // Twice as many calls, not four times as much.
    expect((await lengthOf(8000)) / (await lengthOf(4000))).toBeLessThan(2.4);
  },
);

it("redaction keeps how many frames are left out", async () => {
  const args = ["export", profileOf(1200), "--format", "collapsed", "--redact", "-o", "-"];
  expect((await ticks(args)).stdout).toMatch(/;\(512 frames left out\);/);
});

it("a Parquet file has one column in memory at a time", async () => {
  const args = ["export", profileOf(900), "--format", "parquet", "-o", "-"];
  const { stdout, stderr, status } = await ticks(args, { env: { NODE_OPTIONS: "--max-old-space-size=50" } });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/^PAR1/);
});

it("a heavy tree of deep stacks has no more rows than fit in memory", async () => {
  const args = ["tree", profileOf(1200), "--heavy", "--min", "0", "--no-pager"];
  const { stdout, stderr, status } = await ticks(args, { env: { NODE_OPTIONS: "--max-old-space-size=160" } });
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: expect.stringMatching(
      /the tree has too many rows: those with less than [\d.]+ % of the samples are hidden/,
    ),
  });
  expect(stdout.split("\n").length).toBeLessThan(65_536 * 1.1);
});
