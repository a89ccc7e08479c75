import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PairNumbers } from "../../src/base/pair-numbers.ts";
import { lowerBound, partitionPoint, upperBound } from "../../src/base/sorted.ts";
import { labelOf } from "../../src/facts/label.ts";
import { CallTreeBuilder, depthFirst, ROOT, stackOf, visitOutermost } from "../../src/profile/call-tree.ts";
import type { Frame } from "../../src/profile/frame.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { creditInterpreted, shownStacks } from "../../src/profile/shown-stacks.ts";
import { expandStacks } from "../../src/profile/stacks.ts";
import { moveTicks, type Timeline, TimelineBuilder, TimelineJoiner } from "../../src/profile/timeline.ts";
import { createRandom } from "../helpers/random.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

describe("CallTreeBuilder", () => {
  it("gives one node to one stack", () => {
    const tree = new CallTreeBuilder();
    const a = tree.child(ROOT, 7);
    const b = tree.child(a, 8);
    expect(tree.child(ROOT, 7)).toBe(a);
    expect(tree.child(a, 8)).toBe(b);
    expect(tree.child(b, 7)).not.toBe(a);
    expect(Array.from(stackOf(tree, b))).toEqual([8, 7]);
  });

  it("holds wide and deep trees, parents before children", () => {
    const tree = new CallTreeBuilder(2);
    const nodes = new Map<string, number>();
    for (let round = 0; round < 2; round++) {
      for (let parent = 0; parent < 40; parent++) {
        const top = tree.child(ROOT, parent);
        for (let frame = 0; frame < 100; frame++) {
          const node = tree.child(top, frame);
          const key = `${parent},${frame}`;
          expect(nodes.get(key) ?? node).toBe(node);
          nodes.set(key, node);
        }
      }
    }
    expect(tree.length).toBe(1 + 40 + 4000);
    expect(new Set(nodes.values()).size).toBe(4000);
    for (let node = 1; node < tree.length; node++) expect(tree.parent[node]!).toBeLessThan(node);
  });
});

describe("depthFirst", () => {
  it("puts each node before those below it, as a walk of the tree does", () => {
    const builder = new CallTreeBuilder();
    let seed = 1;
    const nodes = [ROOT];
    while (nodes.length < 500) {
      seed = (seed * 48_271) % 2_147_483_647;
      const made = builder.child(nodes[seed % nodes.length]!, seed % 7);
      if (made === nodes.length) nodes.push(made);
    }
    const tree = builder.finish();
    const order: number[] = [];
    const ends: number[] = [];
    const walk = (node: number) => {
      const at = order.push(node) - 1;
      for (let one = 1; one < tree.length; one++) if (tree.parent[one] === node) walk(one);
      ends[at] = order.length;
    };
    walk(ROOT);
    const found = depthFirst(tree);
    expect(Array.from(found.nodes)).toEqual(order);
    expect(Array.from(found.ends)).toEqual(ends);
  });

  it("holds for a tree of the root alone", () => {
    const found = depthFirst(new CallTreeBuilder().finish());
    expect([Array.from(found.nodes), Array.from(found.ends)]).toEqual([[ROOT], [1]]);
  });
});

describe("visitOutermost", () => {
  it("visits what has no caller of its group, and nothing of no group", () => {
    const tree = new CallTreeBuilder();
    const stacks = [
      [1, 2, 1, 3],
      [2, 1, 2],
      [0, 1],
    ];
    for (const stack of stacks) stack.reduce((node, frame) => tree.child(node, frame), ROOT);
    const found: string[] = [];
    const groups = { count: 4, of: (node: number) => tree.frame[node]! - 1 };
    visitOutermost(depthFirst(tree), groups, (node, group) =>
      found.push(`${Array.from(stackOf(tree, node)).reverse().join(">")}:${group}`),
    );
    expect(found).toEqual(["1:0", "1>2:1", "1>2>1>3:2", "2:1", "2>1:0", "0>1:0"]);
  });
});

const native = (symbol: string): Frame => ({ kind: "native", library: "lib", symbol });

describe("expandStacks", () => {
  it("makes stacks one that differ in frames which turn out equal, with their ticks and below them", () => {
    const tree = new CallTreeBuilder();
    const samples = new SampleTableBuilder();
    for (const stack of [[0], [0, 2], [1, 2], [1], [3, 1]]) {
      samples.add(
        stack.reduce((node, frame) => tree.child(node, frame), ROOT),
        0,
      );
    }
    const frames = ["a", "a", "b", "c"].map((name) => [native(name)]);
    const merged = expandStacks({ frames, tree: tree.finish(), samples });
    const names = Array.from({ length: merged.samples.length }, (_, row) => [
      ...Array.from(stackOf(merged.tree, merged.samples.node[row]!), (frame) => merged.frames[frame]!),
      merged.samples.ticks[row],
    ]);
    const [a, b, c] = [native("a"), native("b"), native("c")];
    expect(names).toEqual([
      [a, 2],
      [b, a, 2],
      [a, c, 1],
    ]);
  });
});

