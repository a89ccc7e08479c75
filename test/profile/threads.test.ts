import { describe, expect, it } from "vitest";
import { mergeInfos, mergeProfiles } from "../../src/profile/merge.ts";
import type { ThreadInfo } from "../../src/profile/profile.ts";
import { arrangeThreads, nameThreads, threadOrder } from "../../src/profile/threads.ts";
import { leavesOf } from "../helpers/logs.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

function thread(log: string, facts: Partial<ThreadInfo> = {}): ThreadInfo {
  return {
    name: "",
    log,
    pid: undefined,
    isolate: undefined,
    kind: undefined,
    ticks: 0,
    span: 0,
    ...facts,
  };
}

const names = (...threads: readonly ThreadInfo[]) => nameThreads(threads).map(({ name }) => name);

describe("the names of threads", () => {
  it("have what is known, the isolate where it tells apart", () => {
    expect(
      names(
        thread("a", { pid: 7, isolate: "0x1", kind: "main" }),
        thread("b", { pid: 7, isolate: "0x2", kind: "worker" }),
        thread("c", { pid: 7, isolate: "0x3" }),
        thread("d", { pid: 8 }),
        thread("e", { isolate: "0x4", kind: "main" }),
        thread("f", { isolate: "0x5", kind: "worker" }),
        thread("g", { isolate: "0x6" }),
        thread("logs/h.log", { kind: "main" }),
      ),
    ).toEqual([
      "pid 7 main",
      "pid 7 worker 0x2",
      "pid 7 0x3",
      "pid 8",
      "main 0x4",
      "worker 0x5",
      "isolate 0x6",
      "h.log",
    ]);
  });

  it("are no two the same, though processes of two machines have one number", () => {
    const main = { pid: 7, kind: "main" } as const;
    expect(
      names(
        thread("one/a", { ...main, isolate: "0x1" }),
        thread("two/a", { ...main, isolate: "0x2" }),
        thread("two/b", { ...main, isolate: "0x2" }),
        thread("three/c", { pid: 9, isolate: "0x1", kind: "worker" }),
        thread("four/c", { pid: 9, isolate: "0x1", kind: "worker" }),
        thread("five/d (2)"),
        thread("five/d"),
        thread("six/d"),
        thread("seven/d"),
      ),
    ).toEqual([
      "pid 7 main 0x1",
      "pid 7 main 0x2",
      "pid 7 main 0x2 (2)",
      "pid 9 worker 0x1",
      "pid 9 worker 0x1 (2)",
      "d (2)",
      "d",
      "d (3)",
      "d (4)",
    ]);
  });
});

it("orders threads by folder as given, process, main before worker, address", () => {
  const threads = [
    thread("b/w2", { pid: 5, kind: "worker", isolate: "0x10" }),
    thread("b/w1", { pid: 5, kind: "worker", isolate: "0x9" }),
    thread("b/u", { pid: 5, isolate: "0x1" }),
    thread("b/m", { pid: 5, kind: "main", isolate: "0xffff" }),
    thread("b/parent", { kind: "main" }),
    thread("b/child", { pid: 40, kind: "main" }),
    thread("a/y", { pid: 1 }),
    thread("a/x", { pid: 1 }),
  ];
  expect(threadOrder(threads).map((i) => threads[i]!.log)).toEqual([
    "b/parent",
    "b/m",
    "b/u",
    "b/w1",
    "b/w2",
    "b/child",
    "a/x",
    "a/y",
  ]);
});

it("keeps some threads as if the others had not been read, in another order", () => {
  const parts = [
    profileFromStacks("js:f", "js:g"),
    profileFromStacks("js:f", "js:f", "gc:js:h"),
    profileFromStacks("js:k"),
  ];
  const all = mergeProfiles(parts);
  const info = mergeInfos([parts[2]!.info, parts[0]!.info]);
  const { samples, info: kept, ...rest } = arrangeThreads(all, [2, 0], info);
  expect(leavesOf({ ...rest, samples, info: kept })).toEqual({ "JS: *f": 1, "JS: *g": 1, "JS: *k": 1 });
  expect([kept.ticks, kept.excluded]).toEqual([3, 0]);
  const ticks = [0, 0];
  for (let i = 0; i < samples.length; i++) ticks[samples.thread[i]!]! += samples.ticks[i]!;
  expect(ticks).toEqual([1, 2]);
});
