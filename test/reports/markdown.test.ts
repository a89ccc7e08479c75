import { describe, expect, it } from "vitest";
import { codeCell, codeSpan, fenced, markdownTable } from "../../src/reports/markdown.ts";

describe("codeSpan", () => {
  it.each([
    ["plain", "`plain`"],
    ["a`b", "``a`b``"],
    ["`a``", "``` `a`` ```"],
    ["a|b", "`a|b`"],
    ["\n\x1b", "`\\n\\x1b`"],
    ["", ""],
  ])("%j", (text, markdown) => {
    expect(codeSpan(text)).toBe(markdown);
  });
});

describe("codeCell", () => {
  it("has no pipe that ends it, whatever stands before", () => {
    expect(codeCell("a|b")).toBe("`a\\|b`");
    expect(codeCell("a\\|b\\\\|")).toBe("`a\\x5c\\|b\\\\x5c\\|`");
  });
});

describe("markdownTable", () => {
  it("has cells that no text ends", () => {
    expect(
      Array.from(markdownTable([{ title: "n", align: "right" }, { title: "f" }], [["1", codeCell("a|`b")]])),
    ).toEqual(["| n | f |", "| ---: | --- |", "| 1 | ``a\\|`b`` |"]);
  });
});

describe("fenced", () => {
  it("is longer than the fences in it", () => {
    expect(fenced(["a"])).toEqual(["```", "a", "```"]);
    expect(fenced(["````"])).toEqual(["`````", "````", "`````"]);
  });
});