/** The stacks of a profile with their ticks, root first, with the lines of functions. */
function stacksOf({ frames, tree, samples }: Profile): string[] {
  return Array.from({ length: samples.length }, (_, i) => {
    const labels = Array.from(stackOf(tree, samples.node[i]!), (number) => {
      const frame = frames[number]!;
      return labelOf(frame) + (frame.kind === "js" && frame.line > 0 ? `@${frame.line}` : "");
    });
    return `${labels.reverse().join(" ")}: ${samples.ticks[i]}`;
  });
}

describe("unknown callers", () => {
  it("go, but unknown addresses with ticks of their own stay, and every tick", () => {
    const shown = shownStacks(
      profileFromStacks("js:a ? ? js:b", "js:a js:b", "js:a ? js:b ?", "?", "js:a ? js:b ? ?"),
    );
    expect(stacksOf(shown)).toEqual(["JS: *a JS: *b: 2", "JS: *a JS: *b UNKNOWN: 2", "UNKNOWN: 1"]);
    expect(shown.info.excluded).toBe(0);
  });

  it("leave a profile alone that has none", () => {
    const profile = profileFromStacks("js:a js:b ?", "?");
    expect(shownStacks(profile)).toBe(profile);
  });
});

describe("ticks of bytecode handlers", () => {
  const profile = profileFromStacks(
    "js:~a@3 handler:Add",
    "js:~a@4 handler:Add",
    "js:~a@4 handler:CallProperty1",
    "js:~a@4 handler:CallProperty1",
    "js:~a@4 js:~b handler:Star",
    "js:~a@5",
  );

  it("are those of the interpreted function, with a line if the handler saves its position", () => {
    expect(stacksOf(shownStacks(profile))).toEqual([
      "JS: ~a: 2",
      "JS: ~a@4: 2",
      "JS: ~a@4 JS: ~b: 1",
      "JS: ~a@5: 1",
    ]);
  });

  it("leave no handler behind, and no node without ticks", () => {
    const { frames, tree } = shownStacks(profile);
    expect(new Set(frames.map(labelOf))).toEqual(new Set(["JS: ~a", "JS: ~b"]));
    // The root, `a` at two lines and without one, and `b`.
    expect(tree.length).toBe(5);
  });

  it("go to the same frame as those of a function that has no line", () => {
    const shown = shownStacks(profileFromStacks("js:~a@3 handler:Add", "js:~a", "js:~a handler:Ldar"));
    expect(stacksOf(shown)).toEqual(["JS: ~a: 3"]);
    expect(shown.tree.length).toBe(2);
  });

  it("stay if the function is unknown, compiled or not there", () => {
    const others = profileFromStacks("js:~a ? handler:Add", "js:^a handler:Add", "handler:Add");
    expect(stacksOf(shownStacks(others))).toEqual([
      "JS: ~a BytecodeHandler: Add: 1",
      "JS: ^a BytecodeHandler: Add: 1",
      "BytecodeHandler: Add: 1",
    ]);
  });

  it("are not credited a second time, to what is left of a stack", () => {
    const once = shownStacks(profileFromStacks("js:~a ? handler:Add", "js:~a handler:Ldar"));
    expect(shownStacks(once)).toBe(once);
    expect(creditInterpreted(once)).toBe(once);
    // Two logs are two threads.
    const merged = shownStacks(mergeProfiles([once, once]));
    expect(new Set(stacksOf(merged))).toEqual(new Set(["JS: ~a BytecodeHandler: Add: 1", "JS: ~a: 1"]));
  });

  it("are functions of their own if wanted, in every later view too", () => {
    const separate = shownStacks(profile, { separateBytecodes: true });
    expect(stacksOf(separate)).toEqual(stacksOf(profile));
    expect(shownStacks(separate)).toBe(separate);
  });

  it("keep their times", () => {
    const timeline = { length: 3, sample: Int32Array.of(1, 0, 2), timestamp: Float64Array.of(1, 2, 3) };
    const timed = { ...profileFromStacks("js:~a handler:Add", "js:~a handler:Ldar", "js:~b"), timeline };
    const shown = shownStacks(timed);
    expect(stacksOf(shown)).toEqual(["JS: ~a: 2", "JS: ~b: 1"]);
    expect(Array.from(shown.timeline!.sample.subarray(0, shown.timeline!.length))).toEqual([0, 0, 1]);
  });

  it("are credited alone, with unknown callers in place", () => {
    const credited = creditInterpreted(profileFromStacks("js:~a handler:Add", "js:~a ? js:b"));
    expect(stacksOf(credited)).toEqual(["JS: ~a: 1", "JS: ~a UNKNOWN JS: *b: 1"]);
  });
});

