import { describe, expect, it } from "vitest";
import { FIXTURE_NAMES, fixtureLog } from "../helpers/fixtures.ts";
import { withoutKernels } from "../helpers/kernels.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";
import { createRandom } from "../helpers/random.ts";

const hex = (number: number) => `0x${number.toString(16)}`;

describe("StackBuilder", () => {
  it("makes of ticks what it makes without a kernel: the same frames, stacks and samples", async () => {
    for (const [i, name] of FIXTURE_NAMES.entries()) {
      const log = fixtureLog(name);
      const options = [
        {},
        { inlines: true },
        { timeline: true },
        { deopts: true },
        { range: { timedRange: "pairs" as const } },
      ][i % 5]!;
      const profile = await profileOf(log, options);
      expect(profile.info.ticks, name).toBeGreaterThan(50);
      expect(await withoutKernels(() => profileOf(log, options)), name).toEqual(profile);
    }
  });

  it("sees code come, move and go between ticks that share their stacks", async () => {
    const random = createRandom(3);
    const alive: number[] = [];
    const rows: string[] = [];
    let stack: number[] = [];
    for (let i = 0; i < 6000; i++) {
      const address = 0x10000 + 0x40 * random(400);
      const kind = random(40);
      if (kind === 0 || alive.length === 0) {
        rows.push(
          `code-creation,JS,10,${i},${hex(address)},${40 + random(80)},f${i} x.js:${i}:1,${hex(i)},*`,
        );
        alive.push(address);
      } else if (kind === 1) {
        rows.push(`code-move,${hex(alive[random(alive.length)]!)},${hex(address)}`);
        alive.push(address);
      } else if (kind === 2) {
        rows.push(`code-delete,${hex(alive[random(alive.length)]!)}`);
      } else {
        stack = [
          ...Array.from({ length: random(3) }, () => 0x10000 + random(400 * 0x40)),
          ...stack.slice(random(stack.length + 1)),
        ];
        const [pc, tos] = [0x10000 + random(400 * 0x40), random(2) * (0x10000 + random(400 * 0x40))];
        rows.push(["tick", hex(pc), i, random(2), hex(tos), random(3), ...stack.map(hex)].join(","));
      }
    }
    const log = logOf(...NODE_26, ...rows);
    for (const options of [{}, { inlines: true }]) {
      const profile = await profileOf(log, options);
      expect(profile.frames.length).toBeGreaterThan(100);
      expect(await withoutKernels(() => profileOf(log, options))).toEqual(profile);
    }
  });
});
