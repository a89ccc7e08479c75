import { describe, expect, it } from "vitest";
import { frameRange } from "../../../src/symbols/machine-code.ts";
import { createRandom } from "../../helpers/random.ts";

describe("frameRange", () => {
  it("finds the range around each offset, as a look at all of them does", () => {
    const random = createRandom(3);
    for (let round = 0; round < 50; round++) {
      const frameless: number[] = [];
      for (let at = random(3); frameless.length < 2 * (round % 6); ) {
        const end = at + 1 + random(4);
        frameless.push(at, end);
        at = end + random(3);
      }
      for (let offset = 0; offset < 50; offset++) {
        const { start, end, isFrameless } = frameRange(frameless, offset);
        const isIn = frameless.some((from, i) => i % 2 === 0 && from <= offset && offset < frameless[i + 1]!);
        expect(isFrameless).toBe(isIn);
        expect(start).toBe(Math.max(0, ...frameless.filter((at) => at <= offset)));
        expect(end).toBe(Math.min(Number.POSITIVE_INFINITY, ...frameless.filter((at) => at > offset)));
      }
    }
  });

  it("takes no longer for a builtin with a million ranges", () => {
    const frameless = Array.from({ length: 2_000_000 }, (_, i) => i);
    let found = 0;
    for (let offset = 0; offset < 1_000_000; offset++)
      found += Number(frameRange(frameless, offset).isFrameless);
    // Starts are even: half of the offsets. A look at all ranges would take hours.
    expect(found).toBe(500_000);
  });
});
