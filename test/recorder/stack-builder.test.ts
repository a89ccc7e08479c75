import { describe, expect, it } from "vitest";
import { labelOf } from "../../src/views/label.ts";
import { withoutKernels } from "../helpers/kernels.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";
import { createRandom } from "../helpers/random.ts";

const hex = (number: number) => `0x${number.toString(16)}`;

describe("StackBuilder", () => {
  it("sees the code range come between ticks at the same addresses", async () => {
    const tick = (time: number) => `tick,0x7f1bc7fc0688,${time},0,0x0,0,0x7f1bc7fc0690`;
    const log = logOf(
      "shared-library,/opt/node,0x400000,0x25fe000,0",
      tick(1),
      tick(2),
      "code-creation,Builtin,2,17628,0x19fb680,32,WasmFuncRefToJS",
      "new,CodeRange,0x7f1ba8000000,0",
      tick(3),
      tick(4),
    );
    const profile = await profileOf(log);
    const { frames, tree, samples } = profile;
    const reasons = Array.from({ length: samples.length }, (_, i) => {
      const frame = frames[tree.frame[samples.node[i]!]!]!;
      return [frame.kind === "unknown" ? frame.reason : labelOf(frame), samples.ticks[i]];
    });
    // The builtins are at the end of the range's 512 MiB, from its row on.
    expect(reasons).toEqual([
      ["unmapped", 2],
      ["Builtin: WasmFuncRefToJS", 2],
    ]);
    expect(await withoutKernels(() => profileOf(log))).toEqual(profile);
  });

  it("voids what it knows where code is as large as memory, between ticks", async () => {
    const rows = Array.from({ length: 400 }, (_, i) => [
      `code-creation,JS,10,1,${hex(0x10000 + 64 * i)},${i % 2 ? 2 ** 50 : 64},f${i} x.js:1:1,0x1,*`,
      `tick,${hex(0x10000 + 64 * (i - (i % 3)))},${i},0,0x0,0,${hex(0x10010 + 64 * (i >> 1))}`,
    ]).flat();
    const log = logOf(...NODE_26, ...rows);
    const profile = await profileOf(log);
    expect(profile.frames.length).toBeGreaterThan(100);
    expect(await withoutKernels(() => profileOf(log))).toEqual(profile);
  });

  it("knows more code than the kernel has room for answers at first, also once it has changed", async () => {
    const address = (i: number) => 2 ** 32 + 4096 * (i % 9000) + 64 * (i % 7);
    const codes = Array.from(
      { length: 9000 },
      (_, i) => `code-creation,JS,10,1,${hex(address(i))},64,f${i % 99} x.js:1:1,0x1,*`,
    );
    const ticks = Array.from(
      { length: 18_000 },
      (_, i) => `tick,${hex(address(i) + (i % 64))},${i},0,0x0,0,${hex(address(7 * i) + 63)}`,
    );
    const others = codes.filter((_, i) => i % 3 === 0).map((row) => row.replace(",f", ",g"));
    const log = logOf(...NODE_26, ...codes, ...ticks, ...others, ...ticks);
    const profile = await profileOf(log);
    expect(profile.frames.length).toBeGreaterThanOrEqual(99);
    expect(await withoutKernels(() => profileOf(log))).toEqual(profile);
  });

  it("sees code come, move and go between ticks that share their stacks", async () => {
    const random = createRandom(3);
    const slot = () => 0x10000 + 0x40 * random(12);
    const inCode = () => slot() + random(0x40);
    const codes: (() => string)[] = [
      () => `code-creation,JS,10,1,${hex(slot())},${40 + random(80)},f${random(50)} x.js:1:1,0x1,*`,
      () => `code-move,${hex(slot())},${hex(slot())}`,
      () => `code-delete,${hex(slot())}`,
    ];
    const rows: string[] = [];
    let stack: number[] = [];
    let time = 0;
    for (let i = 0; i < 6000; i++) {
      if (random(12) === 0) rows.push(codes[random(3)]!());
      const left = stack.slice(
        random(3) === 0 ? random(stack.length + 1) : Math.min(stack.length, random(3)),
      );
      stack = [...Array.from({ length: random(left.length > 20 ? 1 : 4) }, inCode), ...left];
      // Ticks at once, apart, at the longest step and past it, and back in time.
      time += [0, 7, 1000, 10_000, 10_001, random(3) ? 20_000 : -Math.min(time, 50)][random(6)]!;
      const head = ["tick", hex(inCode()), time, random(2), random(2) ? hex(inCode()) : "0x0", random(3)];
      rows.push([...head, ...stack.map(hex)].join(","));
    }
    const log = logOf(...NODE_26, ...rows);
    for (const options of [{}, { inlines: true }]) {
      const profile = await profileOf(log, options);
      expect(profile.frames.length).toBeGreaterThan(50);
      expect(await withoutKernels(() => profileOf(log, options))).toEqual(profile);
    }
  });
});
