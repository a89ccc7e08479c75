import { describe, expect, it } from "vitest";
import { nearNames } from "../../src/views/near-names.ts";

describe("names that a mistyped one may mean", () => {
  const states = ["js", "gc", "parser", "compiler", "bytecode-compiler", "idle"];

  it.each([
    ["compilr", ["compiler"]],
    ["GC", ["gc"]],
    ["idel", ["idle"]],
    ["compile", ["compiler", "bytecode-compiler"]],
    ["nothing", []],
    ["", []],
  ])("%j", (query, near) => {
    expect(nearNames(query, states)).toEqual(near);
  });

  it("are as many as are wanted", () => {
    expect(nearNames("compile", states, 1)).toEqual(["compiler"]);
    expect(nearNames("x", states)).toEqual([]);
  });

  it("are no short names that happen to be in it", () => {
    const names = ["f", "b", "kd", "pb", "node::crypto::PBKDF2Job::DeriveBits", "runPbkdf2", "pbkdf2Sync"];
    const real = ["pbkdf2Sync", "node::crypto::PBKDF2Job::DeriveBits", "runPbkdf2"];
    expect(nearNames("pbkdf", names, 5)).toEqual(real);
    expect(nearNames("pbkdf", names.slice(0, 4), 5)).toEqual([]);
    // One letter of each part is wrong, and no whole name is near.
    expect(nearNames("pbkfd2", names.slice(0, -1), 5)).toEqual(real.slice(1));
  });

  it("are large parts of it, and words", () => {
    expect(nearNames("Router.handle", ["hand", "handle", "route", "Router"])).toEqual(["handle", "Router"]);
    expect(nearNames("handleRequests", ["handleRequest", "run", "quest"])).toEqual(["handleRequest"]);
  });

  it("differ in less than a third of the letters, the nearest first, then in the given order", () => {
    expect(nearNames("tpo", ["tree", "top", "toe"])).toEqual(["top"]);
    expect(nearNames("parsed", ["passes", "parses", "parser"])).toEqual(["parses", "parser", "passes"]);
    expect(nearNames("abc", ["xyc"])).toEqual([]);
  });

  it("take time that is linear in their number and length", () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `${"ab".repeat(100)}${i}`);
    expect(nearNames("q".repeat(64), names)).toEqual([]);
    expect(nearNames("q".repeat(100_000), names)).toEqual([]);
  });
});
