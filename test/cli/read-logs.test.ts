import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GivenLog } from "../../src/cli/log-paths.ts";
import type { BlockOptions, ReadBlock } from "../../src/cli/read-logs.ts";
import { fixtureLog, SOME_FIXTURES } from "../helpers/fixtures.ts";
import { testFolder } from "../helpers/folder.ts";

// Threads need the built modules.
const { openSharedInput } = await import("../../build/cli/log-input.js");
const { planBlocks, readBlocks } = await import("../../build/cli/read-logs.js");
const { answersOf, portableProfile } = await import("../../build/cli/workers.js");
const { ProfileMerger } = await import("../../build/profile/merge.js");

const MB = 1e6;
const folder = testFolder();

function logsOf(...sizes: number[]): GivenLog[] {
  return sizes.map((size, i) => {
    const path = join(folder, `${sizes.length}-${i}.log`);
    writeFileSync(path, Buffer.alloc(size));
    return { path, folder };
  });
}

describe("planBlocks", () => {
  it("cuts the logs into small blocks that follow each other", () => {
    const logs = logsOf(...Array.from({ length: 40 }, () => MB));
    const { blocks, threads, bytes } = planBlocks(logs, 2);
    expect(threads).toBe(2);
    expect(bytes).toBe(40 * MB);
    expect(blocks.flat()).toEqual(logs);
    expect(blocks.map(({ length }) => length)).toEqual(Array.from({ length: 20 }, () => 2));
  });

  it("leaves long logs to a thread each, if none is longer than the others together", () => {
    const logs = logsOf(18 * MB, 17 * MB, 2 * MB);
    expect(planBlocks(logs, 2)).toMatchObject({ blocks: logs.map((log) => [log]), threads: 2 });
  });

  it("makes no more threads than blocks", () => {
    expect(planBlocks(logsOf(7 * MB, 7 * MB), 64)).toMatchObject({ threads: 2 });
  });

  it.each([
    ["few bytes", () => logsOf(MB, MB, MB), 2],
    ["one processor", () => logsOf(7 * MB, 7 * MB), 1],
    ["a log that is read by two threads itself", () => logsOf(17 * MB, MB), 2],
    ["one log", () => logsOf(14 * MB), 2],
    ["a log of unknown size", () => [...logsOf(14 * MB, MB), { path: "-", folder: undefined }], 2],
  ])("leaves all to one thread for %s", (_, logsFor, processors) => {
    const logs = logsFor();
    expect(planBlocks(logs, processors)).toMatchObject({ blocks: [logs], threads: 1 });
  });
});

/** Returns what is read of blocks by so many threads. */
async function readIn(threads: number, blocks: readonly (readonly GivenLog[])[]) {
  const flags = { cache: false };
  const wanted = { inlines: true, timeline: true, deopts: true, identities: true };
  const options: BlockOptions = { flags, options: wanted, mapRoots: [], logs: blocks.flat().length };
  const tools = { shared: await openSharedInput(flags) };
  const merger = new ProfileMerger();
  const read: string[] = [];
  const found: ReadBlock[] = [];
  for await (const [block, one] of readBlocks({ blocks, threads, bytes: undefined }, options, tools)) {
    if (one.profile !== undefined) merger.add(one.profile, one.infos);
    for (const number of one.read) read.push(block[number]!.path);
    found.push(one);
  }
  return { read, found, profile: portableProfile(merger.finish()) };
}

describe("readBlocks", () => {
  const fixtures = () =>
    SOME_FIXTURES.map((name, i) => {
      const path = join(folder, `isolate0x${i}000-${i + 10}-v8.log`);
      writeFileSync(path, fixtureLog(name));
      return { path, folder };
    });

  it("reads what one thread reads", async () => {
    const logs = fixtures();
    const blocks = Array.from({ length: Math.ceil(logs.length / 2) }, (_, i) => logs.slice(2 * i, 2 * i + 2));
    const [alone, together] = [await readIn(1, [logs]), await readIn(3, blocks)];
    expect(together.profile).toEqual(alone.profile);
    expect(together.read).toEqual(logs.map(({ path }) => path));
    expect(together.found.flatMap(({ infos }) => infos)).toEqual(alone.found.flatMap(({ infos }) => infos));
    const ticks = (found: readonly ReadBlock[]) =>
      found.reduce((sum, { progress }) => sum + progress.ticks, 0);
    expect(ticks(together.found)).toBe(ticks(alone.found));
  });

  it("skips logs that cannot be read, in blocks of any thread", async () => {
    const logs = fixtures();
    const empty = { path: join(folder, "isolate0x1-1-v8.log"), folder };
    writeFileSync(empty.path, "");
    const { read, found } = await readIn(2, [[logs[0]!, empty], [empty], [logs[1]!]]);
    expect(read).toEqual([logs[0]!.path, logs[1]!.path]);
    expect(found.flatMap(({ errors }) => errors)).toHaveLength(2);
  });

  it("throws the error of the first block that has one", async () => {
    const logs = fixtures();
    const missing = (name: string) => ({ path: join(folder, name), folder: undefined });
    const blocks = [[logs[0]!], [logs[1]!], [missing("first.log")], [missing("second.log")]];
    await expect(readIn(3, blocks)).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("first.log"),
    });
  });
});

describe("answersOf", () => {
  it("answers all in this thread where the others cannot run, however many wait", async () => {
    const questions = Array.from({ length: 200 }, (_, i) => i);
    const answerHere = async (question: number) => question * 2;
    const found: unknown[] = [];
    for await (const answer of answersOf({ questions, threads: 3, answerHere, workerData: undefined }))
      found.push(answer);
    expect(found).toEqual(questions.map((question) => question * 2));
  });

  it("ends with the error of a thread that fails", async () => {
    const questions = Array.from({ length: 1000 }, (_, i) => [`${i}`]);
    const answerHere = () => new Promise((resolve) => setTimeout(resolve, 20));
    const read = async () => {
      // Without options it can read no run.
      for await (const _ of answersOf({ questions, threads: 2, answerHere, workerData: { runs: {} } }));
    };
    await expect(read()).rejects.toThrow(/undefined/);
  });
});
