import { expect, it } from "vitest";
import { nearNames } from "../../src/views/near-names.ts";

it("names that a mistyped one may mean are near it", () => {
  const names = ["js", "gc", "parser", "compiler", "bytecode-compiler", "idle"];
  expect(nearNames("compilr", names)).toEqual(["compiler"]);
  expect(nearNames("GC", names)).toEqual(["gc"]);
  expect(nearNames("idel", names)).toEqual(["idle"]);
  expect(nearNames("compile", names)).toEqual(["compiler", "bytecode-compiler"]);
  expect(nearNames("compile", names, 1)).toEqual(["compiler"]);
  expect(nearNames("nothing", names)).toEqual([]);
  expect(nearNames("", names)).toEqual([]);
});
