import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BlockOptions } from "../../../src/cli/log-blocks/read-block.ts";
import type { ReadPiece } from "../../../src/cli/log-blocks/read-piece.ts";
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
  const pieces: ReadPiece[] = [];
  const read: string[] = [];
  let [ticks, last] = [0, -1];
  const shared = await openSharedInput(FLAGS);
  const take = (piece: ReadPiece, first: number) => {
    expect(first).toBeGreaterThan(last);
    last = first;
    pieces.push(piece);
    if (piece.profile !== undefined) merger.add(piece.profile, piece.infos);
    for (const number of piece.read) read.push(blocks.slice(first).flat()[number]!.path);
  };
  const onRead = (progress: { ticks: number }) => {
    ticks += progress.ticks;
  };
  const plan = { blocks, threads, bytes: undefined };
  await readBlocks(plan, optionsFor(blocks.flat().length), { shared, merger, take, onRead });
  return { profile: merger.finish(), pieces, read, ticks };
}

/** Returns the profile of logs that this thread reads, and their details. */
async function readHere() {
  const merger = new ProfileMerger();
  const shared = await openSharedInput(FLAGS);
  const read = await readBlock(logs, optionsFor(logs.length), { shared, merger, onProgress: () => {} });
  return { ...read, profile: merger.finish() };
}

describe("readBlocks", () => {
  it("reads what one thread reads", async () => {
    const alone = await readHere();
    const blocks = Array.from({ length: Math.ceil(logs.length / 3) }, (_, i) => logs.slice(3 * i, 3 * i + 3));
    expect(blocks.length).toBeGreaterThan(6);
    const { profile, pieces, read, ticks } = await readInThreads(blocks, 3);
    expect(portableProfile(profile)).toEqual(portableProfile(alone.profile));
    expect(pieces.flatMap(({ infos }) => infos)).toEqual(alone.infos);
    expect(read).toEqual(logs.map(({ path }) => path));
    expect(ticks).toBe(alone.progress.ticks);
    expect(pieces.length).toBeGreaterThan(1);
  });

  it("skips logs that cannot be read, in blocks of any thread", async () => {
    const empty = { path: join(folder, "isolate0x1-1-v8.log"), folder };
    writeFileSync(empty.path, "");
    const { pieces, read } = await readInThreads([[logs[0]!, empty], [empty], [logs[1]!]], 2);
    expect(read).toEqual([logs[0]!.path, logs[1]!.path]);
    expect(pieces.flatMap(({ errors }) => errors).length).toBe(2);
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
