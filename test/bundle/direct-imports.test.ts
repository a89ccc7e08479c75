import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { circleIn, withDirectImports } from "../../scripts/direct-imports.mjs";

const getter = (name: string, value = name) =>
  `Object.defineProperty(exports, "${name}", {\n\tenumerable: true,\n\tget: function() {\n\t\treturn ${value};\n\t}\n});`;

/** Runs a part that needs `./other.cjs` and returns what it exports. */
function run(code: string, other: object): Record<string, unknown> {
  const exports: Record<string, unknown> = {};
  runInNewContext(code, { exports, require: () => other });
  return exports;
}

describe("imports of the parts of the program", () => {
  it("are taken once", () => {
    let taken = 0;
    const other = {
      get one() {
        taken++;
        return (by: number) => by + 1;
      },
      two: 2,
    };
    const part = [
      'const require_other = require("./other.cjs");',
      "const twice = (by) => require_other.one((0, require_other.one)(by)) + require_other.two;",
      getter("twice"),
      getter("again", "require_other.two"),
    ].join("\n");
    const { code, exports, fault } = withDirectImports(part);
    expect({ exports, fault }).toEqual({ exports: ["twice", "again"], fault: undefined });
    const { twice, again } = run(code, other) as { twice: (by: number) => number; again: number };
    expect([twice(1), twice(2), again, taken]).toEqual([5, 6, 2, 1]);
    expect(code).not.toContain("defineProperty");
  });

  it("leave alone what is no import", () => {
    const part = [
      'const require_other = require("./other.cjs");',
      'const named = (list) => ["require_other.one", list.require_other, require_other[list.name], require_other];',
      "exports.named = named;",
    ].join("\n");
    expect(withDirectImports(part)).toEqual({ code: part, exports: ["named"], fault: undefined });
  });

  it.each([
    ["let count = 0;\nfunction add() { count += 1; }", "count"],
    ["let count = 0;\nfunction add() { count++; }", "count"],
    ["var count;\nfunction add(all) { [, { count = 1 }] = all; }", "count"],
    ["let count;\nfunction add(all) { for (count of all); }", "count"],
  ])("are refused of a part that changes them: %s", (body, name) => {
    expect(withDirectImports(`${body}\n${getter(name)}`).fault).toBe(`${name} is exported and changes`);
  });

  it("are taken of a part that has another variable of the same name", () => {
    const part = `function count(all) { let count = 0;\nfor (const one of all) count += one;\nreturn count; }\n${getter("count")}`;
    expect(withDirectImports(part).fault).toBeUndefined();
  });

  it("are refused of parts that need each other", () => {
    const main = { imports: ["a", "node:fs"] };
    const c = { imports: [] };
    expect(circleIn({ main, a: { imports: ["b", "c"] }, b: { imports: ["c"] }, c })).toBeUndefined();
    const circle = circleIn({ main, a: { imports: ["c", "b"] }, b: { imports: ["a"] }, c });
    expect(circle).toEqual(["a", "b"]);
  });

  it("are no calls of getters in the program that was built", () => {
    const folder = fileURLToPath(new URL("../../dist/program/", import.meta.url));
    const parts = readdirSync(folder).filter((name) => name.endsWith(".cjs"));
    expect(parts.length).toBeGreaterThan(20);
    const texts = parts.map((name) => readFileSync(`${folder}${name}`, "utf8"));
    expect(texts.filter((text) => /defineProperty\(exports, "/.test(text))).toEqual([]);
    expect(texts.filter((text) => /\brequire_core\.\w/.test(text))).toEqual([]);
  });
});
