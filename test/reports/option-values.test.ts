import { describe, expect, it } from "vitest";
import { bytesOf, memorySize, size } from "../../src/reports/option-values.ts";

describe("sizes", () => {
  it("of files have a KB of 1000, and of memory one of 1024, as pages have", () => {
    expect([size("2GB"), size("1.5 kb"), size("7")]).toEqual([2e9, 1500, 7]);
    expect([memorySize("32KB"), memorySize("1.5m"), memorySize("100 B")]).toEqual([32_768, 1_572_864, 100]);
  });

  it("are no other text, nor nothing", () => {
    for (const text of ["", "KB", "10XB", "-1MB", "1e3", "1 2", " 1MB"])
      expect(bytesOf(text, 1024)).toBeUndefined();
    expect(() => memorySize("0")).toThrow("expected a size");
    expect(() => size("x")).toThrow("expected a size");
  });
});
