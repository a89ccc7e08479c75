import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binaries } from "../fuzz/targets/binaries.ts";

describe("damaged files of macOS and Windows", () => {
  it("cost nothing but their names", async () => {
    const property = fc.asyncProperty(binaries.arbitrary, async (input) => binaries.check(input));
    await expect(fc.assert(property, { seed: 18, numRuns: 400 })).resolves.toBeUndefined();
  });
});
