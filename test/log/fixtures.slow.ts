import { describe, expect, it } from "vitest";
import { FIXTURE_NAMES, fixtureLog } from "../helpers/fixtures.ts";
import { parse } from "../helpers/logs.ts";

describe.each(FIXTURE_NAMES)("the parser of %s", (name) => {
  const log = fixtureLog(name);

  it("finds the same fed a few bytes at a time, its first part a byte at a time", () => {
    const digest = (bytes: Buffer, chunkSize: number) => JSON.stringify(parse(bytes, chunkSize));
    const first = log.subarray(0, 150_000);
    expect(digest(first, 1) === digest(first, first.length)).toBe(true);
    expect(digest(log, 61) === digest(log, log.length)).toBe(true);
  });

  it("never throws, cut anywhere", () => {
    const step = Math.ceil(log.length / 20);
    for (let end = 0; end < log.length; end += step)
      expect(() => parse(log.subarray(0, end), 1 << 16)).not.toThrow();
  });
});
