import { describe, expect, it } from "vitest";
import { withoutKernels } from "../helpers/kernels.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";
import { createRandom } from "../helpers/random.ts";

const hex = (number: number) => `0x${number.toString(16)}`;

describe("StackBuilder", () => {
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
