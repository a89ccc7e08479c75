import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planBlocks } from "../../../src/cli/log-blocks/block-plan.ts";
import type { GivenLog } from "../../../src/cli/log-paths.ts";

const MB = 1e6;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ticks-plan-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

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
