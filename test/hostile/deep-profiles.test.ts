import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Profile as PprofProfile, StringTable } from "pprof-format";
import { expect, it } from "vitest";
import { readPprof } from "../../src/inputs/pprof.ts";
import { ticks } from "../helpers/cli.ts";
import { testFolder } from "../helpers/folder.ts";
import { stackLines } from "../inputs/stacks-of.ts";

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

async function readStack(locationId: readonly number[], name: string): Promise<string[]> {
  const strings = new StringTable();
  const text = (word: string) => strings.dedup(word);
  const id = 1;
  const profile = new PprofProfile({
    sampleType: [{ type: text("samples"), unit: text("count") }],
    sample: [{ locationId: [...locationId], value: [1] }],
    location: [{ id, line: [{ functionId: id, line: 7 }] }],
    function: [{ id, name: text(name), filename: text("/srv/a.js"), startLine: 1 }],
    stringTable: strings,
  });
  async function* inOnePiece() {
    yield profile.encode();
  }
  const [read] = await readPprof(inOnePiece(), { name: "a.pb" });
  return stackLines(read!)[0]!.split(" > ");
}

it("a pprof profile's deep stacks are cut as those of others", async () => {
  const stack = await readStack(new Array(5000).fill(1), "f");
  const [, left] = /^\((\d+) frames left out\)$/.exec(stack[512]!)!;
  expect(stack.length - 1 + Number(left)).toBe(5000);
  expect(stack.at(-1)).toMatch(/^f .* 1$/);
});

it("a name in a pprof profile, which stacks repeat by a byte, has 4,096 bytes", async () => {
  const [frame] = await readStack([1], "x".repeat(60_000));
  expect(frame).toMatch(/^js: x{4096} \/srv\/a\.js/);
});
