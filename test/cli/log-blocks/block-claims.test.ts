import { describe, expect, it } from "vitest";
import { BlockClaims } from "../../../src/cli/log-blocks/block-claims.ts";

describe("BlockClaims", () => {
  it("gives each block to one of the threads that share its memory", () => {
    const claims = new BlockClaims(3);
    const other = new BlockClaims(3, claims.memory);
    expect([claims.take(1), other.take(1), other.take(2), claims.take(2)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it("has no block behind the last", () => {
    expect(new BlockClaims(3).take(3)).toBe(false);
  });

  it("begins another piece in the middle of what is left of the longest", () => {
    const claims = new BlockClaims(9);
    claims.take(0);
    expect(claims.takeAnother()).toBe(5);
    expect(claims.takeAnother()).toBe(3);
    expect(claims.take(6)).toBe(true);
    expect([claims.takeAnother(), claims.takeAnother()]).toEqual([2, 8]);
    expect([claims.takeAnother(), claims.takeAnother()]).toEqual([1, 4]);
    expect([claims.takeAnother(), claims.takeAnother()]).toEqual([7, undefined]);
  });

  it("leaves the blocks after one that failed", () => {
    const claims = new BlockClaims(5);
    claims.leaveFrom(2);
    expect([claims.takeAnother(), claims.takeAnother(), claims.takeAnother()]).toEqual([1, 0, undefined]);
  });
});
