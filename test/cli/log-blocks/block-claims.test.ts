import { describe, expect, it } from "vitest";
import {
  BlockQueue,
  type BlockResult,
  OrderedBlocks,
  resultOf,
} from "../../../src/cli/log-blocks/block-queue.ts";
import type { ReadBlock } from "../../../src/cli/log-blocks/read-block.ts";
import { TicksError } from "../../../src/errors.ts";

const READ: ReadBlock = {
  profile: undefined,
  infos: [],
  read: [],
  errors: [],
  refusedMaps: new Set(),
  progress: { bytes: 1, ticks: 2 },
};

const failed = (block: number): BlockResult => ({
  block,
  outcome: { code: "NOT_FOUND", message: `no log ${block}`, hint: undefined },
});

describe("BlockQueue", () => {
  it("gives each block to one of the threads that share its memory", () => {
    const queue = new BlockQueue(5);
    const other = new BlockQueue(5, queue.memory);
    const [here, there] = [queue.take()[Symbol.iterator](), other.take()[Symbol.iterator]()];
    expect([here.next().value, there.next().value, there.next().value]).toEqual([0, 1, 2]);
    expect([...queue.take()]).toEqual([3, 4]);
    expect(there.next().done).toBe(true);
  });

  it("gives no more blocks once one has failed", async () => {
    const queue = new BlockQueue(5);
    const fails = () => Promise.reject(new TicksError("NOT_FOUND", "no log 0"));
    expect(await resultOf(queue, 0, fails)).toEqual(failed(0));
    expect([...queue.take()]).toEqual([]);
  });

  it("passes on faults that are not the user's", async () => {
    await expect(resultOf(new BlockQueue(1), 0, () => Promise.reject(new Error("bug")))).rejects.toThrow(
      "bug",
    );
  });
});

describe("OrderedBlocks", () => {
  it("passes on blocks in their order", () => {
    const taken: number[] = [];
    const ordered = new OrderedBlocks((read, block) => {
      expect(read).toBe(READ);
      taken.push(block);
    });
    for (const block of [2, 0]) ordered.add({ block, outcome: READ });
    ordered.pass();
    expect(taken).toEqual([0]);
    ordered.add({ block: 1, outcome: READ });
    ordered.pass();
    expect(taken).toEqual([0, 1, 2]);
  });

  it("throws the error of the first block that has one, after the blocks before it", () => {
    const taken: number[] = [];
    const ordered = new OrderedBlocks((_, block) => taken.push(block));
    for (const result of [failed(2), failed(1)]) ordered.add(result);
    ordered.pass();
    ordered.add({ block: 0, outcome: READ });
    expect(() => ordered.pass()).toThrow(new TicksError("NOT_FOUND", "no log 1"));
    expect(taken).toEqual([0]);
  });
});
