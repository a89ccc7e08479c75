import { describe, expect, it } from "vitest";
import { columnOf } from "../../src/profile/columns.js";

describe("a column of numbers of items", () => {
  it("has one for each, as the type holds it", () => {
    const lengthAt = (text: string, index: number) => 100 * text.length + index;
    expect(columnOf(Int32Array, ["a", "bc", ""], lengthAt)).toEqual(Int32Array.of(100, 201, 2));
    expect(columnOf(Uint8Array, Int32Array.of(255, 256, -1), (number) => number)).toEqual(
      Uint8Array.of(255, 0, 255),
    );
    expect(columnOf(Float64Array, [], () => 1)).toEqual(new Float64Array());
  });
});