it("counts by stack, state and thread, in whatever order they come", () => {
  const table = new SampleTableBuilder();
  const sums = new Map<string, number>();
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let i = 0; i < 20_000; i++) {
    const [node, state, thread, ticks] = [random(50), random(4), random(30), random(3)];
    const row = table.add(node, state, ticks, thread);
    expect([table.node[row], table.vmState[row], table.thread[row]]).toEqual([node, state, thread]);
    const key = `${node} ${state} ${thread}`;
    sums.set(key, (sums.get(key) ?? 0) + ticks);
  }
  expect(table.length).toBe(sums.size);
  for (let i = 0; i < table.length; i++) {
    expect(table.ticks[i]).toBe(sums.get(`${table.node[i]} ${table.vmState[i]} ${table.thread[i]}`));
  }
});

describe("PairNumbers", () => {
  it("numbers pairs in the order in which they come, as a map of texts does", () => {
    const small = fc.integer({ min: -3, max: 12 });
    const any = fc.oneof(small, fc.integer());
    fc.assert(
      fc.property(fc.array(fc.tuple(any, any), { maxLength: 400 }), (pairs) => {
        const numbers = new PairNumbers();
        const known = new Map<string, number>();
        for (const [first, second] of pairs) {
          const key = `${first} ${second}`;
          if (!known.has(key)) known.set(key, known.size);
          expect(numbers.of(first, second)).toBe(known.get(key));
        }
        expect(numbers.length).toBe(known.size);
        const all = Array.from(
          { length: numbers.length },
          (_, i) => `${numbers.firstOf(i)} ${numbers.secondOf(i)}`,
        );
        expect(all).toEqual(Array.from(known.keys()));
      }),
    );
  });
});

/** Ascending numbers, of which many are equal. */
function ascending(length: number, seed: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length }, () => random(length)).sort((a, b) => a - b);
}

describe("bounds in ascending numbers", () => {
  it("are where a search from the first number on finds them", () => {
    for (let length = 0; length < 40; length++) {
      const numbers = ascending(length, length + 1);
      for (let limit = -1; limit <= length; limit++) {
        const isLower = numbers.map((number) => number < limit);
        const isUpper = numbers.map((number) => number <= limit);
        expect(lowerBound(numbers, limit)).toBe([...isLower, false].indexOf(false));
        expect(upperBound(numbers, limit)).toBe([...isUpper, false].indexOf(false));
        expect(partitionPoint(length, (index) => isUpper[index]!)).toBe(upperBound(numbers, limit));
      }
    }
  });

  it("stay in the range that is asked for", () => {
    const numbers = Float64Array.of(5, 1, 2, 2, 3, 0, 9);
    expect([0, 1, 2, 3, 4].map((limit) => lowerBound(numbers, limit, 1, 5))).toEqual([1, 1, 2, 4, 5]);
    expect([0, 1, 2, 3, 4].map((limit) => upperBound(numbers, limit, 1, 5))).toEqual([1, 2, 4, 5, 5]);
    expect(lowerBound(numbers, 2, 3, 3)).toBe(3);
  });
});

type Tick = readonly [sample: number, time: number];

const TICKS = fc.array(fc.tuple(fc.nat(9), fc.nat(5000)), { maxLength: 60 });

function timelineOf(ticks: readonly Tick[]): Timeline {
  const builder = new TimelineBuilder();
  for (const [sample, time] of ticks) builder.add(sample, time);
  return builder.finish();
}

function ticksIn({ length, sample, timestamp }: Timeline): Tick[] {
  return Array.from({ length }, (_, i): Tick => [sample[i]!, timestamp[i]!]);
}

describe("a timeline", () => {
  it("has the ticks that are left, of the samples' new numbers, again and again", () => {
    const numbers = fc.array(fc.integer({ min: -1, max: 9 }), { minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(TICKS, numbers, numbers, (ticks, first, second) => {
        const moved = moveTicks(
          moveTicks(timelineOf(ticks), Int32Array.from(first)),
          Int32Array.from(second),
        );
        const left = ticks
          .map(([sample, time]): Tick => [second[first[sample]!] ?? -1, time])
          .filter(([sample]) => sample >= 0);
        expect(ticksIn(moved)).toEqual(left);
      }),
    );
  });

  it("is joined to others, which stay as they are", () => {
    fc.assert(
      fc.property(TICKS, TICKS, TICKS, (a, b, c) => {
        const joiner = new TimelineJoiner();
        const parts = [a, b, c].map(timelineOf);
        for (const part of parts) joiner.add(part);
        expect(ticksIn(joiner.timeline!)).toEqual([...a, ...b, ...c]);
        expect(parts.map(ticksIn)).toEqual([a, b, c]);
      }),
    );
  });
});
