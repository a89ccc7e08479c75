import { describe, expect, it } from "vitest";
import { callSites, scriptOutline } from "../../../src/symbolizer/baseline/call-sites.ts";

const NONE: ReadonlySet<number> = new Set();

/** The text of each block that is skipped, without those in others. */
function skipped(text: string, names: readonly string[] = [], wanted = NONE): string[] | undefined {
  const outline = scriptOutline(text, wanted, new Set(names));
  if (outline === undefined) return undefined;
  const found: string[] = [];
  for (let at = text.indexOf("{"); at >= 0; at = text.indexOf("{", at + 1)) {
    const end = outline.skippedEnd(at);
    if (end < 0) continue;
    found.push(text.slice(at, end + 1));
    at = end;
  }
  return found;
}

describe("the outline of a script", () => {
  it("has the blocks without wanted offsets", () => {
    const text = "function f() { a(); }\nfunction g() { if (b) { c(); } }";
    expect(skipped(text)).toEqual(["{ a(); }", "{ if (b) { c(); } }"]);
    expect(skipped(text, [], new Set([text.indexOf("b")]))).toEqual(["{ a(); }", "{ c(); }"]);
  });

  it("is not misled by braces in texts, comments, templates and patterns", () => {
    const block = `{ "}"; '\\'}'; /* } */ \`}\${{ a: \`}\` }}}\`; // }\n if (x) /[/}]}/.test(y); z = a / b; return /}/; case /}/: }`;
    expect(skipped(`f${block}g`)).toEqual([block]);
    expect(skipped(`{ a.return / b; \`\${c}\` / d; e[0] / f; (g) / h; [.../}/.exec(i)]; }`)).toHaveLength(1);
  });

  it("is given up where a slash may divide or begin a pattern", () => {
    for (const text of ["{} /}/.test(a)", "a++ / b", "for await (a of b) /}/.test(a)", "of / b"]) {
      expect(skipped(text)).toBeUndefined();
    }
  });

  it("is given up for texts that are not JavaScript, and for HTML's comments", () => {
    for (const text of [
      "{",
      "}",
      "(]",
      "{)",
      '"\n"',
      "`",
      "/*",
      "a = /b",
      "\\u0061",
      "a <!-- }",
      "\n--> }",
    ]) {
      expect(skipped(text)).toBeUndefined();
    }
  });

  it("keeps what may assign to a name", () => {
    const assigning = [
      "{ a = 1 }",
      "{ a ??= 1 }",
      "{ a >>>= 1 }",
      "{ a++ }",
      "{ --a }",
      "{ [b, a] = c }",
      "{ ({ b: [a] } = c) }",
      "{ (a) = 1 }",
      "{ for (a of b); }",
      "{ for ([a] in b); }",
      "{ d /= 2, a /= 2 }",
    ];
    for (const text of assigning) expect(skipped(`${text} { b }`, ["a"])!.at(-1)).toBe("{ b }");
    for (const text of assigning) expect(skipped(text, ["a"])).not.toContain(text);
    const others = [
      "{ a == 1 }",
      "{ a >= 1 }",
      "{ b.a = 1 }",
      "{ const a = 1 }",
      "{ a => 1 }",
      "{ let { a } = b }",
    ];
    for (const text of others) expect(skipped(text, ["a"])).toEqual([text]);
  });

  it("keeps what can give names other meanings", () => {
    expect(skipped("f() { eval(a) } g() { with (b) {} } h() { i.eval(); }")).toEqual(["{}", "{ i.eval(); }"]);
  });

  it("takes time in proportion to the text", () => {
    const nested = `${"a[".repeat(100_000)}0${"] = 1".repeat(100_000)}`;
    expect(skipped(`{ ${nested} }`, ["b"])).toHaveLength(1);
    expect(skipped("{".repeat(300_000))).toBeUndefined();
  });
});

describe("the calls at offsets that are asked for", () => {
  it("are those of the whole script, whatever other functions assign to", () => {
    const text = [
      "let f = function () { inner(); };",
      "const g = () => { f = other; };",
      "const h = () => { [k] = list; };",
      "function k() { g(); }",
      "function main() { f(); g(); k(); h.call(1); new h(); main(); (0, k)(2); }",
    ].join("\n");
    const all = callSites(text)!;
    const main = text.indexOf("main()");
    const asked = new Set(Array.from(all.keys()).filter((offset) => offset > main));
    expect(asked.size).toBeGreaterThan(8);
    const found = callSites(text, asked)!;
    for (const offset of asked) expect(found.get(offset)).toEqual(all.get(offset));
    expect(found.size).toBe(asked.size);
  });
});
