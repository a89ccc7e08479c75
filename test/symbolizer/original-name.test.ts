import { describe, expect, it } from "vitest";
import { originalName } from "../../src/symbolizer/function-sources.ts";
import { SourceMap } from "../../src/symbolizer/source-maps.ts";

/** A map that gives every place of the first line the name `found`. */
const map = new SourceMap(
  JSON.stringify({
    version: 3,
    sources: ["a.ts"],
    names: ["found"],
    mappings: Array.from({ length: 300 }, (_, i) => (i === 0 ? "AAAAA" : "CAAAA")).join(),
  }),
  "/srv/a.js",
);

/** The identifier that a script, up to a function's start, is found to give the function. */
function identifier(script: string): string | undefined {
  let found: string | undefined;
  originalName(
    { script, start: script.length, name: "logged" },
    {
      map,
      positionAt: (offset) => {
        found = /^[\p{ID_Continue}$]+/u.exec(script.slice(offset))?.[0];
        return map.original({ line: 1, column: offset + 1 });
      },
      classBefore: (offset) => script.lastIndexOf("class", offset),
    },
  );
  return found;
}

describe("the name of a function", () => {
  it.each([
    ["function f", "f"],
    ["{ method ", "method"],
    ["async  *gen", "gen"],
    ["let f = function ", "f"],
    ["{ f: async function* ", "f"],
    ["f=async ", "f"],
    ["f = ", "f"],
    ["𝒳y = ", "𝒳y"],
    ["1a", "a"],
    ["class C{constructor", "C"],
    ["let D=class extends E{constructor", "D"],
    ["x.y=function\n*\n", "y"],
    ["return function", undefined],
    ["a * ", undefined],
    ["a == ", undefined],
    ["(", undefined],
    ["1", undefined],
    ["xfunction = 2 * asyncfunction", "asyncfunction"],
    ["constructor", undefined],
    ["", undefined],
  ])("after %j is %j", (script, expected) => {
    expect(identifier(script)).toBe(expected);
  });
});
