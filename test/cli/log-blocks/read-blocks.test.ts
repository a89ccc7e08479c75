import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BlockOptions, ReadBlock } from "../../../src/cli/log-blocks/read-block.ts";
import type { GivenLog } from "../../../src/cli/log-paths.ts";
import { FIXTURE_NAMES, fixtureLog } from "../../helpers/fixtures.ts";

// Threads need the built modules.
const { openSharedInput } = await import("../../../build/cli/log-input.js");
const { readBlock } = await import("../../../build/cli/log-blocks/read-block.js");
const { readBlocks } = await import("../../../build/cli/log-blocks/read-blocks.js");
const { ProfileMerger } = await import("../../../build/profile/merge.js");
const { portableProfile } = await import("../../../build/cli/log-blocks/portable-profile.js");

const FLAGS = { cache: false };
let folder: string;
let logs: GivenLog[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ticks-blocks-"));
  logs = FIXTURE_NAMES.map((name, i) => {
    const path = join(folder, `isolate0x${i}000-${i + 10}-v8.log`);
    writeFileSync(path, fixtureLog(name));
    return { path, folder };
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

function optionsFor(count: number): BlockOptions {
  const options = { inlines: true, timeline: true, deopts: true, identities: true };
  return { flags: FLAGS, options, mapRoots: [], logs: count };
}

/** Returns the profile of blocks that several threads read. */
async function readInThreads(blocks: GivenLog[][], threads: number) {
  const merger = new ProfileMerger();
  const reads: ReadBlock[] = [];
  let ticks = 0;
  const shared = await openSharedInput(FLAGS);
  const take = (read: ReadBlock, block: number) => {
    expect(block).toBe(reads.push(read) - 1);
    if (read.profile !== undefined) merger.add(read.profile, read.infos);
  };
  const onRead = (progress: { ticks: number }) => {
    ticks += progress.ticks;
  };
  const plan = { blocks, threads, bytes: undefined };
  await readBlocks(plan, optionsFor(blocks.flat().length), { shared, take, onRead });
  return { profile: merger.finish(), reads, ticks };
}

describe("readBlocks", () => {
  it("reads what one thread reads", async () => {
    const shared = await openSharedInput(FLAGS);
    const alone = await readBlock(logs, optionsFor(logs.length), shared);
    const blocks = Array.from({ length: Math.ceil(logs.length / 3) }, (_, i) => logs.slice(3 * i, 3 * i + 3));
    expect(blocks.length).toBeGreaterThan(6);
    const { profile, reads, ticks } = await readInThreads(blocks, 3);
    expect(portableProfile(profile)).toEqual(portableProfile(alone.profile!));
    expect(reads.flatMap(({ infos }) => infos)).toEqual(alone.infos);
    expect(ticks).toBe(alone.progress.ticks);
  });

  it("skips logs that cannot be read, in blocks of any thread", async () => {
    const empty = { path: join(folder, "isolate0x1-1-v8.log"), folder };
    writeFileSync(empty.path, "");
    const blocks = [[logs[0]!, empty], [empty], [logs[1]!]];
    const { reads } = await readInThreads(blocks, 2);
    expect(reads.map(({ read }) => read)).toEqual([[0], [], [0]]);
    expect(reads.map(({ errors }) => errors.length)).toEqual([1, 1, 0]);
    expect(reads[1]!.profile).toBeUndefined();
  });

  it("throws the error of the first block that has one", async () => {
    const missing = (name: string) => ({ path: join(folder, name), folder: undefined });
    const blocks = [[logs[0]!], [logs[1]!], [missing("first.log")], [missing("second.log")]];
    await expect(readInThreads(blocks, 3)).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("first.log"),
    });
  });
});
