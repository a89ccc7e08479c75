import { describe, expect, it } from "vitest";
import { CASES, expectedFiles, testGoldens, testHashes } from "./helpers/golden-reports.ts";
import { warmTicks } from "./helpers/warm-cli.ts";

describe("what is printed for each recorded log", () => {
  testGoldens(warmTicks);

  it("is there for every case", () => {
    expect(CASES.length).toBeGreaterThan(0);
    // What hostile logs may make commands do has a test of its own, and so have start-ups.
    const silent = CASES.filter((name) => expectedFiles(name).length === 0);
    expect(silent).toEqual(["hostile", "startup"]);
  });
});

describe("the hash of what is printed by", () => {
  testHashes(warmTicks, 0);
});
